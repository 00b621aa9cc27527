//! The values that an option takes, in the words of the servers.

/// What values an option takes. Where versions differ, all that any of them takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// ON or OFF, TRUE or FALSE, 1 or 0.
    Bool,
    /// A whole number, as which a size such as 64M counts, too.
    Int {
        /// Smallest value, where it is known.
        min: Option<i128>,
        /// Largest value, where it is known.
        max: Option<i128>,
    },
    /// A number.
    Real {
        /// Smallest value, where it is known.
        min: Option<f64>,
        /// Largest value, where it is known.
        max: Option<f64>,
    },
    /// One of these words, or its number counted from 0.
    Enum(Vec<&'static str>),
    /// Words separated by commas.
    Set,
    /// Any text.
    Text,
}

/// The suffixes of sizes, each 1024 times the one before.
const SUFFIXES: [char; 6] = ['K', 'M', 'G', 'T', 'P', 'E'];

/// Reads a size as servers do: a whole number, with one of the suffixes K, M, G, T, P and E.
/// In bytes. `None` for anything else, and for what is past 2^63.
pub fn parse_size(text: &str) -> Option<u64> {
    whole(text).and_then(|value| u64::try_from(value).ok())
}

/// A size in bytes as an option file takes it, in the largest unit that keeps it exact.
pub fn format_size(bytes: u64) -> String {
    let (mut value, mut unit) = (bytes, String::new());
    for suffix in SUFFIXES.iter().take(4) {
        if value == 0 || value % 1024 != 0 {
            break;
        }
        (value, unit) = (value / 1024, suffix.to_string());
    }
    format!("{value}{unit}")
}

/// The truth value of a word.
pub(super) fn truth(value: &str) -> Option<bool> {
    match value.to_ascii_uppercase().as_str() {
        "ON" | "TRUE" | "1" => Some(true),
        "OFF" | "FALSE" | "0" => Some(false),
        _ => None,
    }
}

fn whole(text: &str) -> Option<i128> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let power = match text.strip_prefix(digits)? {
        "" => 0,
        suffix => {
            let mut letters = suffix.chars();
            let letter = letters.next()?.to_ascii_uppercase();
            if letters.next().is_some() {
                return None;
            }
            SUFFIXES.iter().position(|known| *known == letter)? + 1
        }
    };
    let plain = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    if plain.is_empty() || !plain.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let factor = 1_i128 << (10 * power);
    digits.parse::<i128>().ok()?.checked_mul(factor)
}

impl Kind {
    /// Reads a kind as `options.tsv` writes it.
    pub(super) fn parse(text: &'static str) -> Option<Self> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let bounds = || rest.split_once("..").or(rest.is_empty().then_some(("", "")));
        match word {
            "bool" => Some(Self::Bool),
            "int" => {
                let (min, max) = bounds()?;
                Some(Self::Int { min: bound(min)?, max: bound(max)? })
            }
            "real" => {
                let (min, max) = bounds()?;
                Some(Self::Real { min: bound(min)?, max: bound(max)? })
            }
            "enum" => Some(Self::Enum(rest.split(',').collect())),
            "set" => Some(Self::Set),
            "text" => Some(Self::Text),
            _ => None,
        }
    }

    /// Says what is wrong with a value, if anything is; in words that go on after "cannot be".
    pub fn fault(&self, value: &str) -> Option<String> {
        match self {
            Self::Bool => truth(value).is_none().then(|| "it is ON or OFF".into()),
            Self::Int { min, max } => match whole(value) {
                None => {
                    Some("it is a whole number, with K, M, G or T after it where wanted".into())
                }
                Some(number) => outside(number, *min, *max),
            },
            Self::Real { min, max } => match value.trim().parse::<f64>() {
                Ok(number) if number.is_finite() => outside(number, *min, *max),
                _ => Some("it is a number".into()),
            },
            Self::Enum(words) => {
                let known = self.word(value).is_some();
                (!known).then(|| format!("it is one of {}", words.join(", ")))
            }
            Self::Set | Self::Text => None,
        }
    }

    /// The value in one spelling, so that two can be compared.
    pub fn normal(&self, value: &str) -> String {
        let plain = || value.trim().to_owned();
        match self {
            Self::Bool => truth(value).map_or_else(plain, |on| on_off(on).to_owned()),
            // Some servers show a whole number with a fraction of zero.
            Self::Int { .. } if whole(value).is_some() => {
                whole(value).map_or_else(plain, |number| number.to_string())
            }
            Self::Int { .. } | Self::Real { .. } => match value.trim().parse::<f64>() {
                Ok(number) => number.to_string(),
                Err(_) => plain(),
            },
            Self::Enum(_) => self.word(value).map_or_else(plain, str::to_owned),
            Self::Set => value.to_ascii_uppercase().replace(' ', ""),
            Self::Text => plain(),
        }
    }

    /// True when OFF is a value, so that `skip-` and `disable-` mean it.
    pub(super) fn has_off(&self) -> bool {
        match self {
            Self::Bool => true,
            Self::Enum(words) => words.contains(&"OFF"),
            _ => false,
        }
    }

    /// The word of an enumeration that a value means.
    fn word(&self, value: &str) -> Option<&'static str> {
        let Self::Enum(words) = self else { return None };
        let find = |text: &str| words.iter().copied().find(|word| word.eq_ignore_ascii_case(text));
        let by_truth = || find(on_off(truth(value)?));
        let by_number = || words.get(value.parse::<usize>().ok()?).copied();
        find(value).or_else(by_truth).or_else(by_number)
    }
}

fn on_off(on: bool) -> &'static str {
    if on { "ON" } else { "OFF" }
}

/// A bound that may be left out; `None` when it is not one.
fn bound<T: std::str::FromStr>(text: &str) -> Option<Option<T>> {
    match text {
        "" => Some(None),
        text => text.parse().ok().map(Some),
    }
}

fn outside<T: PartialOrd + std::fmt::Display>(
    value: T,
    min: Option<T>,
    max: Option<T>,
) -> Option<String> {
    match (min, max) {
        (Some(min), _) if value < min => Some(format!("the least is {min}")),
        (_, Some(max)) if value > max => Some(format!("the most is {max}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_are_read_and_written_as_servers_do() {
        assert_eq!(parse_size("150G"), Some(150 << 30));
        assert_eq!(parse_size("2048m"), Some(2 << 30));
        assert_eq!(format_size(64 << 30), "64G");
        assert_eq!(format_size(1000), "1000");
        assert_eq!(format_size(0), "0");
        for text in ["", "G", "1.5G", "1GB", "1 G", "-1", "0x10", "9E99", "99999999E"] {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }

    #[test]
    fn a_value_out_of_range_or_of_another_kind_is_said() {
        let int = Kind::parse("int 1..64").unwrap();
        assert_eq!(int.fault("64"), None);
        assert!(int.fault("65").unwrap().contains("64"));
        assert!(int.fault("many").unwrap().contains("whole number"));
        let real = Kind::parse("real 0..99.9").unwrap();
        assert_eq!(real.fault("90"), None);
        assert!(real.fault("NaN").is_some());
        let mode = Kind::parse("enum OFF,ON,fast").unwrap();
        for value in ["0", "on", "FALSE", "Fast", "2"] {
            assert_eq!(mode.fault(value), None, "{value}");
        }
        assert!(mode.fault("3").unwrap().contains("fast"));
        assert_eq!(mode.normal("false"), "OFF");
        assert_eq!(Kind::Bool.normal("1"), Kind::Bool.normal("on"));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(bytes in 0_u64..1 << 62) {
            prop_assert_eq!(parse_size(&format_size(bytes)), Some(bytes));
        }

        #[test]
        fn any_value_gets_an_answer(value in "\\PC{0,20}") {
            for kind in ["bool", "int -1..5", "real 0..1", "enum a,b", "set", "text"] {
                let kind = Kind::parse(kind).unwrap();
                let _answer = (kind.fault(&value), kind.normal(&value));
            }
        }
    }
}
