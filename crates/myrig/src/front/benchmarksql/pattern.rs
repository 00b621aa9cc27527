//! `%tY` and its kin in `resultDirectory`, as Java's formatter writes them, and times as the log
//! shows them. All times are in UTC.

use std::time::{Duration, SystemTime};

/// The parts of a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// `2026-11-22T09:05:07.012345678Z`.
    text: String,
    epoch: Duration,
}

impl Moment {
    pub(super) fn of(time: SystemTime) -> Self {
        let epoch = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self {
            text: humantime::format_rfc3339_nanos(SystemTime::UNIX_EPOCH + epoch).to_string(),
            epoch,
        }
    }

    /// Where the parts of RFC 3339 stand, from the front.
    fn part(&self, from: usize, until: usize) -> &str {
        self.text.get(from..until).unwrap_or_default()
    }

    /// `2026-11-22`.
    pub(super) fn date(&self) -> &str {
        self.part(0, 10)
    }

    /// `09:05:07`.
    pub(super) fn time(&self) -> &str {
        self.part(11, 19)
    }

    /// `012`.
    pub(super) fn milliseconds(&self) -> &str {
        self.part(20, 23)
    }

    /// What stands behind `%t`; none for a letter that is not known here.
    fn letter(&self, letter: char) -> Option<String> {
        Some(match letter {
            'Y' => self.part(0, 4).into(),
            'y' => self.part(2, 4).into(),
            'm' => self.part(5, 7).into(),
            'd' => self.part(8, 10).into(),
            'e' => self.part(8, 10).trim_start_matches('0').into(),
            'H' => self.part(11, 13).into(),
            'k' => unpadded(self.part(11, 13)),
            'M' => self.part(14, 16).into(),
            'S' => self.part(17, 19).into(),
            'L' => self.milliseconds().into(),
            'N' => self.part(20, 29).into(),
            'F' => self.date().into(),
            'T' => self.time().into(),
            'R' => self.part(11, 16).into(),
            's' => self.epoch.as_secs().to_string(),
            'Q' => self.epoch.as_millis().to_string(),
            'Z' => "UTC".into(),
            'z' => "+0000".into(),
            _ => return None,
        })
    }
}

fn unpadded(digits: &str) -> String {
    digits.strip_prefix('0').unwrap_or(digits).to_owned()
}

/// Says whether [`fill`] knows everything in the pattern.
///
/// # Errors
/// A sentence that names the letter that it does not know.
pub(super) fn check(pattern: &str) -> Result<(), String> {
    let start = Moment::of(SystemTime::UNIX_EPOCH);
    for part in pattern.split("%t").skip(1) {
        let letter = part.chars().next();
        if letter.and_then(|letter| start.letter(letter)).is_none() {
            let letter = letter.map(String::from).unwrap_or_default();
            return Err(format!(
                "resultDirectory={pattern}: %t{letter} is not known here; there are %tY %ty %tm \
                 %td %te %tH %tk %tM %tS %tL %tN %tF %tT %tR %ts %tQ %tZ %tz"
            ));
        }
    }
    Ok(())
}

/// The pattern with the moment in place of every `%t` and its letter; one that is not known stays.
pub(super) fn fill(pattern: &str, moment: &Moment) -> String {
    let mut parts = pattern.split("%t");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut rest = part.chars();
        match rest.next().and_then(|letter| moment.letter(letter)) {
            Some(text) => {
                filled.push_str(&text);
                filled.push_str(rest.as_str());
            }
            None => {
                filled.push_str("%t");
                filled.push_str(part);
            }
        }
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn moment() -> Moment {
        // 2026-11-02 09:05:07.012 UTC.
        Moment::of(SystemTime::UNIX_EPOCH + Duration::from_millis(1_793_610_307_012))
    }

    #[test]
    fn the_usual_directory_has_date_and_time_in_its_name() {
        let filled = fill("my_result_%tY-%tm-%td_%tH%tM%tS", &moment());
        assert_eq!(filled, "my_result_2026-11-02_090507");
        assert_eq!(fill("a_%tF_%tk%te_%tL%%", &moment()), "a_2026-11-02_92_012%%");
        assert_eq!(fill("plain", &moment()), "plain");
    }

    #[test]
    fn letters_that_are_not_known_are_refused() {
        for pattern in ["a%t?", "a%t", "%tY%tB"] {
            assert!(check(pattern).is_err(), "{pattern}");
        }
        assert_eq!(check("%tY-%ts_x"), Ok(()));
    }

    #[test]
    fn the_log_shows_date_time_and_milliseconds() {
        let moment = moment();
        let shown = [moment.date(), moment.time(), moment.milliseconds()];
        assert_eq!(shown, ["2026-11-02", "09:05:07", "012"]);
    }

    proptest! {
        #[test]
        fn any_pattern_gives_an_answer(pattern in ".{0,30}", seconds in 0_u64..4_000_000_000) {
            let _answer = check(&pattern);
            let moment = Moment::of(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
            let _answer = fill(&pattern, &moment);
        }
    }
}
