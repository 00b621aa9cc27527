//! Patches: tried on copies of the files that they touch, and only then applied.
//!
//! `patch --dry-run` would judge each patch by the untouched source; of several that touch the same
//! files, as the three published ones for MySQL 8.0.20 do, the later ones could not be judged so.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::{Step, error::BuildError, runner::Runner};

/// How much of a rejected hunk is shown.
const REJECTED_LINES: usize = 8;

/// Tries all patches, one on top of the other, in `trial`; changes nothing in `source`.
pub(super) fn try_all(patches: &[PathBuf], source: &Path, trial: &Path) -> Result<(), BuildError> {
    remove_dir(trial)?;
    for patch in patches {
        let text = read(patch)?;
        for file in touched(&text) {
            let (from, to) = (source.join(&file), trial.join(&file));
            if from.is_file() && !to.exists() {
                let parent = to.parent().unwrap_or(trial);
                let copied = fs::create_dir_all(parent).and_then(|()| fs::copy(&from, &to));
                copied.map_err(|error| BuildError::io("copy", &from, error))?;
            }
        }
    }
    fs::create_dir_all(trial).map_err(|error| BuildError::io("create", trial, error))?;
    for patch in patches {
        try_one(patch, trial)?;
    }
    remove_dir(trial)
}

/// Applies all patches.
pub(super) fn apply_all(
    patches: &[PathBuf],
    source: &Path,
    runner: &Runner<'_>,
) -> Result<(), BuildError> {
    for patch in patches {
        runner.run(Step::Patch, "patch", &arguments(patch), source)?;
    }
    Ok(())
}

/// What patch(1) is told: never to ask, not to undo what is there, to leave no copies behind.
fn arguments(patch: &Path) -> Vec<String> {
    let input = format!("--input={}", patch.display());
    ["-p1", "--batch", "--forward", "--no-backup-if-mismatch", &input].map(str::to_owned).into()
}

fn try_one(patch: &Path, trial: &Path) -> Result<(), BuildError> {
    let mut command = Command::new("patch");
    command.args(arguments(patch)).current_dir(trial).env("LC_ALL", "C");
    let output = command.output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => BuildError::NoProgram { program: "patch".into() },
        _ => BuildError::io("run patch in", trial, error),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.push_str(&String::from_utf8_lossy(&output.stderr));
    Err(BuildError::Patch { patch: patch.to_owned(), reason: reason(&said, trial) })
}

/// Which hunk of which file failed, from patch's words and the file of rejects that it leaves.
fn reason(said: &str, trial: &Path) -> String {
    let mut file = "";
    for line in said.lines() {
        if let Some(name) = line.strip_prefix("patching file ") {
            file = name.trim_matches('\'');
        }
        if line.contains("previously applied") {
            return format!("{file} has it already");
        }
        if let Some((hunk, place)) = line.split_once(" FAILED at ") {
            let hunk = hunk.to_lowercase();
            let line = place.trim_end_matches('.');
            return format!("{hunk} of {file} fails at line {line}{}", rejected(trial, file));
        }
    }
    // A file that is not there, a text that is no patch.
    let telling = said.lines().find(|line| {
        ["can't find file", "malformed", "Only garbage", "No file to patch", "ignored"]
            .iter()
            .any(|mark| line.contains(mark))
    });
    let told = telling.or(said.lines().last()).unwrap_or("it says nothing");
    let told = told.trim_start_matches("patch: ").trim_start_matches("**** ");
    match said.lines().find_map(|line| line.strip_prefix("|+++ ")) {
        Some(file) => format!("{told} ({})", file.split('\t').next().unwrap_or(file)),
        None => told.to_owned(),
    }
}

/// The first lines of the first hunk that was rejected.
fn rejected(trial: &Path, file: &str) -> String {
    let text = fs::read_to_string(trial.join(format!("{file}.rej"))).unwrap_or_default();
    let hunk = text.lines().skip_while(|line| !line.starts_with("@@"));
    hunk.take(REJECTED_LINES).map(|line| format!("\n  {line}")).collect()
}

/// The files that a patch touches, below the first directory of their names.
fn touched(patch: &str) -> Vec<PathBuf> {
    let named = |line: &str| {
        let name = line.strip_prefix("--- ").or_else(|| line.strip_prefix("+++ "))?;
        let name = name.split('\t').next()?.trim_end();
        let (_, below) = name.split_once('/')?;
        let is_plain = Path::new(below)
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
        (name != "/dev/null" && is_plain && !below.is_empty()).then(|| PathBuf::from(below))
    };
    let mut files: Vec<_> = patch.lines().filter_map(named).collect();
    files.sort();
    files.dedup();
    files
}

/// Patches of old sources need not be UTF-8.
fn read(path: &Path) -> Result<String, BuildError> {
    let bytes = fs::read(path).map_err(|error| BuildError::io("read", path, error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

pub(super) fn remove_dir(path: &Path) -> Result<(), BuildError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(BuildError::io("remove", path, error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    const FIRST: &str = "\
--- a/sql/main.cc\t2020-01-01
+++ b/sql/main.cc
@@ -1,3 +1,3 @@
 one
-two
+TWO
 three
";
    /// Fits only on top of the first.
    const SECOND: &str = "\
--- a/sql/main.cc
+++ b/sql/main.cc
@@ -1,3 +1,3 @@
 one
-TWO
+zwei
 three
--- /dev/null
+++ b/sql/new.cc
@@ -0,0 +1 @@
+new
";

    struct Tree {
        dir: tempfile::TempDir,
    }

    impl Tree {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir_all(dir.path().join("source/sql")).unwrap();
            fs::write(dir.path().join("source/sql/main.cc"), "one\ntwo\nthree\n").unwrap();
            for (name, text) in [("1.patch", FIRST), ("2.patch", SECOND)] {
                fs::write(dir.path().join(name), text).unwrap();
            }
            Self { dir }
        }

        fn try_these(&self, names: &[&str]) -> Result<(), BuildError> {
            let patches: Vec<_> = names.iter().map(|name| self.dir.path().join(name)).collect();
            try_all(&patches, &self.dir.path().join("source"), &self.dir.path().join("trial"))
        }

        fn is_unchanged(&self) -> bool {
            let text = fs::read_to_string(self.dir.path().join("source/sql/main.cc")).unwrap();
            text == "one\ntwo\nthree\n" && !self.dir.path().join("source/sql/new.cc").exists()
        }
    }

    #[test]
    fn patches_are_tried_on_top_of_each_other_without_touching_the_source() {
        let tree = Tree::new();
        tree.try_these(&["1.patch", "2.patch"]).unwrap();
        assert!(tree.is_unchanged());
    }

    #[test]
    fn a_patch_that_came_by_way_of_windows_applies() {
        let tree = Tree::new();
        fs::write(tree.dir.path().join("1.patch"), FIRST.replace('\n', "\r\n")).unwrap();
        tree.try_these(&["1.patch", "2.patch"]).unwrap();
    }

    #[test]
    fn a_patch_that_does_not_apply_names_file_and_hunk() {
        let tree = Tree::new();
        let error = tree.try_these(&["2.patch"]).unwrap_err().to_string();
        for word in ["2.patch", "hunk #1 of sql/main.cc", "line 1", "-TWO", "nothing was changed"] {
            assert!(error.contains(word), "{word} in {error}");
        }
        assert!(tree.is_unchanged());
        let error = tree.try_these(&["1.patch", "1.patch"]).unwrap_err().to_string();
        assert!(error.contains("has it already"), "{error}");
    }

    #[test]
    fn what_is_no_patch_or_for_another_tree_is_told() {
        let tree = Tree::new();
        fs::write(tree.dir.path().join("no.patch"), "hello\n").unwrap();
        let error = tree.try_these(&["no.patch"]).unwrap_err().to_string();
        assert!(error.contains("garbage"), "{error}");
        fs::write(tree.dir.path().join("other.patch"), FIRST.replace("main", "other")).unwrap();
        let error = tree.try_these(&["other.patch"]).unwrap_err().to_string();
        assert!(error.contains("other.cc"), "{error}");
        let error = tree.try_these(&["none.patch"]).unwrap_err().to_string();
        assert!(error.contains("none.patch"), "{error}");
    }

    proptest! {
        #[test]
        fn no_patch_touches_files_outside_the_tree(name in "[a-z./]{0,16}") {
            for file in touched(&format!("--- {name}\n+++ {name}\n")) {
                prop_assert!(file.is_relative() && !file.starts_with(".."), "{}", file.display());
            }
        }
    }
}
