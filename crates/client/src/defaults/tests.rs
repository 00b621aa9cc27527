#![allow(clippy::unwrap_used)]
use super::*;
use crate::{options::Protocol, target::TlsMode};
use proptest::prelude::*;
use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt};

/// Files that exist only here.
struct Held(BTreeMap<PathBuf, Vec<u8>>);

impl Files for Held {
    fn read(&mut self, path: &Path) -> io::Result<Content> {
        if path.ends_with("open.cnf") {
            return Ok(Content::WorldWritable);
        }
        self.0.get(path).cloned().map(Content::Bytes).ok_or(io::ErrorKind::NotFound.into())
    }

    fn list(&mut self, dir: &Path) -> io::Result<Vec<PathBuf>> {
        let found: Vec<_> =
            self.0.keys().rev().filter(|path| path.parent() == Some(dir)).cloned().collect();
        if found.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { Ok(found) }
    }
}

fn parse_with(text: &str, others: &[(&str, &str)]) -> Result<DefaultsFile, DefaultsError> {
    let held = others.iter().map(|(path, text)| ((*path).into(), text.as_bytes().to_vec()));
    DefaultsFile::parse(Path::new("/my.cnf"), text.as_bytes(), &mut Held(held.collect()))
}

fn options(text: &str) -> Options {
    parse_with(text, &[]).unwrap().options
}

fn refusal(text: &str, others: &[(&str, &str)]) -> String {
    parse_with(text, others).unwrap_err().to_string()
}

#[test]
fn the_groups_of_clients_are_read_and_others_are_not() {
    let text = "[mysqld]\nuser=mysql\nport=1\n[client]\nuser=a\n[mysql]\ndatabase=x\n\
                [client-server]\nport=2\n[client-mariadb]\nsocket=/s\n[clients]\nhost=h\n";
    let expected = Options {
        user: Some("a".into()),
        port: Some(2),
        socket: Some("/s".into()),
        ..Options::default()
    };
    assert_eq!(options(text), expected);
}

#[test]
fn a_later_line_wins_but_our_own_group_wins_over_all() {
    assert_eq!(options("[client]\nuser=a\nuser=b\n").user.unwrap(), "b");
    let text = "[myrig]\nuser=mine\n[client]\nuser=a\nport=7\nskip-ssl\n";
    let options = options(text);
    assert_eq!((options.user.as_deref(), options.port), (Some("mine"), Some(7)));
    assert_eq!(options.tls_mode, Some(TlsMode::Disabled));
}

#[test]
fn protocol_decides_within_a_file() {
    let both = "[client]\nhost=localhost\nsocket=/s\n";
    assert_eq!(options(both).endpoints().unwrap()[0].to_string(), "localhost:3306");
    let socket = options(&format!("{both}protocol=socket\n"));
    assert_eq!(socket.protocol, Some(Protocol::Socket));
    assert_eq!(socket.endpoints().unwrap()[0].to_string(), "unix:/s");
}

#[test]
fn files_of_other_systems_are_read_too() {
    assert_eq!(options("\u{feff}[client]\r\nuser = a \r\n").user.unwrap(), "a");
    assert_eq!(options(""), Options::default());
}

#[test]
fn bytes_that_are_no_text_matter_only_where_they_are_used() {
    let parse = |text: &[u8]| DefaultsFile::parse(Path::new("f"), text, &mut Held([].into()));
    assert!(parse(b"# \xe9\n[\xff]\n\xff=\xff\n[client]\n\xfe\nprompt=\xff\n").is_ok());
    let error = parse(b"[client]\nuser=\xff\n").unwrap_err().to_string();
    assert!(error.starts_with("f:2: ") && error.contains("UTF-8"), "{error}");
}

#[test]
fn errors_name_file_and_line() {
    assert!(refusal("user=a\n", &[]).starts_with("/my.cnf:1: "));
    assert!(refusal("\n[client]\n\nport=x\n", &[]).starts_with("/my.cnf:4: "));
    assert!(refusal("[client\n", &[]).starts_with("/my.cnf:1: "));
    let inner = refusal("!include /b.cnf\n", &[("/b.cnf", "[client]\nport=x\n")]);
    assert!(inner.starts_with("/b.cnf:2: "), "{inner}");
}

#[test]
fn includes_are_read_in_place() {
    let others = [
        ("/d/2.cnf", "[client]\nuser=two\n"),
        ("/d/1.cnf", "[client]\nuser=one\nport=1\n"),
        ("/d/3.ini", "[client]\nuser=three\n"),
        ("/a.cnf", "[client]\nhost=a\n"),
    ];
    let text = "[client]\nuser=zero\n!includedir /d\n!include /a.cnf\ndatabase=d\n";
    let options = parse_with(text, &others).unwrap().options;
    assert_eq!(options.user.as_deref(), Some("two"));
    assert_eq!((options.port, options.hosts), (Some(1), vec!["a".to_owned()]));
    assert_eq!(options.database.as_deref(), Some("d"), "the group goes on after an include");
}

#[test]
fn a_file_may_be_included_twice_but_not_in_itself() {
    let twice = "!include /a.cnf\n!include /a.cnf\n";
    assert!(parse_with(twice, &[("/a.cnf", "[client]\nhost=a\n")]).is_ok());
    let error = refusal("!include /a.cnf\n", &[("/a.cnf", "\n!include /my.cnf\n")]);
    assert!(error.starts_with("/a.cnf:2: ") && error.contains("includes itself"), "{error}");
}

#[test]
fn includes_go_ten_deep_and_no_deeper() {
    let chain = |depth: usize| {
        let step = |n: usize| {
            let next = format!("!include /{}\n", n + 1);
            (format!("/{n}"), if n == depth { "[client]\nhost=h\n".into() } else { next })
        };
        let files: Vec<_> = (1..=depth).map(step).collect();
        let files: Vec<_> = files.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
        parse_with("!include /1\n", &files).map(|file| file.options.hosts)
    };
    assert_eq!(chain(10).unwrap(), ["h"]);
    assert!(chain(11).unwrap_err().to_string().contains("more than 10"));
}

#[test]
fn includes_that_multiply_are_stopped() {
    let level = |n: usize| (format!("/{n}"), format!("!include /{}\n", n + 1).repeat(8));
    let files: Vec<_> = (1..10).map(level).collect();
    let files: Vec<_> = files.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    assert!(refusal("!include /1\n", &files).contains("1000"));
}

#[test]
fn an_include_that_cannot_be_read_is_a_warning_and_a_missing_folder_an_error() {
    let file = parse_with("!include /no.cnf\n!include /open.cnf\n", &[]).unwrap();
    let shown: Vec<_> = file.warnings.iter().map(ToString::to_string).collect();
    assert!(shown[0].contains("/no.cnf") && shown[1].contains("chmod o-w"), "{shown:?}");
    assert!(refusal("!includedir /none\n", &[]).contains("/none"));
}

#[test]
fn real_files_are_read_unless_anybody_may_write_them() {
    let dir = tempfile::tempdir().unwrap();
    let (path, more) = (dir.path().join("my.cnf"), dir.path().join("d"));
    fs::create_dir(&more).unwrap();
    fs::write(more.join("a.cnf"), "[client]\nport=5\n").unwrap();
    fs::write(&path, format!("[client]\nuser=a\n!includedir {}\n", more.display())).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let file = DefaultsFile::read(&path).unwrap();
    assert_eq!((file.options.user.as_deref(), file.options.port), (Some("a"), Some(5)));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    let file = DefaultsFile::read(&path).unwrap();
    assert_eq!(file.options, Options::default());
    assert_eq!(file.warnings, [DefaultsWarning::WorldWritable(path)]);
}

#[test]
fn only_a_file_that_must_be_there_is_missed() {
    let path = Path::new("/nonexistent/my.cnf");
    assert_eq!(DefaultsFile::read_if_present(path).unwrap(), None);
    let error = DefaultsFile::read(path).unwrap_err().to_string();
    assert!(error.contains("/nonexistent/my.cnf"), "{error}");
    assert!(DefaultsFile::read(Path::new("/")).is_err());
    assert!(DefaultsFile::read(Path::new("/dev/zero")).is_err());
}

#[test]
fn passwords_do_not_show() {
    let file = parse_with("[client]\npassword=hunter2\n", &[]).unwrap();
    assert_eq!(file.options.password.as_ref().unwrap().expose(), "hunter2");
    assert!(!format!("{file:?}").contains("hunter2"));
    assert!(!refusal("[client]\npassword=\"hunter2\0\"\n", &[]).contains("hunter2"));
}

proptest! {
    #[test]
    fn any_bytes_give_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _answer = DefaultsFile::parse(Path::new("f"), &bytes, &mut Held([].into()));
    }

    #[test]
    fn any_lines_give_an_answer(
        lines in proptest::collection::vec(
            "(\\[client\\]|!include(dir)? ?/?[a-c]?|(port|ssl|password) ?=? ?[^\n]{0,9}|.{0,9})",
            0..12,
        ),
    ) {
        let text = lines.join("\n");
        let _answer = parse_with(&text, &[("/a", &text), ("/b", "!include /a")]);
    }

    #[test]
    fn any_password_can_be_written(password in "[^\\x00]{0,30}") {
        let escaped = password
            .replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n").replace('\r', r"\r");
        let found = options(&format!("[client]\npassword = \"{escaped}\" # end\n")).password;
        let found = found.unwrap();
        prop_assert_eq!(found.expose(), password);
    }
}
