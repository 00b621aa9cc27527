//! A real Chromium, driven over its own protocol (Chrome DevTools Protocol) on a pair of pipes:
//! no port is opened, no driver is needed.

mod page;
mod pipe;

pub(crate) use page::Page;

use pipe::Pipe;
use serde_json::{Value, json};
use std::{
    path::Path,
    process::{Child, Command, Stdio},
};

const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// A browser without a window. Ended when it is dropped.
pub(crate) struct Browser {
    child: Child,
    pipe: Pipe,
}

impl Browser {
    /// Starts one with its profile in `dir`; none, said loudly, where there is no Chromium.
    pub(crate) fn start(dir: &Path) -> Option<Self> {
        let found = BROWSERS.into_iter().find(|browser| {
            let mut command = Command::new(browser);
            command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        });
        let Some(browser) = found else {
            println!("SKIPPED: pages in a browser, because there is no chromium");
            return None;
        };
        let (to, from) = Pipe::places(dir);
        // The shell only puts the two pipes where the browser wants them.
        let script = "exec \"$0\" \"$@\" 3<\"$PIPE_TO\" 4>\"$PIPE_FROM\"";
        let child = Command::new("sh")
            .args(["-c", script, browser, "--headless", "--remote-debugging-pipe"])
            .args(["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"])
            .args(["--disable-background-networking", "--disable-component-update"])
            .args(["--disable-quic", "--hide-scrollbars", "--disable-dev-shm-usage"])
            .arg(format!("--user-data-dir={}", dir.join("profile").display()))
            .arg("about:blank")
            .env("PIPE_TO", &to)
            .env("PIPE_FROM", &from)
            .env("HOME", dir)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Some(Self { child, pipe: Pipe::open(&to, &from) })
    }

    /// A page of its own, so wide and high, with nothing on it yet.
    pub(crate) fn page(&mut self, width: u32, height: u32) -> Page<'_> {
        let made = self.pipe.ask(None, "Target.createTarget", &json!({ "url": "about:blank" }));
        let attached = json!({ "targetId": made["targetId"], "flatten": true });
        let session = self.pipe.ask(None, "Target.attachToTarget", &attached);
        let session = session["sessionId"].as_str().unwrap().to_owned();
        Page::new(&mut self.pipe, session, (width, height))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It ends with its pipes; a shell that never became one is killed.
        self.pipe.tell("Browser.close", &Value::Null);
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}
