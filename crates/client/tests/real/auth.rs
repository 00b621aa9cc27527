//! Logins: each plugin, with TLS, without, over the socket, with and without a password.

use crate::{
    in_turn,
    support::{Server, cipher, one, refusal, with_tls},
};
use client::{Connection, Error, ErrorClass, Target, TlsMode};

#[tokio::test]
async fn mariadb() {
    let mut server = Server::mariadb(&[]).await;
    in_turn!(
        server;
        refused_logins_say_why_and_keep_the_password,
        mysql_native_password_lets_in_with_and_without_a_password,
        unix_socket_lets_the_account_of_the_system_in,
    );
}

#[tokio::test]
async fn mysql() {
    let Some(mut server) = Server::mysql(&[]).await else { return };
    in_turn!(
        server;
        refused_logins_say_why_and_keep_the_password,
        caching_sha2_password_lets_in_fully_and_cached_by_every_way,
    );
}

async fn let_in(target: &Target) -> Connection {
    let attempt = Connection::connect(target).await;
    attempt.unwrap_or_else(|error| panic!("{:?} {}: {error}", target.endpoints, target.user))
}

async fn refused_logins_say_why_and_keep_the_password(server: &mut Server) {
    server.sql(&["CREATE USER u IDENTIFIED BY 'right'", "CREATE USER e IDENTIFIED BY ''"]).await;
    let plain = |target| with_tls(target, TlsMode::Disabled);
    for target in [
        server.tcp_as("u", "hunter2"),
        plain(server.tcp_as("u", "hunter2")),
        server.socket_as("u", "hunter2"),
        server.tcp_as("u", ""),
        plain(server.tcp_as("u", "")),
        plain(server.tcp_as("e", "hunter2")),
    ] {
        let error = refusal(&target).await;
        assert_eq!((error.class(), error.code()), (ErrorClass::Fatal, 1045), "{error}");
        let shown = format!("{error} {error:?} {target:?}");
        assert!(shown.contains("Access denied") && !shown.contains("hunter2"), "{shown}");
    }
    // MySQL asks strangers for a login of any kind, so that they do not learn they are ones.
    for name in ["a", "b", "c", "d", "f", "g", "h", "i"] {
        let error = refusal(&server.tcp_as(name, "hunter2")).await;
        assert!(matches!(&error, Error::Server { code: 1045 | 2059, .. }), "{error}");
        let shown = format!("{error} {error:?}");
        assert!(shown.contains(&format!("'{name}'")) && !shown.contains("hunter2"), "{shown}");
    }
    let error = refusal(&server.tcp().with_database("none")).await;
    assert_eq!((error.class(), error.code()), (ErrorClass::Fatal, 1049), "{error}");
    // Accounts without privileges are not told whether there is such a database.
    let error = refusal(&server.tcp_as("u", "right").with_database("t")).await;
    assert_eq!((error.class(), error.code()), (ErrorClass::Fatal, 1044), "{error}");

    for target in [server.tcp(), server.socket()] {
        let connection = let_in(&target).await;
        let shown = format!("{connection:?} {target:?}");
        assert!(!shown.contains(target.password.expose()), "{shown}");
        assert!(shown.contains("endpoint"), "{shown}");
    }
}

async fn mysql_native_password_lets_in_with_and_without_a_password(server: &mut Server) {
    server
        .sql(&[
            "CREATE USER n IDENTIFIED VIA mysql_native_password USING PASSWORD('pw')",
            "CREATE USER none IDENTIFIED VIA mysql_native_password USING ''",
        ])
        .await;
    for (user, password) in [("n", "pw"), ("none", "")] {
        for target in [server.tcp_as(user, password), server.socket_as(user, password)] {
            let mut connection = let_in(&target).await;
            assert_eq!(one(&mut connection, "SELECT current_user()").await, format!("{user}@%"));
        }
    }
}

async fn unix_socket_lets_the_account_of_the_system_in(server: &mut Server) {
    let name = std::process::Command::new("id").arg("-un").output().unwrap().stdout;
    let name = String::from_utf8(name).unwrap();
    let name = name.trim();
    for account in [format!("'{name}'@'localhost'"), "'other'@'%'".to_owned()] {
        let create = format!("CREATE OR REPLACE USER {account} IDENTIFIED VIA unix_socket");
        server.sql(&[&create]).await;
    }
    let mut connection = let_in(&server.socket_as(name, "")).await;
    let user = one(&mut connection, "SELECT current_user()").await;
    assert_eq!(user, format!("{name}@localhost"));
    for target in [server.socket_as("other", ""), server.tcp_as("other", "")] {
        let error = refusal(&target).await;
        assert_eq!((error.class(), error.code()), (ErrorClass::Fatal, 1698), "{error}");
    }
}

/// What an account of `caching_sha2_password` goes through on every way in: the first login is
/// full (the password itself, under TLS, RSA or in the socket), later ones are by a hash.
async fn caching_sha2_password_lets_in_fully_and_cached_by_every_way(server: &mut Server) {
    server
        .sql(&[
            "CREATE USER c IDENTIFIED WITH caching_sha2_password BY 'pässwörd'",
            "CREATE USER none IDENTIFIED WITH caching_sha2_password BY ''",
        ])
        .await;
    for (user, password) in [("c", "pässwörd"), ("none", "")] {
        let ways = [
            with_tls(server.tcp_as(user, password), TlsMode::Required),
            with_tls(server.tcp_as(user, password), TlsMode::Disabled),
            server.socket_as(user, password),
        ];
        for way in &ways {
            // Empties the cache.
            server.sql(&["FLUSH PRIVILEGES"]).await;
            for _full_then_cached in 0..2 {
                let mut connection = let_in(way).await;
                let is_private = !cipher(&mut connection).await.is_empty();
                assert_eq!(is_private, way.tls.mode == TlsMode::Required);
                let user_at = one(&mut connection, "SELECT current_user()").await;
                assert_eq!(user_at, format!("{user}@%"));
            }
        }
    }
}

/// Cached logins differ from full ones: without the server's key, only the former succeed over
/// plain TCP, so that the test above did go both ways.
#[tokio::test]
async fn an_emptied_cache_asks_for_the_key_of_the_server() {
    let settings = [
        ("caching-sha2-password-auto-generate-rsa-keys", "OFF"),
        ("caching-sha2-password-private-key-path", "none.pem"),
        ("caching-sha2-password-public-key-path", "none.pem"),
    ];
    let Some(mut server) = Server::mysql(&settings).await else { return };
    server.sql(&["CREATE USER c IDENTIFIED WITH caching_sha2_password BY 'pw'"]).await;
    let plain = with_tls(server.tcp_as("c", "pw"), TlsMode::Disabled);
    let error = refusal(&plain).await;
    assert_eq!(error.class(), ErrorClass::Fatal, "{error}");
    let_in(&server.socket_as("c", "pw")).await.close().await;
    let_in(&plain).await.close().await;
}
