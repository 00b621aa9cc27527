//! A table, however it is shown.

use std::fmt::Write as _;

/// Rows under a caption.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// What the table says, in a few words.
    pub(crate) caption: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
}

/// A column's head.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) title: &'static str,
    /// Set to the right.
    pub(crate) number: bool,
}

/// A line of a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) cells: Vec<String>,
    /// Sentences that belong below the line.
    pub(crate) notes: Vec<String>,
    /// A sum of the lines above.
    pub(crate) total: bool,
    pub(crate) tone: Tone,
}

/// What a reader should feel at a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    #[default]
    Plain,
    Good,
    Bad,
}

impl Tone {
    /// The class that the style sheet knows it by.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Good => "good",
            Self::Bad => "bad",
        }
    }
}

impl Row {
    pub(crate) fn new(cells: Vec<String>) -> Self {
        Self { cells, ..Self::default() }
    }
}

impl Table {
    /// A table without rows; titles that begin with `#` head columns of numbers.
    pub(crate) fn new(caption: &str, titles: &[&'static str]) -> Self {
        let column = |title: &&'static str| match title.strip_prefix('#') {
            Some(title) => Column { title, number: true },
            None => Column { title, number: false },
        };
        let columns = titles.iter().map(column).collect();
        Self { caption: caption.to_owned(), columns, rows: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Aligned lines, each at most `width` characters: what is over is cut from the last column if
    /// it holds words.
    pub(crate) fn text(&self, width: usize) -> String {
        let mut text = self.line(self.columns.iter().map(|column| column.title), width);
        let _ = writeln!(text, "{}", "─".repeat(self.used(width)));
        for row in &self.rows {
            text += &self.line(row.cells.iter().map(String::as_str), width);
            for note in &row.notes {
                let _ = writeln!(text, "{}", cut(&format!("    {}", printable(note)), width));
            }
        }
        text
    }

    /// A Markdown table.
    pub(crate) fn markdown(&self) -> String {
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            cells.fold(String::from("|"), |line, cell| line + " " + &plain_markdown(cell) + " |")
        };
        let mut text = line(&mut self.columns.iter().map(|column| column.title)) + "\n|";
        for column in &self.columns {
            text += if column.number { "---:|" } else { "---|" };
        }
        text.push('\n');
        for row in &self.rows {
            text += &line(&mut row.cells.iter().map(String::as_str));
            text.push('\n');
        }
        text
    }

    fn line<'a>(&self, cells: impl Iterator<Item = &'a str>, width: usize) -> String {
        let mut line = String::new();
        let widths = self.widths();
        for ((cell, column), wide) in cells.zip(&self.columns).zip(widths) {
            let cell = printable(cell);
            let gap = if line.is_empty() { "" } else { "  " };
            let _ = match column.number {
                true => write!(line, "{gap}{cell:>wide$}"),
                false => write!(line, "{gap}{cell:<wide$}"),
            };
        }
        cut(line.trim_end(), width) + "\n"
    }

    fn widths(&self) -> Vec<usize> {
        let wide = |(index, column): (usize, &Column)| {
            let cells = self.rows.iter().filter_map(|row| row.cells.get(index));
            let cells = cells.map(|cell| printable(cell).chars().count());
            cells.max().unwrap_or(0).max(column.title.chars().count())
        };
        self.columns.iter().enumerate().map(wide).collect()
    }

    fn used(&self, width: usize) -> usize {
        let widths = self.widths();
        (widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)).min(width)
    }
}

/// The text with everything that could command a terminal shown as a mark.
pub(crate) fn printable(text: &str) -> String {
    let safe = |c: char| match c {
        '\n' | '\r' | '\t' => ' ',
        // Turns of the writing direction can disguise what a line says.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    text.chars().map(safe).collect()
}

/// The text as Markdown that means nothing but itself.
pub(crate) fn plain_markdown(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in printable(text).chars() {
        if "\\`*_[]<>|#&".contains(c) {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}

fn cut(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let kept: String = line.chars().take(width.saturating_sub(1)).collect();
    kept.trim_end().to_owned() + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_right_and_words_left_and_long_lines_are_cut() {
        let mut table = Table::new("", &["Type", "#Count", "Message"]);
        table.rows.push(Row::new(vec!["New-Order".into(), "12".into(), "a long message".into()]));
        table.rows.push(Row::new(vec!["Pay".into(), "1,234".into(), "short".into()]));
        let text = table.text(28);
        assert_eq!(
            text,
            "Type       Count  Message\n────────────────────────────\n\
             New-Order     12  a long me…\nPay        1,234  short\n"
        );
    }

    #[test]
    fn terminal_commands_and_markdown_in_data_are_disarmed() {
        assert_eq!(printable("a\u{1b}[31mb\u{202e}\n"), "a\u{fffd}[31mb\u{fffd} ");
        assert_eq!(plain_markdown("<b>|*x*"), "\\<b\\>\\|\\*x\\*");
    }
}
