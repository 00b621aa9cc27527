//! One page: go somewhere, look, click, type, take a picture.

use super::pipe::Pipe;
use crate::support::until;
use serde_json::{Value, json};
use std::path::Path;

/// A page of a browser.
pub(crate) struct Page<'a> {
    pipe: &'a mut Pipe,
    session: String,
    size: (u32, u32),
}

impl<'a> Page<'a> {
    pub(super) fn new(pipe: &'a mut Pipe, session: String, size: (u32, u32)) -> Self {
        let mut page = Self { pipe, session, size };
        for domain in ["Page.enable", "Runtime.enable", "Log.enable", "Network.enable"] {
            page.ask(domain, &json!({}));
        }
        page.resize(size.0, size.1);
        page
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.pipe.ask(Some(&self.session), method, parameters)
    }

    /// Makes it so wide and high.
    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        self.size = (width, height);
        let metrics = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false
        });
        self.ask("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// Has the browser wish for `light` or `dark` colours.
    pub(crate) fn prefers(&mut self, scheme: &str) {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.ask("Emulation.setEmulatedMedia", &features);
    }

    /// Goes to an address, and waits until it is loaded.
    pub(crate) fn go(&mut self, url: &str) {
        let went = self.ask("Page.navigate", &json!({ "url": url }));
        assert!(went["errorText"].is_null(), "{url}: {went}");
        self.is_loaded();
    }

    fn is_loaded(&mut self) {
        self.sees("document.readyState === 'complete' && location.href !== 'about:blank'");
    }

    /// The value of an expression.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let asked = json!({
            "expression": expression, "returnByValue": true, "awaitPromise": true
        });
        let answer = self.ask("Runtime.evaluate", &asked);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// The text of an element.
    pub(crate) fn text(&mut self, selector: &str) -> String {
        let expression = format!("document.querySelector({})?.innerText ?? ''", json!(selector));
        self.value(&expression).as_str().unwrap().to_owned()
    }

    /// Waits until an expression is true.
    pub(crate) fn sees(&mut self, expression: &str) {
        until(&format!("the page sees {expression}"), || {
            // Between two pages there is nothing to ask.
            let expression = format!("!!({expression})");
            let asked = json!({ "expression": expression, "returnByValue": true });
            let answer = self.pipe.try_asking(Some(&self.session), "Runtime.evaluate", &asked);
            answer.is_ok_and(|answer| answer["result"]["value"] == true)
        });
    }

    /// Clicks in the middle of an element, as a person would.
    pub(crate) fn click(&mut self, selector: &str) {
        let place = self.value(&format!(
            "(() => {{ const it = document.querySelector({}); \
             it.scrollIntoView({{block: 'center'}}); \
             const box = it.getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
            json!(selector)
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({
                "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1
            });
            self.ask("Input.dispatchMouseEvent", &event);
        }
    }

    /// Presses a key: `Tab`, `Enter`, ` `.
    pub(crate) fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Enter" => (13, "\r"),
            " " => (32, " "),
            _ => (9, ""),
        };
        let mut event = json!({ "type": "keyDown", "key": key, "windowsVirtualKeyCode": code });
        if !text.is_empty() {
            event["text"] = text.into();
        }
        self.ask("Input.dispatchKeyEvent", &event);
        let up = json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code });
        self.ask("Input.dispatchKeyEvent", &up);
    }

    /// Types into what has the focus.
    pub(crate) fn types(&mut self, text: &str) {
        self.ask("Input.insertText", &json!({ "text": text }));
    }

    /// Chooses a file in a file chooser.
    pub(crate) fn chooses(&mut self, selector: &str, file: &Path) {
        let document = self.ask("DOM.getDocument", &json!({}));
        let node = json!({ "nodeId": document["root"]["nodeId"], "selector": selector });
        let found = self.ask("DOM.querySelector", &node);
        let files = json!({ "nodeId": found["nodeId"], "files": [file] });
        self.ask("DOM.setFileInputFiles", &files);
    }

    /// A picture of what is in view, as a PNG file.
    pub(crate) fn picture(&mut self, file: &Path) {
        let taken = self.ask("Page.captureScreenshot", &json!({ "format": "png" }));
        let base64 = taken["data"].as_str().unwrap();
        std::fs::write(file, bytes(base64)).unwrap();
    }

    /// What the browser complained of, and where it went that is not `origin`.
    pub(crate) fn complaints(&mut self, origin: &str) -> Vec<String> {
        let mut complaints = Vec::new();
        let own = &self.session;
        for event in self.pipe.events.iter().filter(|event| event["sessionId"] == **own) {
            let told = &event["params"];
            let wrong = match event["method"].as_str().unwrap_or_default() {
                "Runtime.exceptionThrown" => true,
                "Runtime.consoleAPICalled" => told["type"] == "error" || told["type"] == "warning",
                "Log.entryAdded" => told["entry"]["level"] == "error",
                "Network.requestWillBeSent" => {
                    let url = told["request"]["url"].as_str().unwrap_or_default();
                    !url.starts_with(origin) && !url.starts_with("data:") && url != "about:blank"
                }
                _ => false,
            };
            if wrong {
                complaints.push(told.to_string());
            }
        }
        complaints
    }

    /// What is wrong with how it is laid out: anything wider than the page, an id that is there
    /// twice, a picture drawn nowhere.
    pub(crate) fn flaws(&mut self) -> Value {
        self.value(
            "(() => { const root = document.documentElement; \
             const ids = [...document.querySelectorAll('[id]')].map(it => it.id); return { \
             overflow: root.scrollWidth - root.clientWidth, \
             twice: ids.filter((id, at) => ids.indexOf(id) !== at), \
             unplaced: [...document.querySelectorAll('svg *')] \
                 .filter(it => /NaN|Infinity|undefined/.test(it.outerHTML)).length, \
             nameless: [...document.querySelectorAll('button, a[href], input, select')] \
                 .filter(it => !(it.innerText || it.ariaLabel || it.labels?.length)).length \
             }; })()",
        )
    }
}

/// What base64 stands for.
fn bytes(base64: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u32> = base64.bytes().filter(|c| *c != b'=').map(value).collect();
    let whole = digits.chunks(4).flat_map(|digits| {
        let bits = digits.iter().enumerate().map(|(at, digit)| digit << (18 - 6 * at)).sum::<u32>();
        let bytes = bits.to_be_bytes();
        bytes[1..digits.len()].to_vec()
    });
    whole.collect()
}
