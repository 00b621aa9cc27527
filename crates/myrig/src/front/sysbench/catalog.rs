//! Every option of sysbench that the front end knows, and what becomes of it.

mod options;

pub(super) use options::ALL;

/// What a value looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// on, true, 1 or nothing; off, false or 0.
    Flag,
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// Anything.
    Text,
    /// Words with commas between.
    List,
}

/// Which of sysbench's help texts an option stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    General,
    Random,
    Log,
    Database,
    Mysql,
    Pgsql,
    /// Of the scripts of 1.0.
    Oltp,
    /// Of the scripts of 0.5.
    Legacy,
}

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Carried out.
    Taken,
    /// Accepted; it has nothing to act on here and cannot change a result.
    Idle,
    /// Only these values are accepted; the words say the way out.
    Only(&'static [&'static str], &'static str),
    /// Refused; the words say why and the way out.
    Refused(&'static str),
    /// Another name of an option.
    Alias(&'static str),
}

/// An option.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) group: Group,
    /// Its name with underscores; on the command line dashes are as good.
    pub(super) name: &'static str,
    pub(super) kind: Type,
    pub(super) default: &'static str,
    pub(super) fate: Fate,
    /// A line for the help.
    pub(super) help: &'static str,
}

impl Known {
    /// The name as it is typed.
    pub(super) fn typed(&self) -> String {
        format!("--{}", self.name.replace('_', "-"))
    }
}

/// Finds an option; dashes and underscores are the same.
pub(super) fn find(name: &str) -> Option<&'static Known> {
    let name = name.replace('-', "_");
    ALL.iter().find(|known| known.name == name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use Fate::{Only, Taken};

    #[test]
    fn names_are_unique_and_dashes_are_as_good_as_underscores() {
        for known in ALL {
            let same = ALL.iter().filter(|other| other.name == known.name).count();
            assert_eq!(same, 1, "{}", known.name);
            let dashed = known.name.replace('_', "-");
            assert_eq!(find(&dashed).unwrap().name, known.name);
        }
    }

    #[test]
    fn an_alias_leads_to_an_option_of_the_same_type() {
        for known in ALL {
            if let Fate::Alias(name) = known.fate {
                let to = find(name).unwrap();
                assert_eq!((to.fate, to.kind), (Taken, known.kind), "{}", known.name);
            }
        }
    }

    #[test]
    fn defaults_pass_their_own_rule() {
        for known in ALL {
            if let Only(allowed, _) = known.fate {
                assert!(allowed.contains(&known.default), "{}", known.name);
            }
        }
    }
}
