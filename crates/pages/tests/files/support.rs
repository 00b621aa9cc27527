//! What the tests of this program share: files as pages, and verdicts in a word.

use disk::ScanOptions;
use pages::{
    Checker, Checksum, Place, Space, Verdict, checksum,
    file::walk,
    verify::{FileReport, Options, Report},
};
use std::{
    collections::BTreeMap,
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

/// A tablespace in memory.
pub(crate) struct Tablespace {
    /// What page 0 says of it.
    pub(crate) space: Space,
    /// The file.
    pub(crate) bytes: Vec<u8>,
}

impl Tablespace {
    /// Reads a file whose first page is page 0.
    pub(crate) fn read(path: &Path) -> Self {
        let bytes = fs::read(path).unwrap();
        let space = Space::of_page_zero(&bytes);
        let space = space.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { space, bytes }
    }

    /// What checks its pages.
    pub(crate) fn checker(&self) -> Checker {
        Checker { space: self.space }
    }

    /// Its pages with their places.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (Place, &[u8])> {
        let pages = self.bytes.chunks_exact(self.space.physical_bytes as usize);
        (0..).zip(pages).map(|(page, bytes)| (Place { page, space: Some(self.space.id) }, bytes))
    }
}

/// A verdict in a word or two.
pub(crate) fn word(verdict: &Verdict) -> String {
    let value = serde_json::to_value(verdict).unwrap();
    let more = ["reason", "damage"].iter().find_map(|field| match value.get(*field)? {
        serde_json::Value::String(text) => Some(text.clone()),
        nested => Some(nested.get("damage")?.as_str()?.to_owned()),
    });
    let verdict = value["verdict"].as_str().unwrap();
    more.map_or(verdict.to_owned(), |more| format!("{verdict} ({more})"))
}

/// How many pages there are of each verdict, in a line.
pub(crate) fn counts<'a>(verdicts: impl IntoIterator<Item = &'a Verdict>) -> String {
    let mut counts = BTreeMap::new();
    for verdict in verdicts {
        *counts.entry(word(verdict)).or_insert(0_u32) += 1;
    }
    let parts: Vec<String> = counts.iter().map(|(word, n)| format!("{n} {word}")).collect();
    parts.join(", ")
}

/// Verifies files and directories as if no server ran.
pub(crate) fn verify(paths: &[PathBuf]) -> Report {
    let options = ScanOptions::new(NonZeroUsize::new(2).unwrap());
    pages::verify::verify(walk(paths), &Options::default(), &options, &()).unwrap()
}

/// Damaged pages by verdict, in a line, and how many more than `before` cannot be verified; `clean`
/// if there are none.
pub(crate) fn damage(report: &Report, before: u64) -> String {
    let pages = |file: &FileReport| {
        file.bad.iter().map(|range| (word(&range.verdict), range.pages)).collect::<Vec<_>>()
    };
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for (word, pages) in report.files.iter().flat_map(pages) {
        *counts.entry(word).or_default() += pages;
    }
    let told: Vec<String> = counts.iter().map(|(word, n)| format!("{n} {word}")).collect();
    let failed = report.failed.iter().map(|failed| format!("failed: {}", failed.error));
    let opaque = report.totals.unverifiable.saturating_sub(before);
    let opaque = (opaque > 0).then(|| format!("{opaque} unverifiable"));
    let parts: Vec<String> = told.into_iter().chain(failed).chain(opaque).collect();
    if parts.is_empty() { "clean".into() } else { parts.join(", ") }
}

/// A newer version of a page that is stored as it is in memory, sealed as its format is.
pub(crate) fn newer(space: &Space, page: &[u8]) -> Vec<u8> {
    let (mut newer, end) = (page.to_vec(), page.len());
    let low = u32::from_be_bytes(newer[20..24].try_into().unwrap()).wrapping_add(77);
    newer[20..24].copy_from_slice(&low.to_be_bytes());
    newer[end / 3] ^= 0x55;
    match space.checksum {
        Checksum::FullCrc32 => {
            newer[end - 8..end - 4].copy_from_slice(&low.to_be_bytes());
            let sum = checksum::full_crc32(&newer);
            newer[end - 4..].copy_from_slice(&sum.to_be_bytes());
        }
        Checksum::Classic => {
            newer[end - 4..].copy_from_slice(&low.to_be_bytes());
            let sum = checksum::classic_crc32(&newer);
            newer[..4].copy_from_slice(&sum.to_be_bytes());
            newer[end - 8..end - 4].copy_from_slice(&sum.to_be_bytes());
        }
    }
    newer
}
