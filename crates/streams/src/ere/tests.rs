//! The translation against the C library's regcomp and regexec.

#![allow(unsafe_code, clippy::unwrap_used)]

use std::{ffi::CString, mem::MaybeUninit};

use proptest::prelude::*;
use regex::bytes::{Regex, RegexBuilder};

use super::translate;

/// What the C library says: none if it takes the pattern for no expression.
fn oracle(pattern: &str, texts: &[String]) -> Option<Vec<bool>> {
    let pattern = CString::new(pattern).unwrap();
    let mut compiled = MaybeUninit::<libc::regex_t>::uninit();
    let flags = libc::REG_EXTENDED | libc::REG_NOSUB;
    // SAFETY: regcomp writes the first argument and reads a string that ends with NUL.
    if unsafe { libc::regcomp(compiled.as_mut_ptr(), pattern.as_ptr(), flags) } != 0 {
        return None;
    }
    let mut verdicts = Vec::new();
    for text in texts {
        let text = CString::new(text.as_bytes()).unwrap();
        // SAFETY: regcomp succeeded, and no match is asked for.
        let status =
            unsafe { libc::regexec(compiled.as_ptr(), text.as_ptr(), 0, std::ptr::null_mut(), 0) };
        verdicts.push(status == 0);
    }
    // SAFETY: it was compiled, and is not used again.
    unsafe { libc::regfree(compiled.as_mut_ptr()) };
    Some(verdicts)
}

fn ours(pattern: &str) -> Option<Regex> {
    let translated = translate(pattern).ok()?;
    let mut builder = RegexBuilder::new(&translated);
    Some(builder.unicode(false).dot_matches_new_line(true).build().expect(&translated))
}

fn agrees(pattern: &str, texts: &[String]) -> Result<(), TestCaseError> {
    let Some(regex) = ours(pattern) else { return Ok(()) };
    let Some(verdicts) = oracle(pattern, texts) else {
        return Err(TestCaseError::fail(format!("the C library refuses {pattern:?}")));
    };
    for (text, verdict) in texts.iter().zip(verdicts) {
        prop_assert_eq!(regex.is_match(text.as_bytes()), verdict, "{:?} on {:?}", pattern, text);
    }
    Ok(())
}

/// Well-formed expressions.
fn expression() -> impl Strategy<Value = String> {
    let literal = proptest::sample::select(vec!["a", "b", "/", "_", "#", "-", ",", "}", "é", "0"]);
    let escape = proptest::sample::select(vec!["\\.", "\\[", "\\\\", "\\(", "\\{", "\\#", "\\$"]);
    let bracket = proptest::sample::select(vec![
        "[ab]",
        "[^/]",
        "[]a]",
        "[^]a]",
        "[a-c0-9]",
        "[[:digit:]_]",
        "[-a]",
        "[a-]",
        "[[:space:]#]",
        "[[.a.]-c]",
        "[[=b=]]",
        "[\\.]",
        "[--/]",
        "[^[:alpha:]]",
        "[a^]",
        "[[:punct:]]",
        "[[:print:]]",
    ]);
    let leaf = prop_oneof![
        4 => literal.prop_map(str::to_owned),
        1 => escape.prop_map(str::to_owned),
        2 => bracket.prop_map(str::to_owned),
        1 => Just(".".to_owned()),
    ];
    let node = leaf.prop_recursive(4, 24, 4, |inner| {
        let repetition = proptest::sample::select(vec![
            "*", "+", "?", "{2}", "{0,2}", "{1,}", "{,2}", "*?", "+*", "{0}",
        ]);
        prop_oneof![
            (inner.clone(), repetition).prop_map(|(atom, how)| format!("({atom}){how}")),
            proptest::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            proptest::collection::vec(inner, 1..4)
                .prop_map(|parts| format!("({})", parts.join("|"))),
        ]
    });
    (any::<bool>(), node, any::<bool>()).prop_map(|(begin, node, end)| {
        format!("{}{node}{}", if begin { "^" } else { "" }, if end { "$" } else { "" })
    })
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec("[ab/_#.0é\n{}()$^\\[\\]-]{0,10}", 8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_well_formed_expression_says_what_the_c_library_says(
        pattern in expression(), texts in texts()
    ) {
        prop_assert!(ours(&pattern).is_some(), "{:?}: {:?}", pattern, translate(&pattern));
        agrees(&pattern, &texts)?;
    }

    #[test]
    fn what_is_taken_of_any_line_is_an_expression_of_the_c_library_and_says_the_same(
        pattern in "([ab/]|[\\[\\](){}*+?.^$|\\\\,:=\\-0-2]|\\[\\[:alpha:\\]|\\{1,2\\}){1,9}",
        texts in texts()
    ) {
        agrees(&pattern, &texts)?;
    }

    #[test]
    fn nothing_panics(pattern in any::<String>()) {
        let _verdict = translate(&pattern);
    }
}

#[test]
fn what_posix_does_not_know_is_refused_with_the_way_out() {
    for (pattern, at, way_out) in [
        ("a\\d+", 1, "[0-9]"),
        ("\\w", 0, "[[:alnum:]_]"),
        ("(?:a)", 0, "plain ( )"),
        ("(a)\\1", 3, "refers back"),
        ("*a", 0, "\\*"),
        ("^*", 1, "\\*"),
        ("a{", 1, "\\{"),
        ("a{3,1}", 1, "at least 3"),
        ("a{256}", 1, "255"),
        ("a{x}", 1, "{2,5}"),
        ("a|", 2, "(…)?"),
        ("()", 1, "(…)?"),
        ("(a", 0, "\\("),
        ("a)", 1, "\\)"),
        ("a\\", 1, "\\\\"),
        ("ab[c", 2, "\\["),
        ("[[:word:]]", 1, "alnum"),
        ("[z-a]", 1, "backwards"),
        ("[a-b-c]", 4, "first or last"),
        ("[é]", 1, "not ASCII"),
        ("[[.hyphen.]]", 1, "not one ASCII"),
        ("\\bword", 0, "no escape"),
        ("\\<word", 0, "not POSIX"),
    ] {
        let error = translate(pattern).unwrap_err();
        assert!(error.what.contains(way_out), "{pattern}: {error:?}");
        assert_eq!(error.at, at, "{pattern}: {error:?}");
    }
    let deep = format!("{}a{}", "(".repeat(51), ")".repeat(51));
    assert!(translate(&deep).unwrap_err().what.contains("deeper"));
}
