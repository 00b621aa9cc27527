//! One line of an option file, as `mysys/my_default.cc` reads it.

/// What a line says. Text is still bytes: only what somebody wants need be UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Nothing: blank, or a comment.
    Blank,
    /// `[name]`: the group of the options that follow.
    Group(Vec<u8>),
    /// `!include file`.
    Include(Vec<u8>),
    /// `!includedir folder`.
    IncludeDir(Vec<u8>),
    /// An option, with a value where it has a `=`.
    Setting {
        /// Its name, as written.
        name: Vec<u8>,
        /// Its value, quotes and escapes undone.
        value: Option<Vec<u8>>,
    },
    /// None of these, and why.
    Wrong(&'static str),
}

/// Reads a line without its end.
pub(super) fn parse(line: &[u8]) -> Line {
    let line = line.trim_ascii();
    match line.first() {
        None | Some(b'#' | b';') => Line::Blank,
        Some(b'!') => directive(&line[1..]),
        Some(b'[') => match line.iter().position(|byte| *byte == b']') {
            Some(end) => Line::Group(line[1..end].trim_ascii().to_vec()),
            None => Line::Wrong("a group lacks its `]`"),
        },
        Some(_) => setting(without_end_comment(line)),
    }
}

fn directive(text: &[u8]) -> Line {
    let (word, rest) = match text.iter().position(u8::is_ascii_whitespace) {
        Some(end) => (&text[..end], text[end..].trim_ascii().to_vec()),
        None => (text, Vec::new()),
    };
    match word {
        b"include" | b"includedir" if rest.is_empty() => Line::Wrong("nothing named to include"),
        b"include" => Line::Include(rest),
        b"includedir" => Line::IncludeDir(rest),
        _ => Line::Wrong("after `!` only `include` and `includedir` are known"),
    }
}

/// The line up to a `#` outside quotes.
fn without_end_comment(line: &[u8]) -> &[u8] {
    let (mut quote, mut escaped) = (None, false);
    for (at, byte) in line.iter().enumerate() {
        match (quote, byte) {
            (None, b'#') => return &line[..at],
            (None, b'\'' | b'"') => quote = Some(byte),
            (Some(open), byte) if open == byte && !escaped => quote = None,
            _ => {}
        }
        escaped = quote.is_some() && *byte == b'\\' && !escaped;
    }
    line
}

fn setting(text: &[u8]) -> Line {
    match text.iter().position(|byte| *byte == b'=') {
        None => Line::Setting { name: text.trim_ascii().to_vec(), value: None },
        Some(at) => Line::Setting {
            name: text[..at].trim_ascii().to_vec(),
            value: Some(unescaped(unquoted(text[at + 1..].trim_ascii()))),
        },
    }
}

fn unquoted(value: &[u8]) -> &[u8] {
    match value {
        [open @ (b'\'' | b'"'), inner @ .., close] if open == close => inner,
        _ => value,
    }
}

fn unescaped(value: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(value.len());
    let mut rest = value.iter();
    while let Some(byte) = rest.next() {
        if *byte != b'\\' {
            text.push(*byte);
            continue;
        }
        match rest.next() {
            Some(b'b') => text.push(8),
            Some(b't') => text.push(b'\t'),
            Some(b'n') => text.push(b'\n'),
            Some(b'r') => text.push(b'\r'),
            Some(b's') => text.push(b' '),
            Some(plain @ (b'\\' | b'\'' | b'"')) => text.push(*plain),
            Some(other) => text.extend([b'\\', *other]),
            None => text.push(b'\\'),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(line: &str) -> String {
        match parse(line.as_bytes()) {
            Line::Setting { value: Some(value), .. } => String::from_utf8_lossy(&value).into(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn blanks_and_comments_say_nothing() {
        for line in ["", "  \t\r", "# a=b", "  ; a=b"] {
            assert_eq!(parse(line.as_bytes()), Line::Blank, "{line:?}");
        }
    }

    #[test]
    fn groups_and_includes_are_read() {
        assert_eq!(parse(b"[ client ] # x"), Line::Group(b"client".to_vec()));
        assert!(matches!(parse(b"[client"), Line::Wrong(_)));
        assert_eq!(parse(b"!include  /a b.cnf "), Line::Include(b"/a b.cnf".to_vec()));
        assert_eq!(parse(b"!includedir\t/etc/d"), Line::IncludeDir(b"/etc/d".to_vec()));
        for line in ["!", "!include", "!includedir  ", "!included /a"] {
            assert!(matches!(parse(line.as_bytes()), Line::Wrong(_)), "{line:?}");
        }
    }

    #[test]
    fn a_name_may_stand_alone() {
        let bare = Line::Setting { name: b"skip-ssl".to_vec(), value: None };
        assert_eq!(parse(b" skip-ssl  # why not"), bare);
        let empty = Line::Setting { name: b"password".to_vec(), value: Some(Vec::new()) };
        assert_eq!(parse(b"password ="), empty);
    }

    #[test]
    fn values_lose_blanks_quotes_and_end_comments() {
        for (line, expected) in [
            ("a=b", "b"),
            ("a = b c  # d", "b c"),
            ("a = \"b # c\" # d", "b # c"),
            ("a='b' ", "b"),
            ("a=\"\"", ""),
            ("a=\"", "\""),
            ("a='b\"", "'b\""),
            ("a=b;c", "b;c"),
            ("a=b=c", "b=c"),
            ("a=\"b\\\"#c\"", "b\"#c"),
            ("a=it's # no comment", "it's # no comment"),
        ] {
            assert_eq!(value(line), expected, "{line}");
        }
    }

    #[test]
    fn escapes_are_those_of_the_manual_and_others_stay() {
        assert_eq!(value(r"a=\b\t\n\r\s\\x"), "\u{8}\t\n\r \\x");
        assert_eq!(value(r"a=C:\new\S\q"), "C:\new\\S\\q");
        assert_eq!(value(r"a=\\s"), r"\s");
        assert_eq!(value(r"a=b\"), r"b\");
    }

    proptest! {
        #[test]
        fn any_line_gives_an_answer(line in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _line = parse(&line);
        }

        #[test]
        fn what_is_quoted_and_escaped_reads_back(text in "[ -~]{0,30}") {
            let quoted = text.replace('\\', r"\\").replace('"', "\\\"");
            prop_assert_eq!(value(&format!("a = \"{quoted}\" # end")), text);
        }
    }
}
