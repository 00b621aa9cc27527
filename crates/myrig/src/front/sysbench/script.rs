//! Scripts by the names that people type, and the form in which their results are printed.

use workloads::oltp::Kind;

/// Whose spelling and output a call follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// sysbench 1.0.20.
    V1_0,
    /// sysbench 0.5.
    V0_5,
}

/// A script that is built in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Script {
    /// Its name without folder and `.lua`.
    pub(super) name: String,
    /// What its transactions are; `oltp` of 0.5 reads and writes unless told otherwise.
    pub(super) kind: Kind,
    /// True for the scripts of 0.5, which draw a table a transaction and use the text protocol.
    pub(super) is_legacy: bool,
    /// How results are printed.
    pub(super) form: Form,
}

/// The scripts of 0.5. Its `select` reads the column pad; here it reads c, and a warning says so.
const LEGACY: [(&str, Kind); 6] = [
    ("oltp", Kind::ReadWrite),
    ("select", Kind::PointSelect),
    ("insert", Kind::Insert),
    ("update_index", Kind::UpdateIndex),
    ("update_non_index", Kind::UpdateNonIndex),
    ("delete", Kind::Delete),
];

/// What else sysbench can do, and what to use here.
const ELSEWHERE: [(&str, &str); 11] = [
    ("oltp_simple", "use oltp_point_select"),
    ("select_random_points", "there is no counterpart; oltp_point_select comes near"),
    ("select_random_ranges", "there is no counterpart; oltp_read_only comes near"),
    ("bulk_insert", "there is no counterpart; oltp_insert comes near"),
    ("oltp_common", "it is a part of the others and does nothing by itself"),
    ("parallel_prepare", "`prepare` is always parallel; use oltp with --num-threads"),
    ("fileio", "only databases are loaded here"),
    ("cpu", "only databases are loaded here"),
    ("memory", "only databases are loaded here"),
    ("threads", "only databases are loaded here"),
    ("mutex", "only databases are loaded here"),
];

/// Finds a script by name or path, with or without `.lua`; no file is read.
///
/// `--test` asks for the output of 0.5, unless the path leads to the copies of the 0.5 scripts
/// that sysbench 1.0 brings.
///
/// # Errors
/// A sentence that names the script, and what to use in its place.
pub(super) fn find(typed: &str, by_test_option: bool) -> Result<Script, String> {
    let file = typed.rsplit('/').next().unwrap_or(typed);
    let name = file.strip_suffix(".lua").unwrap_or(file);
    let script = |kind, is_legacy, form| Script { name: name.into(), kind, is_legacy, form };
    if let Some((_, kind)) = Kind::NAMES.iter().find(|(_, kind)| kind.script() == name) {
        return Ok(script(*kind, false, Form::V1_0));
    }
    if let Some((_, kind)) = LEGACY.iter().find(|(legacy, _)| *legacy == name) {
        let of_1_0 = !by_test_option || typed.contains("oltp_legacy/");
        return Ok(script(*kind, true, if of_1_0 { Form::V1_0 } else { Form::V0_5 }));
    }
    let known = ELSEWHERE.iter().find(|(other, _)| *other == name);
    Err(match known {
        Some((_, way_out)) => format!("the script `{name}` is not built in: {way_out}"),
        None => {
            let ours: Vec<&str> = Kind::NAMES.iter().map(|(_, kind)| kind.script()).collect();
            let legacy: Vec<&str> = LEGACY.iter().map(|(name, _)| *name).collect();
            format!(
                "there is no script `{name}` (Lua files are not run): there are {}, and of \
                 sysbench 0.5 {}",
                ours.join(", "),
                legacy.join(", ")
            )
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_script_is_found_by_name_and_by_path() {
        for typed in
            ["oltp_read_only", "oltp_read_only.lua", "/usr/share/sysbench/oltp_read_only.lua"]
        {
            let script = find(typed, false).unwrap();
            assert_eq!((script.name.as_str(), script.kind), ("oltp_read_only", Kind::ReadOnly));
            assert!(!script.is_legacy);
        }
    }

    #[test]
    fn the_form_is_that_of_the_sysbench_that_was_called() {
        let form = |typed, by_test| find(typed, by_test).unwrap().form;
        assert_eq!(form("sysbench/tests/db/oltp.lua", true), Form::V0_5);
        assert_eq!(form("oltp.lua", false), Form::V1_0);
        assert_eq!(form("tests/include/oltp_legacy/oltp.lua", true), Form::V1_0);
        assert_eq!(form("oltp_read_write", true), Form::V1_0);
    }

    #[test]
    fn other_scripts_are_refused_by_name_with_the_way_out() {
        for (typed, word) in [
            ("bulk_insert", "oltp_insert"),
            ("tests/db/oltp_simple.lua", "oltp_point_select"),
            ("cpu", "databases"),
            ("mine.lua", "oltp_read_write"),
            ("", "oltp_read_write"),
        ] {
            let refusal = find(typed, false).unwrap_err();
            assert!(refusal.contains(word), "{typed}: {refusal}");
        }
    }
}
