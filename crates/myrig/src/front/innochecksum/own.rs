//! myrig's own options: `--flavour`, `--jobs` and `--json`, which the stock tools do not have.

use super::flavour;
use pages::Flavour;
use std::{num::NonZeroUsize, thread};

/// What they are set to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Own {
    pub(super) flavour: Option<Flavour>,
    pub(super) jobs: NonZeroUsize,
    pub(super) json: bool,
}

/// Threads at most.
const JOBS_MAX: usize = 1024;

/// Takes myrig's own options out of a command line, and hands back the rest.
///
/// # Errors
/// A sentence that names the option.
pub(super) fn take(words: &[String], json: bool) -> Result<(Own, Vec<String>), String> {
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let mut own = Own { flavour: None, jobs: cores, json };
    let mut rest = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            rest.push(word.clone());
            rest.extend(words.by_ref().cloned());
            break;
        }
        let (name, given) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word.as_str(), None),
        };
        if !matches!(name, "--flavour" | "--jobs" | "--json") {
            rest.push(word.clone());
            continue;
        }
        if name == "--json" {
            if given.is_some() {
                return Err("--json takes no value".to_owned());
            }
            own.json = true;
            continue;
        }
        let given = given.or_else(|| words.next().map(String::as_str)).unwrap_or_default();
        if name == "--flavour" {
            let named = flavour::named(given);
            own.flavour =
                Some(named.ok_or_else(|| format!("--flavour is mysql or mariadb, not '{given}'"))?);
        } else {
            let jobs = given.parse().ok().filter(|jobs: &NonZeroUsize| jobs.get() <= JOBS_MAX);
            own.jobs = jobs.ok_or_else(|| {
                format!("--jobs is a number of threads from 1 to {JOBS_MAX}, not '{given}'")
            })?;
        }
    }
    Ok((own, rest))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn taken(line: &str) -> Result<(Own, String), String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        take(&words, false).map(|(own, rest)| (own, rest.join(" ")))
    }

    #[test]
    fn own_options_are_taken_out_wherever_they_stand() {
        let (own, rest) = taken("-c --jobs 3 --flavour=mysql a --json b").unwrap();
        assert_eq!((own.flavour, own.jobs.get(), own.json), (Some(Flavour::MySql), 3, true));
        assert_eq!(rest, "-c a b");
    }

    #[test]
    fn behind_two_hyphens_all_are_files() {
        let (own, rest) = taken("-c -- --json").unwrap();
        assert!(!own.json);
        assert_eq!(rest, "-c -- --json");
    }

    #[test]
    fn wrong_values_are_refused_by_the_name_of_the_option() {
        for (line, option) in [
            ("--jobs=0 a", "--jobs"),
            ("--jobs 2000 a", "--jobs"),
            ("--jobs", "--jobs"),
            ("--flavour oracle", "--flavour"),
            ("--json=yes", "--json"),
        ] {
            assert!(taken(line).unwrap_err().contains(option), "{line}");
        }
    }
}
