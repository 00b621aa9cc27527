//! Dead files: a Rust file that no `mod` leads to is compiled by nobody. And each library
//! says at its head what it is.

use std::collections::BTreeSet;

use crate::files::{Fault, File};
use crate::source;

pub(crate) fn check(files: &[File]) -> Vec<Fault> {
    let reached = reached(files);
    let mut faults = Vec::new();
    for file in files.iter().filter(|file| file.is_rust() && file.path.starts_with("crates/")) {
        if !reached.contains(file.path.as_str()) {
            faults.push(Fault::new(&file.path, 1, "dead: no mod leads to this file"));
        }
        if file.path.ends_with("/src/lib.rs") && !file.text.starts_with("//!") {
            faults.push(Fault::new(&file.path, 1, "a library begins with //! and what it is"));
        }
    }
    faults
}

/// The files that cargo compiles, starting from its own roots.
fn reached(files: &[File]) -> BTreeSet<&str> {
    let targets = named_targets(files);
    let is_root_of_target = |path: &str| is_root(path) || targets.contains(path);
    let mut waiting: Vec<&File> =
        files.iter().filter(|file| file.is_rust() && is_root_of_target(&file.path)).collect();
    let mut reached = BTreeSet::new();
    while let Some(file) = waiting.pop() {
        if reached.insert(file.path.as_str()) {
            let wanted = children(file, is_root_of_target(&file.path));
            waiting.extend(files.iter().filter(|other| wanted.contains(&other.path)));
        }
    }
    reached
}

/// True for the files that cargo compiles without being told.
fn is_root(path: &str) -> bool {
    let Some((_, inside)) = path.strip_prefix("crates/").and_then(|rest| rest.split_once('/'))
    else {
        return false;
    };
    let steps: Vec<&str> = inside.split('/').collect();
    // A folder of tests, benchmarks or further programs holds targets, or folders of them.
    let inside_of_target = match steps[..] {
        ["src", "bin", ref rest @ ..] => rest,
        ["tests" | "benches" | "examples", ref rest @ ..] => rest,
        ref rest => return matches!(rest, ["build.rs"] | ["src", "lib.rs" | "main.rs"]),
    };
    matches!(inside_of_target, [_] | [_, "main.rs"])
}

/// Files that a Cargo.toml names as the root of a target.
fn named_targets(files: &[File]) -> BTreeSet<String> {
    let manifests = files
        .iter()
        .filter_map(|file| Some((file.path.strip_suffix("Cargo.toml")?, file.text.lines())));
    manifests
        .flat_map(|(folder, lines)| {
            lines.filter_map(move |line| {
                let path = line.strip_prefix("path = \"")?.strip_suffix(".rs\"")?;
                Some(format!("{folder}{path}.rs"))
            })
        })
        .collect()
}

/// Every path where a `mod` of this file may lead, be there a file or not.
fn children(file: &File, is_root: bool) -> BTreeSet<String> {
    let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let own_folder = if is_root || name == "mod.rs" {
        folder.to_owned()
    } else {
        format!("{folder}/{}", name.trim_end_matches(".rs"))
    };
    let code = source::split(&file.text).code;
    let mut paths = BTreeSet::new();
    for (line, original) in code.lines().zip(file.text.lines()) {
        if let Some(module) = declared_module(line) {
            paths.insert(format!("{own_folder}/{module}.rs"));
            paths.insert(format!("{own_folder}/{module}/mod.rs"));
        }
        // The string itself is blank in the code, so it is read from the original.
        if line.trim_start().starts_with("#[path") {
            let path = original.split('"').nth(1).unwrap_or("");
            paths.insert(format!("{folder}/{path}"));
        }
    }
    paths
}

/// The name in `mod name;`, whatever its visibility.
fn declared_module(line: &str) -> Option<&str> {
    let words = line.trim().strip_suffix(';')?;
    let (before, name) = words.rsplit_once("mod ")?;
    let is_alone = before.is_empty() || before.ends_with([' ', ']']);
    (is_alone && name.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::sample;

    fn dead(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> = files.iter().map(|(path, text)| sample(path, text)).collect();
        check(&files).into_iter().map(|fault| fault.path).collect()
    }

    #[test]
    fn files_that_nobody_names_are_caught() {
        let files = [
            (
                "crates/x/src/lib.rs",
                "//! X.\n/// A.\npub(crate) mod a;\nmod b;\n#[cfg(test)] mod t;",
            ),
            ("crates/x/src/a.rs", "mod deep;\n// mod comment;\n"),
            ("crates/x/src/a/deep.rs", ""),
            ("crates/x/src/a/comment.rs", ""),
            ("crates/x/src/b/mod.rs", "mod inside;"),
            ("crates/x/src/b/inside.rs", ""),
            ("crates/x/src/t.rs", ""),
            ("crates/x/src/orphan.rs", "mod loner;"),
            ("crates/x/src/orphan/loner.rs", ""),
        ];
        let expected = ["a/comment.rs", "orphan.rs", "orphan/loner.rs"];
        assert_eq!(dead(&files), expected.map(|path| format!("crates/x/src/{path}")));
    }

    #[test]
    fn the_roots_of_cargo_are_alive() {
        let files = [
            ("crates/x/build.rs", ""),
            ("crates/x/src/main.rs", ""),
            ("crates/x/src/bin/tool.rs", ""),
            ("crates/x/tests/one.rs", "mod common;"),
            ("crates/x/tests/common/mod.rs", ""),
            ("crates/x/tests/two/main.rs", "mod part;"),
            ("crates/x/tests/two/part.rs", ""),
            ("crates/x/benches/speed.rs", ""),
            ("crates/x/Cargo.toml", "[[bin]]\npath = \"other/start.rs\"\n"),
            ("crates/x/other/start.rs", "#[path = \"far.rs\"]\nmod near;"),
            ("crates/x/other/far.rs", ""),
        ];
        assert_eq!(dead(&files), [""; 0]);
    }

    #[test]
    fn a_library_without_a_head_is_caught() {
        assert_eq!(dead(&[("crates/x/src/lib.rs", "mod a;\n")]), ["crates/x/src/lib.rs"]);
    }
}
