//! Lines as BenchmarkSQL's log4j writes them on the console:
//! `HH:mm:ss,SSS [thread] INFO   jTPCC : Term-00, words`.

use super::pattern::Moment;
use crate::output::Output;
use std::time::SystemTime;

/// The console.
#[derive(Clone, Copy)]
pub(super) struct Log<'a> {
    pub(super) output: &'a Output,
}

impl Log<'_> {
    /// A line of the main thread.
    pub(super) fn info(&self, words: &str) {
        self.line("main", "INFO", &format!("Term-00, {words}"));
    }

    /// A line of the thread of the terminal that ended last.
    pub(super) fn info_of(&self, thread: u32, words: &str) {
        self.line(&format!("Thread-{thread}"), "INFO", words);
    }

    pub(super) fn error(&self, words: &str) {
        self.line("main", "ERROR", &format!("Term-00, {words}"));
    }

    /// Text without a time, such as the status line.
    pub(super) fn plain(&self, text: &str) {
        if let Err(failure) = self.output.write(text) {
            self.output.note(&format!("benchmarksql: {failure}"));
        }
    }

    fn line(&self, thread: &str, level: &str, words: &str) {
        self.plain(&line(&Moment::of(SystemTime::now()), thread, level, words));
    }
}

fn line(moment: &Moment, thread: &str, level: &str, words: &str) -> String {
    let (time, ms) = (moment.time(), moment.milliseconds());
    format!("{time},{ms} [{thread}] {level:5}  jTPCC : {words}\n")
}

/// A number as Java's `Double.toString` writes it: at least one decimal, and from ten million on
/// with an exponent.
pub(super) fn java_double(number: f64) -> String {
    if number.abs() < 1e7 {
        return format!("{number:?}");
    }
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let point = if digits.contains('.') { "" } else { ".0" };
    format!("{digits}{point}E{exponent}")
}

/// Events a minute, rounded down to hundredths as BenchmarkSQL does.
pub(super) fn per_minute(count: u64, elapsed_ms: u64) -> f64 {
    let hundredths = u128::from(count) * 6_000_000 / u128::from(elapsed_ms.max(1));
    hundredths as f64 / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn lines_are_those_of_log4j() {
        let moment = Moment::of(SystemTime::UNIX_EPOCH + Duration::from_millis(3_723_045));
        assert_eq!(
            line(&moment, "main", "INFO", "Term-00, db=mysql"),
            "01:02:03,045 [main] INFO   jTPCC : Term-00, db=mysql\n"
        );
        assert_eq!(
            line(&moment, "Thread-3", "ERROR", "x"),
            "01:02:03,045 [Thread-3] ERROR  jTPCC : x\n"
        );
    }

    #[test]
    fn numbers_are_written_as_java_writes_them() {
        for (number, text) in [
            (0.0, "0.0"),
            (100.0, "100.0"),
            (12345.67, "12345.67"),
            (9_999_999.99, "9999999.99"),
            (12_345_678.9, "1.23456789E7"),
            (1e7, "1.0E7"),
        ] {
            assert_eq!(java_double(number), text);
        }
    }

    #[test]
    fn rates_are_cut_to_hundredths() {
        assert_eq!(per_minute(1, 60_000), 1.0);
        assert_eq!(per_minute(1000, 7_000), 8571.42);
        assert_eq!(per_minute(5, 0), 300_000.0);
    }
}
