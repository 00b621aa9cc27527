//! One pass of a tool over a file. The two that verify are both run as programs of their own, so
//! that what it takes to start them counts for both.

use super::{PagesArgs, Tool, files::DataFile};
use crate::failure::Failure;
use anyhow::Context;
use disk::{Block, Direct, Head, Input, Scan, ScanOptions, Step};
use serde_json::Value;
use server::Installation;
use std::{
    env, io,
    process::{Command, Output, Stdio},
    sync::{Mutex, PoisonError},
    thread,
};

/// The stock program's name.
pub(in crate::experiment) const INNOCHECKSUM: &str = "innochecksum";

/// Verdicts of `myrig pages verify` that are damage.
const DAMAGE: [&str; 3] = ["torn", "misdirected", "bad"];

/// Examples of damage that are kept.
const EXAMPLES: usize = 5;

/// What a pass found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pass {
    /// Pages that were looked at; 0 by a tool that looks at none.
    pub(super) pages: u64,
    /// Pages that are damaged.
    pub(super) bad: u64,
    /// What was said of the first few.
    pub(super) examples: Vec<String>,
}

impl Pass {
    /// Another file of the same pass.
    pub(super) fn add(&mut self, other: Self) {
        self.pages += other.pages;
        self.bad += other.bad;
        let room = EXAMPLES.saturating_sub(self.examples.len());
        self.examples.extend(other.examples.into_iter().take(room));
    }
}

/// Reads a file as asked for.
///
/// # Errors
/// The tool cannot be run, or says something else than what pages are like.
pub(super) fn read(
    args: &PagesArgs,
    installation: &Installation,
    file: &DataFile,
) -> Result<Pass, Failure> {
    match args.tool {
        Tool::Stock => stock(args, installation, file),
        Tool::Myrig => ours(args, file),
        Tool::Limit => limit(args, file),
    }
}

/// Name and version of a tool, as it says them; empty where it does not.
pub(super) fn program(tool: Tool, installation: &Installation) -> String {
    let ours = format!("myrig {}", env!("CARGO_PKG_VERSION"));
    if tool != Tool::Stock {
        return ours;
    }
    let asked = installation.companion_command(INNOCHECKSUM);
    let said = asked.and_then(|mut command| command.arg("--version").output().ok());
    let said = said.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let line = said.as_deref().and_then(|said| said.lines().next()).unwrap_or_default();
    // MySQL's begins with its path.
    line.find(INNOCHECKSUM).map_or("", |at| &line[at..]).to_owned()
}

fn stock(args: &PagesArgs, installation: &Installation, file: &DataFile) -> Result<Pass, Failure> {
    let command = installation.companion_command(INNOCHECKSUM);
    let mut command = command.context("the server has no innochecksum beside it")?;
    command.args(&args.stock_options).arg(&file.path);
    let output = ended(command, INNOCHECKSUM)?;
    let said = String::from_utf8_lossy(&output.stderr);
    let mut pass = Pass { pages: file.bytes / file.page_bytes, ..Pass::default() };
    if output.status.success() {
        return Ok(pass);
    }
    // It ends at the first page that is damaged: `Fail: page 4 invalid`.
    let failed: Vec<&str> = said.lines().filter(|line| line.contains("Fail")).collect();
    if failed.is_empty() {
        let path = file.path.display();
        return Err(anyhow::anyhow!("{INNOCHECKSUM} {path}: {}", said.trim()).into());
    }
    pass.bad = failed.len() as u64;
    pass.examples = failed.into_iter().take(EXAMPLES).map(str::to_owned).collect();
    Ok(pass)
}

fn ours(args: &PagesArgs, file: &DataFile) -> Result<Pass, Failure> {
    let myrig = env::current_exe().context("finding the program that this is")?;
    let mut command = Command::new(myrig);
    command.args(["pages", "verify", "--json"]);
    if let Some(jobs) = args.jobs {
        command.arg(format!("--jobs={jobs}"));
    }
    command.arg(&file.path);
    let output = ended(command, "myrig pages verify")?;
    let value: Result<Value, _> = serde_json::from_slice(&output.stdout);
    match (output.status.code(), value) {
        (Some(0 | 1), Ok(value)) => Ok(told(&value)),
        _ => {
            let (path, said) = (file.path.display(), String::from_utf8_lossy(&output.stderr));
            Err(anyhow::anyhow!("myrig pages verify {path}: {}", said.trim()).into())
        }
    }
}

/// What `myrig pages verify --json` says, in numbers and in its first words on what is bad.
fn told(value: &Value) -> Pass {
    let counts = value["totals"].as_object().into_iter().flatten();
    let counts: Vec<(&String, u64)> =
        counts.filter_map(|(name, count)| Some((name, count.as_u64()?))).collect();
    let is_bad = |name: &str| DAMAGE.contains(&name);
    let sum = |wanted: &dyn Fn(&str) -> bool| {
        counts.iter().filter(|(name, _)| wanted(name)).map(|(_, count)| count).sum()
    };
    let named = counts.iter().filter(|(name, count)| is_bad(name) && *count > 0);
    Pass {
        pages: sum(&|_| true),
        bad: sum(&is_bad),
        examples: named.map(|(name, count)| format!("{count} pages are {name}")).collect(),
    }
}

/// Runs a program to its end, its words kept.
fn ended(mut command: Command, name: &str) -> Result<Output, Failure> {
    let output = command.stdin(Stdio::null()).output();
    Ok(output.with_context(|| format!("running {name}"))?)
}

/// Reads the file past the page cache with our reader, looking at nothing.
fn limit(args: &PagesArgs, file: &DataFile) -> Result<Pass, Failure> {
    let jobs = args.jobs.or_else(|| thread::available_parallelism().ok());
    let jobs = jobs.unwrap_or(std::num::NonZeroUsize::MIN);
    let options = ScanOptions { direct: Direct::Always, ..ScanOptions::new(jobs) };
    let reader = Reader::default();
    let reading = || format!("reading {}", file.path.display());
    disk::scan(vec![Input { path: file.path.clone(), id: 0 }], &options, &reader)
        .with_context(reading)?;
    let failed = reader.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    match failed {
        Some(error) => Err(anyhow::Error::from(error).context(reading()).into()),
        None => Ok(Pass::default()),
    }
}

/// A scan that looks at nothing; what it keeps is the first error.
#[derive(Default)]
struct Reader(Mutex<Option<io::Error>>);

impl Reader {
    fn keep(&self, error: io::Error) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

impl Scan for Reader {
    type Plan = ();
    type Tally = ();

    fn plan(&self, _head: &Head<'_>) -> Step<()> {
        Step::Read(())
    }

    fn block(&self, _plan: &(), _block: Block<'_>, _tally: &mut ()) {}

    fn unreadable(
        &self,
        _plan: &(),
        _offset: u64,
        _bytes: u64,
        error: &io::Error,
        _tally: &mut (),
    ) {
        self.keep(io::Error::new(error.kind(), error.to_string()));
    }

    fn join(&self, _into: &mut (), _other: ()) {}

    fn done(&self, _input: &Input, _plan: (), _tally: ()) {}

    fn refused(&self, _input: &Input, error: io::Error) {
        self.keep(error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_our_own_verifier_says_is_counted() {
        let counts = json!({ "ok": 90, "empty": 7, "freed": 0, "torn": 1, "bad": 2 });
        let pass = told(&json!({ "totals": counts }));
        assert_eq!((pass.pages, pass.bad), (100, 3));
        assert_eq!(pass.examples, ["2 pages are bad", "1 pages are torn"]);
    }
}
