//! What every request passes: who is called, who calls, and what the answer may do.

use super::{
    answer::{Refusal, page_of},
    app::App,
};
use axum::{
    extract::{Request, State},
    http::{
        HeaderMap, HeaderName, HeaderValue, Method, StatusCode,
        header::{self, AUTHORIZATION, COOKIE, HOST, LOCATION, ORIGIN, SET_COOKIE},
    },
    middleware::Next,
    response::{IntoResponse, Response},
};
use std::net::IpAddr;

/// What a page of ours may do: its own files and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' data:; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// On every answer.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Lets a request through, or answers it.
pub(super) async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let is_for_a_program = request.uri().path().starts_with("/api/");
    let mut response = match admitted(&app, &request) {
        Ok(Admission::Enter) => next.run(request).await,
        Ok(Admission::Greet(target)) => greeting(&app, &target),
        Err(refusal) => refusal.into_response(),
    };
    let refusal = response.extensions_mut().remove::<Refusal>();
    if let Some(refusal) = refusal.filter(|_| !is_for_a_program) {
        response = page_of(&refusal);
    }
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    response
}

enum Admission {
    /// It shows the token as it should.
    Enter,
    /// It shows the token in its link: it is given a cookie and sent on to this.
    Greet(String),
}

fn admitted(app: &App, request: &Request) -> Result<Admission, Refusal> {
    let headers = request.headers();
    let host = text(headers, &HOST).unwrap_or_default();
    if !is_ours(app, host) {
        // A name that somebody else made point here (DNS rebinding) is no name of ours.
        return Err(Refusal::new(
            StatusCode::MISDIRECTED_REQUEST,
            "this server does not go by that name; call it by its address, or start it with \
             --host-name NAME",
        ));
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let origin = text(headers, &ORIGIN);
        if origin.is_some_and(|origin| origin != format!("http://{host}")) {
            return Err(Refusal::new(StatusCode::FORBIDDEN, "another site may not do this"));
        }
    }
    let uri = request.uri();
    let (token, rest) = split_token(uri.query().unwrap_or_default());
    if let Some(token) = token.filter(|_| *request.method() == Method::GET) {
        let target = match rest.is_empty() {
            true => uri.path().to_owned(),
            false => format!("{}?{rest}", uri.path()),
        };
        return match app.token().is(token) {
            true => Ok(Admission::Greet(target)),
            false => Err(unknown()),
        };
    }
    let bearer = text(headers, &AUTHORIZATION).and_then(|it| it.strip_prefix("Bearer "));
    let shown = bearer.or_else(|| cookie(headers, app.cookie()));
    match shown.is_some_and(|shown| app.token().is(shown)) {
        true => Ok(Admission::Enter),
        false => Err(unknown()),
    }
}

fn unknown() -> Refusal {
    Refusal::new(
        StatusCode::UNAUTHORIZED,
        "open the link that `myrig serve` has printed; it holds the token that lets you in",
    )
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Whether a Host header names this machine: an address, localhost, or a name that was given. The
/// port may be another's, as behind a tunnel.
fn is_ours(app: &App, host: &str) -> bool {
    let bare = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    let name = bare.to_ascii_lowercase();
    name == "localhost" || name.parse::<IpAddr>().is_ok() || app.is_called(&name)
}

/// The value of `token` in a query, and the query without it.
fn split_token(query: &str) -> (Option<&str>, String) {
    let is_token = |pair: &&str| pair.starts_with("token=");
    let token = query.split('&').find(is_token).and_then(|pair| pair.strip_prefix("token="));
    let rest: Vec<&str> = query.split('&').filter(|pair| !is_token(pair)).collect();
    (token, rest.join("&"))
}

/// The value of a cookie.
fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        all.flat_map(|value| value.split(';')).filter_map(|it| it.trim().split_once('='));
    pairs.find(|(of, _)| *of == name).map(|(_, value)| value)
}

/// Gives the cookie and sends on to `target`, so that the token is in no address bar.
fn greeting(app: &App, target: &str) -> Response {
    let cookie =
        format!("{}={}; Path=/; HttpOnly; SameSite=Strict", app.cookie(), app.token().text());
    // A path that begins with two slashes would be another machine.
    let target = format!("/{}", target.trim_start_matches('/'));
    let (Ok(cookie), Ok(target)) = (HeaderValue::from_str(&cookie), HeaderValue::from_str(&target))
    else {
        return Refusal::bad_request("the link has characters that no link has").into_response();
    };
    (StatusCode::SEE_OTHER, [(SET_COOKIE, cookie), (LOCATION, target)]).into_response()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{paths::Paths, serve::token::Token};
    use axum::body::Body;

    const TOKEN: &str = "abcdefgh-1234567";

    fn app() -> App {
        let paths = Paths::new(Some("/nowhere".into())).unwrap();
        let token = Token::new(Some(TOKEN)).unwrap();
        App::new(paths, token, 80, &["Bench.example".into()], tokio::sync::watch::channel(false).1)
    }

    fn status(method: &str, path: &str, headers: &[(&str, &str)]) -> u16 {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        match admitted(&app(), &request.body(Body::empty()).unwrap()) {
            Ok(Admission::Enter) => 200,
            Ok(Admission::Greet(_)) => 303,
            Err(refusal) => refusal.into_response().status().as_u16(),
        }
    }

    #[test]
    fn names_that_others_made_point_here_are_refused() {
        let cookie = format!("myrig-80={TOKEN}");
        let called = |host| status("GET", "/", &[("host", host), ("cookie", &cookie)]);
        for ours in ["127.0.0.1:80", "localhost:9", "[::1]:80", "192.0.2.7", "BENCH.example:80"] {
            assert_eq!(called(ours), 200, "{ours}");
        }
        for other in ["evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example", ""] {
            assert_eq!(called(other), 421, "{other}");
        }
        assert_eq!(status("GET", "/", &[("cookie", &cookie)]), 421, "no Host at all");
    }

    #[test]
    fn only_the_token_lets_in() {
        let with = |path: &str, name: &str, value: &str| {
            status("GET", path, &[("host", "localhost"), (name, value)])
        };
        assert_eq!(with("/", "x-none", ""), 401);
        assert_eq!(with("/", "authorization", &format!("Bearer {TOKEN}")), 200);
        assert_eq!(with("/", "authorization", &format!("Bearer {TOKEN}x")), 401);
        assert_eq!(with("/", "cookie", &format!("a=b; myrig-80={TOKEN}; c=d")), 200);
        assert_eq!(with("/", "cookie", &format!("myrig-81={TOKEN}")), 401, "another server's");
        assert_eq!(with(&format!("/?token={TOKEN}"), "x-none", ""), 303);
        assert_eq!(with("/?token=wrong", "cookie", &format!("myrig-80={TOKEN}")), 401);
    }

    #[test]
    fn another_site_cannot_send_anything() {
        let cookie = format!("myrig-80={TOKEN}");
        let from = |origin: &str| {
            let headers =
                [("host", "127.0.0.1:80"), ("cookie", cookie.as_str()), ("origin", origin)];
            status("POST", "/api/runs", &headers)
        };
        assert_eq!(from("http://127.0.0.1:80"), 200);
        for other in ["http://evil.example", "null", "http://127.0.0.1:81", "https://127.0.0.1:80"]
        {
            assert_eq!(from(other), 403, "{other}");
        }
    }

    #[test]
    fn the_token_leaves_the_link_and_nothing_else_does() {
        assert_eq!(split_token("a=1&token=t&b=2"), (Some("t"), "a=1&b=2".to_owned()));
        assert_eq!(split_token("tokens=1"), (None, "tokens=1".to_owned()));
        let response = greeting(&app(), "//evil.example/");
        assert_eq!(response.headers()[LOCATION], "/evil.example/", "never another machine");
        let cookie = response.headers()[SET_COOKIE].to_str().unwrap();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    }
}
