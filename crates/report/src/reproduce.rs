//! The command that would do the run again.

use lab::record::RunRecord;
use serde_json::Value;
use std::collections::BTreeMap;

/// The command line, made from the settings; none where a setting has no form on one.
pub(crate) fn command(record: &RunRecord) -> Option<String> {
    run_command(&record.workload.name, &record.settings)
}

/// The command line of `myrig WORKLOAD run` with these settings.
pub(crate) fn run_command(workload: &str, settings: &BTreeMap<String, Value>) -> Option<String> {
    let mut words = vec!["myrig".to_owned(), quoted(workload), "run".to_owned()];
    for (name, value) in settings.iter().filter(|(name, _)| !is_secret(name)) {
        let option = format!("--{}", name.replace('_', "-"));
        match value {
            Value::Null | Value::Bool(false) => {}
            Value::Bool(true) => words.push(quoted(&option)),
            Value::Array(values) if values.iter().all(Value::is_number) => {
                let numbers: Vec<String> = values.iter().map(Value::to_string).collect();
                words.push(format!("{} {}", quoted(&option), quoted(&numbers.join(","))));
            }
            Value::Array(values) => {
                for value in values {
                    words.push(format!("{} {}", quoted(&option), quoted(&scalar(value)?)));
                }
            }
            value => words.push(format!("{} {}", quoted(&option), quoted(&scalar(value)?))),
        }
    }
    Some(words.join(" "))
}

/// Whether a setting holds something that no report may show.
pub(crate) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let secret = ["password", "passwd", "secret", "token"].iter().any(|word| name.contains(word));
    secret && !name.ends_with("file")
}

/// A setting's value as a person would type it.
pub(crate) fn setting_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(setting_text).collect::<Vec<_>>().join(", "),
        Value::Null => "(unset)".to_owned(),
        other => other.to_string(),
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The word as a POSIX shell takes it for itself.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn words_survive_the_shell() {
        assert_eq!(quoted("127.0.0.1:3306"), "127.0.0.1:3306");
        assert_eq!(quoted("a b; rm -rf '$HOME'"), r"'a b; rm -rf '\''$HOME'\'''");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_password_is_secret_and_the_file_that_holds_it_is_not() {
        assert!(is_secret("password") && is_secret("mysql_Password"));
        assert!(!is_secret("password-file") && !is_secret("connections"));
    }

    #[test]
    fn a_setting_without_a_form_on_the_command_line_leaves_no_command() {
        let run = |settings: Value| {
            let json = include_str!("../../lab/tests/data/run-1.json");
            let mut record = lab::export::parse(json).unwrap();
            record.settings = serde_json::from_value(settings).unwrap();
            command(&record)
        };
        let plain = serde_json::json!({
            "a_b": 1, "endpoint": ["h1", "h 2"], "off": false, "on": true, "none": null,
            "password": "hunter2"
        });
        let words = "myrig tpcc run --a-b 1 --endpoint h1 --endpoint 'h 2' --on";
        assert_eq!(run(plain).as_deref(), Some(words));
        assert_eq!(run(serde_json::json!({ "weights": { "payment": 43 } })), None);
    }
}
