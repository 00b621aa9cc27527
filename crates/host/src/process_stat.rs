//! A line of `/proc/PID/stat`, see proc_pid_stat(5).

/// The fields of a process's or a thread's line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessStat<'a> {
    /// The name, which may hold anything, blanks and brackets too.
    pub name: &'a str,
    /// Fields from the third on.
    fields: Vec<&'a str>,
}

impl<'a> ProcessStat<'a> {
    /// Reads a line; none for one without a name in brackets.
    pub fn parse(line: &'a str) -> Option<Self> {
        let (_, named) = line.split_once('(')?;
        let (name, fields) = named.rsplit_once(')')?;
        Some(Self { name, fields: fields.split_ascii_whitespace().collect() })
    }

    /// The letter of its state, field 3.
    pub fn state(&self) -> Option<char> {
        self.fields.first()?.chars().next()
    }

    /// The number in a field, counted as the manual does; from the fourth on.
    pub fn number(&self, field: usize) -> Option<u64> {
        self.fields.get(field.checked_sub(3)?)?.parse().ok()
    }

    /// Processor time in programs and in the kernel, ticks; fields 14 and 15.
    pub fn cpu_ticks(&self) -> Option<u64> {
        Some(self.number(14)?.saturating_add(self.number(15)?))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_are_counted_from_the_last_bracket() {
        let line = "42 (mari) a (db) S 1 42 42 0 -1 4194560 9 0 0 0 150 250 0 0 20 0 9 0 5 0";
        let stat = ProcessStat::parse(line).unwrap();
        assert_eq!(
            (stat.name, stat.state(), stat.cpu_ticks()),
            ("mari) a (db", Some('S'), Some(400))
        );
        assert_eq!((stat.number(20), stat.number(22), stat.number(8)), (Some(9), Some(5), None));
        assert_eq!((stat.number(0), stat.number(99)), (None, None));
        assert_eq!(ProcessStat::parse("42 S 1"), None);
    }

    proptest! {
        #[test]
        fn any_name_leaves_the_fields_readable(name in "[^\0]{0,15}", number: u64) {
            let line = format!("1 ({name}) S {number}");
            let stat = ProcessStat::parse(&line).unwrap();
            prop_assert_eq!((stat.name, stat.number(4)), (name.as_str(), Some(number)));
        }

        #[test]
        fn any_text_gives_an_answer(text in "(?s).{0,60}", field in 0_usize..60) {
            let answer = ProcessStat::parse(&text);
            let _numbers = answer.map(|stat| (stat.number(field), stat.cpu_ticks()));
        }
    }
}
