//! Bracket expressions: `[a-z]`, `[^/]`, `[[:digit:]_]`, `[]abc]`.

use super::EreError;

/// The bytes that one stands for.
pub(super) struct Set([bool; 256]);

impl Set {
    /// Appends it in the syntax of crate `regex`.
    pub(super) fn write(&self, out: &mut String) {
        out.push('[');
        let mut byte = 0;
        while byte < 256 {
            let run = self.0[byte..].iter().take_while(|&&is_in| is_in).count();
            if run > 0 {
                out.push_str(&format!("\\x{byte:02X}-\\x{:02X}", byte + run - 1));
            }
            byte += run + 1;
        }
        out.push(']');
    }
}

/// A class by its name, in the C locale.
fn class(name: &str) -> Option<fn(&u8) -> bool> {
    Some(match name {
        "alnum" => u8::is_ascii_alphanumeric,
        "alpha" => u8::is_ascii_alphabetic,
        "blank" => |byte| matches!(byte, b' ' | b'\t'),
        "cntrl" => u8::is_ascii_control,
        "digit" => u8::is_ascii_digit,
        "graph" => u8::is_ascii_graphic,
        "lower" => u8::is_ascii_lowercase,
        "print" => |byte| (b' '..=b'~').contains(byte),
        "punct" => u8::is_ascii_punctuation,
        "space" => |byte| (b'\t'..=b'\r').contains(byte) || *byte == b' ',
        "upper" => u8::is_ascii_uppercase,
        "xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}

/// Reads one that begins `chars`; with it, how many characters it took.
pub(super) fn parse(chars: &[char]) -> Result<(Set, usize), EreError> {
    let mut reader = Reader { chars, at: 1, set: [false; 256] };
    let negated = reader.takes("^");
    let first = reader.at;
    while reader.at == first || !reader.takes("]") {
        reader.item(first)?;
    }
    if negated {
        reader.set.iter_mut().for_each(|is_in| *is_in = !*is_in);
    }
    Ok((Set(reader.set), reader.at))
}

struct Reader<'a> {
    chars: &'a [char],
    at: usize,
    set: [bool; 256],
}

impl Reader<'_> {
    fn begins(&self, with: &str) -> bool {
        let mut rest = self.chars.iter().skip(self.at);
        with.chars().all(|c| rest.next() == Some(&c))
    }

    fn takes(&mut self, what: &str) -> bool {
        let begins = self.begins(what);
        self.at += if begins { what.len() } else { 0 };
        begins
    }

    fn fault<T>(&self, what: impl Into<String>) -> Result<T, EreError> {
        Err(EreError::new(self.at.min(self.chars.len()), what))
    }

    /// A class, a character, or a range.
    fn item(&mut self, first: usize) -> Result<(), EreError> {
        let begin = self.at;
        if self.takes("[:") {
            let name = self.name(":]")?;
            let Some(is_in) = class(&name) else {
                self.at = begin;
                return self.fault(format!(
                    "there is no class [:{name}:]; there are alnum, alpha, blank, cntrl, digit, \
                     graph, lower, print, punct, space, upper, xdigit"
                ));
            };
            (0..=255).for_each(|byte: u8| self.set[usize::from(byte)] |= is_in(&byte));
            return Ok(());
        }
        if self.begins("-") && begin != first && !self.begins("-]") {
            return self.fault("a plain - stands first or last in a bracket expression");
        }
        let equivalence = self.begins("[=");
        let low = self.character()?;
        if self.begins("-") && !self.begins("-]") {
            self.at += 1;
            if equivalence || self.begins("[:") || self.begins("[=") {
                self.at = begin;
                return self.fault("a range has characters at both ends");
            }
            let high = self.character()?;
            if high < low {
                self.at = begin;
                return self.fault(format!(
                    "the range {}-{} is backwards",
                    char::from(low),
                    char::from(high)
                ));
            }
            (low..=high).for_each(|byte| self.set[usize::from(byte)] = true);
        }
        self.set[usize::from(low)] = true;
        Ok(())
    }

    /// A character: itself, or as `[.a.]` or `[=a=]`.
    fn character(&mut self) -> Result<u8, EreError> {
        let begin = self.at;
        for (open, close) in [("[.", ".]"), ("[=", "=]")] {
            if self.takes(open) {
                let name = self.name(close)?;
                return match name.as_bytes() {
                    [byte] if byte.is_ascii() => Ok(*byte),
                    _ => {
                        self.at = begin;
                        self.fault(format!("{open}{name}{close} is not one ASCII character"))
                    }
                };
            }
        }
        match self.chars.get(self.at) {
            None => {
                self.at = 0;
                self.fault("the bracket expression is never closed; a plain [ is written \\[")
            }
            Some(c) if c.is_ascii() => {
                self.at += 1;
                // It is ASCII, so that nothing is cut off.
                Ok(*c as u8)
            }
            Some(c) => self.fault(format!("{c} is not ASCII; write (…|{c}) beside the brackets")),
        }
    }

    /// What stands before `close`, which is taken, too.
    fn name(&mut self, close: &str) -> Result<String, EreError> {
        let begin = self.at;
        while !self.begins(close) {
            if self.at >= self.chars.len() {
                self.at = begin - 2;
                return self.fault(format!("there is no {close} to close it"));
            }
            self.at += 1;
        }
        let name = self.chars[begin..self.at].iter().collect();
        self.at += close.len();
        Ok(name)
    }
}
