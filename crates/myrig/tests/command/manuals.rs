//! Help, shell completions and man pages.

use crate::support::Rig;
use std::{
    fs,
    io::Write,
    process::{Command, Stdio},
};

#[test]
fn help_and_version_are_no_errors() {
    let rig = Rig::new();
    let help = rig.run("--help").good();
    for words in ["demo", "tpcc", "server", "runs", "Exit status", "--home"] {
        assert!(help.out.contains(words), "`{words}` is not in {help}");
    }
    for line in ["help tpcc run", "tpcc run --help", "server init -h", "runs export --help"] {
        assert!(rig.run(line).good().out.contains("Usage: myrig"), "{line}");
    }
    assert!(rig.run("--version").good().out.starts_with("myrig "));
}

#[test]
fn completions_parse_in_their_shells() {
    let rig = Rig::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = rig.run(&format!("completions {shell}")).good().out;
        assert!(script.contains("--home") || script.contains("l home"), "{shell}: {script}");
        let mut parse = Command::new(shell);
        parse.arg("-n").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        match parse.spawn() {
            Ok(mut parser) => {
                parser.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
                let parsed = parser.wait_with_output().unwrap();
                let faults = String::from_utf8_lossy(&parsed.stderr);
                assert!(parsed.status.success() && faults.is_empty(), "{shell}: {faults}");
            }
            Err(_) => println!("SKIPPED: parsing of completions, because {shell} is not installed"),
        }
    }
}

#[test]
fn there_is_a_man_page_for_each_verb_and_groff_takes_it() {
    let rig = Rig::new();
    let pages = rig.dir().join("man");
    rig.run(&format!("man {}", pages.display())).good();
    for page in ["myrig.1", "myrig-demo.1", "myrig-tpcc-run.1", "myrig-server-init.1"] {
        let path = pages.join(page);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(".SH OPTIONS"), "{text}");
        let mut groff = Command::new("groff");
        match groff.args(["-man", "-Tutf8", "-ww"]).arg(&path).output() {
            Ok(shown) => {
                let faults = String::from_utf8_lossy(&shown.stderr);
                assert!(shown.status.success() && faults.is_empty(), "{page}: {faults}");
            }
            Err(_) => println!("SKIPPED: setting of man pages, because groff is not installed"),
        }
    }
}

#[test]
fn man_pages_that_cannot_be_written_are_named() {
    let rig = Rig::new();
    let file = rig.dir().join("file");
    fs::write(&file, "").unwrap();
    let words = [file.to_str().unwrap()];
    rig.run(&format!("man {}/man", file.display())).ends(3).says(&words);
}
