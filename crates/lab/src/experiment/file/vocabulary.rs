//! The keys of a file that this crate does not know of itself.

use strsim::levenshtein;

/// At most so many keys are listed in an error.
const LISTED_MAX: usize = 12;

/// What the rest of the house lets a file say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// The workloads that there are.
    pub workloads: Vec<Workload>,
    /// Kinds of trial other than the workload's own load.
    pub kinds: Vec<Kind>,
    /// Further sections that a variant may have: the keys of the capabilities that are neither
    /// `server` nor `host`.
    pub sections: Vec<String>,
    /// Keys of the section `measure`.
    pub measures: Vec<String>,
}

/// A workload and the options that a file may set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// Options of its `prepare`.
    pub data: Vec<String>,
    /// Options of its `run`; none for data without a load of its own.
    pub load: Vec<String>,
}

/// A kind of trial that looks at the data's files with the server down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kind {
    /// Its name, the value of `workload.kind`.
    pub name: String,
    /// Its options.
    pub options: Vec<String>,
}

impl Vocabulary {
    /// The workload of that name.
    pub(super) fn workload(&self, name: &str) -> Option<&Workload> {
        self.workloads.iter().find(|workload| workload.name == name)
    }
}

/// What may have been meant by a name that is not known, as the rest of a sentence.
pub(super) fn nearest(name: &str, known: &[&str]) -> String {
    let plain = name.to_ascii_lowercase().replace('_', "-");
    let near = known.iter().map(|known| (levenshtein(&plain, known), known)).min();
    match near {
        // Further away than half of the name it is another word.
        Some((distance, near)) if distance * 2 <= near.len().max(2) => {
            format!("; is `{near}` meant?")
        }
        _ if known.is_empty() => String::new(),
        _ if known.len() <= LISTED_MAX => format!("; there are {}", known.join(", ")),
        _ => String::new(),
    }
}
