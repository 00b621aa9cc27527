//! POSIX extended regular expressions, translated into the syntax of crate `regex`.
//!
//! What POSIX (IEEE 1003.1, chapter 9.4) defines means what it means there, in the C locale: a
//! character is a byte. What it leaves undefined is refused with a way out, but for two things that
//! the C library takes and that harm nobody: `{,n}` and repetitions of repetitions (`a*?`, which is
//! no lazy star). The translation expects `unicode(false)` and `dot_matches_new_line(true)`.

mod bracket;

/// Why an expression is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EreError {
    /// Which character it is about, from 0.
    pub(crate) at: usize,
    /// What is wrong, and the way out.
    pub(crate) what: String,
}

impl EreError {
    fn new(at: usize, what: impl Into<String>) -> Self {
        Self { at, what: what.into() }
    }
}

/// Most repetitions that an interval may ask for: `RE_DUP_MAX` of POSIX.
const REPETITIONS_MAX: u32 = 255;

/// Deepest nesting of groups.
const DEPTH_MAX: usize = 50;

/// Translates an expression.
pub(crate) fn translate(pattern: &str) -> Result<String, EreError> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut translation = Translation { chars: &chars, ..Translation::default() };
    while let Some(&c) = chars.get(translation.at) {
        translation.step(c)?;
    }
    if let Some(group) = translation.groups.last() {
        return Err(EreError::new(group.at, "the group is never closed; a plain ( is written \\("));
    }
    translation.end_branch()?;
    Ok(translation.out)
}

#[derive(Default)]
struct Translation<'a> {
    chars: &'a [char],
    at: usize,
    out: String,
    groups: Vec<Group>,
    /// Where in `out` stands what a repetition would repeat.
    atom: Option<usize>,
    /// It is repeated already.
    repeated: bool,
    /// The alternative that is being read has something in it.
    filled: bool,
}

/// A group that is open.
struct Group {
    at: usize,
    out: usize,
}

impl Translation<'_> {
    fn step(&mut self, c: char) -> Result<(), EreError> {
        match c {
            '(' => return self.open(),
            ')' => return self.close(),
            '|' => {
                self.end_branch()?;
                self.out.push('|');
                self.atom = None;
                self.filled = false;
            }
            '^' | '$' => {
                self.out.push(c);
                self.atom = None;
                self.filled = true;
            }
            '*' | '+' | '?' => {
                self.repeat(&c.to_string())?;
            }
            '{' => return self.interval(),
            '[' => {
                let (set, length) = bracket::parse(&self.chars[self.at..])
                    .map_err(|error| EreError { at: self.at + error.at, ..error })?;
                self.begin_atom();
                set.write(&mut self.out);
                self.at += length;
                return Ok(());
            }
            '.' => {
                self.begin_atom();
                self.out.push('.');
            }
            '\\' => return self.escape(),
            other => self.literal(other),
        }
        self.at += 1;
        Ok(())
    }

    fn begin_atom(&mut self) {
        self.atom = Some(self.out.len());
        self.repeated = false;
        self.filled = true;
    }

    fn literal(&mut self, c: char) {
        self.begin_atom();
        if c.is_ascii_alphanumeric() {
            self.out.push(c);
        } else if c.is_ascii() {
            self.out.push_str(&format!("\\x{:02X}", u32::from(c)));
        } else {
            let bytes: String =
                c.encode_utf8(&mut [0; 4]).bytes().map(|byte| format!("\\x{byte:02X}")).collect();
            self.out.push_str(&format!("(?:{bytes})"));
        }
    }

    fn open(&mut self) -> Result<(), EreError> {
        if self.chars.get(self.at + 1) == Some(&'?') {
            return Err(EreError::new(
                self.at,
                "`(?` is Perl's; a group of an extended regular expression is a plain ( )",
            ));
        }
        if self.groups.len() == DEPTH_MAX {
            return Err(EreError::new(self.at, format!("groups nest deeper than {DEPTH_MAX}")));
        }
        self.groups.push(Group { at: self.at, out: self.out.len() });
        self.out.push_str("(?:");
        self.atom = None;
        self.filled = false;
        self.at += 1;
        Ok(())
    }

    fn close(&mut self) -> Result<(), EreError> {
        self.end_branch()?;
        let Some(group) = self.groups.pop() else {
            return Err(EreError::new(
                self.at,
                "there is no group to close; a plain ) is written \\)",
            ));
        };
        self.out.push(')');
        self.atom = Some(group.out);
        self.repeated = false;
        self.filled = true;
        self.at += 1;
        Ok(())
    }

    /// An alternative ends here.
    fn end_branch(&self) -> Result<(), EreError> {
        if self.filled {
            return Ok(());
        }
        Err(EreError::new(self.at, "an alternative is empty; what may be missing is written (…)?"))
    }

    /// What stands before is repeated.
    fn repeat(&mut self, how: &str) -> Result<(), EreError> {
        let Some(start) = self.atom else {
            return Err(EreError::new(
                self.at,
                format!(
                    "there is nothing that `{0}` could repeat; a plain one is written \\{0}",
                    self.chars[self.at]
                ),
            ));
        };
        if self.repeated {
            // Directly after another it would be taken for Perl's lazy or possessive mark.
            self.out.insert_str(start, "(?:");
            self.out.push(')');
        }
        self.out.push_str(how);
        self.repeated = true;
        Ok(())
    }

    /// `{m}`, `{m,}`, `{m,n}` or `{,n}`.
    fn interval(&mut self) -> Result<(), EreError> {
        let rest = &self.chars[self.at + 1..];
        let fault = |what: String| Err(EreError::new(self.at, what));
        let Some(end) = rest.iter().position(|&c| c == '}') else {
            return fault("the repetition is never closed; a plain { is written \\{".into());
        };
        let inside: String = rest[..end].iter().collect();
        let (least, most) = match inside.split_once(',') {
            None => (inside.as_str(), Some(inside.as_str())),
            Some((least, "")) => (least, None),
            Some(("", most)) => ("0", Some(most)),
            Some((least, most)) => (least, Some(most)),
        };
        let number = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| digits.parse::<u32>().unwrap_or(u32::MAX))
        };
        let (Some(least), Some(most)) =
            (number(least), most.map_or(Some(None), |m| number(m).map(Some)))
        else {
            return fault(format!(
                "`{{{inside}}}` is no repetition; write {{2}}, {{2,}} or {{2,5}}"
            ));
        };
        if least.max(most.unwrap_or(0)) > REPETITIONS_MAX {
            return fault(format!("more than {REPETITIONS_MAX} repetitions; use + or *"));
        }
        let how = match most {
            Some(most) if most < least => {
                return fault(format!("`{{{inside}}}` asks for at least {least}, at most {most}"));
            }
            Some(most) => format!("{{{least},{most}}}"),
            None => format!("{{{least},}}"),
        };
        self.repeat(&how)?;
        self.at += end + 2;
        Ok(())
    }

    fn escape(&mut self) -> Result<(), EreError> {
        let way_out = match self.chars.get(self.at + 1) {
            None => "the backslash has nothing to escape; a plain one is written \\\\".into(),
            Some('<' | '>' | '`' | '\'') => {
                "this escape is not POSIX; a word or a line is bounded by what stands beside it"
                    .into()
            }
            Some(c) if c.is_ascii_punctuation() || *c == ' ' => {
                self.literal(*c);
                self.at += 2;
                return Ok(());
            }
            Some('d') => "`\\d` is Perl's; write [0-9]".into(),
            Some('w') => "`\\w` is Perl's; write [[:alnum:]_]".into(),
            Some('s') => "`\\s` is Perl's; write [[:space:]]".into(),
            Some(c) if c.is_ascii_digit() => {
                format!("`\\{c}` refers back to a group, which extended expressions do not know")
            }
            Some(c) => format!("`\\{c}` is no escape of POSIX; a plain {c} needs no backslash"),
        };
        Err(EreError::new(self.at, way_out))
    }
}

#[cfg(test)]
mod tests;
