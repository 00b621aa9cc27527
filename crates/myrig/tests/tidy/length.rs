//! How long a file and a function may be, with a ratchet: exceptions may only shrink.

use crate::files::{Fault, File};
use crate::source;

/// Lines of a function, its signature included.
const FUNCTION: usize = 70;
/// Lines of a source file before its test module.
const CODE: usize = 350;
/// Lines of a test file, or of a source file with its test module.
const WITH_TESTS: usize = 500;

/// Something with a length: what the ratchet calls it, where it is, and its lines.
struct Measured {
    name: String,
    path: String,
    line: usize,
    lines: usize,
    limit: usize,
}

pub(crate) fn check_files(files: &[File], exceptions: &[(&str, usize)]) -> Vec<Fault> {
    let measured = files.iter().filter(|file| file.is_rust()).map(measure_file).collect();
    ratchet(measured, exceptions)
}

pub(crate) fn check_functions(files: &[File], exceptions: &[(&str, usize)]) -> Vec<Fault> {
    let rust = files.iter().filter(|file| file.is_rust());
    ratchet(rust.flat_map(measure_functions).collect(), exceptions)
}

/// A file counts by the part that is furthest over its own limit.
fn measure_file(file: &File) -> Measured {
    let whole = file.text.lines().count();
    let code = if is_test(&file.path) { 0 } else { lines_before_tests(&file.text) };
    let (lines, limit) = if code > CODE { (code, CODE) } else { (whole, WITH_TESTS) };
    let path = file.path.clone();
    Measured { name: path.clone(), path, line: 1, lines, limit }
}

/// True for a file that holds nothing but tests.
pub(crate) fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs")
}

/// Lines before the test module of a source file; all of them where it has none.
pub(crate) fn lines_before_tests(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let is_tests = |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ");
    lines.windows(2).position(is_tests).unwrap_or(lines.len())
}

fn measure_functions(file: &File) -> Vec<Measured> {
    let code: Vec<char> = source::split(&file.text).code.chars().collect();
    let mut found = Vec::new();
    let mut line = 1;
    for at in 0..code.len() {
        line += usize::from(code[at] == '\n');
        let Some(name) = function_at(&code, at) else { continue };
        let Some(lines) = lines_to_end(&code[at..]) else { continue };
        let path = file.path.clone();
        found.push(Measured {
            name: format!("{path}::{name}"),
            path,
            line,
            lines,
            limit: FUNCTION,
        });
    }
    found
}

/// The name of the function whose `fn` stands here. A function pointer's type has no name.
fn function_at(code: &[char], at: usize) -> Option<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let begins = at == 0 || !is_word(code[at - 1]);
    if !begins || !code[at..].starts_with(&['f', 'n']) {
        return None;
    }
    let rest = &code[at + 2..];
    let spaces = rest.iter().take_while(|c| c.is_whitespace()).count();
    let name: String = rest[spaces..].iter().take_while(|&&c| is_word(c)).collect();
    (spaces > 0 && !name.is_empty()).then_some(name)
}

/// Lines up to the closing brace; `None` for a declaration without a body.
fn lines_to_end(code: &[char]) -> Option<usize> {
    let (mut braces, mut brackets, mut lines) = (0usize, 0usize, 1);
    for &c in code {
        match c {
            '\n' => lines += 1,
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets = brackets.saturating_sub(1),
            ';' if braces == 0 && brackets == 0 => return None,
            '{' => braces += 1,
            '}' => {
                braces = braces.saturating_sub(1);
                // A brace within the signature's brackets is a constant, not the body.
                if braces == 0 && brackets == 0 {
                    return Some(lines);
                }
            }
            _ => {}
        }
    }
    None
}

/// Anything over its limit must be an exception, and an exception must be exact: so that
/// what was shortened once cannot grow again.
fn ratchet(measured: Vec<Measured>, exceptions: &[(&str, usize)]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for item in &measured {
        let allowed = exceptions.iter().find(|(name, _)| *name == item.name).map(|(_, n)| *n);
        let Measured { lines, limit, .. } = *item;
        let rule = match allowed {
            None if lines > limit => format!("{lines} lines, the limit is {limit}"),
            Some(n) if lines > n => format!("{lines} lines, its exception grants {n}"),
            Some(_) if lines <= limit => "short enough now: drop its exception".to_owned(),
            Some(n) if lines < n => format!("shorter now: lower its exception to {lines}"),
            _ => continue,
        };
        faults.push(Fault::new(&item.path, item.line, format!("{}: {rule}", item.name)));
    }
    for (name, _) in exceptions {
        if !measured.iter().any(|item| item.name == *name) {
            faults.push(Fault::new(name, 1, "gone: drop its exception"));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::sample;

    fn function_of(lines: usize) -> String {
        format!("fn first() {{}}\n\nfn long(x: [u8; 2]) {{\n{}}}\n", "    x;\n".repeat(lines - 2))
    }

    #[test]
    fn long_functions_are_caught_where_they_begin() {
        let file = [sample("a.rs", &function_of(71))];
        let faults = check_functions(&file, &[]);
        assert_eq!(faults, [Fault::new("a.rs", 3, "a.rs::long: 71 lines, the limit is 70")]);
        assert!(check_functions(&[sample("a.rs", &function_of(70))], &[]).is_empty());
    }

    #[test]
    fn braces_in_strings_and_comments_do_not_end_a_function() {
        let body = "    let a = \"}\"; // }\n    let b = '}';\n".repeat(40);
        let file = [sample("a.rs", &format!("fn f<'a>() {{\n{body}}}\n"))];
        assert_eq!(check_functions(&file, &[]).len(), 1);
    }

    #[test]
    fn declarations_and_pointers_are_not_functions() {
        let text =
            format!("trait T {{ fn f(x: [u8; 3]); }}\ntype F = fn(u8);\n{}", "\n".repeat(90));
        let file = [sample("a.rs", &format!("{text}struct S {{}}\n"))];
        assert!(check_functions(&file, &[]).is_empty());
    }

    #[test]
    fn long_files_are_caught() {
        let lines = |n| "//\n".repeat(n);
        let tests = "#[cfg(test)]\nmod tests {\n";
        let check = |path: &str, text: String| check_files(&[sample(path, &text)], &[]).len();
        assert_eq!(check("crates/x/src/a.rs", lines(351)), 1);
        assert_eq!(check("crates/x/src/a.rs", lines(350)), 0);
        assert_eq!(check("crates/x/src/a.rs", lines(350) + tests + &lines(148)), 0);
        assert_eq!(check("crates/x/src/a.rs", lines(350) + tests + &lines(149)), 1);
        assert_eq!(check("crates/x/tests/a.rs", lines(500)), 0);
        assert_eq!(check("crates/x/tests/a.rs", lines(501)), 1);
    }

    #[test]
    fn the_ratchet_only_turns_one_way() {
        let rule = |lines: usize, granted: usize| {
            let file = [sample("a.rs", &function_of(lines))];
            let faults = check_functions(&file, &[("a.rs::long", granted)]);
            faults.into_iter().map(|fault| fault.rule).collect::<String>()
        };
        assert_eq!(rule(90, 90), "");
        assert!(rule(91, 90).contains("its exception grants 90"));
        assert!(rule(89, 90).contains("lower its exception to 89"));
        assert!(rule(60, 90).contains("drop its exception"));
        let gone = check_functions(&[], &[("a.rs::long", 90)]);
        assert!(gone[0].rule.contains("gone"));
    }
}
