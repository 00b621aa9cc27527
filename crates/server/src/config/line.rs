//! One line of an option file, read as servers read it (mysys/my_default).

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Nothing: it is empty, or a comment.
    Blank,
    /// `[section]`.
    Section(String),
    /// `!include PATH`.
    Include(String),
    /// `!includedir PATH`.
    IncludeDir(String),
    /// `name = value`, or a bare `name`.
    Option {
        /// The name as it is spelt.
        name: String,
        /// The value, without its quotes and with its escapes resolved.
        value: Option<String>,
    },
}

impl Line {
    /// Reads a line.
    ///
    /// # Errors
    /// What no server would read, in words.
    pub(super) fn parse(line: &str) -> Result<Self, String> {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            return Ok(Self::Blank);
        }
        if let Some(directive) = line.strip_prefix('!') {
            return include(directive);
        }
        if let Some(section) = line.strip_prefix('[') {
            let (name, _) = section.split_once(']').ok_or("a section ends with `]`")?;
            return Ok(Self::Section(name.trim().to_owned()));
        }
        option(line)
    }
}

fn include(directive: &str) -> Result<Line, String> {
    let (word, path) = directive.split_once(char::is_whitespace).unwrap_or((directive, ""));
    let path = path.trim();
    match word {
        _ if path.is_empty() => Err(format!("`!{word}` needs a path")),
        "include" => Ok(Line::Include(path.to_owned())),
        "includedir" => Ok(Line::IncludeDir(path.to_owned())),
        _ => Err(format!("`!{word}` is neither !include nor !includedir")),
    }
}

fn option(line: &str) -> Result<Line, String> {
    let line = without_comment(line).trim();
    let (name, value) = match line.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim())),
        None => (line, None),
    };
    if name.is_empty() {
        return Err("there is no option before `=`".into());
    }
    if name == "set-variable" {
        // The spelling of MySQL 4; what follows is an option of its own.
        return option(value.filter(|value| *value != line).ok_or("`set-variable` sets nothing")?);
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    if name.starts_with('-') {
        return Err(format!("`{name}`: an option file has no dashes before a name"));
    }
    if let Some(wrong) = name.chars().find(|c| !allowed(*c)) {
        return Err(format!("`{wrong}` cannot be in the name of an option"));
    }
    let value = value.map(|value| unescaped(unquoted(value)));
    match value.as_ref().and_then(|value| value.chars().find(|c| c.is_control())) {
        Some(_) => Err(format!("the value of `{name}` holds a control character")),
        None => Ok(Line::Option { name: name.to_owned(), value }),
    }
}

/// The line up to a `#` that is not within quotes.
fn without_comment(line: &str) -> &str {
    let (mut quote, mut escape) = (None, false);
    for (at, c) in line.char_indices() {
        if matches!(c, '\'' | '"') && !escape {
            match quote {
                None => quote = Some(c),
                Some(open) if open == c => quote = None,
                Some(_) => {}
            }
        }
        if quote.is_none() && c == '#' {
            return line.get(..at).unwrap_or(line);
        }
        escape = quote.is_some() && c == '\\' && !escape;
    }
    line
}

fn unquoted(value: &str) -> &str {
    let inner = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}

fn unescaped(value: &str) -> String {
    let mut text = String::new();
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b') => text.push('\u{8}'),
            Some('s') => text.push(' '),
            Some(quoted @ ('"' | '\'' | '\\')) => text.push(quoted),
            Some(other) => text.extend(['\\', other]),
            None => text.push('\\'),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn option_of(line: &str) -> (String, Option<String>) {
        match Line::parse(line) {
            Ok(Line::Option { name, value }) => (name, value),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn names_values_quotes_and_comments_are_told_apart() {
        for (line, name, value) in [
            ("innodb_buffer_pool_size=150G # by memory", "innodb_buffer_pool_size", Some("150G")),
            ("  innodb_file_per_table  ", "innodb_file_per_table", None),
            ("innodb_monitor_enable='%'", "innodb_monitor_enable", Some("%")),
            ("init_connect = \"SET a='#1' \"", "init_connect", Some("SET a='#1' ")),
            ("optimizer_switch=mrr=on,bka=off", "optimizer_switch", Some("mrr=on,bka=off")),
            ("sql_mode=", "sql_mode", Some("")),
            ("tmpdir=a\\sb\\\\c\\d", "tmpdir", Some("a b\\c\\d")),
            ("set-variable = max_connections=7", "max_connections", Some("7")),
            ("log-error ; x", "log-error ; x", None),
        ] {
            if line.contains(';') {
                assert!(Line::parse(line).unwrap_err().contains("name"), "{line}");
            } else {
                assert_eq!(option_of(line), (name.into(), value.map(str::to_owned)), "{line}");
            }
        }
    }

    #[test]
    fn sections_comments_and_includes_are_recognised() {
        assert_eq!(Line::parse("; x = 1"), Ok(Line::Blank));
        assert_eq!(Line::parse(" [mysqld-8.4] x"), Ok(Line::Section("mysqld-8.4".into())));
        assert_eq!(Line::parse("!includedir /etc/a b"), Ok(Line::IncludeDir("/etc/a b".into())));
    }

    #[test]
    fn lines_that_no_server_reads_are_refused() {
        let lines = ["[mysqld", "= 1", "--port=1", "!import x", "!include", "a b = 1"];
        for line in lines.into_iter().chain(["set-variable", "x = \"a\\nb\""]) {
            assert!(Line::parse(line).is_err(), "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_line_gets_an_answer(line in "(?s).{0,60}") {
            let _answer = Line::parse(&line);
        }

        #[test]
        fn a_plain_setting_is_read_as_it_is(
            name in "[a-z][a-z_]{0,12}", value in "[A-Za-z0-9/,.]{0,12}", blank in "[ \t]{0,3}",
        ) {
            let line = format!("{blank}{name}{blank}={blank}{value}{blank}# said {value}");
            prop_assert_eq!(option_of(&line), (name, Some(value)));
        }
    }
}
