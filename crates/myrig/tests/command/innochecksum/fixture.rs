//! Real files of both flavours, and the two tools side by side.

use crate::support::{Rig, mysql_basedir};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
};

/// Whose tool it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flavour {
    MariaDb,
    MySql,
}

/// Data directories of servers that were shut down.
pub(super) struct Fixture {
    pub(super) rig: Rig,
}

/// Made once for all tests.
pub(super) static FIXTURE: LazyLock<Fixture> = LazyLock::new(Fixture::make);

/// The tables that are in each data directory.
const SQL: &str = "
    create database t;
    create table t.a(i int primary key, v varchar(200), w varchar(300), key(v)) engine=innodb;
    insert into t.a SEQ(3000, seq, repeat(char(65+seq%26),150), repeat(char(97+seq%26),250));
    delete from t.a where i between 200 and 1800;
    create table t.e(i int primary key) engine=innodb;
    create table t.b(i int primary key, t longtext) engine=innodb;
    insert into t.b SEQ(8, seq, repeat(sha2(seq,256),1500));
    create table t.r(i int primary key, v varchar(100)) engine=innodb row_format=redundant;
    insert into t.r SEQ(500, seq, repeat('x',80));
    create table t.z(i int primary key, v varchar(300)) engine=innodb row_format=compressed
        key_block_size=4;
    insert into t.z SEQ(2000, seq, repeat('z',280));
    create table t.c(i int primary key, v varchar(300)) engine=innodb COMPRESSED;
    insert into t.c SEQ(2000, seq, repeat('z',280));";

impl Fixture {
    fn make() -> Self {
        let fixture = Self { rig: Rig::new() };
        for (name, options) in [
            ("full", &["--innodb-checksum-algorithm=full_crc32"][..]),
            ("crc", &["--innodb-checksum-algorithm=crc32"]),
            ("small", &["--innodb-checksum-algorithm=crc32", "--innodb-page-size=4k"]),
        ] {
            fixture.bootstrap_mariadb(name, options);
        }
        if let Some(root) = mysql_basedir() {
            fixture.initialize_mysql(&root);
        }
        fixture
    }

    fn bootstrap_mariadb(&self, name: &str, options: &[&str]) {
        let dir = self.rig.dir().join(name);
        fs::create_dir(&dir).unwrap();
        let mut command = Command::new("mariadbd");
        command.args(["--no-defaults", "--bootstrap", "--user=root", "--innodb-log-file-size=4M"]);
        command.args(["--innodb-fast-shutdown=0", "--innodb-undo-tablespaces=2"]);
        command.arg(format!("--datadir={}", dir.display())).args(options);
        let mut server =
            command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("mariadbd");
        let select = "select VALUES from t.seq_1_to_COUNT";
        let sql = sql(select).replace("COMPRESSED;", "page_compressed=1;");
        server.stdin.take().unwrap().write_all(sql.as_bytes()).unwrap();
        let ended = server.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(ended.status.success(), "{said}");
        assert!(dir.join("t/c.ibd").exists(), "{said}");
    }

    fn initialize_mysql(&self, root: &Path) {
        let sql = sql(
            "with recursive s as (select 1 seq union all select seq+1 from s where seq<COUNT) \
             select VALUES from s",
        );
        // A list of statements, one a line.
        let file = self.rig.dir().join("init.sql");
        let sql = sql.replace("COMPRESSED;", "compression='zlib';");
        fs::write(&file, format!("set session cte_max_recursion_depth=5000;\n{sql}")).unwrap();
        let mut command = of_mysql(root, "sbin/mysqld");
        let usr = root.join("usr");
        command.args(["--no-defaults", "--initialize-insecure", "--user=root"]);
        command.arg(format!("--basedir={}", usr.display()));
        command.arg(format!("--lc-messages-dir={}", usr.join("share/mysql").display()));
        command.arg(format!("--datadir={}", self.rig.dir().join("mysql").display()));
        command.arg(format!("--init-file={}", file.display())).arg("--innodb-fast-shutdown=0");
        let ended = command.output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(ended.status.success(), "{said}");
        assert!(self.rig.dir().join("mysql/t/c.ibd").exists(), "{said}");
    }

    /// A file, by its path in the fixture.
    pub(super) fn file(&self, path: &str) -> PathBuf {
        self.rig.dir().join(path)
    }

    /// Tablespaces of a data directory, by their paths in the fixture.
    pub(super) fn tablespaces(&self, dir: &str) -> Vec<String> {
        let mut found = Vec::new();
        for below in [dir.to_owned(), format!("{dir}/t")] {
            for entry in fs::read_dir(self.rig.dir().join(&below)).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                let starts = ["ibdata", "undo"].iter().any(|start| name.starts_with(start));
                if starts || name.ends_with(".ibd") {
                    found.push(format!("{below}/{name}"));
                }
            }
        }
        found.sort();
        found
    }

    /// A copy of a file, changed, by its new path in the fixture.
    pub(super) fn copy(&self, path: &str, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut bytes = fs::read(self.file(path)).unwrap();
        change(&mut bytes);
        fs::write(self.file(name), bytes).unwrap();
        name.to_owned()
    }
}

/// `SEQ(COUNT, VALUES)` in the flavour's own words, one statement a line.
fn sql(select: &str) -> String {
    let mut text = String::new();
    for statement in SQL.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
        let statement = statement.split_whitespace().collect::<Vec<_>>().join(" ");
        match statement.split_once("SEQ(") {
            Some((head, rest)) => {
                let (count, values) = rest.split_once(", ").unwrap();
                let values = values.strip_suffix(')').unwrap();
                let select = select.replace("COUNT", count).replace("VALUES", values);
                text.push_str(&format!("{head}{select};\n"));
            }
            None => text.push_str(&format!("{statement};\n")),
        }
    }
    text
}

/// A program of MySQL 9, which runs by its own loader.
fn of_mysql(root: &Path, program: &str) -> Command {
    let libraries = fs::read_dir(root.join("usr/lib")).unwrap().map(|dir| dir.unwrap().path());
    let loaders = libraries.filter(|dir| dir.is_dir()).flat_map(|dir| fs::read_dir(dir).unwrap());
    let mut loaders = loaders.map(|file| file.unwrap().path());
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    let loader = loaders.find(|path| name(path).starts_with("ld-linux")).expect("a loader");
    let mut command = Command::new(&loader);
    command.arg("--library-path").arg(loader.parent().unwrap());
    command.arg(root.join("usr").join(program));
    command
}

/// What a tool did.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Done {
    /// None if it crashed.
    pub(super) status: Option<i32>,
    pub(super) out: String,
    pub(super) err: String,
    /// What it wrote into `o.log` and `o.dump`.
    pub(super) log: Option<String>,
    pub(super) dump: Option<String>,
}

/// Runs the stock tool; none where there is no MySQL.
pub(super) fn stock(flavour: Flavour, words: &[&str], stdin: Option<&str>) -> Option<Done> {
    match flavour {
        Flavour::MariaDb => Some(run(Command::new("innochecksum"), words, stdin)),
        Flavour::MySql => {
            let root = mysql_basedir()?;
            let mut done = run(of_mysql(&root, "bin/innochecksum"), words, stdin);
            // It calls itself by its whole path.
            let path = root.join("usr/bin/innochecksum").display().to_string();
            done.err = done.err.replace(&path, "innochecksum");
            done.out = done.out.replace(&path, "innochecksum");
            Some(done)
        }
    }
}

/// Runs ours, as the flavour says.
pub(super) fn ours(flavour: Flavour, words: &[&str], stdin: Option<&str>) -> Done {
    let flavour = match flavour {
        Flavour::MariaDb => "--flavour=mariadb",
        Flavour::MySql => "--flavour=mysql",
    };
    let command = FIXTURE.rig.command(&format!("innochecksum {flavour}"));
    run(command, words, stdin)
}

/// Runs a tool in the fixture's directory.
pub(super) fn run(mut command: Command, words: &[&str], stdin: Option<&str>) -> Done {
    let dir = tempfile::tempdir_in(FIXTURE.rig.dir()).unwrap();
    let own = |name: &str| dir.path().join(name);
    for word in words {
        match *word {
            "o.log" | "o.dump" => command.arg(own(word)),
            word => command.arg(word),
        };
    }
    let stdin = stdin
        .map_or_else(Stdio::null, |path| Stdio::from(fs::File::open(FIXTURE.file(path)).unwrap()));
    let done = command.current_dir(FIXTURE.rig.dir()).stdin(stdin).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let written = |name: &str| fs::read(own(name)).ok().map(text);
    Done {
        status: done.status.code(),
        // `--verbose` shows where the log goes.
        out: text(done.stdout).replace(&dir.path().display().to_string(), ""),
        err: text(done.stderr).replace(&dir.path().display().to_string(), ""),
        log: written("o.log"),
        dump: written("o.dump"),
    }
}

/// Holds what both tools do against each other. With a page of help its first lines, which name
/// the program, and those about myrig's own options are left out.
pub(super) fn compare(flavour: Flavour, line: &str, file: &str) {
    let words: Vec<&str> =
        line.split(' ').map(|word| if word == "F" { file } else { word }).collect();
    let stdin = words.contains(&"-").then_some(file);
    let Some(mut stock) = stock(flavour, &words, stdin) else { return };
    let mut ours = ours(flavour, &words, stdin);
    for done in [&mut stock, &mut ours] {
        let help = done.out.split_once("InnoDB offline file checksum utility.\n");
        let help = help.map(|(_, help)| help.split("\nOf myrig").next().unwrap().to_owned());
        done.out = help.unwrap_or_else(|| done.out.clone());
    }
    assert_eq!(ours, stock, "{flavour:?} innochecksum {line} with {file}");
}
