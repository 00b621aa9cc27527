//! The front page: what is live, and everything that is stored.

use super::{Entry, Filter, Order};
use crate::html::{RenderError, filled};
use askama::Template;

/// What the page shows.
#[derive(Clone, Debug)]
pub struct History {
    /// The lines that were asked for.
    pub entries: Vec<Entry>,
    /// How many there are in all.
    pub all: usize,
    /// What was asked for.
    pub filter: Filter,
}

#[derive(Template)]
#[template(path = "serve/history.html")]
struct Page<'a> {
    title: &'static str,
    history: &'a History,
    heads: Vec<Head>,
    kinds: Vec<(&'static str, &'static str, bool)>,
    statuses: Vec<(&'static str, &'static str, bool)>,
    workloads: Vec<(&'static str, &'static str, bool)>,
}

/// A column's head, which sorts by it.
struct Head {
    title: &'static str,
    link: String,
    /// `ascending`, `descending` or `none`, as screen readers know it.
    sorted: &'static str,
    number: bool,
}

/// The page.
///
/// # Errors
/// The template cannot be filled.
pub fn history(history: &History) -> Result<String, RenderError> {
    let filter = &history.filter;
    let choices = |wanted: &str, all: &[(&'static str, &'static str)]| {
        all.iter().map(|(value, name)| (*value, *name, *value == wanted)).collect()
    };
    let page = Page {
        title: "myrig: runs",
        history,
        heads: heads(filter),
        kinds: choices(
            &filter.kind,
            &[
                ("", "everything"),
                ("run", "runs"),
                ("sweep", "sweeps"),
                ("group", "groups"),
                ("experiment", "experiments"),
            ],
        ),
        statuses: choices(
            &filter.status,
            &[("", "any"), ("complete", "complete"), ("partial", "partial"), ("live", "live")],
        ),
        workloads: choices(
            &filter.workload,
            &[("", "any"), ("tpcc", "TPC-C"), ("tprocc", "TPROC-C"), ("oltp", "OLTP")],
        ),
    };
    filled(&page, "the history")
}

fn heads(filter: &Filter) -> Vec<Head> {
    let titles = [
        (Order::Label, "What", false),
        (Order::Started, "Started (UTC)", false),
        (Order::Workload, "Workload", false),
        (Order::Result, "Result", true),
        (Order::Server, "Server", false),
    ];
    titles
        .into_iter()
        .map(|(order, title, number)| {
            let is_sorted = filter.order == order;
            let sorted = match (is_sorted, filter.ascending) {
                (false, _) => "none",
                (true, true) => "ascending",
                (true, false) => "descending",
            };
            let turned =
                Filter { order, ascending: is_sorted && !filter.ascending, ..filter.clone() };
            Head { title, link: link(&turned), sorted, number }
        })
        .collect()
}

/// The page with that filter.
fn link(filter: &Filter) -> String {
    let usual = Filter::default();
    let order = if filter.ascending { "up" } else { "" };
    let sort = if filter.order == usual.order { "" } else { filter.order.name() };
    let limit = if filter.limit == usual.limit { String::new() } else { filter.limit.to_string() };
    let pairs = [
        ("text", filter.text.as_str()),
        ("kind", &filter.kind),
        ("workload", &filter.workload),
        ("label", &filter.label),
        ("server", &filter.server),
        ("status", &filter.status),
        ("since", &filter.since),
        ("sort", sort),
        ("order", order),
        ("limit", &limit),
    ];
    let given = pairs.iter().filter(|(_, value)| !value.is_empty());
    let query: Vec<String> =
        given.map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    if query.is_empty() { "/".to_owned() } else { format!("/?{}", query.join("&")) }
}

/// A value as a link's query holds it.
fn encoded(value: &str) -> String {
    let mut text = String::new();
    for byte in value.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                text.push(char::from(byte));
            }
            _ => text += &format!("%{byte:02X}"),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn entry(id: &str, label: &str) -> Entry {
        Entry {
            kind: "run",
            id: id.into(),
            label: label.into(),
            started_at: "2026-11-22T03:00:00Z".into(),
            workload: "tpcc".into(),
            profile: "spec/1".into(),
            server: "MariaDB 10.11.14".into(),
            status: "partial".into(),
            figure: "tpmC".into(),
            value: Some(12_345.6),
            remark: "step 1 of 1f3a9c".into(),
        }
    }

    #[test]
    fn runs_are_listed_with_links_and_hostile_names_are_text() {
        let entries = vec![entry("r-1", "<img src=x>"), entry("r-2", "")];
        let filter = Filter { text: "a&\"b".into(), ..Filter::default() };
        let page = history(&History { entries, all: 7, filter }).unwrap();
        assert!(page.contains("href=\"/runs/r-1\"") && page.contains("12,346"), "{page}");
        assert!(!page.contains("<img") && page.contains("2 of 7"), "{page}");
        assert!(page.contains("value=\"r-2\""), "it can be chosen for comparison");
        assert!(!page.contains("<script>") && !page.contains("style="), "nothing inline");
    }

    #[test]
    fn a_head_that_is_sorted_by_turns_the_order() {
        let filter = Filter { text: "a&b=ü".into(), ..Filter::default() };
        let heads = heads(&filter);
        assert_eq!(
            (heads[1].sorted, heads[1].link.as_str()),
            ("descending", "/?text=a%26b%3D%C3%BC&order=up")
        );
        assert_eq!(
            (heads[3].sorted, heads[3].link.as_str()),
            ("none", "/?text=a%26b%3D%C3%BC&sort=result")
        );
        assert_eq!(link(&Filter::default()), "/");
    }
}
