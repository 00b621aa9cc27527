//! TLS modes against servers with certificates of our own, of the server's own, and with none.

use crate::{
    certificates::{Authority, Issued, Kind},
    support::{Server, cipher, one, refusal, with_tls},
};
use client::{Connection, Endpoint, Target, Tls, TlsMode};
use std::path::Path;

/// Settings of a server that presents a certificate.
fn presenting<'a>(ca: &'a Path, issued: &'a Issued) -> [(&'static str, &'a str); 3] {
    [("ssl-ca", ca), ("ssl-cert", &issued.certificate), ("ssl-key", &issued.key)]
        .map(|(name, path)| (name, path.to_str().unwrap()))
}

fn tls(target: Target, mode: TlsMode, ca: Option<&Path>) -> Target {
    let tls = Tls { mode, ca: ca.map(Path::to_owned), certificate: None, key: None };
    Target { tls, ..target }
}

fn named(target: Target, name: &str) -> Target {
    let Endpoint::Tcp { port, .. } = target.endpoints[0] else { panic!("not TCP") };
    Target { endpoints: vec![Endpoint::Tcp { host: name.into(), port }], ..target }
}

/// True where the server says that the connection is under TLS.
async fn is_private(target: &Target) -> bool {
    let mut connection = Connection::connect(target)
        .await
        .unwrap_or_else(|error| panic!("{:?} {:?}: {error}", target.endpoints, target.tls));
    !cipher(&mut connection).await.is_empty()
}

async fn refused(target: &Target, words: &[&str]) {
    let error = refusal(target).await.to_string();
    assert!(words.iter().all(|word| error.contains(word)), "{words:?}: {error}");
    assert!(error.starts_with("cannot connect to "), "{error}");
}

/// What every server with a certificate for `localhost` and 127.0.0.1 must do.
async fn modes_hold(server: &Server, ca: &Path, other_ca: &Path) {
    assert!(!is_private(&with_tls(server.tcp(), TlsMode::Disabled)).await);
    assert!(is_private(&with_tls(server.tcp(), TlsMode::Preferred)).await);
    assert!(is_private(&with_tls(server.tcp(), TlsMode::Required)).await);
    // Modes that verify nothing do not mind a wrong authority, either.
    assert!(is_private(&tls(server.tcp(), TlsMode::Required, Some(other_ca))).await);
    for mode in [TlsMode::VerifyCa, TlsMode::VerifyIdentity] {
        for host in ["127.0.0.1", "localhost"] {
            assert!(is_private(&named(tls(server.tcp(), mode, Some(ca)), host)).await);
        }
        refused(&tls(server.tcp(), mode, Some(other_ca)), &["UnknownIssuer", "--tls-ca"]).await;
        // Without a file, the public authorities are the ones to trust.
        refused(&tls(server.tcp(), mode, None), &["UnknownIssuer", "--tls-ca"]).await;
        let missing = Path::new("/nonexistent/ca.pem");
        refused(&tls(server.tcp(), mode, Some(missing)), &["--tls-ca /nonexistent/ca.pem"]).await;
    }
    for mode in [TlsMode::Required, TlsMode::VerifyCa, TlsMode::VerifyIdentity] {
        refused(&with_tls(server.socket(), mode), &["UNIX socket", "--tls-mode"]).await;
    }
    assert!(!is_private(&server.socket()).await);
}

/// A certificate that names another host: only the identity is wrong.
async fn a_wrong_name_matters_to_verify_identity_only(server: &Server, ca: &Path, other: &Path) {
    assert!(is_private(&with_tls(server.tcp(), TlsMode::Required)).await);
    for host in ["127.0.0.1", "localhost"] {
        assert!(is_private(&named(tls(server.tcp(), TlsMode::VerifyCa, Some(ca)), host)).await);
        let identity = named(tls(server.tcp(), TlsMode::VerifyIdentity, Some(ca)), host);
        refused(&identity, &["not valid for name", host]).await;
    }
    refused(&tls(server.tcp(), TlsMode::VerifyCa, Some(other)), &["UnknownIssuer"]).await;
}

async fn test_with_certificates(start: Start) {
    let dir = tempfile::tempdir().unwrap();
    let (ours, theirs) = (Authority::new(dir.path(), "ours"), Authority::new(dir.path(), "theirs"));
    let right = ours.issue("right", Kind::For("DNS:localhost,IP:127.0.0.1"));
    let Some(mut server) = start(&presenting(&ours.ca, &right)).await else { return };
    modes_hold(&server, &ours.ca, &theirs.ca).await;
    own_certificates_are_shown(&mut server, &ours, &theirs).await;

    present(&mut server, &right, &ours.issue("wrong", Kind::For("DNS:db.example.com"))).await;
    a_wrong_name_matters_to_verify_identity_only(&server, &ours.ca, &theirs.ca).await;

    // MySQL itself refuses to take this one up while it runs.
    if is_mariadb(&mut server).await {
        present(&mut server, &right, &ours.issue("expired", Kind::Expired)).await;
        assert!(is_private(&with_tls(server.tcp(), TlsMode::Required)).await);
        refused(&tls(server.tcp(), TlsMode::VerifyCa, Some(&ours.ca)), &["Expired"]).await;
    }

    // What older recipes for MySQL made: the TLS library takes no such certificate at all.
    present(&mut server, &right, &ours.issue("old", Kind::Version1)).await;
    assert!(!is_private(&with_tls(server.tcp(), TlsMode::Preferred)).await);
    for mode in [TlsMode::Required, TlsMode::VerifyCa] {
        refused(&tls(server.tcp(), mode, Some(&ours.ca)), &["X.509 version 3"]).await;
    }
}

/// Has the server present another certificate from now on, in the files of the first.
async fn present(server: &mut Server, first: &Issued, other: &Issued) {
    std::fs::copy(&other.certificate, &first.certificate).unwrap();
    std::fs::copy(&other.key, &first.key).unwrap();
    let is_mariadb = is_mariadb(server).await;
    let reload = if is_mariadb { "FLUSH SSL" } else { "ALTER INSTANCE RELOAD TLS" };
    server.sql(&[reload]).await;
}

async fn is_mariadb(server: &mut Server) -> bool {
    one(&mut server.root, "SELECT VERSION()").await.contains("MariaDB")
}

/// Accounts that ask for a certificate get ours, and no other.
async fn own_certificates_are_shown(server: &mut Server, ours: &Authority, theirs: &Authority) {
    server.sql(&["CREATE USER x IDENTIFIED BY 'pw' REQUIRE X509"]).await;
    let with = |issued: &Issued| {
        let mut target = tls(server.tcp_as("x", "pw"), TlsMode::VerifyIdentity, Some(&ours.ca));
        target.tls.certificate = Some(issued.certificate.clone());
        target.tls.key = Some(issued.key.clone());
        target
    };
    let (mine, foreign) = (
        ours.issue("client", Kind::For("DNS:client")),
        theirs.issue("client", Kind::For("DNS:client")),
    );
    assert!(is_private(&with(&mine)).await);
    let without = tls(server.tcp_as("x", "pw"), TlsMode::Required, None);
    assert_eq!(refusal(&without).await.code(), 1045);
    let error = refusal(&with(&foreign)).await;
    assert!(!error.to_string().contains("pw"), "{error}");

    let mut alone = with(&mine);
    alone.tls.key = None;
    refused(&alone, &["--tls-cert and --tls-key go together"]).await;
    let mut mixed = with(&mine);
    mixed.tls.key = Some(foreign.key);
    refused(&mixed, &["--tls-key"]).await;
    let mut empty = tls(server.tcp(), TlsMode::VerifyCa, Some(Path::new("/dev/null")));
    refused(&empty, &["--tls-ca"]).await;
    // The most lenient mode does not hide files that are wrong.
    empty.tls.mode = TlsMode::Preferred;
    refused(&empty, &["--tls-ca"]).await;
}

type Settings<'a> = &'a [(&'a str, &'a str)];
type Started<'a> = std::pin::Pin<Box<dyn Future<Output = Option<Server>> + 'a>>;
type Start = for<'a> fn(Settings<'a>) -> Started<'a>;

#[tokio::test]
async fn mariadb() {
    test_with_certificates(|settings| Box::pin(async { Some(Server::mariadb(settings).await) }))
        .await;
}

#[tokio::test]
async fn mysql() {
    test_with_certificates(|settings| Box::pin(Server::mysql(settings))).await;
}

/// MariaDB before 11.4 offers no TLS unless it is given a certificate.
#[tokio::test]
async fn a_server_without_tls_is_refused_by_name_of_the_option_or_spoken_to_in_plain() {
    let server = Server::mariadb(&[("skip-ssl", "")]).await;
    for mode in [TlsMode::Preferred, TlsMode::Disabled] {
        assert!(!is_private(&with_tls(server.tcp(), mode)).await);
    }
    for mode in [TlsMode::Required, TlsMode::VerifyCa, TlsMode::VerifyIdentity] {
        refused(&with_tls(server.tcp(), mode), &["no TLS", "--tls-mode"]).await;
    }
}

/// MySQL makes itself an authority and a certificate that names no host.
#[tokio::test]
async fn the_certificates_that_mysql_makes_will_do_up_to_verify_ca() {
    let Some(mut server) = Server::mysql(&[]).await else { return };
    let ca = server.scratch.instance().data_dir().join("ca.pem");
    for mode in [TlsMode::Preferred, TlsMode::Required] {
        assert!(is_private(&with_tls(server.tcp(), mode)).await);
    }
    assert!(is_private(&tls(server.tcp(), TlsMode::VerifyCa, Some(&ca))).await);
    refused(&tls(server.tcp(), TlsMode::VerifyIdentity, Some(&ca)), &["not valid for name"]).await;
}
