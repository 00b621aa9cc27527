//! Help in the layout of `my_getopt`, from the table of options.

use super::options::{self, Kind, Known, Settings};
use pages::Flavour;
use std::fmt::Write;

/// Where the words of an option begin.
const NAME_COLUMNS: usize = 22;
/// Columns for them.
const WORDS_COLUMNS: usize = 57;

/// myrig's own options, which the stock tools do not have.
const OWN: &str = "
Of myrig, beside those of the stock tool:
  --flavour=name      mysql or mariadb: whose command line this is. By default that
                      of the first file whose flags tell, otherwise mariadb.
  --jobs=#            Threads that check (default: all cores).
  --json              One JSON document on standard output instead of text.
";

/// The version, in one line.
pub(super) fn version(flavour: Flavour) -> String {
    let ours = env!("CARGO_PKG_VERSION");
    match flavour {
        Flavour::MySql => format!("innochecksum  Ver 9.7-compatible for Linux (myrig {ours})\n"),
        Flavour::MariaDb => {
            format!("innochecksum Ver 10.11-compatible, for Linux (myrig {ours})\n")
        }
    }
}

/// The whole help, with what the options are set to so far.
pub(super) fn text(flavour: Flavour, settings: &Settings) -> String {
    let usage = match flavour {
        Flavour::MySql => {
            "Usage: innochecksum [-c] [-s <start page>] [-e <end page>] [-p <page>] [-v]  \
             [-a <allow mismatches>] [-n] [-C <strict-check>] [-w <write>] [-S] \
             [-D <page type dump>] [-l <log>] <filename or [-]>\n\
             See http://dev.mysql.com/doc/refman/9.7/en/innochecksum.html for usage hints.\n"
        }
        Flavour::MariaDb => {
            "Usage: innochecksum [-c] [-r] [-s <start page>] [-e <end page>] [-p <page>] [-i] \
             [-v]  [-a <allow mismatches>] [-n] [-S] [-D <page type dump>] [-l <log>] [-l] \
             [-m <merge pages>] <filename or [-]>\n\
             See https://mariadb.com/docs/server/clients-and-utilities/administrative-tools/\
             innochecksum for usage hints.\n"
        }
    };
    let mut text = version(flavour);
    text.push_str("\nInnoDB offline file checksum utility.\n");
    text.push_str(usage);
    for known in options::all(flavour) {
        option(&mut text, known);
    }
    text.push_str(&variables(flavour, settings));
    text.push_str(OWN);
    text
}

/// What the options are set to: the end of the help, and what `--verbose` prints.
pub(super) fn variables(flavour: Flavour, settings: &Settings) -> String {
    let mut text = "\nVariables (--variable-name=value)\n\
         and boolean options {FALSE|TRUE}  Value (after reading options)\n\
         --------------------------------- ----------------------------------------\n"
        .to_owned();
    for known in options::all(flavour) {
        if let Some(value) = settings.shown(known) {
            let _never_fails = writeln!(text, "{:<34}{value}", known.name.replace('_', "-"));
        }
    }
    text
}

fn option(text: &mut String, known: &Known) {
    let mut head = match known.short {
        Some(short) => format!("  -{short}, "),
        None => "  ".to_owned(),
    };
    let value = match known.kind {
        Kind::Now | Kind::Flag => " ",
        Kind::Whole { .. } => "=# ",
        Kind::Text | Kind::Algorithm => "=name ",
    };
    head.push_str(&format!("--{}{value}", known.name.replace('_', "-")));
    let (head, words) = match head.len() > NAME_COLUMNS {
        true => (format!("{head}\n{:NAME_COLUMNS$}", ""), known.help),
        false => (format!("{head:NAME_COLUMNS$}"), known.help),
    };
    text.push_str(&head);
    text.push_str(&folded(words));
    text.push('\n');
}

/// Words in as many lines as they need, each but the first behind the column of names.
fn folded(words: &str) -> String {
    let (mut text, mut rest) = (String::new(), words);
    while rest.len() > WORDS_COLUMNS {
        let Some(space) = rest[..=WORDS_COLUMNS].rfind(' ') else { break };
        text.push_str(&rest[..space]);
        text.push_str(&format!("\n{:NAME_COLUMNS$}", ""));
        rest = &rest[space + 1..];
    }
    text + rest
}
