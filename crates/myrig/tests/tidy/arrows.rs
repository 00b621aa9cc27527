//! Which crate may know which: the arrows of docs/ARCHITECTURE.md.
//!
//! Dependencies of tests and build scripts are free: a test of the workloads may well start
//! a server.

use crate::files::{Fault, File};

/// A crate, and the crates of the house that it may know.
const ARROWS: &[(&str, &[&str])] = &[
    ("engine", &[]),
    ("disk", &[]),
    ("host", &[]),
    ("client", &[]),
    ("streams", &[]),
    ("netstack", &[]),
    ("flash", &["disk"]),
    ("pages", &["disk"]),
    ("preload", &["netstack"]),
    ("workloads", &["engine", "client"]),
    ("server", &["host", "client"]),
    ("lab", &["engine", "workloads", "server"]),
    ("report", &["lab"]),
];

/// The command joins them all.
const COMMAND: &str = "myrig";

pub(crate) fn check(files: &[File]) -> Vec<Fault> {
    files.iter().flat_map(check_manifest).collect()
}

fn check_manifest(file: &File) -> Vec<Fault> {
    let path = file.path.as_str();
    let Some(name) = path.strip_prefix("crates/").and_then(|p| p.strip_suffix("/Cargo.toml"))
    else {
        return Vec::new();
    };
    if name == COMMAND {
        return Vec::new();
    }
    let Some((_, may_know)) = ARROWS.iter().find(|(known, _)| *known == name) else {
        return vec![Fault::new(path, 1, format!("{name} has no line in ARROWS of the tidy test"))];
    };
    dependencies(&file.text)
        .into_iter()
        .filter(|(_, dependency)| is_of_the_house(dependency) && !may_know.contains(dependency))
        .map(|(line, dependency)| {
            Fault::new(path, line, format!("{name} must not know {dependency}"))
        })
        .collect()
}

fn is_of_the_house(name: &str) -> bool {
    name == COMMAND || ARROWS.iter().any(|(known, _)| *known == name)
}

/// Line and name of each dependency that ends up in the library itself.
fn dependencies(manifest: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut is_inside = false;
    for (line, number) in manifest.lines().zip(1..) {
        if let Some(section) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            let is_list = |name: &str| name == "dependencies" || name.ends_with(".dependencies");
            is_inside = is_list(section);
            let of_one = section.rsplit_once('.').filter(|(list, _)| is_list(list));
            found.extend(of_one.map(|(_, name)| (number, name)));
        } else if is_inside {
            let name = line.split(['.', '=', ' ']).next().unwrap_or("").trim_matches('"');
            if !name.is_empty() && !name.starts_with('#') {
                found.push((number, name));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::sample;

    fn rules(path: &str, text: &str) -> Vec<String> {
        check(&[sample(path, text)]).into_iter().map(|fault| fault.to_string()).collect()
    }

    #[test]
    fn arrows_that_point_the_wrong_way_are_caught() {
        let manifest =
            "[package]\n\n[dependencies]\nserde.workspace = true\nlab.workspace = true\n";
        let path = "crates/engine/Cargo.toml";
        assert_eq!(rules(path, manifest), [format!("{path}:5: engine must not know lab")]);
        assert_eq!(rules("crates/report/Cargo.toml", manifest), [""; 0]);
        assert_eq!(rules("crates/myrig/Cargo.toml", manifest), [""; 0]);
    }

    #[test]
    fn every_way_to_write_a_dependency_is_seen() {
        let path = "crates/client/Cargo.toml";
        for manifest in [
            "[dependencies]\nserver = { path = \"../server\" }\n",
            "[dependencies.server]\npath = \"../server\"\n",
            "[target.'cfg(target_os = \"linux\")'.dependencies]\nserver.workspace = true\n",
            "[target.x.dependencies.server]\nworkspace = true\n",
        ] {
            assert_eq!(rules(path, manifest).len(), 1, "{manifest}");
        }
    }

    #[test]
    fn tests_may_know_whom_they_like() {
        let manifest =
            "[dev-dependencies]\nserver.workspace = true\n\n[build-dependencies]\nlab = 1\n";
        assert_eq!(rules("crates/workloads/Cargo.toml", manifest), [""; 0]);
    }

    #[test]
    fn a_crate_without_arrows_is_caught() {
        assert_eq!(rules("crates/new/Cargo.toml", "[package]\n").len(), 1);
    }
}
