//! TCP means TCP, a socket means the socket, and clusters are searched.

use crate::{
    on_both,
    support::{Server, one, refusal},
};
use client::{Connection, Endpoint, Error, ErrorClass};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

on_both!(&[]; tcp_is_tcp_and_the_socket_the_socket, endpoints_are_tried_in_turn);

/// The client's address as the server sees it: `localhost` over the socket, with a port over TCP.
async fn peer(connection: &mut Connection) -> String {
    one(connection, "SELECT host FROM information_schema.processlist WHERE id = connection_id()")
        .await
}

async fn tcp_is_tcp_and_the_socket_the_socket(server: &mut Server) {
    let mut by_tcp = Connection::connect(&server.tcp()).await.unwrap();
    let seen = peer(&mut by_tcp).await;
    assert!(seen.starts_with("127.0.0.1:"), "{seen}");

    let mut by_name = server.tcp();
    let Endpoint::Tcp { port, .. } = by_name.endpoints[0] else { panic!("not TCP") };
    by_name.endpoints = vec![Endpoint::Tcp { host: "localhost".into(), port }];
    let mut by_name = Connection::connect(&by_name).await.unwrap();
    let seen = peer(&mut by_name).await;
    assert!(seen.starts_with("127.0.0.1:"), "{seen}");

    let mut by_socket = Connection::connect(&server.socket()).await.unwrap();
    assert_eq!(peer(&mut by_socket).await, "localhost");
    assert_eq!(by_socket.endpoint(), server.socket().endpoints[0].to_string());
    for connection in [by_tcp, by_name, by_socket] {
        connection.close().await;
    }
}

async fn endpoints_are_tried_in_turn(server: &mut Server) {
    let (tcp, socket) = (server.tcp().endpoints.remove(0), server.socket().endpoints.remove(0));
    let mut target = server.tcp();
    target.endpoints = vec![dead().await, tcp.clone(), socket.clone()];
    let names = [tcp.to_string(), tcp.to_string(), socket.to_string()];
    for nth in [0, 1, 2, 3, 4, 5] {
        let connection = Connection::connect_nth(&target, nth).await.unwrap();
        assert_eq!(connection.endpoint(), names[nth % 3], "{nth}");
    }
    let last = Connection::connect_nth(&target, usize::MAX).await.unwrap();
    assert_eq!(last.endpoint(), names[usize::MAX % 3]);

    // Everybody is told the same: one refusal is enough.
    server.sql(&["CREATE USER few IDENTIFIED BY 'few'"]).await;
    let mut stranger = server.tcp_as("few", "wrong");
    stranger.endpoints = vec![tcp.clone(), dead().await];
    assert_eq!(refusal(&stranger).await.code(), 1045);

    // A server that is full is passed over, and is the answer where there is no other.
    server.sql(&["SET GLOBAL max_connections = 10"]).await;
    let few = server.tcp_as("few", "few");
    let mut held = Vec::new();
    let full = fill(&few, &mut held).await;
    assert!(full.is_too_many_connections(), "{full}");
    let elsewhere = dead().await;
    let both = client::Target { endpoints: vec![tcp, elsewhere.clone()], ..few };
    let error = fill(&both, &mut held).await.to_string();
    assert!(error.contains(&elsewhere.to_string()), "{error}");
}

/// Connects until it no longer can: connections that others have left may still be counted.
async fn fill(target: &client::Target, held: &mut Vec<Connection>) -> Error {
    loop {
        match Connection::connect(target).await {
            Ok(connection) => held.push(connection),
            Err(error) => return error,
        }
        assert!(held.len() < 20, "there is no limit");
    }
}

/// An endpoint that refuses connections.
async fn dead() -> Endpoint {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    Endpoint::Tcp { host: "127.0.0.1".into(), port }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let endpoint = dead().await;
    let target = client::Target::new(endpoint.clone(), "u", client::Secret::new("hunter2"));
    let error = refusal(&target).await;
    assert!(matches!(&error, Error::Connect { endpoint: e, .. } if *e == endpoint.to_string()));
    assert_eq!((error.class(), error.code()), (ErrorClass::ConnectionLost, 2003));
    assert!(error.to_string().contains("refused"), "{error}");

    let missing = Endpoint::Unix("/nonexistent/socket".into());
    let target = client::Target { endpoints: vec![missing], ..target };
    let error = refusal(&target).await.to_string();
    assert!(error.starts_with("cannot connect to unix:/nonexistent/socket: "), "{error}");
    assert!(!error.contains("hunter2"));
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let endpoint = Endpoint::Tcp { host: "127.0.0.1".into(), port };
    let mut target = client::Target::new(endpoint, "u", client::Secret::default());
    target.connect_timeout = Duration::from_millis(100);
    let begun = Instant::now();
    let error = refusal(&target).await;
    assert!(begun.elapsed() >= target.connect_timeout);
    assert!(begun.elapsed() < Duration::from_secs(20), "the timeout was not heeded");
    assert!(error.to_string().contains("no answer within 100ms"), "{error}");
    drop(listener);
}
