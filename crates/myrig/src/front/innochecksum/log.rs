//! What `--log` writes of a page, and what MySQL's `--strict-check` says of one that carries
//! another checksum than was asked for. Verdicts are made elsewhere.

use super::{
    options::Algorithm,
    tablespace::{Tablespace, is_zero, u16_at, u32_at, u64_at},
};
use pages::checksum;
use std::fmt::Write;

/// What stands in both fields of a page without a checksum.
const NO_CHECKSUM: u32 = 0xDEAD_BEEF;

/// What MySQL's tool says of a page while it looks at it.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) log: String,
    /// On standard error.
    pub(super) warning: Option<String>,
}

/// MySQL's words. `number` is the page's by its place.
pub(super) fn mysql(
    tablespace: &Tablespace,
    strict: Option<Algorithm>,
    number: u64,
    page: &[u8],
) -> Said {
    let mut said = Said::default();
    let lsn = u32_at(page, 20);
    let is_zip = tablespace.space().zip;
    if !is_zip {
        let trailer = u32_at(page, page.len() - 4);
        let _never_fails = writeln!(
            said.log,
            "page::{number}; log sequence number:first = {lsn}; second = {trailer}"
        );
        if lsn != trailer {
            let words = "(fails log sequence number check)";
            let _never_fails = writeln!(said.log, "Fail; page {number} invalid {words}");
        }
        if lsn != trailer || matches!(u16_at(page, 24), 15..=17) {
            return said;
        }
    }
    let view = Mysql { page, own: u32_at(page, 4), strict };
    if is_zip {
        view.zip(&mut said)
    } else {
        view.classic(&mut said)
    }
    said
}

struct Mysql<'a> {
    page: &'a [u8],
    /// The number that the page carries.
    own: u32,
    strict: Option<Algorithm>,
}

impl Mysql<'_> {
    fn fields(&self) -> (u32, u32) {
        (u32_at(self.page, 0), u32_at(self.page, self.page.len() - 8))
    }

    /// MySQL lets stand what it writes into bytes 26 to 34 of compressed pages.
    fn is_empty(&self) -> bool {
        is_zero(&self.page[..26]) && is_zero(&self.page[34..])
    }

    fn classic(&self, said: &mut Said) {
        let (first, second) = self.fields();
        if first == 0 && second == 0 && u64_at(self.page, 16) == 0 {
            if self.is_empty() {
                let _never_fails =
                    writeln!(said.log, "Page::{} is empty and uncorrupted", self.own);
            }
            return;
        }
        match self.strict {
            Some(Algorithm::Crc32) => self.strict_crc32(said),
            Some(Algorithm::None) => self.strict_none(said),
            Some(Algorithm::Innodb) | None => self.innodb_first(said),
        }
    }

    fn strict_crc32(&self, said: &mut Said) {
        if self.crc32(said, false) {
            return;
        }
        if self.is_none() {
            said.warning = Some(self.warning(Algorithm::None));
            self.both(&mut said.log, "recorded", true);
        } else if self.innodb(said, false) {
            said.warning = Some(self.warning(Algorithm::Innodb));
        } else if !self.crc32(said, true) {
            let _never_fails =
                writeln!(said.log, "Fail; page {} invalid (fails crc32 checksum)", self.own);
        }
    }

    fn strict_none(&self, said: &mut Said) {
        let (first, second) = self.fields();
        let _never_fails = writeln!(
            said.log,
            "page::{}; none checksum: calculated = {NO_CHECKSUM}; recorded checksum_field1 = \
             {first} recorded checksum_field2 = {second}",
            self.own
        );
        if self.is_none() {
            return;
        }
        if self.is_crc32() {
            said.warning = Some(self.warning(Algorithm::Crc32));
        } else if self.innodb(said, false) {
            said.warning = Some(self.warning(Algorithm::Innodb));
        } else {
            let _never_fails =
                writeln!(said.log, "Fail; page {} invalid (fails none checksum)", self.own);
        }
    }

    /// As it is without `--strict-check`, too.
    fn innodb_first(&self, said: &mut Said) {
        let strict = self.strict.is_some();
        if self.innodb(said, true) {
            return;
        }
        if self.is_none() {
            self.both(&mut said.log, "recorded checksum", false);
            said.warning = strict.then(|| self.warning(Algorithm::None));
        } else if self.is_crc32() {
            said.warning = strict.then(|| self.warning(Algorithm::Crc32));
        } else {
            let _never_fails = writeln!(
                said.log,
                "Fail; page {} invalid (fails innodb and crc32 checksum",
                self.own
            );
        }
    }

    fn is_none(&self) -> bool {
        self.fields() == (NO_CHECKSUM, NO_CHECKSUM)
    }

    fn is_crc32(&self) -> bool {
        let (first, second) = self.fields();
        first == second
            && (first == checksum::classic_crc32(self.page)
                || first == checksum::classic_crc32_big_endian(self.page))
    }

    /// Whether `crc32` fits, with the line of the strict check.
    fn crc32(&self, said: &mut Said, big_endian: bool) -> bool {
        let (first, second) = self.fields();
        if first != second {
            return false;
        }
        let calculated = match big_endian {
            true => checksum::classic_crc32_big_endian(self.page),
            false => checksum::classic_crc32(self.page),
        };
        let _never_fails = writeln!(
            said.log,
            "page::{}; crc32 calculated = {calculated}; recorded checksum field1 = {first} \
             recorded checksum field2 = {second}",
            self.own
        );
        first == calculated
    }

    /// Whether `innodb` fits, with its lines where that algorithm was asked for.
    fn innodb(&self, said: &mut Said, shown: bool) -> bool {
        let (first, second) = self.fields();
        let (old, new) = (checksum::innodb_old(self.page), checksum::innodb_new(self.page));
        if shown {
            match self.strict {
                None => self.both(&mut said.log, "recorded", true),
                Some(_) => self.both(&mut said.log, "recorded checksum", false),
            }
        }
        (second == old || second == u32_at(self.page, 16)) && (first == 0 || first == new)
    }

    /// The lines of both sums of `innodb`.
    fn both(&self, log: &mut String, recorded: &str, with_crc32: bool) {
        let ((first, second), own) = (self.fields(), self.own);
        let (old, new) = (checksum::innodb_old(self.page), checksum::innodb_new(self.page));
        let crc32 = match with_crc32 {
            true => format!(" crc32 = {};", checksum::classic_crc32(self.page)),
            false => String::new(),
        };
        let _never_fails = write!(
            log,
            "page::{own}; old style: calculated = {old}; {recorded} = {second}\n\
             page::{own}; new style: calculated = {new};{crc32} {recorded} = {first}\n"
        );
    }

    fn zip(&self, said: &mut Said) {
        let stored = u32_at(self.page, 0);
        let own = self.own;
        if stored == 0 && u64_at(self.page, 16) == 0 {
            if is_zero(self.page) {
                let _never_fails = writeln!(said.log, "Page::{own} is empty and uncorrupted");
            }
            return;
        }
        let crc32 = checksum::zip_crc32(self.page);
        let innodb = checksum::zip_adler32(self.page);
        let (name, wanted) = match self.strict {
            Some(Algorithm::Crc32) => ("strict_crc32", crc32),
            Some(Algorithm::None) => ("strict_none", NO_CHECKSUM),
            Some(Algorithm::Innodb) => ("strict_innodb", innodb),
            None => ("innodb", innodb),
        };
        let _never_fails = writeln!(
            said.log,
            "page::{own}; {name} checksum: calculated = {wanted}; recorded = {stored}"
        );
        // Upstream asks for the algorithm's number here, and that of crc32 is 0.
        let Some(strict) = self.strict else { return };
        if strict != Algorithm::Crc32 {
            let _never_fails = write!(
                said.log,
                "page::{own}: crc32 checksum: calculated = {crc32}; recorded = {stored}\n\
                 page::{own}: none checksum: calculated = {NO_CHECKSUM}; recorded = {stored}\n"
            );
        }
        if stored == wanted {
            return;
        }
        let carried = match stored {
            NO_CHECKSUM => Algorithm::None,
            _ if stored == crc32 => Algorithm::Crc32,
            _ if stored == innodb => Algorithm::Innodb,
            _ => return,
        };
        said.warning = Some(self.warning(carried));
    }

    fn warning(&self, carried: Algorithm) -> String {
        let wanted = self.strict.unwrap_or_default().name();
        let (space, own, carried) = (u32_at(self.page, 34), self.own, carried.name());
        format!(
            "[WARNING] innochecksum: innodb_checksum_algorithm is set to \"strict_{wanted}\" but \
             the page [page id: space={space}, page number={own}] contains a valid checksum \
             \"{carried}\".  Accepting the page as valid. Change innodb_checksum_algorithm to \
             \"{wanted}\" to silently accept such pages or rewrite all pages so that they contain \
             \"{wanted}\" checksum.\n"
        )
    }
}

/// What MariaDB's tool writes into its log of a page that it checks.
pub(super) fn mariadb(
    tablespace: &Tablespace,
    is_encrypted: bool,
    number: u32,
    page: &[u8],
) -> String {
    let mut log = String::new();
    let space = tablespace.space();
    let (full, id) = (tablespace.is_full_crc32(), u32_at(page, 34));
    let is_compressed = space.page_compressed;
    let is_foreign = id != space.id && (!full || !is_encrypted && !is_compressed);
    if u32_at(page, 4) != number || is_foreign {
        if !is_zero(page) {
            let _never_fails = writeln!(log, "page id mismatch space::{id} page::{number} ");
        }
        return log;
    }
    let kind = u16_at(page, 24);
    if is_compressed && (kind == 34354 || kind == 37401 && is_encrypted) {
        return log;
    }
    let (lsn, trailer) = match full {
        true => (u32_at(page, 20), u32_at(page, page.len() - 8)),
        false => (u32_at(page, 20), u32_at(page, page.len() - 4)),
    };
    if !(space.zip || is_compressed && full) {
        let place = format!("space::{id} page::{number}");
        let _never_fails =
            writeln!(log, "{place}; log sequence number:first = {lsn}; second = {trailer}");
        if lsn != trailer {
            let words = "(fails log sequence number check)";
            let _never_fails = writeln!(log, "Fail; {place} invalid {words}");
        }
    }
    let key = if full { u32_at(page, 0) } else { u32_at(page, 26) };
    if is_encrypted && key != 0 {
        let place = pages::Place { page: number, space: Some(space.id) };
        if !tablespace.checker.page(place, page).is_bad() {
            return log;
        }
        let _never_fails = writeln!(
            log,
            "[page id: space={id}, page_number={number}] may be corrupted; key_version={key}"
        );
    }
    if !full && (space.zip || lsn == trailer) {
        mariadb_sum(&mut log, space.zip, number, page);
    }
    log
}

fn mariadb_sum(log: &mut String, is_zip: bool, number: u32, page: &[u8]) {
    let (first, second) = (u32_at(page, 0), u32_at(page, page.len() - 8));
    if is_zip {
        if first == 0 && u64_at(page, 16) == 0 && is_zero(page) {
            return;
        }
        let calculated = checksum::zip_crc32(page);
        let _never_fails = writeln!(
            log,
            "page::{number}; checksum: calculated = {calculated}; recorded = {first}"
        );
        return;
    }
    if first == 0 && second == 0 && is_zero(page) {
        return;
    }
    let calculated = checksum::classic_crc32(page);
    let _never_fails = writeln!(
        log,
        "page::{number}; crc32 calculated = {calculated}; recorded checksum field1 = {first} \
         recorded checksum field2 ={second}"
    );
}
