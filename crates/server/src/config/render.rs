//! The option file of a translation.

use super::{
    fate::{Fate, FateKind},
    translation::Translation,
};

/// How wide a comment may be, in columns.
const WIDTH: usize = 80;

impl Translation {
    /// The option file. With `explain`, each setting has above it what it was and why it is not
    /// that any more, and what was not carried over stands at the end.
    pub fn render(&self, explain: bool) -> String {
        let from = self.from.map(|from| format!(", from {from}")).unwrap_or_default();
        let mut lines = vec![format!("# For {}{from}.", self.target), "[mysqld]".to_owned()];
        for setting in &self.settings {
            if explain {
                let is_of = |fate: &&Fate| fate.carried_by.contains(&setting.name);
                for fate in self.fates.iter().filter(is_of).filter(|fate| fate.has_more_to_say()) {
                    comment(&mut lines, &fate.sentence());
                }
            }
            lines.push(setting.line());
        }
        if explain {
            self.explain_the_rest(&mut lines);
        }
        lines.push(String::new());
        lines.join("\n")
    }

    fn explain_the_rest(&self, lines: &mut Vec<String>) {
        let gone: Vec<_> = self.fates.iter().filter(|fate| fate.carried_by.is_empty()).collect();
        if !gone.is_empty() {
            lines.extend([String::new(), "# Not carried over:".to_owned()]);
            for fate in gone {
                comment(lines, &fate.sentence());
            }
        }
        if !self.differing.is_empty() {
            lines.extend([String::new(), "# Not set, and other defaults than before:".to_owned()]);
            for differs in &self.differing {
                let (before, now) = (shown(&differs.before), shown(&differs.now));
                comment(lines, &format!("{}: {before} before, {now} now", differs.name));
            }
        }
    }
}

impl Fate {
    /// What became of the setting, as one sentence without its full stop.
    pub fn sentence(&self) -> String {
        let given = self.given.text();
        let why = match self.why.is_empty() {
            true => String::new(),
            false => format!(": {}", self.why.join("; ")),
        };
        let source = self.source.as_deref().and_then(|source| source.split(' ').next());
        let source = source.filter(|_| self.kind != FateKind::Kept);
        let source = source.map(|source| format!(" [{}]", shorter(source))).unwrap_or_default();
        format!("{given} ({}){why}{source}", self.kind.word())
    }

    fn has_more_to_say(&self) -> bool {
        self.kind != FateKind::Kept || !self.why.is_empty()
    }
}

/// A value that can be seen, and broken between the members of a list.
fn shown(value: &str) -> String {
    if value.is_empty() { "nothing".to_owned() } else { value.replace(',', ", ") }
}

/// The sources of a row are many; the last one is the closest to what changed.
fn shorter(source: &str) -> &str {
    source.rsplit([',', ':']).next().filter(|_| source.contains(',')).unwrap_or(source)
}

/// A comment, broken between words.
fn comment(lines: &mut Vec<String>, text: &str) {
    let mut line = String::from("#");
    for word in text.split(' ') {
        if line.chars().count() + 1 + word.chars().count() > WIDTH && line.len() > 3 {
            lines.push(std::mem::replace(&mut line, "#  ".to_owned()));
        }
        line.push(' ');
        line.push_str(word);
    }
    lines.push(line);
}
