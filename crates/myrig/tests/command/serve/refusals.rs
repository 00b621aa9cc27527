//! What the server refuses, and that it says why.

use super::{Served, as_described, described, run_file};
use crate::support::Rig;

#[test]
fn what_cannot_be_served_is_refused_by_name() {
    let rig = Rig::new();
    let wide = rig.run("serve --listen 0.0.0.0:0").ends(2);
    wide.says(&["--listen 0.0.0.0:0", "--open-to-network", "SSH tunnel"]);
    rig.run("serve --token short").ends(2).says(&["--token", "16"]);
    rig.run("serve --listen nowhere:1").ends(2).says(&["such as 8080"]);
    let served = Served::start(&rig);
    rig.run(&format!("serve --listen {}", served.address))
        .ends(3)
        .says(&["already", &served.address]);
    let other = Rig::new();
    other.run(&format!("serve --listen {}", served.address)).ends(3).says(&["--listen", "port 0"]);
    let notice = rig.home().join("serve.json");
    assert!(notice.exists());
    served.end();
    assert!(!notice.exists(), "it goes with the server");
    rig.nothing_runs();
}

#[test]
fn nobody_is_let_in_without_the_token_or_under_another_name() {
    let rig = Rig::new();
    let served = Served::start(&rig);
    let stranger = served.stranger();
    for path in ["/", "/api/history", "/assets/style.css", "/runs/x", "/api/live/events"] {
        let answer = stranger.get(path);
        assert_eq!(answer.status, 401, "{path}");
        assert!(answer.body.contains("myrig serve"), "{path}: {answer:?}");
        assert!(!answer.body.contains(&served.token) && answer.header("set-cookie").is_empty());
    }
    assert_eq!(stranger.get("/?token=wrong").status, 401);
    let client = served.client();
    let rebound = client.with("Host", "evil.example");
    assert_eq!(rebound.get("/").status, 421);
    assert_eq!(client.with("Host", "localhost:1").get("/").status, 200, "as behind a tunnel");

    let greeted = stranger.get(&format!("/?token={}&kind=run", served.token));
    assert_eq!((greeted.status, greeted.header("location")), (303, "/?kind=run"));
    let cookie = greeted.header("set-cookie").to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let known = stranger.with("Cookie", &cookie);
    let page = known.get("/");
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    for (name, value) in [("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer")]
    {
        assert_eq!(page.header(name), value);
    }
    let foreign = known.with("Origin", "http://evil.example");
    assert_eq!(foreign.post("/api/runs", run_file("a-1", "").as_bytes()).status, 403);
    served.end();
}

#[test]
fn answers_to_programs_are_as_described_the_refusals_too() {
    let rig = Rig::new();
    let served = Served::start(&rig);
    let client = served.client();
    assert_eq!(client.get("/api/openapi.json").header("content-type"), "application/json");
    let upload = |text: &str| client.post("/api/runs", text.as_bytes());
    let brought = upload(&run_file("20261121T000000-00000a", "first"));
    assert_eq!(brought.status, 201);
    let brought = as_described(&client, "post", &brought, "/api/runs");
    assert_eq!(brought["url"], "/runs/20261121T000000-00000a");
    let again = upload(&run_file("20261121T000000-00000a", "first"));
    assert_eq!(again.status, 200);
    assert_eq!(as_described(&client, "post", &again, "/api/runs")["new"], false);
    upload(&run_file("20261121T000000-00000b", "second"));
    for (text, status, words) in [
        ("no JSON", 422, "this is not a run"),
        ("{\"schema\":\"myrig.run/9\"}", 422, "myrig.run/9"),
        (&run_file("../x", ""), 422, "id"),
        (&run_file("20261121T000000-00000a", "forged"), 409, "already"),
    ] {
        let answer = upload(text);
        assert_eq!(answer.status, status, "{answer:?}");
        let refusal = as_described(&client, "post", &answer, "/api/runs");
        assert!(refusal["error"].as_str().unwrap().contains(words), "{refusal}");
    }
    let history = described(&client, "/api/history", "/api/history");
    assert_eq!(
        (history["all"].as_u64(), history["entries"].as_array().unwrap().len()),
        (Some(2), 2)
    );
    let chosen = described(&client, "/api/history?text=second&sort=label", "/api/history");
    assert_eq!(chosen["entries"][0]["label"], "second");
    described(&client, "/api/history?sort=nothing", "/api/history");
    let run = described(&client, "/api/runs/20261121T000000-00000b", "/api/runs/{id}");
    assert_eq!(run["label"], "second");
    for (path, route) in [
        ("/api/runs/none", "/api/runs/{id}"),
        ("/api/runs/..%2f..%2fetc", "/api/runs/{id}"),
        ("/api/sweeps/20261121T000000-00000b", "/api/sweeps/{id}"),
        ("/api/groups/none", "/api/groups/{id}"),
        ("/api/experiments/none", "/api/experiments/{id}"),
        ("/api/live/none", "/api/live/{id}"),
    ] {
        let value = described(&client, path, route);
        assert_eq!(value["status"], 404, "{path}: {value}");
    }
    let both = "/api/compare?run=20261121T000000-00000a&run=20261121T000000-00000b";
    let comparison = described(&client, both, "/api/compare");
    assert_eq!(
        (&comparison["baseline"], &comparison["variant"]),
        (&"first".into(), &"second".into())
    );
    assert_eq!(described(&client, "/api/compare?run=x", "/api/compare")["status"], 400);
    assert_eq!(described(&client, "/api/live", "/api/live")["live"].as_array().unwrap().len(), 0);
    assert_eq!(client.get("/no/such/page").status, 404);
    assert_eq!(client.get("/runs/20261121T000000-00000a").status, 200);
    served.end();
}
