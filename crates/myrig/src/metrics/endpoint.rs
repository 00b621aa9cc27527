//! Answers scrapes while loads are on.

use super::{
    Board, LoadFacts,
    board::Numbers,
    family,
    text::{self, CONTENT_TYPE, Family},
};
use axum::{Router, extract::State, http::header, response::IntoResponse, routing::get};
use std::{
    fmt, io,
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex, PoisonError},
    thread,
};
use tokio::runtime;

/// The boards of all loads, the latest of each server.
type Boards = Arc<Mutex<Vec<Arc<Mutex<Numbers>>>>>;

/// What asks a daemon for its metrics.
type Source = Arc<dyn Fn() -> Vec<Family> + Send + Sync>;

/// Everything that a scrape is told.
#[derive(Clone, Default)]
struct Told {
    boards: Boards,
    sources: Arc<Mutex<Vec<Source>>>,
}

/// An address where metrics are to be had until the command ends.
pub(crate) struct Endpoint {
    address: SocketAddr,
    told: Told,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// Takes the address and answers from now on, on a thread of its own that ends with the
    /// process.
    ///
    /// # Errors
    /// The address cannot be had, or the system refuses a thread.
    pub(super) fn at(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let told = Told::default();
        let router = Router::new().route("/metrics", get(metrics)).with_state(told.clone());
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let body = move || {
            runtime.block_on(async move {
                // What fails here fails to be scraped, which a scraper says.
                if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
                    let _unscraped = axum::serve(listener, router).await;
                }
            });
        };
        thread::Builder::new().name("metrics".into()).spawn(body)?;
        Ok(Self { address, told })
    }

    /// Where it is.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// A board for a load, in place of an earlier one of the same server.
    pub(super) fn board(&self, facts: LoadFacts) -> Board {
        let board = Board::new(facts);
        let mut boards = self.told.boards.lock().unwrap_or_else(PoisonError::into_inner);
        boards.retain(|other| !board.replaces(other));
        boards.push(board.numbers());
        board
    }

    /// Metrics of something else than a load, asked for at each scrape.
    pub(crate) fn add(&self, source: impl Fn() -> Vec<Family> + Send + Sync + 'static) {
        self.told.sources.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(source));
    }
}

async fn metrics(State(told): State<Told>) -> impl IntoResponse {
    let boards = told.boards.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let numbers: Vec<Numbers> = boards
        .iter()
        .map(|board| board.lock().unwrap_or_else(PoisonError::into_inner).clone())
        .collect();
    let sources = told.sources.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut families = family::all(&numbers);
    families.extend(sources.iter().flat_map(|source| source()));
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], text::exposition(&families))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::metrics::board::facts_for_tests;
    use std::{
        io::{Read, Write},
        net::TcpStream,
        time::Duration,
    };

    fn scrape(address: SocketAddr) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let request = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn loads_on_several_servers_are_told_apart_and_a_new_one_takes_the_place_of_the_old() {
        let endpoint = Endpoint::at("127.0.0.1:0".parse().unwrap()).unwrap();
        let boards = ["a", "b", "b"]
            .map(|server| endpoint.board(LoadFacts { server: server.into(), ..facts_for_tests() }));
        let answer = scrape(endpoint.address());
        assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
        assert!(answer.contains("content-type: text/plain; version=0.0.4"), "{answer}");
        let lines = answer.lines().filter(|line| line.starts_with("myrig_run_info{"));
        assert_eq!(lines.count(), 2, "{answer}");
        drop(boards);
    }
}
