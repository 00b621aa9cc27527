//! Aligned columns for a person.

/// Lines of a table: a head, then rows, numbers to the right. Columns are as wide as what is in
/// them, two blanks apart.
pub(super) fn lines(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([head[column].trim_start_matches('#').chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut line = String::new();
        for ((cell, title), width) in cells.zip(head).zip(&widths) {
            if !line.is_empty() {
                line.push_str("  ");
            }
            line += &match title.starts_with('#') {
                true => format!("{cell:>width$}"),
                false => format!("{cell:width$}"),
            };
        }
        line.trim_end().to_owned() + "\n"
    };
    let mut text = line(&mut head.iter().map(|title| title.trim_start_matches('#')));
    for row in rows {
        text += &line(&mut row.iter().map(String::as_str));
    }
    text
}

/// A factor with three decimals.
pub(super) fn factor(factor: Option<f64>) -> String {
    factor.map_or("-".to_owned(), |factor| format!("{factor:.3}"))
}

/// A change in per cent, with its sign.
pub(super) fn change(change: f64) -> String {
    // No minus before what is shown as zero.
    let percent = change * 100.0;
    let percent = if percent.abs() < 0.05 { 0.0 } else { percent };
    format!("{percent:+.1}%")
}

/// Cells of a change and its interval; empty where there is none.
pub(super) fn effect(effect: Option<(f64, Option<(f64, f64)>)>) -> [String; 2] {
    let words = effect.map_or(String::new(), |(value, _)| change(value));
    let interval = effect.and_then(|(_, interval)| interval);
    let interval = interval
        .map_or(String::new(), |(low, high)| format!("{} to {}", change(low), change(high)));
    [words, interval]
}

/// A text in lines of at most so many characters.
pub(super) fn wrapped(text: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut line = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if line > 0 && line + 1 + length > width {
            lines.push('\n');
            line = 0;
        } else if line > 0 {
            lines.push(' ');
            line += 1;
        }
        lines += word;
        line += length;
    }
    lines + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_set_to_the_right() {
        let rows = [vec!["none".to_owned(), "1.5".to_owned()], vec!["x".to_owned(), "12.5".into()]];
        assert_eq!(lines(&["how", "#WAF"], &rows), "how    WAF\nnone   1.5\nx     12.5\n");
    }

    #[test]
    fn changes_have_a_sign_and_zero_has_none_of_its_own() {
        assert_eq!([-0.0754, 0.1, -0.0001].map(change), ["-7.5%", "+10.0%", "+0.0%"]);
        assert_eq!(effect(Some((-0.1, Some((-0.2, 0.1))))), ["-10.0%", "-20.0% to +10.0%"]);
        assert_eq!([effect(None), effect(Some((0.1, None)))], [["", ""], ["+10.0%", ""]]);
    }

    #[test]
    fn lines_are_as_long_as_there_is_room() {
        assert_eq!(wrapped("a bc  def g", 4), "a bc\ndef\ng\n");
    }
}
