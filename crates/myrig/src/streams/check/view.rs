//! What `myrig streams check` shows a person: a line a layer, and the answer.

use super::layer::{Layer, Proof, Reach, outcome, verdict};
use report::text::{Style, paint};
use std::fmt::Write as _;

/// Columns of what becomes of the hint, and of a layer's name.
const HINT: usize = 8;
const PLACE: usize = 24;

const GREEN: &str = "32";
const RED: &str = "31";
const YELLOW: &str = "33";

/// The layers from the top, each with what becomes of a hint there, and the answer.
pub(super) fn text(what: &str, layers: &[Layer], style: Style) -> String {
    let mut text = format!("{what}\n\n");
    for layer in layers {
        let (word, colour) = match layer.hint {
            Reach::Passes => ("passes", GREEN),
            Reach::Stops => ("ends", RED),
            Reach::Unknown => ("unknown", YELLOW),
        };
        let word = paint(&format!("{word:HINT$}"), colour, style);
        let how = match layer.proof {
            Proof::Measured => " (measured)",
            Proof::Known => "",
        };
        let words = folded(&format!("{}{how}", layer.words), 2 + HINT + PLACE, style);
        let _ = writeln!(text, "  {word}{:PLACE$}{words}", layer.place());
    }
    let (_, decisive) = outcome(layers);
    let _ = writeln!(text, "\n{}", folded(&verdict(layers), 0, style));
    if let Some(remedy) = decisive.and_then(|layer| layer.remedy.as_ref()) {
        let _ = writeln!(text, "{}", folded(&format!("What would help: {remedy}."), 0, style));
    }
    text
}

/// Words in lines that fit beside so many columns, or below them where they are too narrow.
fn folded(words: &str, indent: usize, style: Style) -> String {
    let width = style.width.saturating_sub(indent).max(24);
    let mut lines: Vec<String> = vec![String::new()];
    for word in words.split(' ') {
        let last = lines.len() - 1;
        let line = &mut lines[last];
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join(&format!("\n{}", " ".repeat(indent)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_fits_a_terminal_of_80_columns() {
        let layers = [
            Layer::known("call", "fcntl", Reach::Passes, "the kernel takes and keeps it")
                .measured(),
            Layer::known("file system", "xfs", Reach::Passes, "puts it on its writes").measured(),
            Layer::known(
                "drive",
                "nvme0n1",
                Reach::Stops,
                "Linux 6.18 takes no hint of a file to an NVMe drive; and this drive offers no \
                 write streams (max_write_streams 0)",
            )
            .but("a drive with FDP"),
        ];
        let text = text("/data, xfs", &layers, Style { colour: false, width: 80 });
        insta::assert_snapshot!(text);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}
