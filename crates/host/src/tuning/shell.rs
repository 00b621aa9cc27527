//! What is no file: services, and the queues of network cards. A thin shell around `systemctl`
//! and `ethtool`, behind a trait.

use std::{
    io,
    path::Path,
    process::{Command, Stdio},
};

/// An answer about something that need not be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<T> {
    /// It is there, and this is its state.
    Is(T),
    /// This machine does not have it, and why.
    Absent(String),
    /// It could not be found out, and why.
    Unknown(String),
}

impl<T> Answer<T> {
    /// The same with another state.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Answer<U> {
        match self {
            Self::Is(state) => Answer::Is(change(state)),
            Self::Absent(why) => Answer::Absent(why),
            Self::Unknown(why) => Answer::Unknown(why),
        }
    }
}

/// Combined queues of a network card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queues {
    /// How many there are.
    pub now: u32,
    /// How many the card can have.
    pub max: u32,
}

/// Who is asked about services and queues.
pub trait Shell {
    /// Whether a service runs.
    fn service(&self, name: &str) -> Answer<bool>;
    /// Starts or stops a service.
    ///
    /// # Errors
    /// What the service manager says.
    fn set_service(&self, name: &str, running: bool) -> io::Result<()>;
    /// The combined queues of a network card.
    fn queues(&self, nic: &str) -> Answer<Queues>;
    /// Sets the number of a network card's combined queues.
    ///
    /// # Errors
    /// What the driver says.
    fn set_queues(&self, nic: &str, combined: u32) -> io::Result<()>;
    /// Whether this process may change either.
    fn may_change(&self) -> bool;
}

/// This machine's own programs.
#[derive(Clone, Copy, Debug)]
pub struct Programs;

/// A tree that is not the running machine: it has neither services nor cards.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

/// Where systemd says that it runs, see sd_booted(3).
const SYSTEMD: &str = "/run/systemd/system";

impl Shell for Programs {
    fn service(&self, name: &str) -> Answer<bool> {
        if !Path::new(SYSTEMD).is_dir() {
            return Answer::Absent("no systemd runs here".to_owned());
        }
        let unit = format!("{name}.service");
        match output("systemctl", &["show", "-p", "LoadState", "-p", "ActiveState", &unit]) {
            Ok(text) => service_state(&text),
            Err(error) => Answer::Unknown(error.to_string()),
        }
    }

    fn set_service(&self, name: &str, running: bool) -> io::Result<()> {
        let verb = if running { "start" } else { "stop" };
        output("systemctl", &[verb, &format!("{name}.service")]).map(drop)
    }

    fn queues(&self, nic: &str) -> Answer<Queues> {
        match output("ethtool", &["-l", nic]) {
            Ok(text) => queues_of(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Answer::Absent("`ethtool` is not installed (package ethtool)".to_owned())
            }
            Err(error) => Answer::Absent(error.to_string()),
        }
    }

    fn set_queues(&self, nic: &str, combined: u32) -> io::Result<()> {
        output("ethtool", &["-L", nic, "combined", &combined.to_string()]).map(drop)
    }

    fn may_change(&self) -> bool {
        rustix::process::geteuid().is_root()
    }
}

impl Shell for Nothing {
    fn service(&self, _: &str) -> Answer<bool> {
        Answer::Absent("a tree of files has no services".to_owned())
    }

    fn set_service(&self, _: &str, _: bool) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn queues(&self, _: &str) -> Answer<Queues> {
        Answer::Absent("a tree of files has no network card".to_owned())
    }

    fn set_queues(&self, _: &str, _: u32) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn may_change(&self) -> bool {
        false
    }
}

/// Standard output of a program; what it says on standard error is the error.
fn output(program: &str, arguments: &[&str]) -> io::Result<String> {
    let ended = Command::new(program).args(arguments).stdin(Stdio::null()).output()?;
    if ended.status.success() {
        return Ok(String::from_utf8_lossy(&ended.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&ended.stderr);
    let said = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("it failed").trim();
    Err(io::Error::other(format!("{program} {}: {said}", arguments.join(" "))))
}

/// The state in what `systemctl show` prints.
fn service_state(text: &str) -> Answer<bool> {
    let field = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).unwrap_or("")
    };
    match (field("LoadState"), field("ActiveState")) {
        ("not-found", _) => Answer::Absent("not installed".to_owned()),
        ("masked", _) => Answer::Absent("masked".to_owned()),
        (_, "active" | "activating" | "reloading") => Answer::Is(true),
        (_, "inactive" | "failed" | "deactivating") => Answer::Is(false),
        (load, active) => Answer::Unknown(format!("systemctl says `{load}`, `{active}`")),
    }
}

/// The combined queues in what `ethtool -l` prints: a block of maxima, then one of settings.
fn queues_of(text: &str) -> Answer<Queues> {
    let combined = |text: &str| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix("Combined:"));
        line.and_then(|number| number.trim().parse::<u32>().ok())
    };
    let (maxima, settings) = text.split_once("Current hardware settings").unwrap_or((text, ""));
    match (combined(maxima), combined(settings)) {
        (Some(max), Some(now)) if max > 0 => Answer::Is(Queues { now, max }),
        _ => Answer::Absent("its driver has no combined queues to set".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systemctl_is_understood() {
        assert_eq!(service_state("LoadState=loaded\nActiveState=active\n"), Answer::Is(true));
        assert_eq!(service_state("ActiveState=failed\nLoadState=loaded\n"), Answer::Is(false));
        let absent = service_state("LoadState=not-found\nActiveState=inactive\n");
        assert_eq!(absent, Answer::Absent("not installed".into()));
        assert!(matches!(service_state("what?"), Answer::Unknown(_)));
    }

    #[test]
    fn ethtool_is_understood() {
        let text = "Channel parameters for eth0:\nPre-set maximums:\nRX:\t\tn/a\nTX:\t\tn/a\n\
                    Other:\t\t1\nCombined:\t63\nCurrent hardware settings:\nRX:\t\tn/a\n\
                    Other:\t\t1\nCombined:\t6\n";
        assert_eq!(queues_of(text), Answer::Is(Queues { now: 6, max: 63 }));
        assert!(matches!(queues_of("Pre-set maximums:\nCombined:\tn/a\n"), Answer::Absent(_)));
        assert!(matches!(queues_of(""), Answer::Absent(_)));
    }

    #[test]
    fn a_program_that_fails_is_quoted() {
        let error = output("sh", &["-c", "echo; echo '  no such thing' >&2; exit 1"]).unwrap_err();
        assert!(error.to_string().ends_with("no such thing"), "{error}");
        let error = output("no-such-program-here", &[]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
