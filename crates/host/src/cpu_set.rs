//! A set of processors, in the kernel's notation.

use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, fmt, str::FromStr};

/// Processors beyond this number are a slip of the pen: the kernel itself stops at 8,192.
const NUMBER_MAX: u32 = 8191;

/// Processor numbers, or numbers of NUMA nodes, as the kernel writes them: `0-3,8,10-11`.
/// Never empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CpuSet(BTreeSet<u32>);

/// A text that is no set of processors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no list of processors: {reason}; write one such as 0-3,8")]
pub struct CpuSetError {
    text: String,
    reason: &'static str,
}

impl CpuSet {
    /// The set of these numbers; none where there is none.
    pub fn of(numbers: impl IntoIterator<Item = u32>) -> Option<Self> {
        let set: BTreeSet<u32> = numbers.into_iter().collect();
        (!set.is_empty()).then_some(Self(set))
    }

    /// The numbers in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    /// How many there are; at least 1.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether this one is among them.
    pub fn contains(&self, number: u32) -> bool {
        self.0.contains(&number)
    }

    /// Those that are not in `other`; none where nothing is left.
    pub fn without(&self, other: &Self) -> Option<Self> {
        Self::of(self.0.difference(&other.0).copied())
    }

    /// Those that are in `other`, too; none where nothing is left.
    pub fn within(&self, other: &Self) -> Option<Self> {
        Self::of(self.0.intersection(&other.0).copied())
    }
}

impl FromStr for CpuSet {
    type Err = CpuSetError;

    fn from_str(text: &str) -> Result<Self, CpuSetError> {
        let refuse = |reason| CpuSetError { text: text.to_owned(), reason };
        let number = |digits: &str| {
            let number = digits.trim().parse::<u32>();
            let number = number.map_err(|_| refuse("a part of it is no number"))?;
            match number {
                0..=NUMBER_MAX => Ok(number),
                _ => Err(refuse("a number in it is beyond 8191")),
            }
        };
        let mut set = BTreeSet::new();
        for part in text.trim().split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return Err(refuse("a range in it ends before it begins"));
            }
            set.extend(first..=last);
        }
        Ok(Self(set))
    }
}

impl TryFrom<String> for CpuSet {
    type Error = CpuSetError;

    fn try_from(text: String) -> Result<Self, CpuSetError> {
        text.parse()
    }
}

impl From<CpuSet> for String {
    fn from(set: CpuSet) -> Self {
        set.to_string()
    }
}

impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut numbers = self.iter().peekable();
        let mut separator = "";
        while let Some(first) = numbers.next() {
            let mut last = first;
            while let Some(next) = numbers.next_if(|next| *next == last + 1) {
                last = next;
            }
            match last - first {
                0 => write!(f, "{separator}{first}")?,
                _ => write!(f, "{separator}{first}-{last}")?,
            }
            separator = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sets_are_written_as_the_kernel_writes_them() {
        for (text, expected) in
            [("0-3,8,10-11", "0-3,8,10-11"), ("3,1,2", "1-3"), (" 0 - 1 , 5\n", "0-1,5")]
        {
            assert_eq!(text.parse::<CpuSet>().unwrap().to_string(), expected);
        }
        for text in ["", ",", "a", "3-1", "0-", "-1", "1,,2", "8192", "0-4294967295"] {
            let error = text.parse::<CpuSet>().unwrap_err().to_string();
            assert!(error.contains("0-3,8"), "{error}");
        }
    }

    #[test]
    fn sets_are_taken_from_and_cut_with_each_other() {
        let set = |text: &str| text.parse::<CpuSet>().unwrap();
        assert_eq!(set("0-7").without(&set("2-3")), Some(set("0-1,4-7")));
        assert_eq!(set("0-1").without(&set("0-3")), None);
        assert_eq!(set("0-7").within(&set("6-9")), Some(set("6-7")));
        assert_eq!(set("0").within(&set("1")), None);
    }

    proptest! {
        #[test]
        fn every_set_reads_back(numbers in prop::collection::btree_set(0..300_u32, 1..40)) {
            let set = CpuSet::of(numbers.clone()).unwrap();
            let back: CpuSet = set.to_string().parse().unwrap();
            prop_assert_eq!(back.iter().collect::<BTreeSet<_>>(), numbers);
        }

        #[test]
        fn any_text_gives_an_answer(text in "[0-9,\\- a]{0,20}") {
            let _answer = text.parse::<CpuSet>();
        }
    }
}
