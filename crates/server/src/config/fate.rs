//! What became of a setting that was given.

use serde::Serialize;

use super::given::Given;

/// What became of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FateKind {
    /// The target takes it as it is.
    Kept,
    /// The target calls it otherwise.
    Renamed,
    /// The target says it otherwise: in other units, by another option, or with another value.
    Translated,
    /// The target has nothing like it.
    Dropped,
    /// It is given again further on, and the last one counts.
    Overridden,
    /// The instance decides it: port, directories, and what else `server init` sees to.
    Instance,
}

impl FateKind {
    /// Every fate, in the order that counts are told in.
    pub const ALL: [Self; 6] = [
        Self::Kept,
        Self::Renamed,
        Self::Translated,
        Self::Dropped,
        Self::Overridden,
        Self::Instance,
    ];

    /// The fate in a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Renamed => "renamed",
            Self::Translated => "translated",
            Self::Dropped => "dropped",
            Self::Overridden => "overridden",
            Self::Instance => "left to the instance",
        }
    }
}

/// What became of one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fate {
    /// The setting as it was given.
    pub given: Given,
    /// The option that it means; as it was spelt where no version knows it.
    pub option: String,
    /// What became of it.
    pub kind: FateKind,
    /// Why, where there is more to say than that it was kept.
    pub why: Vec<String>,
    /// Where that is known from.
    pub source: Option<String>,
    /// The options that carry it now.
    pub carried_by: Vec<String>,
}

/// An option that nobody set and whose default is another in the target than where the
/// configuration was written for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DefaultDiffers {
    /// The option.
    pub name: &'static str,
    /// The default where the configuration was written for; of a list, the members that are not
    /// in the other.
    pub before: String,
    /// The default in the target; of a list, the members that are not in the other.
    pub now: String,
    /// Where that is known from.
    pub source: &'static str,
}
