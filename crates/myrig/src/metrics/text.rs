//! The text exposition format, version 0.0.4:
//! <https://prometheus.io/docs/instrumenting/exposition_formats/>.

use std::fmt::Write as _;

/// What an answer in this format is called.
pub(super) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// It only grows, and begins anew with each load.
    Counter,
    /// It goes up and down.
    Gauge,
    /// Counts at bounds.
    Histogram,
}

/// A metric with all its samples.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Family {
    pub(crate) name: String,
    pub(crate) help: String,
    pub(crate) kind: Type,
    pub(crate) samples: Vec<Sample>,
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    /// What a histogram's samples have after the name, `_bucket`; else empty.
    pub(crate) suffix: &'static str,
    pub(crate) labels: Vec<(&'static str, String)>,
    pub(crate) value: f64,
}

impl Type {
    fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// The families as a scraper reads them; those without a sample are left out.
pub(crate) fn exposition(families: &[Family]) -> String {
    let mut text = String::new();
    for family in families.iter().filter(|family| !family.samples.is_empty()) {
        let Family { name, help, kind, samples } = family;
        let help = help.replace('\\', "\\\\").replace('\n', "\\n");
        // Writing to a string does not fail.
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {}", kind.name());
        for Sample { suffix, labels, value } in samples {
            let _ = writeln!(text, "{name}{suffix}{} {}", in_braces(labels), number(*value));
        }
    }
    text
}

fn in_braces(labels: &[(&'static str, String)]) -> String {
    if labels.is_empty() {
        return String::new();
    }
    let escaped =
        |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let pairs: Vec<String> =
        labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    format!("{{{}}}", pairs.join(","))
}

fn number(value: f64) -> String {
    match value {
        _ if value.is_nan() => "NaN".into(),
        f64::INFINITY => "+Inf".into(),
        f64::NEG_INFINITY => "-Inf".into(),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_label_or_a_line_is_escaped() {
        let sample = Sample {
            suffix: "",
            labels: vec![("label", "a \"b\"\\\nc".into()), ("other", "é".into())],
            value: 1.5,
        };
        let family = Family {
            name: "m".into(),
            help: "Two\nlines.".into(),
            kind: Type::Gauge,
            samples: vec![sample],
        };
        let empty = Family { name: "n".into(), samples: Vec::new(), ..family.clone() };
        let wanted = "# HELP m Two\\nlines.\n# TYPE m gauge\n\
                      m{label=\"a \\\"b\\\"\\\\\\nc\",other=\"é\"} 1.5\n";
        assert_eq!(exposition(&[family, empty]), wanted);
    }

    #[test]
    fn numbers_that_are_none_have_names() {
        let given = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, 1e21, 12.25];
        let shown = ["NaN", "+Inf", "-Inf", "0", "1000000000000000000000", "12.25"];
        assert_eq!(given.map(number), shown);
    }
}
