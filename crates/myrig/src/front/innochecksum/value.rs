//! Values of options, read as `my_getopt` reads them, with its complaints.

use super::options::{Algorithm, Kind, Known, Value};
use pages::Flavour;

/// What came of a value.
#[derive(Debug)]
pub(super) struct Read {
    /// The value, or none if it cannot be taken.
    pub(super) value: Option<Value>,
    /// What is said, each a line as it stands.
    pub(super) said: Vec<String>,
}

/// What goes before a message, by its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    Error,
    Warning,
    Info,
}

/// A line of `my_getopt` on standard error.
pub(super) fn line(flavour: Flavour, weight: Weight, words: &str) -> String {
    match (flavour, weight) {
        (Flavour::MySql, Weight::Error) => format!("innochecksum: [ERROR] {words}.\n"),
        (Flavour::MySql, _) => format!("innochecksum: [Warning] {words}.\n"),
        (Flavour::MariaDb, Weight::Error) => format!("{words}\n"),
        (Flavour::MariaDb, Weight::Warning) => format!("Warning: {words}\n"),
        (Flavour::MariaDb, Weight::Info) => format!("Info: {words}\n"),
    }
}

/// Reads the text given to an option that takes a value.
pub(super) fn read(flavour: Flavour, known: &Known, text: &str) -> Read {
    let mut said = Vec::new();
    if flavour == Flavour::MySql && text.is_empty() && known.kind != Kind::Text {
        let words = format!("innochecksum: Empty value for '{}' specified", known.name);
        said.push(line(flavour, Weight::Error, &words));
        return Read { value: None, said };
    }
    let value = match known.kind {
        Kind::Whole { most } => whole(flavour, known.name, text, most, &mut said).map(Value::Whole),
        Kind::Algorithm => Algorithm::named(text).map(Value::Algorithm),
        Kind::Text => Some(Value::Text(text.to_owned())),
        Kind::Flag | Kind::Now => flag(text).map(Value::Flag),
    };
    if value.is_none() {
        let words = format!("innochecksum: Error while setting value '{text}' to '{}'", known.name);
        said.push(line(flavour, Weight::Error, &words));
    }
    Read { value, said }
}

/// A boolean in the spellings that are understood.
pub(super) fn flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "on" => Some(true),
        "0" | "false" | "off" => Some(false),
        _ => None,
    }
}

fn whole(
    flavour: Flavour,
    name: &str,
    text: &str,
    most: u64,
    said: &mut Vec<String>,
) -> Option<u64> {
    let mut say = |weight, words: &str| said.push(line(flavour, weight, words));
    let digits = text.trim_start();
    if digits.starts_with('-') {
        if flavour == Flavour::MySql {
            say(Weight::Warning, &format!("option '{name}': value {text} adjusted to 0"));
            return Some(0);
        }
        say(Weight::Error, &format!("Incorrect unsigned value: '{text}' for {name}"));
        return None;
    }
    let too_large = match flavour {
        Flavour::MySql => format!("Incorrect unsigned integer value: '{text}'"),
        Flavour::MariaDb => format!("Integer value out of range for uint64: '{text}' for {name}"),
    };
    let digits = digits.strip_prefix('+').unwrap_or(digits);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    // No digits at all are 0, as for strtoull.
    let (number, suffix) = (&digits[..end], digits[end..].chars().next());
    let Ok(number) = (if number.is_empty() { Ok(0) } else { number.parse::<u64>() }) else {
        say(Weight::Error, &too_large);
        return None;
    };
    let shift = match suffix.map(|c| c.to_ascii_lowercase()) {
        None => 0,
        Some('k') => 10,
        Some('m') => 20,
        Some('g') => 30,
        Some('t') => 40,
        Some('p') => 50,
        Some('e') => 60,
        Some(_) => {
            let c = suffix.unwrap_or_default();
            let words = format!("Unknown suffix '{c}' used for variable '{name}' (value '{text}')");
            let legal = match flavour {
                Flavour::MySql => "",
                Flavour::MariaDb => ". Legal suffix characters are: K, M, G, T, P, E",
            };
            say(Weight::Error, &(words + legal));
            return None;
        }
    };
    let Some(number) = number.checked_mul(1 << shift) else {
        say(Weight::Error, &too_large);
        return None;
    };
    if number > most {
        let words = format!("option '{name}': unsigned value {number} adjusted to {most}");
        say(Weight::Warning, &words);
    }
    Some(number.min(most))
}
