//! Certificates for tests, by the `openssl` command.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// An authority in a directory.
pub(crate) struct Authority {
    dir: PathBuf,
    /// Its certificate.
    pub(crate) ca: PathBuf,
    key: PathBuf,
}

/// Keys that are made at once.
const NEW_KEY: [&str; 5] = ["-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];

/// What a certificate is to be like.
pub(crate) enum Kind {
    /// Good, for these subject alternative names.
    For(&'static str),
    /// Good once, for 127.0.0.1.
    Expired,
    /// Without extensions, in the first version of X.509.
    Version1,
}

/// A certificate and its key.
pub(crate) struct Issued {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

impl Authority {
    pub(crate) fn new(dir: &Path, name: &str) -> Self {
        let dir = dir.join(name);
        fs::create_dir(&dir).unwrap();
        let (ca, key) = (dir.join("ca.pem"), dir.join("ca-key.pem"));
        let subject = format!("/CN={name}");
        openssl(
            &[&["req", "-x509", "-days", "2", "-subj", &subject], &NEW_KEY[..]].concat(),
            &[("-keyout", &key), ("-out", &ca)],
        );
        Self { dir, ca, key }
    }

    pub(crate) fn issue(&self, name: &str, kind: Kind) -> Issued {
        let file = |suffix: &str| self.dir.join(format!("{name}{suffix}"));
        let (request, certificate, key) = (file(".csr"), file(".pem"), file("-key.pem"));
        let subject = format!("/CN={name}");
        openssl(
            &[&["req", "-new", "-subj", &subject], &NEW_KEY[..]].concat(),
            &[("-keyout", &key), ("-out", &request)],
        );
        let (days, extensions) = match kind {
            Kind::For(names) => ("2", format!("subjectAltName={names}\n")),
            Kind::Expired => ("-1", "subjectAltName=IP:127.0.0.1\n".to_owned()),
            Kind::Version1 => ("2", String::new()),
        };
        let list = file(".ext");
        fs::write(&list, &extensions).unwrap();
        let mut files = vec![
            ("-in", &request),
            ("-CA", &self.ca),
            ("-CAkey", &self.key),
            ("-out", &certificate),
        ];
        if !extensions.is_empty() {
            files.push(("-extfile", &list));
        }
        openssl(&["x509", "-req", "-CAcreateserial", "-days", days], &files);
        Issued { certificate, key }
    }
}

fn openssl(arguments: &[&str], files: &[(&str, &PathBuf)]) {
    let mut command = Command::new("openssl");
    command.args(arguments);
    for (option, path) in files {
        command.arg(option).arg(path);
    }
    let output = command.output().expect("the command openssl, which these tests need");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "openssl {arguments:?}: {words}");
}
