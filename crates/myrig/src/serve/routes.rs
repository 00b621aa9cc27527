//! Which request is whose.

use super::{answer::Refusal, api, app::App, guard, pages, streams, upload};
use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware,
    routing::{MethodRouter, get, post},
};

/// The routes for programs; `openapi.json` describes them.
pub(super) fn api() -> Vec<(&'static str, MethodRouter<App>)> {
    vec![
        ("/api/openapi.json", get(api::openapi)),
        ("/api/history", get(api::history)),
        ("/api/runs", post(upload::run).layer(DefaultBodyLimit::max(upload::BYTES_MAX))),
        ("/api/runs/{id}", get(api::run)),
        ("/api/sweeps/{id}", get(api::sweep)),
        ("/api/groups/{id}", get(api::group)),
        ("/api/experiments/{id}", get(api::experiment)),
        ("/api/compare", get(api::compare)),
        ("/api/live", get(api::live)),
        ("/api/live/events", get(streams::list)),
        ("/api/live/{id}", get(api::live_one)),
        ("/api/live/{id}/events", get(streams::one)),
    ]
}

/// Everything that this server answers.
pub(super) fn router(app: App) -> Router {
    let mut router = Router::new()
        .route("/", get(pages::history))
        .route("/runs/{id}", get(pages::run))
        .route("/sweeps/{id}", get(pages::sweep))
        .route("/groups/{id}", get(pages::group))
        .route("/experiments/{id}", get(pages::experiment))
        .route("/compare", get(pages::compare))
        .route("/live/{id}", get(pages::live))
        .route("/assets/{name}", get(pages::asset));
    for (path, method) in api() {
        router = router.route(path, method);
    }
    router
        .fallback(|| async { Refusal::not_found("there is no such page") })
        .layer(middleware::from_fn_with_state(app.clone(), guard::guard))
        .with_state(app)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_document_describes_every_route_and_no_other() {
        let document: serde_json::Value = serde_json::from_str(api::OPENAPI).unwrap();
        assert_eq!(document["openapi"], "3.1.0");
        assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
        let described: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
        let mut routes: Vec<&str> = api().iter().map(|(path, _)| *path).collect();
        routes.sort_unstable();
        assert_eq!(described, routes);
    }
}
