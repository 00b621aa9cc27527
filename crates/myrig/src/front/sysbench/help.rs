//! Help in sysbench's layout, from the catalog.

use super::{
    banner,
    catalog::{ALL, Fate, Group, Known, Type},
    command_line::CommandLine,
    script::{Form, Script},
};
use std::fmt::Write;

/// The groups of the general help, with their titles.
const GENERAL: [(Group, &str); 5] = [
    (Group::General, "General options:"),
    (Group::Random, "Pseudo-Random Numbers Generator options:"),
    (Group::Log, "Log options:"),
    (Group::Database, "General database options:"),
    (Group::Mysql, "mysql options:"),
];

/// The text for a call that wants help or the version and nothing else.
pub(super) fn wanted(line: &CommandLine) -> Option<String> {
    let has = |name: &str| {
        line.options.iter().any(|given| given.name == name && given.value.as_deref() != Some("off"))
    };
    let alone = line.script.is_none();
    match line.command.as_deref() {
        _ if has("version") => Some(format!("{}\n", banner(Form::V1_0))),
        Some("version") if alone => Some(format!("{}\n", banner(Form::V1_0))),
        _ if has("help") => Some(general()),
        Some("help") if alone => Some(general()),
        _ => None,
    }
}

fn general() -> String {
    let mut text =
        "Usage:\n  sysbench [options]... [testname] [command]\n\nCommands implemented by \
                    all tests: prepare prewarm run cleanup help\n\n"
            .to_owned();
    for (group, title) in GENERAL {
        text.push_str(title);
        text.push('\n');
        text.push_str(&options(group));
    }
    text.push_str(
        "Compiled-in tests:\n  oltp_delete oltp_insert oltp_point_select oltp_read_only \
         oltp_read_write\n  oltp_update_index oltp_update_non_index oltp_write_only\n  of sysbench \
         0.5: delete insert oltp select update_index update_non_index\n\nSee 'sysbench <testname> \
         help' for a list of options for each test.\n\n",
    );
    text
}

/// The options of a script.
pub(super) fn of_script(script: &Script) -> String {
    let group = if script.is_legacy { Group::Legacy } else { Group::Oltp };
    format!("{} options:\n{}", script.name, options(group))
}

fn options(group: Group) -> String {
    let known: Vec<&Known> = ALL
        .iter()
        .filter(|known| known.group == group && !matches!(known.fate, Fate::Refused(_)))
        .collect();
    let typed: Vec<String> = known.iter().map(|known| typed(known)).collect();
    let width = typed.iter().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    for (known, typed) in known.iter().zip(&typed) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {typed:width$} {} [{}]", known.help, known.default);
    }
    text.push('\n');
    text
}

fn typed(known: &Known) -> String {
    let value = match known.kind {
        Type::Flag => "[=on|off]",
        Type::Whole | Type::Number => "=N",
        Type::Text => "=STRING",
        Type::List => "=[LIST,...]",
    };
    let name = match known.group {
        // The scripts' own options are shown with underscores.
        Group::Oltp => format!("--{}", known.name),
        _ => known.typed(),
    };
    format!("{name}{value}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::command_line;
    use super::*;

    fn asked(words: &str) -> Option<String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let line = command_line::read(&words, &|_| Err(std::io::Error::other("none"))).unwrap();
        wanted(&line)
    }

    #[test]
    fn help_and_version_are_given_where_asked_for() {
        for words in ["--help", "help", "oltp_read_write --help"] {
            assert!(asked(words).unwrap().contains("--report-interval=N"), "{words}");
        }
        assert!(asked("--version").unwrap().starts_with("sysbench 1.0.20"));
        assert_eq!(asked("oltp_read_write help"), None);
        assert_eq!(asked("oltp_read_write run"), None);
    }

    #[test]
    fn a_script_lists_its_options_with_their_defaults() {
        let script = super::super::script::find("oltp_insert", false).unwrap();
        let text = of_script(&script);
        assert!(text.starts_with("oltp_insert options:\n"));
        assert!(text.contains("--table_size=N"), "{text}");
        assert!(text.contains("[10000]"), "{text}");
    }
}
