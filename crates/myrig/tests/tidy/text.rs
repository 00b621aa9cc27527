//! Rules about any text: width, whitespace, machine paths, mirrors, shell scripts.

use crate::files::{Fault, File};

const WIDTH: usize = 100;

pub(crate) fn check(file: &File) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (line, number) in file.text.split('\n').zip(1..) {
        let mut fault = |rule: &str| faults.push(Fault::new(&file.path, number, rule));
        if is_too_wide(file, line) {
            fault("wider than 100 columns");
        }
        if line.ends_with([' ', '\t', '\r']) && !is_snapshot(file) {
            fault("trailing whitespace");
        }
        if names_machine_path(line) && !is_listing(file) {
            fault("a path of one machine: take it as an argument or from the environment");
        }
        if names_mirror(line) {
            fault("the name of a package mirror: ask the package manager for it");
        }
    }
    if !file.text.is_empty() && !file.text.ends_with('\n') {
        let last = file.text.lines().count();
        faults.push(Fault::new(&file.path, last, "no newline at the end of the file"));
    }
    if file.is_shell() {
        faults.extend(check_shell(file));
    }
    faults
}

/// Recorded output, kept as it was to the last space.
fn is_snapshot(file: &File) -> bool {
    file.path.ends_with(".snap") || file.path.contains("/snapshots/")
}

/// Somebody's option file as it was published, with the paths of their machine, or made of one.
fn is_listing(file: &File) -> bool {
    file.path.contains("/tests/listings/") || file.path.contains("/config_listings__")
}

fn is_too_wide(file: &File, line: &str) -> bool {
    let is_prose = file.path.ends_with(".md");
    let is_kept_narrow = is_prose
        || file.is_rust()
        || file.is_shell()
        || file.path.ends_with(".toml")
        || file.path == "Makefile";
    // A table row and an address cannot be broken.
    let is_unbreakable = is_prose && (line.starts_with('|') || line.contains("://"));
    is_kept_narrow && !is_unbreakable && line.chars().count() > WIDTH
}

/// Pieces, so that this file does not name what it forbids.
fn joined(pieces: &[[&str; 2]]) -> Vec<String> {
    pieces.iter().map(|piece| piece.concat()).collect()
}

fn names_machine_path(line: &str) -> bool {
    let homes = joined(&[["/wo", "rk/"], ["/ro", "ot/"], ["/ho", "me/"]]);
    homes.iter().any(|home| {
        // `$X/work/` and `a/root/` are somewhere else.
        line.match_indices(home.as_str()).any(|(at, _)| {
            let before = line[..at].chars().next_back().unwrap_or(' ');
            !(before.is_alphanumeric() || "/._-}*)>~".contains(before))
        })
    })
}

fn names_mirror(line: &str) -> bool {
    joined(&[
        ["deb.deb", "ian.org"],
        ["snapshot.deb", "ian.org"],
        ["security.deb", "ian.org"],
        ["archive.ubu", "ntu.com"],
        ["index.crat", "es.io"],
        ["static.crat", "es.io"],
        ["proxy.gol", "ang.org"],
        ["registry.npm", "js.org"],
    ])
    .iter()
    .any(|host| line.contains(host.as_str()))
}

fn check_shell(file: &File) -> Vec<Fault> {
    let mut faults = Vec::new();
    if !file.text.starts_with("#!/usr/bin/env bash\n") {
        faults.push(Fault::new(&file.path, 1, "a script begins with #!/usr/bin/env bash"));
    }
    if !file.text.lines().any(|line| line == "set -euo pipefail") {
        faults.push(Fault::new(&file.path, 1, "a script says set -euo pipefail"));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::sample;

    fn rules(path: &str, text: &str) -> Vec<String> {
        check(&sample(path, text)).into_iter().map(|f| format!("{}: {}", f.line, f.rule)).collect()
    }

    #[test]
    fn good_text_has_no_faults() {
        let script = "#!/usr/bin/env bash\nset -euo pipefail\necho $HOME/work/ crates/root/\n";
        assert_eq!(rules("scripts/a", script), [""; 0]);
        assert_eq!(rules("a.rs", ""), [""; 0]);
    }

    #[test]
    fn wide_lines_are_caught_where_they_can_be_broken() {
        let wide = format!("ok\n{}\n", "ä".repeat(101));
        for path in ["a.rs", "docs/a.md", "a.toml", "Makefile"] {
            assert_eq!(rules(path, &wide), ["2: wider than 100 columns"], "{path}");
        }
        assert_eq!(rules("a.html", &wide), [""; 0]);
        assert_eq!(rules("a.rs", &format!("{}\n", "ä".repeat(100))), [""; 0]);
        assert_eq!(rules("a.md", &format!("|{}|\n", "x".repeat(101))), [""; 0]);
        assert_eq!(rules("a.md", &format!("see https://{}\n", "x".repeat(101))), [""; 0]);
    }

    #[test]
    fn whitespace_at_ends_is_caught() {
        assert_eq!(rules("a.rs", "a \nb\t\nc\r\n").len(), 3);
        assert_eq!(rules("a.sql", "a\nb"), ["2: no newline at the end of the file"]);
        assert_eq!(rules("x/snapshots/a.snap", "a \n"), [""; 0]);
    }

    #[test]
    fn machine_paths_are_caught() {
        for path in joined(&[["cd /wo", "rk/main"], ["\"/ro", "ot/.cache\""], ["(/ho", "me/me/)"]])
        {
            assert_eq!(rules("a.md", &format!("{path}\n")).len(), 1, "{path}");
        }
    }

    #[test]
    fn mirrors_are_caught() {
        let line = ["http://deb.deb", "ian.org/debian\n"].concat();
        assert_eq!(rules("a.md", &line).len(), 1);
    }

    #[test]
    fn careless_scripts_are_caught() {
        assert_eq!(rules("a.sh", "#!/bin/sh\necho\n").len(), 2);
        assert_eq!(rules("scripts/a", "#!/usr/bin/env bash\necho\n").len(), 1);
    }
}
