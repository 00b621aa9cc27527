//! `--metrics-addr`: what Prometheus sees of a load, and that the dashboard asks for nothing else.

use crate::{
    serve::http::Client,
    support::{Server, until},
};
use std::{collections::BTreeSet, net::TcpListener};

const DASHBOARD: &str = include_str!("../../../../dashboards/myrig.json");

/// The metrics that the dashboard asks a load for.
fn asked_for() -> BTreeSet<String> {
    let all = asked_for_of_all().into_iter();
    all.filter(|name| !name.starts_with("myrig_streams_")).collect()
}

/// All that the dashboard asks for.
pub(crate) fn asked_for_of_all() -> BTreeSet<String> {
    let dashboard: serde_json::Value = serde_json::from_str(DASHBOARD).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().into_iter().flatten());
    let expressions = targets.map(|target| target["expr"].as_str().unwrap());
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let names = expressions.flat_map(|it| it.split(move |c| !is_name(c)));
    let names = names.filter(|name| name.starts_with("myrig_"));
    let suffixes = ["_bucket", "_sum", "_count"];
    let family = |name: &str| {
        let without = suffixes.iter().find_map(|suffix| name.strip_suffix(suffix));
        without.unwrap_or(name).to_owned()
    };
    names.map(family).collect()
}

/// The metrics that there are, by their TYPE lines.
pub(crate) fn there(scraped: &str) -> BTreeSet<String> {
    let types = scraped.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    types.filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

fn value(scraped: &str, series: &str) -> f64 {
    let line = scraped.lines().find(|line| line.starts_with(series));
    let line = line.unwrap_or_else(|| panic!("no {series} in\n{scraped}"));
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

#[test]
fn a_load_is_scraped_while_it_is_on_and_the_dashboard_finds_all_it_asks_for() {
    let server = Server::mariadb();
    server.run("oltp prepare -D metrics --tables 1 --table-size 1000").good();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let line = format!("oltp run -D metrics -c 2 --ramp-up 1s --metrics-addr {port}");
    let running = server.begin(&format!("{line} --duration 8s --rate 100 --label a\"b --json"));
    let client = Client::new(&format!("127.0.0.1:{port}"));
    until("the endpoint is up", || std::net::TcpStream::connect(&client.address).is_ok());
    let mut scraped = String::new();
    until("everything is told", || {
        scraped = client.get("/metrics").body;
        let measured = scraped.contains("phase=\"measure\"} 1");
        measured && scraped.contains("myrig_server_commits_per_second")
    });
    let second = server.run(&format!("{line} --duration 1s"));
    second.ends(3).says(&[&format!("--metrics-addr 127.0.0.1:{port}"), "a port of its own"]);

    assert!(scraped.contains("run_label=\"a\\\"b\""), "{scraped}");
    let kind = "server=\"s\",type=\"";
    let committed = value(&scraped, &format!("myrig_transactions_total{{{kind}"));
    assert!(committed > 50.0, "{scraped}");
    let all = value(&scraped, &format!("myrig_response_time_seconds_count{{{kind}"));
    assert!(all >= committed, "{scraped}");
    assert!((value(&scraped, "myrig_intended_transactions_per_second") - 100.0).abs() < 1e-9);
    let missing: Vec<_> = asked_for().difference(&there(&scraped)).cloned().collect();
    assert_eq!(missing, Vec::<String>::new(), "the dashboard asks for what is not there");
    assert!(asked_for().len() > 12);
    let record = running.wait().good().json();
    assert!(record["settings"].get("metrics-addr").is_none(), "it is no setting of the load");
}

#[test]
fn the_dashboard_can_be_imported_anywhere() {
    let dashboard: serde_json::Value = serde_json::from_str(DASHBOARD).unwrap();
    assert!(dashboard["id"].is_null() && dashboard["uid"].is_string());
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    assert!(variables.iter().any(|it| it["type"] == "datasource" && it["name"] == "datasource"));
    for panel in dashboard["panels"].as_array().unwrap().iter().filter(|it| it["type"] != "row") {
        assert_eq!(panel["datasource"]["uid"], "${datasource}", "{}", panel["title"]);
        assert!(!panel["title"].as_str().unwrap().is_empty());
    }
}
