//! What is mounted where, from the kernel's table (`/proc/self/mountinfo`, see proc(5)).

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::root::Root;

/// A mounted file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Major and minor number of its device; major 0 where there is none.
    pub number: (u32, u32),
    /// The directory of the file system that is seen there; `/` for all of it.
    pub root: String,
    /// Where it is mounted.
    pub point: PathBuf,
    /// Its type: xfs, ext4.
    pub file_system: String,
    /// Its device as it was named, or another word where it has none.
    pub source: String,
    /// Options of the mount and of its file system, each once: noatime, discard.
    pub options: Vec<String>,
}

impl Mount {
    /// All mounts in the order of their mounting.
    ///
    /// # Errors
    /// The kernel's table cannot be read.
    pub fn all(root: &Root) -> io::Result<Vec<Self>> {
        let text = root.read("proc/self/mountinfo")?.unwrap_or_default();
        Ok(text.lines().filter_map(Self::parse).collect())
    }

    /// The mount that `path`, absolute and without links, lies on: the innermost, and of those at
    /// one point the last, which hides the others.
    pub fn under<'a>(mounts: &'a [Self], path: &Path) -> Option<&'a Self> {
        let around = mounts.iter().filter(|mount| path.starts_with(&mount.point));
        around.max_by_key(|mount| mount.point.components().count())
    }

    fn parse(line: &str) -> Option<Self> {
        let (place, what) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(2);
        let (major, minor) = place.next()?.split_once(':')?;
        let number = (major.parse().ok()?, minor.parse().ok()?);
        let root = unescaped(place.next()?);
        let point = PathBuf::from(unescaped(place.next()?));
        let of_mount = place.next()?;
        let mut what = what.split(' ');
        let (file_system, source) = (what.next()?.to_owned(), unescaped(what.next()?));
        let of_file_system = what.next().unwrap_or("");
        let mut options: Vec<String> = Vec::new();
        for option in of_mount.split(',').chain(of_file_system.split(',')) {
            if !option.is_empty() && options.iter().all(|known| known != option) {
                options.push(option.to_owned());
            }
        }
        Some(Self { number, root, point, file_system, source, options })
    }
}

/// The kernel writes blanks, newlines and backslashes as three octal digits.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let code = after.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match code {
            Some(code) => {
                plain.push(char::from(code));
                rest = &after[3..];
            }
            None => {
                plain.push('\\');
                rest = after;
            }
        }
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    const TABLE: &str = "\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
23 22 0:5 / /dev rw - devtmpfs devtmpfs rw
40 22 259:1 / /data rw,noatime shared:7 master:1 - xfs /dev/nvme0n1 rw,attr2
41 22 0:44 / /with\\040blank rw - tmpfs none rw
42 40 259:2 / /data rw - xfs /dev/nvme1n1 rw";

    #[test]
    fn a_path_lies_on_the_innermost_and_latest_mount() {
        let mounts: Vec<_> = TABLE.lines().filter_map(Mount::parse).collect();
        assert_eq!(mounts.len(), 5);
        let under = |path: &str| Mount::under(&mounts, Path::new(path)).unwrap().source.as_str();
        assert_eq!(under("/home"), "/dev/vda");
        assert_eq!(under("/data/mysql-1"), "/dev/nvme1n1");
        assert_eq!(under("/database"), "/dev/vda", "a name that begins alike is another");
        assert_eq!(mounts[3].point, Path::new("/with blank"));
        assert_eq!(mounts[2].number, (259, 1));
        assert_eq!(mounts[2].options, ["rw", "noatime", "attr2"]);
    }

    proptest! {
        #[test]
        fn any_line_gives_an_answer(line in "[0-9a-z:/ \\\\-]{0,60}") {
            let _whatever = Mount::parse(&line);
        }
    }
}
