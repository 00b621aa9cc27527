//! The file `serve.json` in a home: that a server is up, and where, for its other commands.

use super::token::Token;
use crate::{failure::Failure, live::Writer};
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, OpenOptions},
    io::Write,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// What the file says.
#[derive(Debug, Serialize, Deserialize)]
struct Words {
    schema: String,
    /// Where a browser of this machine finds it, without the token.
    url: String,
    token: String,
    #[serde(flatten)]
    process: Writer,
}

/// The file, for as long as the server is up.
#[derive(Debug)]
pub(super) struct Notice {
    path: PathBuf,
    url: String,
}

impl Notice {
    /// Writes the file, for its owner's eyes.
    ///
    /// # Errors
    /// The home cannot be written to.
    pub(super) fn post(home: &Path, address: SocketAddr, token: &Token) -> Result<Self, Failure> {
        let path = place(home);
        let base = format!("http://{}", reachable(address));
        let words = Words {
            schema: "myrig.serve-notice/1".into(),
            url: base.clone(),
            token: token.text().into(),
            process: Writer::this_process(),
        };
        let draft = home.join(format!("serve.json.{}", std::process::id()));
        let write = || {
            let mut options = OpenOptions::new();
            let mut file =
                options.create(true).truncate(true).write(true).mode(0o600).open(&draft)?;
            file.write_all(&serde_json::to_vec(&words)?)?;
            fs::rename(&draft, &path)
        };
        write().with_context(|| format!("writing {}", path.display()))?;
        Ok(Self { path, url: format!("{base}/?token={}", token.text()) })
    }

    /// The link that lets a browser in.
    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Notice {
    fn drop(&mut self) {
        // If this fails, the dead process tells that the file is stale.
        let _stale = fs::remove_file(&self.path);
    }
}

/// The address as a browser of this machine can call it.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        other => other,
    };
    SocketAddr::new(ip, address.port())
}

/// Where the page of a live run is; none where no server of this home is up. The token is not part
/// of it: whoever has opened the server's own link is let in.
pub(crate) fn link(home: &Path, id: &str) -> Option<String> {
    let words = words(home)?;
    Some(format!("{}/live/{id}", words.url))
}

/// Refuses to be the second server of a home.
///
/// # Errors
/// Says where the first is.
pub(super) fn refuse_second(home: &Path) -> Result<(), Failure> {
    match words(home) {
        None => Ok(()),
        Some(Words { url, process, .. }) => Err(anyhow::anyhow!(
            "a server of this home is up at {url} already (process {}): use it, or end it first",
            process.pid
        )
        .into()),
    }
}

/// What the file says, if who wrote it is still there.
fn words(home: &Path) -> Option<Words> {
    let words: Words = serde_json::from_slice(&fs::read(place(home)).ok()?).ok()?;
    words.process.is_alive().then_some(words)
}

fn place(home: &Path) -> PathBuf {
    home.join("serve.json")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn address() -> SocketAddr {
        "0.0.0.0:8080".parse().unwrap()
    }

    #[test]
    fn the_notice_is_its_owners_and_goes_with_the_server() {
        let home = tempfile::tempdir().unwrap();
        let token = Token::new(Some("abcdefgh-1234567")).unwrap();
        assert_eq!(link(home.path(), "r"), None);
        let notice = Notice::post(home.path(), address(), &token).unwrap();
        assert_eq!(notice.url(), "http://127.0.0.1:8080/?token=abcdefgh-1234567");
        let mode = fs::metadata(place(home.path())).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(link(home.path(), "r").unwrap(), "http://127.0.0.1:8080/live/r");
        let error = refuse_second(home.path()).unwrap_err().to_string();
        assert!(error.contains("http://127.0.0.1:8080 already"), "{error}");
        drop(notice);
        assert!(!place(home.path()).exists());
        refuse_second(home.path()).unwrap();
    }

    #[test]
    fn what_a_dead_server_left_behind_is_nothing() {
        let home = tempfile::tempdir().unwrap();
        let token = Token::new(None).unwrap();
        let notice = Notice::post(home.path(), address(), &token).unwrap();
        let text = fs::read_to_string(place(home.path())).unwrap();
        let own = format!("\"pid\":{}", std::process::id());
        fs::write(place(home.path()), text.replace(&own, "\"pid\":4294967295")).unwrap();
        assert_eq!(link(home.path(), "r"), None);
        refuse_second(home.path()).unwrap();
        fs::write(place(home.path()), "no JSON").unwrap();
        assert_eq!(link(home.path(), "r"), None);
        drop(notice);
    }
}
