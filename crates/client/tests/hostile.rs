//! Servers that break the protocol: an answer of any kind, no panic, no hanging.

#![allow(clippy::unwrap_used)]

use client::{Connection, Endpoint, Error, Secret, Target};
use proptest::prelude::*;
use std::time::Duration;
use tokio::{io::AsyncWriteExt, net::TcpListener};

const NONCE: &[u8; 20] = b"12345678abcdefghijkl";

/// A packet: three bytes of length, its number, its payload.
fn packet(number: u8, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_le_bytes();
    [&length[..3], &[number], payload].concat()
}

/// A server's first packet, which offers a plugin and no TLS.
fn greeting(plugin: &str) -> Vec<u8> {
    let mut payload = vec![10];
    payload.extend(b"8.0.99\0");
    payload.extend(7u32.to_le_bytes());
    payload.extend(&NONCE[..8]);
    // CLIENT_PROTOCOL_41, CLIENT_SECURE_CONNECTION, CLIENT_PLUGIN_AUTH, CLIENT_CONNECT_WITH_DB
    // and CLIENT_LOCAL_FILES.
    payload.extend([0, 0x88, 0x82, 0x2d, 2, 0, 0x08, 0, 21]);
    payload.extend([0; 10]);
    payload.extend(&NONCE[8..]);
    payload.push(0);
    payload.extend(plugin.as_bytes());
    payload.push(0);
    packet(0, &payload)
}

fn switch_to(plugin: &str, nonce: &[u8]) -> Vec<u8> {
    let payload = [b"\xfe", plugin.as_bytes(), b"\0", nonce].concat();
    packet(2, &payload)
}

const OK: [u8; 7] = [0, 0, 0, 2, 0, 0, 0];

/// Talks to a server that says these things and no more. Gives what a login and a statement came
/// to.
async fn meet(sayings: Vec<Vec<u8>>) -> Result<usize, Error> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serve = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        // It listens to nothing, so that it never waits for what nobody will say.
        if stream.write_all(&sayings.concat()).await.is_ok() && stream.shutdown().await.is_ok() {
            let _heard = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
        }
    });
    let endpoint = Endpoint::Tcp { host: "127.0.0.1".into(), port };
    let mut target = Target::new(endpoint, "u", Secret::new("hunter2"));
    target.connect_timeout = Duration::from_secs(20);
    target.tls.mode = client::TlsMode::Disabled;
    let talk = async {
        let mut connection = Connection::connect(&target).await?;
        Ok(connection.query("SELECT 1").await?.len())
    };
    let outcome = tokio::time::timeout(Duration::from_secs(60), talk).await.expect("it hangs");
    serve.abort();
    if let Err(error) = &outcome {
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }
    outcome
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

#[test]
fn the_stand_in_speaks_well_enough_to_be_believed() {
    let sayings = vec![greeting("mysql_native_password"), packet(2, &OK), packet(1, &OK)];
    assert_eq!(run(meet(sayings)), Ok(0));
}

#[test]
fn logins_of_every_plugin_end_in_an_answer() {
    let plugins = [
        "mysql_native_password",
        "mysql_old_password",
        "mysql_clear_password",
        "caching_sha2_password",
        "sha256_password",
        "client_ed25519",
        "parsec",
        "dialog",
        "",
    ];
    for plugin in plugins {
        for nonce in [&NONCE[..], b"", b"x", &[7; 32], &[0xff; 300]] {
            for answer in [&OK[..], b"\x01\x03", b"\x01\x04", b"\x01", b"\xfe", b"\xff", b"P\x00x"]
            {
                let sayings = vec![
                    greeting("mysql_native_password"),
                    switch_to(plugin, nonce),
                    packet(4, answer),
                    packet(6, answer),
                    packet(8, answer),
                ];
                let _answer = run(meet(sayings));
            }
        }
    }
}

/// MariaDB's own plugin: the reply is a signature and nothing of the password.
#[test]
fn ed25519_is_answered_with_a_signature() {
    let switch = switch_to("client_ed25519", &[7; 32]);
    let sayings = vec![greeting("mysql_native_password"), switch, packet(4, &OK), packet(1, &OK)];
    assert_eq!(run(meet(sayings)), Ok(0));
}

#[test]
fn a_plugin_that_is_not_known_is_named_with_the_way_out() {
    let sayings = vec![greeting("mysql_native_password"), switch_to("dialog", NONCE)];
    let error = run(meet(sayings)).unwrap_err();
    assert_eq!(error.code(), 2059);
    assert!(error.to_string().contains("`dialog'"), "{error}");
    assert!(error.to_string().contains("caching_sha2_password"), "{error}");
}

#[test]
fn no_server_gets_a_file_or_a_password_by_asking() {
    let ask = packet(1, b"\xfb/etc/passwd");
    let sayings = vec![greeting("mysql_native_password"), packet(2, &OK), ask];
    assert!(matches!(run(meet(sayings)), Err(Error::Protocol(_))));
    let clear = switch_to("mysql_clear_password", b"");
    let error = run(meet(vec![greeting("mysql_native_password"), clear])).unwrap_err();
    assert_eq!(error.code(), 2059, "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn any_first_bytes_end_in_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        let _answer = run(meet(vec![bytes]));
    }

    #[test]
    fn any_first_packet_ends_in_an_answer(
        payload in prop::collection::vec(any::<u8>(), 0..120), version in any::<bool>(),
    ) {
        let payload = if version { [vec![10], payload].concat() } else { payload };
        let _answer = run(meet(vec![packet(0, &payload), packet(2, &OK), packet(1, &OK)]));
    }

    #[test]
    fn a_spoilt_greeting_ends_in_an_answer(at in 4usize..75, byte: u8, cut in 5usize..80) {
        let mut greeting = greeting("caching_sha2_password");
        let length = greeting.len();
        greeting[at.min(length - 1)] = byte;
        let whole = packet(0, &greeting[4..cut.min(length)]);
        let _answer = run(meet(vec![whole, packet(2, b"\x01\x04"), packet(4, b"\x01key")]));
    }

    #[test]
    fn any_reply_to_a_login_ends_in_an_answer(
        first: u8, payload in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let reply = packet(2, &[vec![first], payload].concat());
        let _answer = run(meet(vec![greeting("caching_sha2_password"), reply]));
    }

    #[test]
    fn any_rows_end_in_an_answer(
        kind: u8, rows in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..12), 0..4),
    ) {
        let names = b"\x03def\x01s\x01t\x01t\x01c\x01c\x0c\x21\0\xff\0\0\0";
        let column = [&names[..], &[kind, 0, 0, 0, 0, 0]].concat();
        let end = vec![0xfe, 0, 0, 2, 0];
        let packets = [vec![vec![1], column, end.clone()], rows, vec![end]].concat();
        let numbered = packets.iter().zip(1..).map(|(payload, n)| packet(n, payload));
        let reply = numbered.collect::<Vec<_>>().concat();
        let greeting = greeting("mysql_native_password");
        let _answer = run(meet(vec![greeting, packet(2, &OK), reply]));
    }

    #[test]
    fn any_reply_to_a_statement_ends_in_an_answer(
        packets in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 1..6),
    ) {
        let numbered = packets.iter().zip(1..).map(|(payload, n)| packet(n, payload));
        let reply = numbered.collect::<Vec<_>>().concat();
        let greeting = greeting("mysql_native_password");
        let _answer = run(meet(vec![greeting, packet(2, &OK), reply]));
    }
}
