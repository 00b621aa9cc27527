//! The reference of the command line as Markdown: a page for each verb and one that lists them.

use clap::{Arg, Command};
use std::fmt::Write;

/// Columns that a paragraph is wrapped to; the house's own rule.
const WIDTH: usize = 100;

/// What a page of the reference has below its title.
pub(crate) const NOTE: &str =
    "<!-- `make reference` writes this page from the command line's definition. -->";

/// A page of the reference.
pub(crate) struct Page {
    /// The file's name, as `tpcc.md`.
    pub(crate) name: String,
    /// What is in it.
    pub(crate) text: String,
}

/// All pages about `command`, the one that lists the verbs first.
pub(crate) fn pages(mut command: Command) -> Vec<Page> {
    command.build();
    let verbs: Vec<&Command> = visible(&command).collect();
    let mut pages = vec![Page { name: "commands.md".to_owned(), text: index(&command, &verbs) }];
    for verb in verbs {
        let mut text = format!("# myrig {}\n\n{NOTE}\n", verb.get_name());
        describe(verb, &mut text);
        pages.push(Page { name: format!("{}.md", verb.get_name()), text });
    }
    pages
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|verb| !verb.is_hide_set() && verb.get_name() != "help")
}

fn index(command: &Command, verbs: &[&Command]) -> String {
    let mut text = format!("# Commands and options\n\n{NOTE}\n\n{}\n\n", about(command));
    text.push_str("| command | what it does |\n|---|---|\n");
    for verb in verbs {
        let name = verb.get_name();
        let leaves: Vec<String> = visible(verb)
            .map(|leaf| format!("[{0}]({name}.md#myrig-{name}-{0})", leaf.get_name()))
            .collect();
        let leaves = if leaves.is_empty() { leaves.concat() } else { join_after(&leaves) };
        let purpose = cell(&first_line(verb));
        push(&mut text, format_args!("| [`myrig {name}`]({name}.md) | {purpose}{leaves} |\n"));
    }
    let of_all = command.get_arguments().filter(|argument| argument.is_global_set());
    table(&mut text, "Options of every command", "option", of_all, 2);
    if let Some(rest) = command.get_after_help() {
        for paragraph in rest.to_string().split("\n\n") {
            push(&mut text, format_args!("\n{}\n", wrapped(&prose(paragraph))));
        }
    }
    text
}

fn join_after(leaves: &[String]) -> String {
    format!("<br>{}", leaves.join(", "))
}

/// What follows the heading of a verb, and a section for each verb below it.
fn describe(verb: &Command, text: &mut String) {
    push(text, format_args!("\n{}\n", about(verb)));
    let below: Vec<&Command> = visible(verb).collect();
    if below.is_empty() {
        push(text, format_args!("\n```\n{}\n```\n", usage(verb)));
    }
    options(verb, text);
    for verb in below {
        push(text, format_args!("\n## {}\n", path(verb)));
        describe(verb, text);
    }
}

/// The verb as it is typed, `myrig tpcc run`.
fn path(verb: &Command) -> String {
    verb.get_bin_name().unwrap_or_else(|| verb.get_name()).to_owned()
}

fn usage(verb: &Command) -> String {
    let line = verb.clone().render_usage().to_string();
    line.trim_start_matches("Usage: ").trim_end().to_owned()
}

/// A table of the operands, then one for each group of options, in the order of their definition.
fn options(verb: &Command, text: &mut String) {
    let own = || {
        verb.get_arguments().filter(|argument| {
            !argument.is_global_set()
                && !argument.is_hide_set()
                && !matches!(argument.get_id().as_str(), "help" | "version")
        })
    };
    let level = if path(verb).split(' ').count() > 2 { 3 } else { 2 };
    table(text, "Operands", "operand", own().filter(|argument| argument.is_positional()), level);
    let mut headings: Vec<&str> = Vec::new();
    for argument in own().filter(|argument| !argument.is_positional()) {
        let heading = argument.get_help_heading().unwrap_or("Options");
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for heading in headings {
        let of_it = own().filter(|argument| {
            !argument.is_positional() && argument.get_help_heading().unwrap_or("Options") == heading
        });
        table(text, heading, "option", of_it, level);
    }
}

fn table<'a>(
    text: &mut String,
    heading: &str,
    of: &str,
    arguments: impl Iterator<Item = &'a Arg>,
    level: usize,
) {
    let rows: Vec<String> = arguments.map(row).collect();
    if rows.is_empty() {
        return;
    }
    let hashes = "#".repeat(level);
    push(text, format_args!("\n{hashes} {heading}\n| {of} | meaning |\n|---|---|\n"));
    text.push_str(&rows.concat());
}

fn row(argument: &Arg) -> String {
    let help = argument.get_long_help().or_else(|| argument.get_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    let mut meaning = cell(&help);
    if argument.get_action().takes_values() {
        for value in argument.get_possible_values().iter().filter(|value| !value.is_hide_set()) {
            let about = value.get_help().map(|help| format!(": {}", cell(&help.to_string())));
            let about = about.unwrap_or_default();
            push(&mut meaning, format_args!("<br>`{}`{about}", value.get_name()));
        }
        let defaults = argument.get_default_values();
        let all: Vec<_> = defaults.iter().map(|value| value.to_string_lossy()).collect();
        let all = all.join(",");
        if !all.is_empty() && !argument.is_hide_default_value_set() {
            push(&mut meaning, format_args!("<br>Default: `{all}`"));
        }
    }
    if let Some(variable) = argument.get_env() {
        push(&mut meaning, format_args!("<br>Environment: `{}`", variable.to_string_lossy()));
    }
    format!("| `{}` | {meaning} |\n", spelling(argument).replace('|', "\\|"))
}

/// The option as it is typed, `-c, --connections <N>`.
fn spelling(argument: &Arg) -> String {
    let mut names: Vec<String> =
        argument.get_short().map(|c| format!("-{c}")).into_iter().collect();
    names.extend(argument.get_long().map(|long| format!("--{long}")));
    let mut spelling = names.join(", ");
    if argument.get_action().takes_values() {
        let values = argument.get_value_names().unwrap_or_default();
        let is_optional = argument.get_num_args().is_some_and(|count| count.min_values() == 0);
        for value in values {
            let space = if spelling.is_empty() { "" } else { " " };
            let value = if is_optional { format!("[<{value}>]") } else { format!("<{value}>") };
            push(&mut spelling, format_args!("{space}{value}"));
        }
    }
    spelling
}

fn first_line(verb: &Command) -> String {
    verb.get_about().map(ToString::to_string).unwrap_or_default()
}

fn about(verb: &Command) -> String {
    let words = verb.get_long_about().or_else(|| verb.get_about());
    let words = words.map(ToString::to_string).unwrap_or_default();
    let paragraphs: Vec<String> =
        words.split("\n\n").map(|paragraph| wrapped(&prose(paragraph))).collect();
    paragraphs.join("\n\n")
}

/// A help text in a cell of a table, which has one line.
fn cell(help: &str) -> String {
    let lines: Vec<&str> = help.split_whitespace().collect();
    prose(&lines.join(" ")).replace('|', "\\|")
}

/// Marks what Markdown would take for its own outside of code spans, and links pages of the book.
fn prose(help: &str) -> String {
    let mut pieces = Vec::new();
    for (piece, number) in help.split('`').zip(0..) {
        let is_code = number % 2 == 1;
        let escape = |text: &str| linked(&text.replace('<', "\\<").replace('*', "\\*"));
        pieces.push(if is_code { piece.to_owned() } else { escape(piece) });
    }
    pieces.join("`")
}

/// The text with `docs/PAGE.md` in it as links from docs/reference.
fn linked(text: &str) -> String {
    let mut parts = text.split("docs/");
    let mut linked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(".md") {
            Some((page, rest)) if page.chars().all(|c| c.is_alphanumeric() || c == '-') => {
                push(&mut linked, format_args!("[{page}](../{page}.md){rest}"));
            }
            _ => push(&mut linked, format_args!("docs/{part}")),
        }
    }
    linked
}

fn wrapped(paragraph: &str) -> String {
    let mut lines = vec![String::new()];
    for word in paragraph.split_whitespace() {
        let last = lines.last_mut().expect("there is one from the beginning");
        if last.is_empty() {
            last.push_str(word);
        } else if last.chars().count() + 1 + word.chars().count() <= WIDTH {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.join("\n")
}

fn push(text: &mut String, words: std::fmt::Arguments<'_>) {
    text.write_fmt(words).expect("a String takes whatever is written");
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, ArgAction, builder::PossibleValue};

    fn sample() -> Command {
        let shape = Arg::new("shape")
            .long("shape")
            .short('s')
            .value_name("SHAPE")
            .help("A | <b>, `a*<b>`")
            .default_value("flat")
            .value_parser([PossibleValue::new("flat").help("No hill"), PossibleValue::new("hill")]);
        let all = Arg::new("all").long("all").action(ArgAction::SetTrue).help("All of them");
        let file = Arg::new("file").value_name("FILE").required(true).help("Where");
        let back = Arg::new("back").long("back").value_name("ID").num_args(0..=1).help("Again");
        let draw = Command::new("draw").about("Draws").args([file, all, back]);
        let home = Arg::new("home").long("home").value_name("DIR").global(true).help("At home");
        Command::new("myrig")
            .about("A sample")
            .after_help("Exit status: 0.\n\nMore.")
            .arg(home)
            .subcommand(
                Command::new("pen").about("Pens").subcommand(draw.arg(shape.help_heading("Looks"))),
            )
            .subcommand(Command::new("secret").about("Not shown").hide(true))
    }

    #[test]
    fn a_verb_gets_a_page_with_its_usage_and_a_table_a_group() {
        let pages = pages(sample());
        let names: Vec<&str> = pages.iter().map(|page| page.name.as_str()).collect();
        assert_eq!(names, ["commands.md", "pen.md"]);
        let expected = "\
# myrig pen

<!-- `make reference` writes this page from the command line's definition. -->

Pens

## myrig pen draw

Draws

```
myrig pen draw [OPTIONS] <FILE>
```

### Operands
| operand | meaning |
|---|---|
| `<FILE>` | Where |

### Options
| option | meaning |
|---|---|
| `--all` | All of them |
| `--back [<ID>]` | Again |

### Looks
| option | meaning |
|---|---|
| `-s, --shape <SHAPE>` | A \\| \\<b>, `a*<b>`<br>`flat`: No hill<br>`hill`<br>Default: `flat` |
";
        assert_eq!(pages[1].text, expected);
    }

    #[test]
    fn the_first_page_lists_the_verbs_and_the_options_of_all() {
        let text = &pages(sample())[0].text;
        assert!(text.contains("| [`myrig pen`](pen.md) | Pens<br>[draw](pen.md#myrig-pen-draw) |"));
        assert!(text.contains("| `--home <DIR>` | At home |"));
        assert!(text.ends_with("\nExit status: 0.\n\nMore.\n"));
        assert!(!text.contains("secret"));
    }

    #[test]
    fn pages_of_the_book_are_linked() {
        let text = "Its lines (docs/sysbench.md), `docs/a.md`, docs/ and docs/a b.md";
        let expected = "Its lines ([sysbench](../sysbench.md)), `docs/a.md`, docs/ and docs/a b.md";
        assert_eq!(prose(text), expected);
    }

    #[test]
    fn paragraphs_are_wrapped_to_the_width_of_the_house() {
        let lines = wrapped(&"word ".repeat(50));
        assert!(lines.lines().all(|line| line.len() <= WIDTH && !line.ends_with(' ')));
        assert_eq!(lines.split_whitespace().count(), 50);
    }
}
