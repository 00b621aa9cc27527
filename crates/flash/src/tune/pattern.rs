//! Names of files, generalised to classes.

use crate::placement::FileNumber;
use std::collections::HashMap;

/// The extended regular expression (POSIX) of all files whose names differ from this one in
/// numbers only: runs of digits are `[0-9]+`. It is anchored at both ends, so no file belongs to
/// two classes.
#[must_use]
pub fn pattern(path: &str) -> String {
    let mut pattern = String::from("^");
    let mut letters = path.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '0'..='9' => {
                while letters.next_if(char::is_ascii_digit).is_some() {}
                pattern.push_str("[0-9]+");
            }
            // A rule ends at a space.
            letter if letter.is_whitespace() => pattern.push_str("[[:space:]]"),
            '.' | '[' | ']' | '{' | '}' | '(' | ')' | '\\' | '*' | '+' | '?' | '|' | '^' | '$' => {
                pattern.push('\\');
                pattern.push(letter);
            }
            letter => pattern.push(letter),
        }
    }
    pattern + "$"
}

/// The classes of a trace's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    /// The pattern of each class; that of class 0 is empty: what belongs to no known file.
    pub patterns: Vec<String>,
    /// The class of each file by its number.
    pub of_file: Vec<u32>,
}

impl Classes {
    /// Of files by their numbers; the first name is that of no file, whatever it is.
    #[must_use]
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut patterns = vec![String::new()];
        let mut numbers = HashMap::new();
        let mut of_file = vec![0];
        for name in names.into_iter().skip(1) {
            let pattern = pattern(name);
            let number = *numbers.entry(pattern).or_insert_with_key(|pattern: &String| {
                patterns.push(pattern.clone());
                patterns.len() as u32 - 1
            });
            of_file.push(number);
        }
        Self { patterns, of_file }
    }

    /// The class of a file.
    #[must_use]
    pub fn of(&self, file: FileNumber) -> u32 {
        self.of_file.get(file as usize).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_numbers_are_of_one_class() {
        for (path, expected) in [
            ("/data/1/mysql-bin.000012", "^/data/[0-9]+/mysql-bin\\.[0-9]+$"),
            ("/d/#innodb_redo/#ib_redo10_tmp", "^/d/#innodb_redo/#ib_redo[0-9]+_tmp$"),
            ("/d/a b+c(1).ibd", "^/d/a[[:space:]]b\\+c\\([0-9]+\\)\\.ibd$"),
            ("", "^$"),
        ] {
            assert_eq!(pattern(path), expected);
        }
        let names = ["", "/d/t/a1.ibd", "/d/t/a22.ibd", "/d/t/b1.ibd"];
        let classes = Classes::new(names);
        assert_eq!(classes.patterns, ["", "^/d/t/a[0-9]+\\.ibd$", "^/d/t/b[0-9]+\\.ibd$"]);
        assert_eq!([0, 1, 2, 3, 9].map(|file| classes.of(file)), [0, 1, 1, 2, 0]);
    }
}
