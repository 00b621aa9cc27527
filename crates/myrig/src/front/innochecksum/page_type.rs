//! Pages by their types: the count of `--page-type-summary` and the lines of `--page-type-dump`.

use super::{
    index::{Indexes, Seen},
    tablespace::{Tablespace, u16_at, u32_at, u64_at},
};
use pages::Flavour;
use serde::Serialize;
use std::fmt::Write;

/// Types that have a line of their own in the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    Index,
    SdiIndex,
    Undo,
    Inode,
    InsertBufferFreeList,
    Allocated,
    InsertBufferBitmap,
    System,
    TransactionSystem,
    SpaceHeader,
    ExtentDescriptor,
    Blob,
    ZipBlob,
    ZipBlob2,
    SdiBlob,
    SdiZipBlob,
    Compressed,
    CompressedEncrypted,
    Other,
}

/// Rows, by their place in [`Counts`].
const ROWS: usize = Row::Other as usize + 1;

impl Row {
    /// By the number in the header.
    fn of(flavour: Flavour, number: u16) -> Self {
        let mysql = flavour == Flavour::MySql;
        match number {
            17855 => Self::Index,
            17853 if mysql => Self::SdiIndex,
            2 => Self::Undo,
            3 => Self::Inode,
            4 => Self::InsertBufferFreeList,
            0 => Self::Allocated,
            5 => Self::InsertBufferBitmap,
            6 => Self::System,
            7 => Self::TransactionSystem,
            8 => Self::SpaceHeader,
            9 => Self::ExtentDescriptor,
            10 => Self::Blob,
            11 => Self::ZipBlob,
            12 => Self::ZipBlob2,
            18 if mysql => Self::SdiBlob,
            19 if mysql => Self::SdiZipBlob,
            34354 if !mysql => Self::Compressed,
            37401 if !mysql => Self::CompressedEncrypted,
            _ => Self::Other,
        }
    }

    /// Its columns in the dump, tabs included; none for what the dump leaves out.
    fn dumped(self) -> Option<&'static str> {
        Some(match self {
            Self::Index => "Index page\t\t\t|",
            Self::SdiIndex => "SDI Index page\t\t\t|",
            Self::Undo => "Undo log page\t\t\t|",
            Self::Inode => "Inode page\t\t\t|",
            Self::InsertBufferFreeList => "Insert buffer free list page\t|",
            Self::Allocated => "Freshly allocated page\t\t|",
            Self::InsertBufferBitmap => "Insert Buffer Bitmap\t\t|",
            Self::System => "System page\t\t\t|",
            Self::TransactionSystem => "Transaction system page\t\t|",
            Self::SpaceHeader => "File Space Header\t\t|",
            Self::ExtentDescriptor => "Extent descriptor page\t\t|",
            Self::Blob => "BLOB page\t\t\t|",
            Self::SdiBlob => "SDI BLOB page\t\t\t|",
            Self::ZipBlob => "Compressed BLOB page\t\t|",
            Self::ZipBlob2 => "Subsequent Compressed BLOB page\t|",
            Self::SdiZipBlob => "Compressed SDI BLOB page\t|",
            Self::Compressed => "Page compressed page\t|",
            Self::CompressedEncrypted => "Page compressed encrypted page\t|",
            Self::Other => return None,
        })
    }

    /// What the summary calls it, and what JSON does.
    fn counted(self) -> (&'static str, &'static str) {
        match self {
            Self::Index => ("Index page", "index"),
            Self::SdiIndex => ("SDI Index page", "sdi_index"),
            Self::Undo => ("Undo log page", "undo_log"),
            Self::Inode => ("Inode page", "inode"),
            Self::InsertBufferFreeList => {
                ("Insert buffer free list page", "insert_buffer_free_list")
            }
            Self::Allocated => ("Freshly allocated page", "freshly_allocated"),
            Self::InsertBufferBitmap => ("Insert buffer bitmap", "insert_buffer_bitmap"),
            Self::System => ("System page", "system"),
            Self::TransactionSystem => ("Transaction system page", "transaction_system"),
            Self::SpaceHeader => ("File Space Header", "file_space_header"),
            Self::ExtentDescriptor => ("Extent descriptor page", "extent_descriptor"),
            Self::Blob => ("BLOB page", "blob"),
            Self::ZipBlob => ("Compressed BLOB page", "compressed_blob"),
            Self::ZipBlob2 => ("Subsequent Compressed BLOB page", "subsequent_compressed_blob"),
            Self::SdiBlob => ("SDI BLOB page", "sdi_blob"),
            Self::SdiZipBlob => ("Compressed SDI BLOB page", "compressed_sdi_blob"),
            Self::Compressed => ("Page compressed page", "page_compressed"),
            Self::CompressedEncrypted => {
                ("Page compressed encrypted page", "page_compressed_encrypted")
            }
            Self::Other => ("Other type of page", "other"),
        }
    }
}

/// The rows of a flavour's summary, in their order.
fn rows(flavour: Flavour) -> Vec<Row> {
    let head = [Row::Index];
    let tail = [
        Row::Undo,
        Row::Inode,
        Row::InsertBufferFreeList,
        Row::Allocated,
        Row::InsertBufferBitmap,
        Row::System,
        Row::TransactionSystem,
        Row::SpaceHeader,
        Row::ExtentDescriptor,
        Row::Blob,
        Row::ZipBlob,
    ];
    let (sdi, own): (&[Row], &[Row]) = match flavour {
        Flavour::MySql => (&[Row::SdiIndex], &[Row::ZipBlob2, Row::SdiBlob, Row::SdiZipBlob]),
        Flavour::MariaDb => (&[], &[Row::Compressed, Row::CompressedEncrypted]),
    };
    let parts = [&head[..], sdi, &tail, own, &[Row::Other]];
    parts.concat()
}

/// How many pages there are of each type.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    types: [u64; ROWS],
    undo: Undo,
}

/// Undo log pages by their type and state.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Undo {
    insert: u64,
    update: u64,
    active: u64,
    cached: u64,
    to_free: u64,
    to_purge: u64,
    prepared: u64,
    other: u64,
}

/// What else is known while a page is looked at.
pub(super) struct Around<'a> {
    pub(super) flavour: Flavour,
    pub(super) tablespace: &'a Tablespace,
    /// The page of extent descriptors that the page belongs to.
    pub(super) descriptors: &'a [u8],
    /// The version of the key, if MariaDB's tablespace is encrypted.
    pub(super) is_encrypted: bool,
    pub(super) number: u32,
    /// It stands where the doublewrite area used to be, and the stock tools take it for a copy.
    pub(super) is_doublewrite: bool,
    /// MariaDB's tool dumps it like such a one, since it does not check it either: it is
    /// compressed.
    pub(super) is_marked: bool,
    pub(super) skip_freed: bool,
}

/// What the dump and the details say of a page.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) dump: String,
    pub(super) details: String,
}

impl Counts {
    /// Counts a page, and says what the dump and the details do.
    pub(super) fn add(&mut self, around: &Around<'_>, page: &[u8], indexes: &mut Indexes) -> Lines {
        let Around { flavour, number, .. } = *around;
        let mut lines = Lines::default();
        let row = Row::of(flavour, u16_at(page, 24));
        let carried = u32_at(page, 4);
        let is_free = around.tablespace.is_free(around.descriptors, carried);
        if around.skip_freed && (is_free || around.is_doublewrite) {
            return lines;
        }
        self.types[row as usize] += 1;
        let Some(columns) = row.dumped() else { return lines };
        let is_marked = around.is_doublewrite || around.is_marked;
        let mark = if is_marked { "Double_write_buffer" } else { "-" };
        let dump = &mut lines.dump;
        let head = match flavour {
            Flavour::MySql => format!("#::{number:8}\t\t|\t\t"),
            Flavour::MariaDb => format!("#::{number}\t\t|\t\t"),
        };
        *dump = head.clone() + columns;
        match row {
            Row::Index if around.is_encrypted => {
                let version = u32_at(page, 26);
                *dump = format!("{head}Encrypted Index page\t\t\t|\tkey_version {version},{mark}");
            }
            Row::Index | Row::SdiIndex => {
                let seen = Seen::of(page);
                let _never_fails = write!(
                    dump,
                    "\tindex id={}, page level={}, No. of records={}, garbage={}, {mark}",
                    u64_at(page, 66),
                    u16_at(page, 64),
                    seen.records,
                    u16_at(page, 46)
                );
                if flavour == Flavour::MariaDb {
                    lines.details = seen.line();
                    indexes.add(&seen, is_free, around.tablespace.space().logical_bytes);
                }
            }
            Row::Undo => self.undo.add(flavour, page, dump, mark),
            _ => {
                let _never_fails = write!(dump, "\t{mark}");
            }
        }
        lines.dump.push('\n');
        lines
    }

    /// The summary of one file, in the layout of its flavour.
    pub(super) fn summary(&self, flavour: Flavour) -> String {
        let mut text = "\n================PAGE TYPE SUMMARY==============\n\
             #PAGE_COUNT\tPAGE_TYPE\
             \n===============================================\n"
            .to_owned();
        for row in rows(flavour) {
            let name = row.counted().0;
            let _never_fails = writeln!(text, "{:8}\t{name}", self.types[row as usize]);
        }
        let Undo { insert, update, active, cached, to_free, to_purge, prepared, other } = self.undo;
        let all = self.types[Row::Undo as usize];
        text.push_str(match flavour {
            Flavour::MySql => "",
            Flavour::MariaDb => "\n",
        });
        text.push_str("===============================================\n");
        text.push_str("Additional information:\n");
        let (kinds, to_free) = match flavour {
            // Upstream has a counter for other pages and never counts with it.
            Flavour::MySql => (
                format!("{insert} insert, {update} update, 0 other"),
                format!(" {to_free} to_free,"),
            ),
            Flavour::MariaDb => (all.to_string(), String::new()),
        };
        text + &format!(
            "Undo page type: {kinds}\n\
             Undo page state: {active} active, {cached} cached,{to_free} {to_purge} to_purge, \
             {prepared} prepared, {other} other\n"
        )
    }

    /// The same for a program.
    pub(super) fn json(&self, flavour: Flavour) -> serde_json::Value {
        let types = rows(flavour).into_iter();
        let types: serde_json::Map<_, _> = types
            .map(|row| (row.counted().1.to_owned(), self.types[row as usize].into()))
            .collect();
        serde_json::json!({ "pages": types, "undo": self.undo })
    }
}

impl Undo {
    /// Counts an undo log page, and adds what the dump says of it.
    fn add(&mut self, flavour: Flavour, page: &[u8], dump: &mut String, mark: &str) {
        if flavour == Flavour::MySql {
            match u16_at(page, 38) {
                1 => {
                    self.insert += 1;
                    dump.push_str("\tInsert Undo log page");
                }
                2 => {
                    self.update += 1;
                    dump.push_str("\tUpdate undo log page");
                }
                _ => {}
            }
        }
        let mysql = flavour == Flavour::MySql;
        let (count, words) = match u16_at(page, 56) {
            1 => (&mut self.active, ", Undo log of an active transaction"),
            2 => (&mut self.cached, ", Page is cached for quick reuse"),
            3 if mysql => (&mut self.to_free, ", Insert undo segment that can be freed"),
            4 => {
                (&mut self.to_purge, ", Will be freed in purge when all undodata in it is removed")
            }
            5 => (&mut self.prepared, ", Undo log of an prepared transaction"),
            6 | 7 if mysql => (&mut self.prepared, ", Undo log of an prepared transaction"),
            _ => (&mut self.other, ""),
        };
        *count += 1;
        dump.push_str(words);
        let _never_fails = write!(dump, ", {mark}");
    }
}
