//! Where a value stands, and how it is read and written there.

use super::shell::{Answer, Shell};
use crate::Root;
use serde::{Deserialize, Serialize};
use std::{fmt, io, path::Path};

/// A place of the machine that holds a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Place {
    /// A file that holds the value alone.
    File {
        /// Its path in the machine's tree.
        path: String,
    },
    /// A file that lists what can be chosen, with what is chosen in brackets.
    Choice {
        /// Its path in the machine's tree.
        path: String,
    },
    /// A feature in a file of features, `NAME` when it is on and `NO_NAME` when not.
    Feature {
        /// The file's path in the machine's tree.
        path: String,
        /// The feature's name.
        name: String,
    },
    /// Two files of which only one counts: writing one clears the other, and the kernel does not
    /// take the 0 that it shows then. The value names its file: `dirty_ratio=20`.
    Either {
        /// The files' paths in the machine's tree.
        paths: [String; 2],
    },
    /// A file that does something when it is written to and holds no state to go back to.
    Act {
        /// Its path in the machine's tree.
        path: String,
    },
    /// A service of systemd: `running` or `stopped`.
    Service {
        /// The unit without its `.service`.
        name: String,
    },
    /// The number of a network card's combined queues.
    Queues {
        /// The interface.
        nic: String,
    },
}

/// What can be read and written by place: the machine, or in a test one that fails.
pub trait Machine {
    /// The value at a place; none where the machine lacks the place.
    ///
    /// # Errors
    /// It is there and cannot be read.
    fn read(&self, place: &Place) -> io::Result<Option<String>>;

    /// Writes a value.
    ///
    /// # Errors
    /// What the kernel, or who else is asked, says against it.
    fn write(&self, place: &Place, value: &str) -> io::Result<()>;

    /// Whether this process may write there.
    fn may_write(&self, place: &Place) -> bool;
}

/// The machine at a root, with a shell for what is no file.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    /// Its tree.
    pub root: &'a Root,
    /// Who is asked about services and queues.
    pub shell: &'a dyn Shell,
}

/// The running state of a service.
pub(crate) const RUNNING: &str = "running";
/// The stopped state of a service.
pub(crate) const STOPPED: &str = "stopped";

impl Machine for Host<'_> {
    fn read(&self, place: &Place) -> io::Result<Option<String>> {
        let known = |answer: Answer<String>| match answer {
            Answer::Is(value) => Ok(Some(value)),
            Answer::Absent(_) => Ok(None),
            Answer::Unknown(why) => Err(io::Error::other(why)),
        };
        match place {
            Place::File { path } => self.root.read(path),
            Place::Choice { path } => Ok(self.root.read(path)?.map(|text| chosen(&text))),
            Place::Feature { path, name } => {
                Ok(self.root.read(path)?.and_then(|text| feature(&text, name)))
            }
            Place::Either { paths } => self.read_either(paths),
            // Its file may well be for writing only, and what it shows is no state.
            Place::Act { path } => {
                Ok(self.root.path(path).try_exists()?.then(|| "untouched".to_owned()))
            }
            Place::Service { name } => known(self.shell.service(name).map(|runs| match runs {
                true => RUNNING.to_owned(),
                false => STOPPED.to_owned(),
            })),
            Place::Queues { nic } => {
                known(self.shell.queues(nic).map(|queues| queues.now.to_string()))
            }
        }
    }

    fn write(&self, place: &Place, value: &str) -> io::Result<()> {
        match place {
            Place::File { path } | Place::Choice { path } | Place::Act { path } => {
                self.root.write(path, value)
            }
            Place::Feature { path, name } => {
                let no = if value == "on" { "" } else { "NO_" };
                self.root.write(path, &format!("{no}{name}"))
            }
            Place::Either { paths } => {
                let (name, value) = value.split_once('=').unwrap_or((value, ""));
                let path = paths.iter().find(|path| file_name(path) == name);
                let path = path.ok_or_else(|| io::Error::other(format!("no file {name}")))?;
                self.root.write(path, value)
            }
            Place::Service { name } => self.shell.set_service(name, value == RUNNING),
            Place::Queues { nic } => {
                let queues = value.parse().map_err(io::Error::other)?;
                self.shell.set_queues(nic, queues)
            }
        }
    }

    fn may_write(&self, place: &Place) -> bool {
        let paths: &[String] = match place {
            Place::File { path }
            | Place::Choice { path }
            | Place::Feature { path, .. }
            | Place::Act { path } => std::slice::from_ref(path),
            Place::Either { paths } => paths,
            Place::Service { .. } | Place::Queues { .. } => return self.shell.may_change(),
        };
        paths.iter().all(|path| {
            rustix::fs::access(self.root.path(path), rustix::fs::Access::WRITE_OK).is_ok()
        })
    }
}

impl Host<'_> {
    fn read_either(&self, paths: &[String; 2]) -> io::Result<Option<String>> {
        let mut shown = Vec::new();
        for path in paths {
            let Some(value) = self.root.read(path)? else { return Ok(None) };
            shown.push(format!("{}={value}", file_name(path)));
        }
        let counts = shown.iter().position(|text| !text.ends_with("=0")).unwrap_or(0);
        Ok(Some(shown.swap_remove(counts)))
    }
}

impl Place {
    /// True where writing does something and leaves no state, so that there is no way back.
    pub fn is_act(&self) -> bool {
        matches!(self, Self::Act { .. })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path }
            | Self::Choice { path }
            | Self::Feature { path, .. }
            | Self::Act { path } => write!(f, "/{path}"),
            Self::Either { paths: [first, second] } => {
                write!(f, "/{first} or {}", file_name(second))
            }
            Self::Service { name } => write!(f, "{name}.service"),
            Self::Queues { nic } => write!(f, "combined queues of {nic}"),
        }
    }
}

/// What stands in brackets; the whole text where nothing does, as with a choice of one.
pub(crate) fn chosen(text: &str) -> String {
    let inside = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or(text, |(word, _)| word).to_owned()
}

/// Whether a feature is on; none where the list does not have it.
fn feature(text: &str, name: &str) -> Option<String> {
    let state = |word: &str| match word.strip_prefix("NO_") {
        _ if word == name => Some("on"),
        Some(word) if word == name => Some("off"),
        _ => None,
    };
    text.split_whitespace().find_map(state).map(str::to_owned)
}

fn file_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::{FakeShell, tree};

    fn path(text: &str) -> String {
        text.to_owned()
    }

    #[test]
    fn every_kind_of_file_is_read_and_written_in_its_form() {
        let (_dir, root) = tree(&[
            ("proc/sys/vm/swappiness", "60\n"),
            ("sys/thp", "always [madvise] never\n"),
            ("sys/features", "START_DEBIT NO_STEAL\n"),
            ("sys/drop", "0"),
            ("vm/dirty_ratio", "20"),
            ("vm/dirty_bytes", "0"),
        ]);
        let host = Host { root: &root, shell: &FakeShell::default() };
        let either = Place::Either { paths: [path("vm/dirty_bytes"), path("vm/dirty_ratio")] };
        for (place, old, wanted, text) in [
            (Place::File { path: path("proc/sys/vm/swappiness") }, "60", "1", "1"),
            (Place::Choice { path: path("sys/thp") }, "madvise", "never", "never"),
            (Place::Feature { path: path("sys/features"), name: path("STEAL") }, "off", "on", "on"),
            (Place::Act { path: path("sys/drop") }, "untouched", "3", "untouched"),
            (either, "dirty_ratio=20", "dirty_bytes=9", "dirty_bytes=9"),
        ] {
            assert_eq!(host.read(&place).unwrap().as_deref(), Some(old), "{place}");
            assert!(host.may_write(&place));
            host.write(&place, wanted).unwrap();
            assert_eq!(host.read(&place).unwrap().as_deref(), Some(text), "{place}");
        }
        assert_eq!(root.text("sys/features").unwrap(), "STEAL");
    }

    #[test]
    fn what_the_machine_lacks_has_no_value() {
        let (_dir, root) = tree(&[("sys/features", "A NO_B"), ("vm/dirty_ratio", "20")]);
        let host = Host { root: &root, shell: &FakeShell::default() };
        for place in [
            Place::File { path: path("none") },
            Place::Feature { path: path("sys/features"), name: path("STEAL") },
            Place::Either { paths: [path("vm/dirty_ratio"), path("vm/dirty_bytes")] },
            Place::Act { path: path("none") },
            Place::Service { name: path("irqbalance") },
            Place::Queues { nic: path("eth0") },
        ] {
            assert_eq!(host.read(&place).unwrap(), None, "{place}");
        }
    }

    #[test]
    fn a_choice_of_one_has_no_brackets() {
        assert_eq!(chosen("none"), "none");
        assert_eq!(chosen("none [mq-deadline] kyber"), "mq-deadline");
        assert_eq!(feature("NO_A B", "A").as_deref(), Some("off"));
        assert_eq!(feature("NO_A B", "B").as_deref(), Some("on"));
        assert_eq!(feature("NO_A B", "NO_A").as_deref(), Some("on"), "as it is written");
    }
}
