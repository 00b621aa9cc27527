//! Java's properties files, as `java.util.Properties` reads them, and lines that begin with `//`,
//! which BenchmarkSQL's files use for remarks.

/// The pairs of a file in their order; of a key that is there twice the last one counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Properties(Vec<Property>);

/// A key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub(super) key: String,
    pub(super) value: String,
    /// Counted from 1; the first of lines that are joined.
    pub(super) line: usize,
}

impl Properties {
    /// Reads a file. Bytes that are not UTF-8 are Latin-1, as for Java.
    ///
    /// # Errors
    /// A sentence that names the line: a `\u` that four hexadecimal digits do not follow.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
        };
        let mut properties = Vec::new();
        let mut lines = natural_lines(&text).zip(1..);
        while let Some((first, line)) = lines.next() {
            let first = first.trim_start_matches(BLANKS);
            if first.is_empty() || first.starts_with(['#', '!']) || first.starts_with("//") {
                continue;
            }
            let mut logical = first.to_owned();
            while is_continued(&logical) {
                logical.pop();
                let Some((next, _)) = lines.next() else { break };
                logical.push_str(next.trim_start_matches(BLANKS));
            }
            let (key, value) = split(&logical);
            let plain = |text| unescaped(text).map_err(|words| format!("line {line}: {words}"));
            properties.push(Property { key: plain(key)?, value: plain(value)?, line });
        }
        Ok(Self(properties))
    }

    /// Puts a pair behind the others, so that it counts.
    pub(super) fn set(&mut self, key: &str, value: &str) {
        self.0.push(Property { key: key.into(), value: value.into(), line: 0 });
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().rev().find(|pair| pair.key == key).map(|pair| pair.value.as_str())
    }

    /// All pairs.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Property> {
        self.0.iter()
    }
}

/// What Java takes for a blank inside a line.
const BLANKS: [char; 3] = [' ', '\t', '\x0c'];

/// Lines that end with `\n`, `\r` or both.
fn natural_lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        line.split('\r')
    })
}

/// Whether the last backslash is one that nothing escapes.
fn is_continued(line: &str) -> bool {
    line.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1
}

/// Key and value, still escaped: the first `=`, `:` or blank that is not escaped parts them.
fn split(line: &str) -> (&str, &str) {
    let mut escaped = false;
    let end = line.char_indices().find(|(_, c)| {
        let parts = !escaped && (matches!(c, '=' | ':') || BLANKS.contains(c));
        escaped = !escaped && *c == '\\';
        parts
    });
    let Some((end, _)) = end else { return (line, "") };
    let (key, rest) = line.split_at(end);
    let rest = rest.trim_start_matches(BLANKS);
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    (key, value.trim_start_matches(BLANKS))
}

fn unescaped(text: &str) -> Result<String, String> {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            Some('t') => plain.push('\t'),
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('f') => plain.push('\x0c'),
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4);
                let code = code.ok_or_else(|| format!("`\\u{digits}` lacks its four digits"))?;
                // Half of a surrogate pair is no character.
                plain.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(other) => plain.push(other),
            None => {}
        }
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        let properties = Properties::read(text.as_bytes()).unwrap();
        properties.iter().map(|pair| (pair.key.clone(), pair.value.clone())).collect()
    }

    fn pair(key: &str, value: &str) -> (String, String) {
        (key.into(), value.into())
    }

    #[test]
    fn pairs_are_read_as_java_reads_them() {
        assert_eq!(
            pairs("a=1\n b : 2\nc 3\nd\ne==x:y"),
            [pair("a", "1"), pair("b", "2"), pair("c", "3"), pair("d", ""), pair("e", "=x:y"),]
        );
        assert_eq!(pairs("a=one, \\\n   two\r\nb=3"), [pair("a", "one, two"), pair("b", "3")]);
        assert_eq!(pairs("a\\=b=\\u0041\\t\\\\"), [pair("a=b", "A\t\\")]);
        assert_eq!(pairs("a=1\\"), [pair("a", "1")]);
    }

    #[test]
    fn remarks_begin_with_a_hash_a_mark_or_two_slashes() {
        assert_eq!(
            pairs("# a=1\n!b=2\n//c=3\n  // d\n\nconn=jdbc:mysql://h/d"),
            [pair("conn", "jdbc:mysql://h/d")]
        );
    }

    #[test]
    fn the_last_of_a_key_counts_and_lines_are_known() {
        let properties = Properties::read(b"a=1\n\na=2").unwrap();
        assert_eq!(properties.get("a"), Some("2"));
        assert_eq!(properties.iter().last().unwrap().line, 3);
        assert_eq!(properties.get("b"), None);
    }

    #[test]
    fn what_is_not_utf_8_is_latin_1() {
        let properties = Properties::read(b"password=\xe9").unwrap();
        assert_eq!(properties.get("password"), Some("é"));
    }

    #[test]
    fn a_bad_escape_is_refused_by_its_line() {
        let refusal = Properties::read(b"a=1\nb=\\u12").unwrap_err();
        assert!(refusal.contains("line 2"), "{refusal}");
    }

    proptest! {
        #[test]
        fn any_bytes_give_an_answer(bytes: Vec<u8>) {
            let _answer = Properties::read(&bytes);
        }

        #[test]
        fn hostile_text_gives_an_answer(text in "[a\\\\=: \t\r\nu0#!/é]{0,40}") {
            let _answer = Properties::read(text.as_bytes());
        }

        #[test]
        fn plain_pairs_are_kept(key in "[a-zA-Z]{1,20}", value in "[a-zA-Z0-9./?&=:%_-]{0,40}") {
            let properties = Properties::read(format!("{key}={value}\n").as_bytes()).unwrap();
            prop_assert_eq!(properties.get(&key), Some(value.as_str()));
        }
    }
}
