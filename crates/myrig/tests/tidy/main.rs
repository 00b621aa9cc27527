//! The house rules, checked over every file that would be committed.
//!
//! `rustfmt` and `clippy` see one crate at a time and only Rust; this test sees the house:
//! all kinds of text, lengths, dead files and which crate may know which. Each rule is a
//! function from files to faults, so that each is itself tested on a bad sample.

mod arrows;
mod banned;
mod book;
mod files;
mod length;
mod modules;
mod source;
mod text;

use files::{Fault, File};

/// Functions longer than the limit, as `path::name` and lines. May only shrink.
const LONG_FUNCTIONS: &[(&str, usize)] = &[];

/// Files longer than the limit, as path and lines. May only shrink.
const LONG_FILES: &[(&str, usize)] = &[];

fn faults(files: &[File]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for file in files {
        faults.extend(text::check(file));
        faults.extend(banned::check(file));
    }
    faults.extend(length::check_files(files, LONG_FILES));
    faults.extend(length::check_functions(files, LONG_FUNCTIONS));
    faults.extend(modules::check(files));
    faults.extend(arrows::check(files));
    faults.extend(book::check(files, &files::is_there));
    faults.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    faults
}

#[test]
fn the_house_is_tidy() {
    let files = files::of_the_house();
    assert!(files.len() > 20, "only {} files found: is this the house?", files.len());
    let faults = faults(&files);
    let list: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert!(faults.is_empty(), "\n{}\n{} faults\n", list.join("\n"), faults.len());
}
