//! Whose command line it is: by `--flavour`, otherwise by the first file whose flags tell.

use pages::{Flavour, Space, layout::MOST_PAGE_BYTES};
use std::{fs::File, io::Read, path::Path};

/// Options that only one of the tools has.
const MYSQL_ONLY: [&str; 2] = ["-C", "--strict-check"];

/// By its name.
pub(super) fn named(name: &str) -> Option<Flavour> {
    match name {
        "mysql" => Some(Flavour::MySql),
        "mariadb" => Some(Flavour::MariaDb),
        _ => None,
    }
}

/// By the words of a command line: the first that names a tablespace whose flags tell, then
/// options that only MySQL's tool has. Otherwise it is MariaDB's.
pub(super) fn guessed(words: &[String]) -> Flavour {
    let of_file = words.iter().find_map(|word| of_file(Path::new(word)));
    of_file.unwrap_or_else(|| {
        let is_mysql = words.iter().any(|word| {
            let name = word.split('=').next().unwrap_or_default().replace('_', "-");
            MYSQL_ONLY.iter().any(|option| {
                name == *option || !option.starts_with("--") && name.starts_with(option)
            })
        });
        if is_mysql { Flavour::MySql } else { Flavour::MariaDb }
    })
}

fn of_file(path: &Path) -> Option<Flavour> {
    // Anything else might not be readable twice.
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut head = Vec::new();
    File::open(path).ok()?.take(MOST_PAGE_BYTES as u64).read_to_end(&mut head).ok()?;
    of_head(&head)
}

/// By the first page: by flags that only one server writes, otherwise by what only MySQL 8 and
/// later write into the first page's fields of its neighbours, which are its versions.
fn of_head(head: &[u8]) -> Option<Flavour> {
    let space = Space::of_page_zero(head).ok()?;
    space.flavour.or_else(|| {
        let version = super::tablespace::u32_at(head, 8);
        (80_000..200_000).contains(&version).then_some(Flavour::MySql)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn without_a_file_that_tells_the_options_decide() {
        for (line, flavour) in [
            ("-c nothing", Flavour::MariaDb),
            ("-C crc32 nothing", Flavour::MySql),
            ("-Cinnodb nothing", Flavour::MySql),
            ("--strict_check=none nothing", Flavour::MySql),
            ("-w nothing", Flavour::MariaDb),
        ] {
            assert_eq!(guessed(&words(line)), flavour, "{line}");
        }
    }

    #[test]
    fn hostile_heads_tell_nothing() {
        for head in [vec![], vec![0xff; 70_000], vec![0; 1024]] {
            assert_eq!(of_head(&head), None);
        }
    }
}
