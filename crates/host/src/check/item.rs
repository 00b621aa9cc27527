//! One thing that bears on a benchmark.

use crate::Root;
use serde::Serialize;

/// One thing that bears on a benchmark, and what is to be said about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// What it belongs to: `processor`, `memory`, `disk`.
    pub group: &'static str,
    /// Its name.
    pub name: String,
    /// What is to be said.
    pub state: State,
    /// What it is; of what is absent or unknown, why.
    pub value: String,
    /// What would be better, and what for; empty where nothing would.
    pub advice: String,
    /// What makes it so, as a line of a profile; none where no setting does.
    pub setting: Option<String>,
    /// Where that is written.
    pub source: &'static str,
}

/// What is to be said about a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// As it should be.
    Good,
    /// Something else would be better.
    Advice,
    /// This kernel or machine lacks it, so that nothing can be done about it.
    Absent,
    /// It could not be found out.
    Unknown,
}

/// What is to be said, before it has a name.
#[derive(Debug)]
pub(super) struct Verdict {
    state: State,
    value: String,
    advice: String,
    setting: Option<String>,
}

/// A verdict that may come early, when there is nothing to look at.
pub(super) type Judged = Result<Verdict, Verdict>;

impl Verdict {
    pub(super) fn good(value: impl Into<String>) -> Self {
        Self::new(State::Good, value)
    }

    pub(super) fn absent(why: impl Into<String>) -> Self {
        Self::new(State::Absent, why)
    }

    pub(super) fn unknown(why: impl Into<String>) -> Self {
        Self::new(State::Unknown, why)
    }

    /// Something else would be better.
    pub(super) fn advice(value: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { advice: advice.into(), ..Self::new(State::Advice, value) }
    }

    /// The same with the line of a profile that makes it so.
    pub(super) fn by(self, setting: impl Into<String>) -> Self {
        Self { setting: Some(setting.into()), ..self }
    }

    /// True where the machine lacks it.
    pub(super) fn is_absent(&self) -> bool {
        self.state == State::Absent
    }

    fn new(state: State, value: impl Into<String>) -> Self {
        Self { state, value: value.into(), advice: String::new(), setting: None }
    }
}

/// Names a verdict.
pub(super) fn item(
    group: &'static str,
    name: impl Into<String>,
    source: &'static str,
    judged: Judged,
) -> Item {
    let Verdict { state, value, advice, setting } = judged.unwrap_or_else(|early| early);
    Item { group, name: name.into(), state, value, advice, setting, source }
}

/// The text of a file, or what its lack says.
pub(super) fn text(root: &Root, path: &str) -> Result<String, Verdict> {
    match root.read(path) {
        Ok(Some(text)) => Ok(text),
        Ok(None) => Err(Verdict::absent(format!("this kernel has no /{path}"))),
        Err(error) => Err(Verdict::unknown(format!("/{path} cannot be read: {error}"))),
    }
}

/// The number in a file, or what its lack says.
pub(super) fn number(root: &Root, path: &str) -> Result<u64, Verdict> {
    let text = text(root, path)?;
    text.parse().map_err(|_| Verdict::unknown(format!("/{path} holds no number: {text}")))
}
