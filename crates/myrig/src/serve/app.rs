//! What all answers share.

use super::{answer::Refusal, token::Token};
use crate::{failure::Failure, paths::Paths};
use axum::http::StatusCode;
use lab::store::Store;
use std::{path::Path, sync::Arc};
use tokio::sync::watch;

/// The server's facts; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct App(Arc<Facts>);

#[derive(Debug)]
struct Facts {
    paths: Paths,
    token: Token,
    cookie: String,
    host_names: Vec<String>,
    stopped: watch::Receiver<bool>,
}

impl App {
    /// Of a home, on a port, called by these names; `stopped` tells when it is to end.
    pub(super) fn new(
        paths: Paths,
        token: Token,
        port: u16,
        host_names: &[String],
        stopped: watch::Receiver<bool>,
    ) -> Self {
        // Cookies do not know ports: two servers of one machine would take each other's.
        let cookie = format!("myrig-{port}");
        let host_names = host_names.iter().map(|name| name.to_ascii_lowercase()).collect();
        Self(Arc::new(Facts { paths, token, cookie, host_names, stopped }))
    }

    /// The home that is shown.
    pub(super) fn home(&self) -> &Path {
        self.0.paths.home()
    }

    /// What lets a browser in.
    pub(super) fn token(&self) -> &Token {
        &self.0.token
    }

    /// Name of the cookie that holds the token.
    pub(super) fn cookie(&self) -> &str {
        &self.0.cookie
    }

    /// Whether a host name is one of this server's; in small letters, without the port.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.0.host_names.iter().any(|own| own == name)
    }

    /// Tells when the server is to end.
    pub(super) fn stopped(&self) -> watch::Receiver<bool> {
        self.0.stopped.clone()
    }

    /// Does something with the store, on a thread that may wait.
    pub(super) async fn with_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let app = self.clone();
        blocking(move || {
            let mut store =
                app.0.paths.store().map_err(|failure: Failure| Refusal::internal(failure))?;
            work(&mut store)
        })
        .await
    }

    /// Does something with the home's files, on a thread that may wait.
    pub(super) async fn with_home<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let app = self.clone();
        blocking(move || Ok(work(app.home()))).await
    }
}

/// Does something that may wait or take its time; a panic in it is an answer, too.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_panic| {
        let words = "this could not be shown; what is stored or given does not make sense";
        Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, words))
    })
}
