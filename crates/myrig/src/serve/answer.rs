//! The form of answers: pages, data, refusals.

use axum::{
    Json,
    http::{StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use lab::store::StoreError;
use report::html::RenderError;
use serde_json::json;
use std::fmt;

/// Why a request is not answered: for a program as JSON, for a person as a page (see
/// [`super::guard`]).
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    words: String,
}

impl Refusal {
    /// With words for a person.
    pub(super) fn new(status: StatusCode, words: impl fmt::Display) -> Self {
        Self { status, words: words.to_string() }
    }

    /// What was asked for is not there.
    pub(super) fn not_found(words: impl fmt::Display) -> Self {
        Self::new(StatusCode::NOT_FOUND, words)
    }

    /// The request makes no sense.
    pub(super) fn bad_request(words: impl fmt::Display) -> Self {
        Self::new(StatusCode::BAD_REQUEST, words)
    }

    /// It is not the request's fault.
    pub(super) fn internal(words: impl fmt::Display) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, words)
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        let status = match &error {
            StoreError::Unknown { .. } | StoreError::Empty { .. } => StatusCode::NOT_FOUND,
            StoreError::Ambiguous { .. } => StatusCode::BAD_REQUEST,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, error)
    }
}

impl From<RenderError> for Refusal {
    fn from(error: RenderError) -> Self {
        Self::internal(error)
    }
}

/// The refusal is kept with the answer, for the guard to put it into a page where a person asks.
impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Self { status, words } = &self;
        let value = json!({ "schema": "myrig.error/1", "status": status.as_u16(), "error": words });
        let mut response = (*status, Json(value)).into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// The refusal as a page.
pub(super) fn page_of(refusal: &Refusal) -> Response {
    let title = match refusal.status {
        StatusCode::UNAUTHORIZED => "Who is there?",
        StatusCode::NOT_FOUND => "Nothing here",
        _ => "That did not work",
    };
    match report::pages::message(title, &refusal.words) {
        Ok(page) => (refusal.status, Html(page)).into_response(),
        Err(_) => (refusal.status, refusal.words.clone()).into_response(),
    }
}

/// A text of that type.
pub(super) fn typed(content_type: &'static str, text: impl Into<String>) -> Response {
    ([(header::CONTENT_TYPE, content_type)], text.into()).into_response()
}
