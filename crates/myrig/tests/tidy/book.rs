//! Rules about the pages of the book: every link leads somewhere, and every page is in the book.

use crate::files::{Fault, File};

/// The folder of the book's pages.
const PAGES: &str = "docs/";
/// The table of contents, which mdBook goes by.
const CONTENTS: &str = "docs/SUMMARY.md";

/// A link of a page to a file of the house.
struct Link<'a> {
    line: usize,
    /// From the root of the house; the page itself for a link to a place in it.
    path: String,
    anchor: Option<&'a str>,
}

/// `is_there` tells of any path whether there is such a file or folder.
pub(crate) fn check(files: &[File], is_there: &dyn Fn(&str) -> bool) -> Vec<Fault> {
    let pages = || files.iter().filter(|file| file.path.ends_with(".md"));
    let mut faults: Vec<Fault> =
        pages().flat_map(|page| check_links(page, files, is_there)).collect();
    if let Some(contents) = pages().find(|page| page.path == CONTENTS) {
        let chapters: Vec<String> = links(contents).into_iter().map(|link| link.path).collect();
        for page in pages().filter(|page| page.path.starts_with(PAGES) && page.path != CONTENTS) {
            let mentions = chapters.iter().filter(|path| **path == page.path).count();
            if mentions != 1 {
                let rule = format!("{CONTENTS} names this page {mentions} times: name it once");
                faults.push(Fault::new(&page.path, 1, rule));
            }
        }
    }
    faults
}

fn check_links(page: &File, files: &[File], is_there: &dyn Fn(&str) -> bool) -> Vec<Fault> {
    let mut faults = Vec::new();
    for link in links(page) {
        let mut fault = |rule: String| faults.push(Fault::new(&page.path, link.line, rule));
        if !is_there(&link.path) {
            fault(format!("there is no {} to link to", link.path));
            continue;
        }
        if page.path.starts_with(PAGES) && !link.path.starts_with(PAGES) {
            fault(format!("{} is not in the book: name it as code", link.path));
        }
        let Some(anchor) = link.anchor else { continue };
        let target = files.iter().find(|file| file.path == link.path);
        if !target.is_some_and(|target| anchors(&target.text).iter().any(|id| id == anchor)) {
            fault(format!("{} has no heading #{anchor}", link.path));
        }
    }
    faults
}

/// Links to files of the house, without those to the world.
fn links(page: &File) -> Vec<Link<'_>> {
    let mut found = Vec::new();
    for (number, line) in prose(&page.text) {
        let outside_code = line.split('`').step_by(2);
        for target in outside_code.flat_map(|text| text.split("](").skip(1)) {
            let Some((target, _)) = target.split_once(')') else { continue };
            let target = target.split(' ').next().unwrap_or(target);
            if target.contains(':') {
                continue;
            }
            let (path, anchor) = match target.split_once('#') {
                Some((path, anchor)) => (path, Some(anchor)),
                None => (target, None),
            };
            let path = if path.is_empty() { page.path.clone() } else { joined(&page.path, path) };
            found.push(Link { line: number, path, anchor });
        }
    }
    found
}

/// Lines with their numbers, without those of code blocks.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Where a relative path leads from a page.
fn joined(page: &str, path: &str) -> String {
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The places of a page that can be linked to, named as GitHub and mdBook name them.
fn anchors(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (_, line) in prose(text) {
        let Some(heading) = line.strip_prefix('#').map(|rest| rest.trim_start_matches('#')) else {
            continue;
        };
        let Some(heading) = heading.strip_prefix(' ') else { continue };
        let kept = heading.trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let slug: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let earlier = found.iter().filter(|id| **id == slug).count();
        found.push(if earlier == 0 { slug } else { format!("{slug}-{earlier}") });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::sample;

    fn rules(files: &[File]) -> Vec<String> {
        let is_there = |path: &str| files.iter().any(|file| file.path == path) || path == "bench";
        check(files, &is_there).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn links_that_lead_nowhere_are_caught() {
        let page = "[a](docs/a.md) [gone](docs/gone.md)\n[w](https://x.y/z) `[c](d)` [b](bench)\n";
        let files = [sample("README.md", page), sample("docs/a.md", "[up](gone.png)\n")];
        assert_eq!(
            rules(&files),
            [
                "README.md:1: there is no docs/gone.md to link to",
                "docs/a.md:1: there is no docs/gone.png to link to",
            ]
        );
    }

    #[test]
    fn places_in_a_page_must_be_there() {
        let target = "# One\n## `a.b/1`, twice\n## Same\n## Same\n```\n# no\n```\n[x](#one)\n";
        let page = "[1](t/b.md#ab1-twice)\n[2](t/b.md#same-1)\n[3](t/b.md#no)\n[4](#x)\n";
        let files = [sample("docs/t/b.md", target), sample("docs/a.md", page)];
        assert_eq!(
            rules(&files),
            [
                "docs/a.md:3: docs/t/b.md has no heading #no",
                "docs/a.md:4: docs/a.md has no heading #x",
            ]
        );
    }

    #[test]
    fn a_page_of_the_book_links_inside_the_book() {
        let files = [sample("docs/a.md", "[a](../src.rs)\n"), sample("src.rs", "")];
        assert_eq!(rules(&files), ["docs/a.md:1: src.rs is not in the book: name it as code"]);
    }

    #[test]
    fn a_page_that_the_contents_leave_out_is_caught() {
        let contents = sample(CONTENTS, "- [A](a.md)\n- [B](t/b.md)\n- [B again](t/b.md)\n");
        let page = |path| sample(path, "# x\n");
        let files = [contents, page("docs/a.md"), page("docs/t/b.md"), page("docs/c.md")];
        assert_eq!(
            rules(&files),
            [
                "docs/t/b.md:1: docs/SUMMARY.md names this page 2 times: name it once",
                "docs/c.md:1: docs/SUMMARY.md names this page 0 times: name it once",
            ]
        );
    }

    #[test]
    fn paths_are_followed_from_the_page() {
        assert_eq!(joined("docs/t/b.md", "../a.md"), "docs/a.md");
        assert_eq!(joined("README.md", "./docs/a.md"), "docs/a.md");
        assert_eq!(joined("docs/a.md", "../../out.md"), "../out.md");
    }
}
