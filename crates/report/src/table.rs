//! A table, however it is shown.

use std::fmt::Write as _;

/// A column of words is not made narrower than this, characters.
const NARROWEST: usize = 12;

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
    pub(crate) title: String,
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
    /// Explains the line above.
    pub(crate) part: bool,
    pub(crate) tone: Tone,
    /// The cell that the tone comes from.
    pub(crate) telling: usize,
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

    /// The row with a tone, for what the cell at `telling` says.
    pub(crate) fn toned(self, tone: Tone, telling: usize) -> Self {
        Self { tone, telling, ..self }
    }
}

impl Table {
    /// A table without rows; titles that begin with `#` head columns of numbers.
    pub(crate) fn new(caption: &str, titles: &[&str]) -> Self {
        let column = |title: &&str| match title.strip_prefix('#') {
            Some(title) => Column { title: title.to_owned(), number: true },
            None => Column { title: (*title).to_owned(), number: false },
        };
        let columns = titles.iter().map(column).collect();
        Self { caption: caption.to_owned(), columns, rows: Vec::new() }
    }

    /// The attribute, with a space before it, that `row` has in HTML.
    pub(crate) fn row_class(row: &Row) -> &'static str {
        match (row.total, row.part) {
            (true, _) => " class=\"total\"",
            (false, true) => " class=\"part\"",
            (false, false) => "",
        }
    }

    /// The attribute, with a space before it, that the cell at `index` of `row` has in HTML.
    pub(crate) fn class(&self, row: &Row, index: &usize) -> String {
        let number = self.columns.get(*index).is_some_and(|column| column.number);
        let tone = if *index == row.telling { row.tone.class() } else { "" };
        match (number, tone) {
            (false, "") => String::new(),
            (true, "") => " class=\"number\"".to_owned(),
            (false, tone) => format!(" class=\"{tone}\""),
            (true, tone) => format!(" class=\"number {tone}\""),
        }
    }

    /// The table without the column at `index`.
    pub(crate) fn without(mut self, index: usize) -> Self {
        self.columns.remove(index);
        for row in &mut self.rows {
            row.cells.remove(index);
        }
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Aligned lines with their tones. A last column of words is wrapped so that lines have at
    /// most `width` characters; numbers are never cut, so a table of numbers may be wider.
    pub(crate) fn lines(&self, width: usize) -> Vec<(Tone, String)> {
        let widths = self.widths(width);
        let used = widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
        let mut lines = Vec::new();
        let titles = Row::new(self.columns.iter().map(|c| c.title.clone()).collect());
        for line in self.row_lines(&titles, &widths) {
            lines.push((Tone::Plain, line));
        }
        lines.push((Tone::Plain, "─".repeat(used)));
        for row in &self.rows {
            let notes = row.notes.iter().map(|note| format!("    {}", printable(note)));
            let all = self.row_lines(row, &widths).into_iter().chain(notes);
            lines.extend(all.map(|line| (row.tone, line)));
        }
        lines
    }

    /// A Markdown table.
    pub(crate) fn markdown(&self) -> String {
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            cells.fold(String::from("|"), |line, cell| line + " " + &plain_markdown(cell) + " |")
        };
        let mut text = line(&mut self.columns.iter().map(|column| column.title.as_str())) + "\n|";
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

    /// A row as one line, or as several where its last cell is wrapped.
    fn row_lines(&self, row: &Row, widths: &[usize]) -> Vec<String> {
        let mut line = String::new();
        let mut more = Vec::new();
        for (index, (cell, column)) in row.cells.iter().zip(&self.columns).enumerate() {
            let wide = widths.get(index).copied().unwrap_or(0);
            let gap = if index == 0 { "" } else { "  " };
            let mut parts = wrapped(&printable(cell), wide).into_iter();
            let cell = parts.next().unwrap_or_default();
            let indent = " ".repeat(line.chars().count() + gap.len());
            more.extend(parts.map(|part| indent.clone() + &part));
            let _ = match column.number {
                true => write!(line, "{gap}{cell:>wide$}"),
                false => write!(line, "{gap}{cell:<wide$}"),
            };
        }
        let mut lines = vec![line.trim_end().to_owned()];
        lines.append(&mut more);
        lines
    }

    /// The columns' widths: what their cells need, but the last, if it holds words, what is left.
    fn widths(&self, width: usize) -> Vec<usize> {
        let wide = |(index, column): (usize, &Column)| {
            let cells = self.rows.iter().filter_map(|row| row.cells.get(index));
            let cells = cells.map(|cell| printable(cell).chars().count());
            cells.max().unwrap_or(0).max(column.title.chars().count())
        };
        let mut widths: Vec<usize> = self.columns.iter().enumerate().map(wide).collect();
        let before = widths.iter().rev().skip(1).map(|wide| wide + 2).sum::<usize>();
        if let (Some(last), Some(false)) =
            (widths.last_mut(), self.columns.last().map(|c| c.number))
        {
            *last = (*last).min(width.saturating_sub(before).max(NARROWEST));
        }
        widths
    }
}

/// The words in parts of at most `width` characters; a longer word is broken.
pub fn wrapped(words: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut parts = Vec::new();
    let mut part = String::new();
    for word in words.split_whitespace() {
        let mut rest: Vec<char> = word.chars().collect();
        let room = width.saturating_sub(part.chars().count() + usize::from(!part.is_empty()));
        if rest.len() > room && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        while rest.len() > width {
            parts.push(rest.drain(..width).collect());
        }
        if !part.is_empty() {
            part.push(' ');
        }
        part.extend(rest);
    }
    if !part.is_empty() || parts.is_empty() {
        parts.push(part);
    }
    parts
}

/// The text with everything that could command a terminal shown as a mark.
pub fn printable(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_right_and_words_left_and_long_messages_are_wrapped() {
        let mut table = Table::new("", &["Type", "#Count", "Message"]);
        table.rows.push(Row::new(vec![
            "New-Order".into(),
            "12".into(),
            "a message in words".into(),
        ]));
        table.rows.push(Row::new(vec!["Pay".into(), "1,234".into(), "short".into()]));
        let lines: Vec<String> = table.lines(32).into_iter().map(|(_, line)| line).collect();
        assert_eq!(
            lines,
            [
                "Type       Count  Message",
                "────────────────────────────────",
                "New-Order     12  a message in",
                "                  words",
                "Pay        1,234  short",
            ]
        );
    }

    #[test]
    fn numbers_are_never_cut() {
        let mut table = Table::new("", &["Type", "#Count"]);
        table.rows.push(Row::new(vec!["New-Order".into(), "123,456,789".into()]));
        assert_eq!(table.lines(10)[2].1, "New-Order  123,456,789");
    }

    #[test]
    fn words_are_wrapped_and_long_ones_broken() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("a abcdefghij b", 4), ["a", "abcd", "efgh", "ij b"]);
        assert_eq!(wrapped("", 4), [""]);
    }

    #[test]
    fn terminal_commands_and_markdown_in_data_are_disarmed() {
        assert_eq!(printable("a\u{1b}[31mb\u{202e}\n"), "a\u{fffd}[31mb\u{fffd} ");
        assert_eq!(plain_markdown("<b>|*x*"), "\\<b\\>\\|\\*x\\*");
    }
}
