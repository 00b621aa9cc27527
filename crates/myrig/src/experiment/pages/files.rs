//! The files of a data set, and what of them lies in memory.

use super::{Cache, PagesArgs};
use crate::failure::Failure;
use anyhow::Context;
use host::{Bytes, Root, page_cache};
use pages::Space;
use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

/// The largest first page, bytes.
const FIRST_PAGE_BYTES: u64 = 64 << 10;

/// A tablespace that is read.
#[derive(Clone, Debug)]
pub(super) struct DataFile {
    /// Where it is.
    pub(super) path: PathBuf,
    /// Its size.
    pub(super) bytes: u64,
    /// The size of its pages.
    pub(super) page_bytes: u64,
}

/// The tablespaces of a database, in the order of their names; those of one table where one is
/// named.
///
/// # Errors
/// There is none, or one cannot be read.
pub(super) fn of_database(dir: &Path, args: &PagesArgs) -> Result<Vec<DataFile>, Failure> {
    let reading = || format!("reading {}", dir.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(dir).with_context(reading)? {
        let path = entry.with_context(reading)?.path();
        if is_wanted(&path, args.table.as_deref()) {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(Failure::usage(match &args.table {
            Some(table) => format!("workload.table: the data has no table `{table}`"),
            None => format!("{} holds no tablespace", dir.display()),
        }));
    }
    paths.sort();
    paths.into_iter().map(data_file).collect()
}

/// Whether it is a tablespace, of that table where one is named. A partition's file has the
/// table's name up to a `#`.
fn is_wanted(path: &Path, table: Option<&str>) -> bool {
    let is_space = path.extension().is_some_and(|extension| extension == "ibd");
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let name = stem.split('#').next().unwrap_or_default();
    is_space && table.is_none_or(|table| name.eq_ignore_ascii_case(table))
}

fn data_file(path: PathBuf) -> Result<DataFile, Failure> {
    let looking = || format!("looking at {}", path.display());
    let file = File::open(&path).with_context(looking)?;
    let bytes = file.metadata().with_context(looking)?.len();
    let mut first = Vec::new();
    file.take(FIRST_PAGE_BYTES).read_to_end(&mut first).with_context(looking)?;
    let space = Space::of_page_zero(&first).with_context(looking)?;
    Ok(DataFile { page_bytes: space.physical_bytes.into(), path, bytes })
}

/// Has nothing or all of the files in memory, and makes sure of it.
///
/// # Errors
/// It cannot be had, and why.
pub(super) fn settle(files: &[DataFile], cache: Cache) -> Result<(), Failure> {
    for DataFile { path, bytes, .. } in files {
        let looking = || format!("looking at what of {} is in memory", path.display());
        let file = File::open(path).with_context(looking)?;
        match cache {
            Cache::Cold => {
                let left = page_cache::evict(&file, &Root::real()).with_context(looking)?;
                if left > 0 {
                    let (left, path) = (Bytes(left), path.display());
                    let words = format!(
                        "workload.cache: {left} of {path} stay in memory whatever is done; a file \
                         system in memory cannot be cold, and a file that another program uses \
                         stays warm"
                    );
                    return Err(anyhow::anyhow!(words).into());
                }
            }
            Cache::Warm => {
                let mut there = page_cache::resident_bytes(&file).with_context(looking)?;
                if there < *bytes {
                    there = page_cache::fill(&file).with_context(looking)?;
                }
                if there < *bytes {
                    let (there, bytes, path) = (Bytes(there), Bytes(*bytes), path.display());
                    let words = format!(
                        "workload.cache: memory holds {there} of the {bytes} of {path} only; load \
                         less, or leave the warm variants out"
                    );
                    return Err(anyhow::anyhow!(words).into());
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_s_files_are_told_from_others() {
        let wanted = |name: &str, table| is_wanted(Path::new(name), table);
        assert!(wanted("lineitem.ibd", None) && wanted("myrig_tpch.ibd", None));
        assert!(wanted("lineitem.ibd", Some("LINEITEM")));
        assert!(wanted("order_line#P#p0.ibd", Some("order_line")));
        assert!(!wanted("lineitem.frm", None) && !wanted("orders.ibd", Some("lineitem")));
    }
}
