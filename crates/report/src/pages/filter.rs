//! Which of the stored things to show, and in which order.

use super::Entry;
use std::cmp::Ordering;

/// As many lines as are shown unless told otherwise.
const LIMIT: usize = 200;

/// What is asked for; an empty text lets everything through.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// A part of anything that a line says.
    pub text: String,
    /// `run`, `sweep`, `group` or `experiment`.
    pub kind: String,
    /// Workload's name.
    pub workload: String,
    /// A part of the label.
    pub label: String,
    /// A part of the server's flavour and version.
    pub server: String,
    /// `complete`, `partial` or `live`.
    pub status: String,
    /// Started then or later: the beginning of an RFC 3339 time in UTC.
    pub since: String,
    /// What to sort by.
    pub order: Order,
    /// The smallest first.
    pub ascending: bool,
    /// At most so many.
    pub limit: usize,
}

/// What a list can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The start.
    Started,
    /// What a person called it.
    Label,
    /// Workload and profile.
    Workload,
    /// The most important figure; those without one last.
    Result,
    /// The server.
    Server,
}

impl Order {
    /// All of them with the names that a link has.
    pub(crate) const ALL: [(Self, &'static str); 5] = [
        (Self::Started, "started"),
        (Self::Label, "label"),
        (Self::Workload, "workload"),
        (Self::Result, "result"),
        (Self::Server, "server"),
    ];

    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(order, _)| *order == self).map_or("started", |(_, name)| name)
    }
}

impl Default for Filter {
    fn default() -> Self {
        let none = String::new;
        Self {
            text: none(),
            kind: none(),
            workload: none(),
            label: none(),
            server: none(),
            status: none(),
            since: none(),
            order: Order::Started,
            ascending: false,
            limit: LIMIT,
        }
    }
}

impl Filter {
    /// From the names and values of a link.
    ///
    /// # Errors
    /// A name that is none, or a value that it cannot have, in words.
    pub fn of(asked: &[(String, String)]) -> Result<Self, String> {
        let mut filter = Self::default();
        for (name, value) in asked {
            let value = value.trim().to_owned();
            match name.as_str() {
                "text" => filter.text = value,
                "kind" => filter.kind = value,
                "workload" => filter.workload = value,
                "label" => filter.label = value,
                "server" => filter.server = value,
                "status" => filter.status = value,
                "since" => filter.since = value,
                "sort" => {
                    let known = Order::ALL.iter().find(|(_, name)| *name == value);
                    let (order, _) = known.ok_or_else(|| {
                        let names: Vec<&str> = Order::ALL.iter().map(|(_, name)| *name).collect();
                        format!("sort: {value:?} is none of {}", names.join(", "))
                    })?;
                    filter.order = *order;
                }
                "order" => filter.ascending = value == "up",
                "limit" => {
                    filter.limit =
                        value.parse().map_err(|_| format!("limit: {value:?} is no number"))?;
                }
                other => return Err(format!("{other:?} is nothing that runs are chosen by")),
            }
        }
        Ok(filter)
    }

    /// What it lets through, in its order.
    pub fn apply(&self, entries: Vec<Entry>) -> Vec<Entry> {
        let mut chosen: Vec<Entry> =
            entries.into_iter().filter(|entry| self.lets_through(entry)).collect();
        // Sorting is stable: what is equal stays by its start.
        chosen.sort_by(|one, other| {
            let order = self.compare(one, other);
            if self.ascending || self.order == Order::Result { order } else { order.reverse() }
        });
        chosen.truncate(self.limit);
        chosen
    }

    fn lets_through(&self, entry: &Entry) -> bool {
        let holds = |whole: &str, part: &str| whole.to_lowercase().contains(&part.to_lowercase());
        let is = |whole: &str, wanted: &str| wanted.is_empty() || whole == wanted;
        let said = [
            &entry.id,
            &entry.label,
            &entry.workload,
            &entry.profile,
            &entry.server,
            &entry.figure,
            &entry.remark,
        ];
        is(entry.kind, &self.kind)
            && is(&entry.workload, &self.workload)
            && is(&entry.status, &self.status)
            && holds(&entry.label, &self.label)
            && holds(&entry.server, &self.server)
            && entry.started_at >= self.since
            && said.iter().any(|whole| holds(whole, &self.text))
    }

    fn compare(&self, one: &Entry, other: &Entry) -> Ordering {
        match self.order {
            Order::Started => one.started_at.cmp(&other.started_at),
            Order::Label => one.label.cmp(&other.label),
            Order::Workload => one.of().cmp(&other.of()),
            Order::Server => one.server.cmp(&other.server),
            Order::Result => match (one.value, other.value) {
                (Some(one), Some(other)) if self.ascending => one.total_cmp(&other),
                (Some(one), Some(other)) => other.total_cmp(&one),
                (None, None) => Ordering::Equal,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn entry(id: &str, label: &str, started_at: &str, value: Option<f64>) -> Entry {
        Entry {
            kind: if id.starts_with("sweep") { "sweep" } else { "run" },
            id: id.into(),
            label: label.into(),
            started_at: started_at.into(),
            workload: "tpcc".into(),
            profile: "spec/1".into(),
            server: "MariaDB 10.11.14".into(),
            status: "complete".into(),
            figure: "tpmC".into(),
            value,
            remark: String::new(),
        }
    }

    fn ids(asked: &str) -> Vec<String> {
        let entries = vec![
            entry("c", "Larger redo", "2026-11-22T03:00:00Z", None),
            entry("sweep-b", "", "2026-11-22T02:00:00Z", Some(5.0)),
            entry("a", "small", "2026-11-21T01:00:00Z", Some(7.0)),
        ];
        let pairs = asked.split('&').filter_map(|pair| pair.split_once('='));
        let asked: Vec<_> = pairs.map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
        let chosen = Filter::of(&asked).unwrap().apply(entries);
        chosen.into_iter().map(|entry| entry.id).collect()
    }

    #[test]
    fn what_is_asked_for_is_let_through() {
        assert_eq!(ids(""), ["c", "sweep-b", "a"]);
        assert_eq!(ids("text=REDO"), ["c"]);
        assert_eq!(ids("kind=sweep&workload=tpcc"), ["sweep-b"]);
        assert_eq!(ids("since=2026-11-22&server=mariadb"), ["c", "sweep-b"]);
        assert_eq!(ids("status=partial"), [""; 0]);
        assert_eq!(ids("limit=1"), ["c"]);
    }

    #[test]
    fn lists_are_sorted_and_what_has_no_figure_comes_last() {
        assert_eq!(ids("order=up"), ["a", "sweep-b", "c"]);
        assert_eq!(ids("sort=result"), ["a", "sweep-b", "c"]);
        assert_eq!(ids("sort=result&order=up"), ["sweep-b", "a", "c"]);
        assert_eq!(ids("sort=label&order=up"), ["sweep-b", "c", "a"]);
    }

    #[test]
    fn what_is_none_is_refused_in_words() {
        let refused = |name: &str, value: &str| {
            Filter::of(&[(name.to_owned(), value.to_owned())]).unwrap_err()
        };
        assert!(refused("sort", "x").contains("started, label"));
        assert!(refused("limit", "many").starts_with("limit:"));
        assert!(refused("worklaod", "tpcc").contains("worklaod"));
    }
}
