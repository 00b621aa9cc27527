//! The files of the house, and what can be wrong with one.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A text file, its path relative to the root of the house and with forward slashes.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    /// True for Rust sources.
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// True for shell scripts, with or without a suffix.
    pub(crate) fn is_shell(&self) -> bool {
        let first = self.text.lines().next().unwrap_or("");
        self.path.ends_with(".sh") || first.starts_with("#!") && first.ends_with("sh")
    }
}

/// One breach of one rule.
#[derive(Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) path: String,
    /// Counted from 1.
    pub(crate) line: usize,
    /// The rule, in words that say what to do.
    pub(crate) rule: String,
}

impl Fault {
    pub(crate) fn new(path: &str, line: usize, rule: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, rule: rule.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.rule)
    }
}

/// The root of the house.
fn root() -> &'static Path {
    let crate_of_the_command = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_of_the_command.ancestors().nth(2).expect("a crate lives in crates/NAME")
}

/// True for a file or folder of the house, of whatever kind, by its path from the root.
pub(crate) fn is_there(path: &str) -> bool {
    root().join(path).exists()
}

/// Every text file that is, or would be, committed.
pub(crate) fn of_the_house() -> Vec<File> {
    let root = root();
    let mut paths = listed_by_git(root).unwrap_or_else(|| walked(root));
    paths.sort();
    paths.dedup();
    // Read errors are files deleted but not yet committed so; what is not UTF-8 is an image.
    paths
        .into_iter()
        .filter_map(|path| Some(File { text: fs::read_to_string(root.join(&path)).ok()?, path }))
        .collect()
}

/// `None` where there is no git, or no repository (an unpacked release).
fn listed_by_git(root: &Path) -> Option<Vec<String>> {
    let listing = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()?;
    if !listing.status.success() {
        return None;
    }
    let text = String::from_utf8(listing.stdout).ok()?;
    Some(text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

fn walked(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting: Vec<PathBuf> = vec![root.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if path.is_dir() {
                if name != ".git" && name != "target" {
                    waiting.push(path);
                }
            } else if let Ok(inside) = path.strip_prefix(root) {
                found.push(inside.to_string_lossy().into_owned());
            }
        }
    }
    found
}

/// A file made up by a test.
#[cfg(test)]
pub(crate) fn sample(path: &str, text: &str) -> File {
    File { path: path.to_owned(), text: text.to_owned() }
}

#[test]
fn a_fault_reads_as_an_editor_can_follow() {
    assert_eq!(Fault::new("a/b.rs", 7, "too long").to_string(), "a/b.rs:7: too long");
}

#[test]
fn a_script_without_a_suffix_is_known_by_its_first_line() {
    assert!(sample("scripts/setup", "#!/usr/bin/env bash\n").is_shell());
    assert!(sample("a.sh", "").is_shell());
    assert!(!sample("a.py", "#!/usr/bin/env python3\n").is_shell());
}

#[test]
fn walking_the_tree_finds_what_git_lists() {
    let root = root();
    let walked = walked(root);
    assert!(walked.iter().any(|path| path == "crates/myrig/Cargo.toml"));
    assert!(!walked.iter().any(|path| path.starts_with(".git/") || path.starts_with("target/")));
}
