//! How the machine and what becomes of it are shown to a person.

use host::{
    check::{Item, State},
    tuning::{Back, BackFate, Fate, Place, Reverted, Step},
};
use report::text::Style;

/// Columns of a state and of a name.
const STATE: usize = 9;
const NAME: usize = 26;

/// What was looked at, group by group.
pub(super) fn items(items: &[Item], explain: bool, style: Style) -> String {
    let mut text = String::new();
    let mut group = "";
    for item in items {
        if item.group != group {
            group = item.group;
            text += &format!("{}\n", capital(group));
        }
        let (word, colour) = match item.state {
            State::Good => ("good", GREEN),
            State::Advice => ("advice", YELLOW),
            State::Absent => ("absent", DIM),
            State::Unknown => ("unknown", YELLOW),
        };
        text += &row(word, colour, &item.name, &item.value, style);
        let under = |words: &str| folded(words, STATE + 4, style);
        if !item.advice.is_empty() {
            text += &under(&item.advice);
        }
        let advised = item.state == State::Advice;
        match &item.setting {
            Some(setting) => text += &under(&format!("{setting}   ({})", item.source)),
            None if advised || explain => text += &under(&format!("({})", item.source)),
            None => {}
        }
    }
    let count = |state| items.iter().filter(|item| item.state == state).count();
    text + &format!(
        "\n{} good, {} advice, {} absent, {} unknown\n",
        count(State::Good),
        count(State::Advice),
        count(State::Absent),
        count(State::Unknown)
    )
}

/// What would be, or was, changed; the same of many places once.
pub(super) fn steps(steps: &[Step], style: Style) -> String {
    let shown = steps.iter().filter(|step| step.fate != Fate::Watched);
    let rows = shown.map(|step| {
        let (_, why) = fate(&step.fate);
        let (word, colour) = match &step.fate {
            Fate::Change => ("change", YELLOW),
            Fate::Changed => ("changed", GREEN),
            Fate::Already => ("already", DIM),
            Fate::Absent(_) => ("no-op", DIM),
            Fate::Refused(_) => ("refused", RED),
            Fate::Watched => ("watched", DIM),
        };
        let value = match (&step.fate, &step.old) {
            (Fate::Change | Fate::Changed, _) if is_act(step) => {
                "once, with no way back".to_owned()
            }
            (Fate::Change | Fate::Changed, Some(old)) => arrow(old, &step.wanted),
            (Fate::Already, Some(old)) => old.clone(),
            (Fate::Already, None) => step.wanted.clone(),
            _ => format!("{}: {}", step.wanted, why.unwrap_or("")),
        };
        (word, colour, step.key.clone(), value)
    });
    let rows: Vec<_> = rows.collect();
    let count = |word: &str| rows.iter().filter(|row| row.0 == word).count();
    let mut text = joined(&rows, style);
    text += &match (count("change"), count("changed"), count("refused")) {
        (0, 0, 0) => "\nNothing to change.\n".to_owned(),
        (0, changed, 0) => {
            format!("\n{changed} values changed. `myrig host revert` puts them back.\n")
        }
        (0, changed, refused) => format!(
            "\n{changed} values changed, {refused} refused. `myrig host revert` puts them back.\n"
        ),
        (change, ..) => format!("\n{change} values would be changed.\n"),
    };
    text
}

fn is_act(step: &Step) -> bool {
    step.place.as_ref().is_some_and(Place::is_act)
}

/// What was put back.
pub(super) fn reverted(reverted: Option<&Reverted>, style: Style) -> String {
    let Some(reverted) = reverted else {
        return "Nothing to put back.\n".to_owned();
    };
    let profile = &reverted.head.profile;
    if reverted.stale {
        return format!("`{profile}` was applied before the last boot, and is gone with it.\n");
    }
    // What was watched beside another value, and did not change, is nothing to tell.
    let is_told = |back: &&Back| {
        let is_untouched = back.old == back.wanted && back.fate == BackFate::AsBefore;
        back.fate != BackFate::Act && !is_untouched
    };
    let rows = reverted.backs.iter().filter(is_told).map(|back| {
        let found = back.found.as_deref().unwrap_or("");
        let (word, colour, value) = match &back.fate {
            BackFate::Restored => ("restored", GREEN, arrow(found, &back.old)),
            BackFate::AsBefore | BackFate::Act => ("as before", DIM, back.old.clone()),
            BackFate::Gone => ("gone", DIM, format!("{} is there no more", back.place)),
            BackFate::Foreign => {
                let value = format!("{found} is not ours ({}, before {})", back.wanted, back.old);
                ("left", YELLOW, value)
            }
            BackFate::Refused(why) => ("refused", RED, format!("{}: {why}", back.old)),
        };
        (word, colour, back.key.clone(), value)
    });
    let text = joined(&rows.collect::<Vec<_>>(), style);
    let is_foreign = |back: &Back| back.fate == BackFate::Foreign;
    text + &match (reverted.open, reverted.backs.iter().any(is_foreign)) {
        (true, true) => {
            "\nSomebody else has changed what is left since. `myrig host revert --force`\n\
                         puts it back as well, `--forget` leaves it for good.\n"
                .to_owned()
        }
        (true, false) => "\nNot everything could be put back; the journal is kept.\n".to_owned(),
        (false, _) => format!("\nThe machine is as it was before `{profile}`.\n"),
    }
}

/// A step's fate in a word of the schema, and why.
pub(super) fn fate(fate: &Fate) -> (&'static str, Option<&str>) {
    match fate {
        Fate::Change => ("change", None),
        Fate::Changed => ("changed", None),
        Fate::Already => ("already", None),
        Fate::Watched => ("watched", None),
        Fate::Absent(why) => ("absent", Some(why)),
        Fate::Refused(why) => ("refused", Some(why)),
    }
}

/// The fate of a value on its way back in a word of the schema, and why.
pub(super) fn back_fate(fate: &BackFate) -> (&'static str, Option<&str>) {
    match fate {
        BackFate::Restored => ("restored", None),
        BackFate::AsBefore => ("as-before", None),
        BackFate::Gone => ("gone", None),
        BackFate::Act => ("act", None),
        BackFate::Foreign => ("foreign", None),
        BackFate::Refused(why) => ("refused", Some(why)),
    }
}

const GREEN: &str = "32";
const YELLOW: &str = "33";
const RED: &str = "31";
const DIM: &str = "2";

type Row = (&'static str, &'static str, String, String);

/// Rows that say the same are one row, with how many they are.
fn joined(rows: &[Row], style: Style) -> String {
    let mut text = String::new();
    for same in rows.chunk_by(|one, other| one == other) {
        let (word, colour, name, value) = &same[0];
        let value = match same.len() {
            1 => value.clone(),
            many => format!("{value}   ({many} places)"),
        };
        text += &row(word, colour, name, &value, style);
    }
    text
}

fn row(word: &str, colour: &str, name: &str, value: &str, style: Style) -> String {
    let state = match style.colour {
        true => format!("\x1b[{colour}m{word:STATE$}\x1b[0m"),
        false => format!("{word:STATE$}"),
    };
    let value = folded(value, STATE + NAME + 4, style);
    format!("  {state} {name:NAME$} {}", value.trim_start())
}

fn arrow(old: &str, new: &str) -> String {
    let old = if old.is_empty() { "(empty)" } else { old };
    format!("{old} → {new}")
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    first + letters.as_str()
}

/// Lines of words that fit the width, each behind so many blanks. What comes from the machine is
/// made harmless to a terminal.
fn folded(words: &str, indent: usize, style: Style) -> String {
    let width = style.width.saturating_sub(indent).max(20);
    let mut lines = vec![String::new()];
    for word in words.split(' ') {
        let word: String = word.chars().filter(|c| !c.is_control()).collect();
        let line = lines.last_mut().map(|line| line.chars().count()).unwrap_or(0);
        match lines.last_mut() {
            Some(last) if line == 0 => *last = word,
            Some(last) if line + 1 + word.chars().count() <= width => *last += &format!(" {word}"),
            _ => lines.push(word),
        }
    }
    lines.iter().map(|line| format!("{:indent$}{}\n", "", line.trim_end())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: Style = Style { colour: false, width: 80 };

    fn step(key: &str, old: &str, wanted: &str, fate: Fate) -> Step {
        let (key, wanted) = (key.to_owned(), wanted.to_owned());
        Step { key, place: None, old: Some(old.to_owned()), wanted, fate }
    }

    #[test]
    fn the_same_of_many_places_is_one_line() {
        let governor = step("cpu.governor", "powersave", "performance", Fate::Changed);
        let absent = Fate::Absent("debugfs is not mounted".to_owned());
        let all = [
            governor.clone(),
            governor,
            step("vm.swappiness", "60", "1", Fate::Changed),
            step("scheduler.steal", "", "on", absent),
        ];
        let expected = "  changed   cpu.governor               powersave → performance   (2 places)
  changed   vm.swappiness              60 → 1
  no-op     scheduler.steal            on: debugfs is not mounted

3 values changed. `myrig host revert` puts them back.
";
        assert_eq!(steps(&all, STYLE), expected);
    }

    #[test]
    fn nothing_is_wider_than_the_terminal() {
        let item = Item {
            group: "memory",
            name: "dirty limit".to_owned(),
            state: State::Advice,
            value: "20 % of what is available, 93 GiB now, ".repeat(3),
            advice: "so much is written in one burst ".repeat(4),
            setting: Some("vm.dirty-bytes = 1073741824".to_owned()),
            source: "Linux Documentation/admin-guide/sysctl/vm.rst",
        };
        let text = items(&[item], true, STYLE);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("vm.dirty-bytes = 1073741824") && text.contains("sysctl/vm.rst"));
    }
}
