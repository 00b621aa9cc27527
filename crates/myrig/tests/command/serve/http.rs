//! As much of HTTP as these tests need, over a plain connection.

use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Duration,
};

/// Who asks, and how.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    /// `127.0.0.1:8080`.
    pub(crate) address: String,
    /// Headers of every request.
    pub(crate) headers: Vec<(String, String)>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Client {
    pub(crate) fn new(address: &str) -> Self {
        Self { address: address.to_owned(), headers: vec![("Host".into(), address.into())] }
    }

    /// The same with another header; one of that name gives way.
    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut client = self.clone();
        client.headers.retain(|(known, _)| known != name);
        client.headers.push((name.into(), value.into()));
        client
    }

    fn send(&self, method: &str, path: &str, body: &[u8]) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("Content-Length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).unwrap();
        // A body that is too large is not waited for: the answer says so.
        let _refused = stream.write_all(body);
        BufReader::new(stream)
    }

    fn ask(&self, method: &str, path: &str, body: &[u8]) -> Answer {
        let mut reader = self.send(method, path, body);
        let head = head(&mut reader);
        let mut body = Vec::new();
        // A server that refuses a body may close before all of it was sent.
        let _reset = reader.read_to_end(&mut body);
        let body = String::from_utf8_lossy(&body).into_owned();
        let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        let body = if chunked { unchunked(&body) } else { body };
        let status = head.split(' ').nth(1).unwrap_or_default();
        Answer { status: status.parse().unwrap_or_else(|_| panic!("{head:?}")), head, body }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, b"")
    }

    pub(crate) fn post(&self, path: &str, body: &[u8]) -> Answer {
        self.ask("POST", path, body)
    }

    /// Listens to server-sent events; the names of those that come until one is called `last`, and
    /// the data of that one.
    pub(crate) fn events_until(&self, path: &str, last: &str) -> (Vec<String>, Value) {
        let mut reader = self.send("GET", path, b"");
        let head = head(&mut reader);
        assert!(head.to_lowercase().contains("content-type: text/event-stream"), "{head}");
        let mut names: Vec<String> = Vec::new();
        let mut line = String::new();
        loop {
            line.clear();
            let count = reader.read_line(&mut line).unwrap();
            assert!(count > 0, "the events end without {last}: {names:?}");
            if let Some(name) = line.trim_end().strip_prefix("event: ") {
                names.push(name.to_owned());
            }
            let is_last = names.last().is_some_and(|name| name == last);
            if let Some(data) = line.strip_prefix("data: ").filter(|_| is_last) {
                return (names, serde_json::from_str(data).unwrap());
            }
        }
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut found = lines.filter(|(of, _)| of.eq_ignore_ascii_case(name));
        found.next().map_or("", |(_, value)| value.trim())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

fn head(reader: &mut impl BufRead) -> String {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        let count = reader.read_line(&mut head).unwrap();
        assert!(count > 0, "no answer: {head:?}");
    }
    head
}

fn unchunked(body: &str) -> String {
    let mut rest = body.as_bytes();
    let mut whole = Vec::new();
    while let Some(end) = rest.windows(2).position(|pair| pair == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            break;
        }
        whole.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 4 + size..];
    }
    String::from_utf8(whole).unwrap()
}
