//! Where devices are mounted, from the kernel's table (`/proc/self/mountinfo`, see proc(5)).

use super::Mounted;
use std::{fs, path::Path};

/// Mounts with the number and name of their device.
pub(super) struct Mounts(Vec<(String, String, Mounted)>);

impl Mounts {
    /// What is mounted; nothing where the table cannot be read.
    pub(super) fn read(root: &Path) -> Self {
        let table = fs::read(root.join("proc/self/mountinfo")).unwrap_or_default();
        Self(String::from_utf8_lossy(&table).lines().filter_map(mount).collect())
    }

    /// Where the device with that number or name is mounted: a file system that spans devices has
    /// a number of its own.
    pub(super) fn of(&self, number: Option<&str>, name: &str) -> Vec<Mounted> {
        let device = format!("/dev/{name}");
        let is_its = |(own, source, _): &&(String, String, Mounted)| {
            Some(own.as_str()) == number || *source == device
        };
        self.0.iter().filter(is_its).map(|(_, _, mounted)| mounted.clone()).collect()
    }
}

fn mount(line: &str) -> Option<(String, String, Mounted)> {
    let (place, what) = line.split_once(" - ")?;
    let mut place = place.split(' ').skip(2);
    let number = place.next()?.to_owned();
    let point = unescaped(place.nth(1)?).into();
    let mut what = what.split(' ');
    let file_system = what.next()?.to_owned();
    Some((number, unescaped(what.next()?), Mounted { point, file_system }))
}

/// Blanks and backslashes are written as three octal digits.
fn unescaped(word: &str) -> String {
    let mut parts = word.split('\\');
    let mut plain = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                plain.push(byte);
                plain.extend_from_slice(&part.as_bytes()[3..]);
            }
            None => {
                plain.push(b'\\');
                plain.extend_from_slice(part.as_bytes());
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}
