//! Words that must not be written: unfinished work, stray output, exits from inside.

use crate::files::{Fault, File};
use crate::length;
use crate::source;

/// In code anywhere.
const UNFINISHED: &[&str] = &["todo!", "unimplemented!", "dbg!", "#[ignore"];

/// In code of libraries: what is said to a person is the command's business.
const PRINTING: &[&str] = &["println!", "print!", "eprintln!", "eprint!"];

/// In comments and prose: a note to oneself belongs to the list of issues.
const NOTES: &[&str] = &["TODO", "FIXME", "XXX"];

pub(crate) fn check(file: &File) -> Vec<Fault> {
    if !file.is_rust() {
        return find(file, &without_code_spans(file), NOTES, "finish it or file it");
    }
    let parts = source::split(&file.text);
    let mut faults = find(file, &parts.comments, NOTES, "finish it or file it");
    faults.extend(find(file, &parts.code, UNFINISHED, "not for a commit"));
    if is_library(&file.path) {
        let prints = find(file, &parts.code, PRINTING, "a library prints nothing");
        let tests_at = length::lines_before_tests(&file.text);
        faults.extend(prints.into_iter().filter(|fault| fault.line <= tests_at));
    }
    if file.path != "crates/myrig/src/main.rs" {
        faults.extend(find(file, &parts.code, &["process::exit"], "only main exits"));
    }
    faults
}

fn is_library(path: &str) -> bool {
    let is_in_library = path.starts_with("crates/") && !path.starts_with("crates/myrig/");
    is_in_library && path.contains("/src/") && !length::is_test(path)
}

/// Prose may speak of a word in `code`.
fn without_code_spans(file: &File) -> String {
    if !file.path.ends_with(".md") {
        return file.text.clone();
    }
    let outside = |line: &str| line.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    file.text.lines().map(outside).collect::<Vec<_>>().join("\n")
}

fn find(file: &File, text: &str, words: &[&str], why: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        for word in words.iter().filter(|word| has_word(line, word)) {
            faults.push(Fault::new(&file.path, number, format!("{word}: {why}")));
        }
    }
    faults
}

/// True where the word is not part of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back().unwrap_or(' ');
        let after = line[at + word.len()..].chars().next().unwrap_or(' ');
        !joins(before) && (!word.ends_with(joins) || !joins(after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::sample;

    fn count(path: &str, text: &str) -> usize {
        check(&sample(path, text)).len()
    }

    #[test]
    fn unfinished_code_is_caught() {
        for word in UNFINISHED {
            assert_eq!(count("crates/myrig/src/a.rs", &format!("fn f() {{}}\n{word}\n")), 1);
        }
        assert_eq!(count("crates/myrig/src/a.rs", "let a = \"todo!\"; // said of todo!\n"), 0);
    }

    #[test]
    fn notes_to_oneself_are_caught() {
        for word in NOTES {
            assert_eq!(count("a.rs", &format!("// {word}: later\n")), 1);
            assert_eq!(count("Makefile", &format!("# {word}\n")), 1);
            assert_eq!(count("a.md", &format!("{word}\n")), 1);
            assert_eq!(count("a.md", &format!("no `{word}` here\n")), 0);
        }
        assert_eq!(count("scripts/a", "mktemp XXXXXX\n"), 0);
    }

    #[test]
    fn printing_is_caught_in_libraries_only() {
        for word in PRINTING {
            assert_eq!(count("crates/engine/src/a.rs", &format!("{word}()\n")), 1, "{word}");
            assert_eq!(count("crates/myrig/src/a.rs", &format!("{word}()\n")), 0);
            assert_eq!(count("crates/engine/tests/a.rs", &format!("{word}()\n")), 0);
            assert_eq!(count("crates/engine/src/a/tests.rs", &format!("{word}()\n")), 0);
            let inside = format!("#[cfg(test)]\nmod tests {{\n{word}()\n}}\n");
            assert_eq!(count("crates/engine/src/a.rs", &inside), 0);
        }
    }

    #[test]
    fn exits_are_caught_outside_main() {
        assert_eq!(count("crates/myrig/src/run.rs", "std::process::exit(1)\n"), 1);
        assert_eq!(count("crates/lab/src/lib.rs", "use std::process::exit;\n"), 1);
        assert_eq!(count("crates/myrig/src/main.rs", "std::process::exit(1)\n"), 0);
    }
}
