//! Rust source taken apart into code and comments, line by line the same as the original.
//!
//! Rules about code must not stumble over a brace in a string, nor rules about comments
//! over a word in one. This knows strings (raw, byte and C strings too), characters,
//! lifetimes and nested comments; that is all of Rust's lexing that the rules need.

/// Each part has the lines of the original; what belongs to the other is blank.
pub(crate) struct Parts {
    /// Code, with the insides of strings and characters blanked.
    pub(crate) code: String,
    /// Comments and doc comments.
    pub(crate) comments: String,
}

enum Sort {
    Code,
    Comment,
    Literal,
}

struct Splitter {
    text: Vec<char>,
    at: usize,
    parts: Parts,
}

/// Takes Rust source apart. Malformed source gives something, never a panic.
pub(crate) fn split(text: &str) -> Parts {
    let parts = Parts { code: String::new(), comments: String::new() };
    let mut splitter = Splitter { text: text.chars().collect(), at: 0, parts };
    while splitter.at < splitter.text.len() {
        splitter.step();
    }
    splitter.parts
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl Splitter {
    fn peek(&self, ahead: usize) -> char {
        self.text.get(self.at + ahead).copied().unwrap_or('\0')
    }

    /// Moves `count` characters into the parts.
    fn take(&mut self, count: usize, sort: &Sort) {
        for _ in 0..count {
            let Some(&c) = self.text.get(self.at) else { return };
            let blank = if c == '\n' { '\n' } else { ' ' };
            let (code, comment) = match sort {
                Sort::Code => (c, blank),
                Sort::Comment => (blank, c),
                Sort::Literal => (blank, blank),
            };
            self.parts.code.push(code);
            self.parts.comments.push(comment);
            self.at += 1;
        }
    }

    fn step(&mut self) {
        match (self.peek(0), self.peek(1)) {
            ('/', '/') => self.line_comment(),
            ('/', '*') => self.block_comment(),
            ('"', _) => self.string(),
            ('\'', _) => self.quote(),
            (c, _) if is_word(c) => self.word(),
            _ => self.take(1, &Sort::Code),
        }
    }

    fn line_comment(&mut self) {
        while self.at < self.text.len() && self.peek(0) != '\n' {
            self.take(1, &Sort::Comment);
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        while self.at < self.text.len() {
            match (self.peek(0), self.peek(1)) {
                ('/', '*') => depth += 1,
                ('*', '/') => depth -= 1,
                _ => {
                    self.take(1, &Sort::Comment);
                    continue;
                }
            }
            self.take(2, &Sort::Comment);
            if depth == 0 {
                return;
            }
        }
    }

    fn string(&mut self) {
        self.take(1, &Sort::Code);
        while self.at < self.text.len() && self.peek(0) != '"' {
            let escape = self.peek(0) == '\\';
            self.take(if escape { 2 } else { 1 }, &Sort::Literal);
        }
        self.take(1, &Sort::Code);
    }

    fn raw_string(&mut self, hashes: usize) {
        self.take(hashes + 1, &Sort::Code);
        let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
        while self.at < self.text.len() && !self.text[self.at..].starts_with(&end) {
            self.take(1, &Sort::Literal);
        }
        self.take(end.len(), &Sort::Code);
    }

    /// A character, or else a lifetime.
    fn quote(&mut self) {
        self.take(1, &Sort::Code);
        if self.peek(0) == '\\' {
            self.take(2, &Sort::Literal);
            while self.at < self.text.len() && !matches!(self.peek(0), '\'' | '\n') {
                self.take(1, &Sort::Literal);
            }
            self.take(1, &Sort::Code);
        } else if self.peek(1) == '\'' {
            self.take(1, &Sort::Literal);
            self.take(1, &Sort::Code);
        }
    }

    /// An identifier, keyword or number; `r`, `br` and `cr` may begin a raw string.
    fn word(&mut self) {
        let begin = self.at;
        while is_word(self.peek(0)) {
            self.take(1, &Sort::Code);
        }
        let word: String = self.text[begin..self.at].iter().collect();
        if matches!(word.as_str(), "r" | "br" | "cr") {
            let hashes = self.text[self.at..].iter().take_while(|&&c| c == '#').count();
            if self.peek(hashes) == '"' {
                self.raw_string(hashes);
            }
        }
    }
}

#[test]
fn strings_and_characters_are_blanked() {
    let parts = split(r##"let a = "{ \" // no"; let b = '{'; let c = '\''; let d = b'"';"##);
    assert!(!parts.code.contains('{') && !parts.code.contains("//"), "{}", parts.code);
    assert!(parts.code.contains("let d"));
    assert_eq!(parts.comments.trim(), "");
}

#[test]
fn raw_strings_end_at_their_own_hashes() {
    let parts = split("let a = r#\"say \"{\" \"# ; let b = br\"}\"; r#type");
    assert!(!parts.code.contains(['{', '}']), "{}", parts.code);
    assert!(parts.code.contains("let b") && parts.code.contains("r#type"));
}

#[test]
fn lifetimes_are_not_characters() {
    let parts = split("fn f<'a>(x: &'a str) -> &'static str { x }");
    assert!(parts.code.contains("-> &'static str { x }"));
}

#[test]
fn nested_comments_are_comments_and_lines_stay() {
    let parts = split("a /* b /* c */ d */ e // f\ng");
    assert_eq!(parts.code.split_whitespace().collect::<Vec<_>>(), ["a", "e", "g"]);
    assert!(parts.comments.contains("b /* c */ d") && parts.comments.contains("// f"));
    assert_eq!(parts.code.lines().count(), 2);
}

#[test]
fn what_never_ends_still_comes_back() {
    for text in ["\"", "'", "'\\", "/*", "r#\"", "b'", "'a", "//"] {
        assert_eq!(split(text).code.chars().count(), text.chars().count());
    }
}
