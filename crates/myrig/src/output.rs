//! What a person or a program sees: tables and bars on a terminal, JSON where asked for.

use crate::{args::Colour, failure::Failure};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use report::text::{Style, printable};
use serde::Serialize;
use serde_json::json;
use std::{
    env,
    io::{self, IsTerminal, Write},
    time::Duration,
};

/// Where results and progress go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    json: bool,
    colour: bool,
    width: usize,
    progress: bool,
}

impl Output {
    /// Asks the terminal what it can do.
    pub(crate) fn of_terminal(json: bool, colour: Colour) -> Self {
        let terminal = io::stdout().is_terminal();
        let colour = match colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => terminal && env::var_os("NO_COLOR").is_none(),
        };
        let width = match rustix::termios::tcgetwinsize(io::stdout()) {
            Ok(size) if size.ws_col >= 40 => usize::from(size.ws_col),
            _ => 100,
        };
        Self { json, colour, width, progress: io::stderr().is_terminal() }
    }

    /// True when standard output is for a program.
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// How the text reports look here.
    pub(crate) fn style(&self) -> Style {
        Style { colour: self.colour, width: self.width }
    }

    /// A result: `value` for a program, `text` for a person.
    pub(crate) fn result(&self, value: &impl Serialize, text: &str) -> Result<(), Failure> {
        if self.json {
            self.write(&(serde_json::to_string_pretty(value)? + "\n"))
        } else {
            self.write(text)
        }
    }

    /// Bytes on standard output, as they are. A reader that has seen enough is no failure.
    pub(crate) fn write(&self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// A remark for a person, beside the result.
    pub(crate) fn note(&self, text: &str) {
        let _unheard = writeln!(io::stderr().lock(), "{text}");
    }

    /// Why the command failed.
    pub(crate) fn failure(&self, failure: &Failure) {
        if self.json {
            let status = failure.status.code();
            let value = json!({
                "schema": "myrig.error/1", "status": status, "error": failure.to_string()
            });
            // Standard error says the same where this cannot be written.
            let _unheard = self.result(&value, "");
        }
        // It may name files, which may be called anything.
        let text = failure.to_string();
        let lines: Vec<String> = text.lines().map(printable).collect();
        self.note(&format!("myrig: {}", lines.join("\n")));
    }

    /// A progress bar of `length` steps on a terminal; without one, nothing is shown.
    /// `template` is indicatif's.
    pub(crate) fn bar(&self, length: u64, template: &str) -> ProgressBar {
        let target = match self.progress {
            true => ProgressDrawTarget::stderr_with_hz(5),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(length), target);
        // A template is a constant of ours; a wrong one shows as indicatif's own bar.
        let style = ProgressStyle::with_template(template);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("━╸ "));
        bar
    }

    /// A place for several bars, one below the other; nothing is shown without a terminal.
    pub(crate) fn bars(&self) -> MultiProgress {
        MultiProgress::with_draw_target(match self.progress {
            true => ProgressDrawTarget::stderr_with_hz(5),
            false => ProgressDrawTarget::hidden(),
        })
    }

    /// The same without progress, for one of several that are at work side by side.
    pub(crate) fn without_progress(self) -> Self {
        Self { progress: false, ..self }
    }

    /// A sign of life while something of unknown length goes on.
    pub(crate) fn spinner(&self, message: &str) -> ProgressBar {
        let bar = self.bar(0, "{spinner} {msg} {elapsed}");
        bar.set_message(message.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }
}
