//! What the server waited for, as tables.

use crate::{
    format,
    table::{Row, Table},
};
use lab::record::{MeanCount, RunRecord, Watch};

/// Classes that a short view tells of.
const SHORT: usize = 5;
/// States and instruments that are told of.
const COUNTS: usize = 8;
/// Sessions below this are a chance sighting.
const LEAST: f64 = 0.0005;

/// What the sessions were at in the measured phase, all classes with their sources.
pub(crate) fn waits(record: &RunRecord) -> Table {
    let titles = ["Sessions were", "#Sessions", "#Share", "What that means", "Known from"];
    let Some(waits) = record.watch.as_ref().and_then(|watch| watch.waits.as_ref()) else {
        return Table::default();
    };
    let all: f64 = waits.classes.iter().map(|class| class.sessions).sum();
    let tenths = |sessions: f64| match sessions.is_finite() {
        true => format!("{sessions:.1}"),
        false => "–".to_owned(),
    };
    let caption = format!(
        "What the sessions were at in the measured phase ({} of {} had a request)",
        tenths(waits.active_sessions()),
        tenths(all),
    );
    let mut table = Table::new(&caption, &titles);
    for class in waits.classes.iter().filter(|it| it.sessions >= LEAST) {
        let row = Row::new(vec![
            class.label.clone(),
            format::figure(class.sessions),
            class.share.map_or("–".to_owned(), format::percent),
            class.meaning.clone(),
            class.source.clone(),
        ]);
        table.rows.push(Row { part: class.share.is_none(), ..row });
    }
    table
}

/// The same in a few lines: the classes with the most time.
pub(crate) fn waits_in_short(record: &RunRecord) -> Table {
    let mut table = waits(record);
    if table.is_empty() {
        return table;
    }
    table = table.without(4);
    table.rows.retain(|row| !row.part);
    table.rows.truncate(SHORT);
    table
}

/// Sessions by the server's own words, and threads by the performance schema.
pub(crate) fn wait_details(record: &RunRecord) -> Vec<Table> {
    let Some(waits) = record.watch.as_ref().and_then(|watch| watch.waits.as_ref()) else {
        return Vec::new();
    };
    let counts = |caption: &str, title: &str, counted: &str, of: &[MeanCount]| {
        let mut table = Table::new(caption, &[title, counted]);
        for count in of.iter().filter(|count| count.mean >= LEAST).take(COUNTS) {
            let mean = format::figure(count.mean);
            table.rows.push(Row::new(vec![count.label.clone(), mean]));
        }
        table
    };
    let mut tables = vec![
        counts("Sessions by state, in the server's words", "State", "#Sessions", &waits.states),
        counts(
            "Threads in files and latches, background threads included (performance schema)",
            "At",
            "#Threads",
            &waits.instruments,
        ),
    ];
    tables.retain(|table| !table.is_empty());
    tables
}

/// What watching cost, a sentence.
pub(crate) fn watch_cost(watch: &Watch) -> String {
    let percent = |cpus: f64| format!("{}%", format::figure(100.0 * cpus));
    let server = watch.cost.server_cpus.map(|cpus| format!(" and {} of one there", percent(cpus)));
    let answer = watch.cost.answer_ms.map(|ms| {
        format!(" The server took {} ms to answer the questions of a sample.", format::ms(ms))
    });
    format!(
        "Watching cost {} of a processor here{}.{}",
        percent(watch.cost.cpus),
        server.unwrap_or_default(),
        answer.unwrap_or_default(),
    )
}
