//! What `myrig streams check` shows a person: a line a layer, and the answer.

use super::layer::{Layer, Proof, Reach, outcome, verdict};
use report::text::{Style, paint, printable, wrapped};
use std::fmt::Write as _;

/// Columns of what becomes of the hint, and of a layer's name.
const HINT: usize = 8;
const PLACE: usize = 24;

const GREEN: &str = "32";
const RED: &str = "31";
const YELLOW: &str = "33";

/// The layers from the top, each with what becomes of a hint there, and the answer.
pub(super) fn text(what: &str, layers: &[Layer], style: Style) -> String {
    let mut text = format!("{}\n\n", folded(what, 0, style));
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
        let mut place = printable(&layer.place());
        if place.chars().count() >= PLACE {
            // A long name has a line of its own.
            place += &format!("\n{}", " ".repeat(2 + HINT + PLACE));
        }
        let _ = writeln!(text, "  {word}{place:PLACE$}{words}");
    }
    let (_, decisive) = outcome(layers);
    let _ = writeln!(text, "\n{}", folded(&verdict(layers), 0, style));
    if let Some(remedy) = decisive.and_then(|layer| layer.remedy.as_ref()) {
        let _ = writeln!(text, "{}", folded(&format!("What would help: {remedy}."), 0, style));
    }
    text
}

/// Words in lines that fit beside so many columns.
fn folded(words: &str, indent: usize, style: Style) -> String {
    let lines = wrapped(&printable(words), style.width.saturating_sub(indent).max(24));
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

    #[test]
    fn names_of_any_kind_fit_and_do_nothing_to_the_terminal() {
        let file = format!("writes to the file /\u{1b}[2J{} without the hint", "long".repeat(60));
        let kind = "fuse.a-file-system-with-a-long-name";
        let layers = [
            Layer::known("file system", kind, Reach::Passes, "passes it on"),
            Layer::known("device", "loop0", Reach::Stops, file).but("a\tdrive"),
        ];
        let what = format!("files below /\u{1b}]0;x\u{7}\n{}", "d".repeat(200));
        let text = text(&what, &layers, Style { colour: false, width: 80 });
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        let below = format!("  passes  file system {kind}\n{:34}passes it on\n", "");
        assert!(text.contains(&below), "{text}");
    }
}
