//! The page of something that is live, and pages with nothing but words.

use crate::html::{RenderError, filled};
use askama::Template;

#[derive(Template)]
#[template(path = "serve/live.html")]
struct Page<'a> {
    title: &'a str,
    id: &'a str,
}

#[derive(Template)]
#[template(path = "serve/message.html")]
struct Message<'a> {
    title: &'a str,
    text: &'a str,
}

/// The page of the live run or experiment of that id; its script fills it.
///
/// # Errors
/// The template cannot be filled.
pub fn live(id: &str) -> Result<String, RenderError> {
    filled(&Page { title: "myrig: live", id }, id)
}

/// A page that only says something.
///
/// # Errors
/// The template cannot be filled.
pub fn message(title: &str, text: &str) -> Result<String, RenderError> {
    filled(&Message { title, text }, title)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn words_are_words() {
        let page = message("No <b>", "<script>x</script>").unwrap();
        assert!(!page.contains("<script>") && !page.contains("<b>"), "{page}");
        assert!(live("a-1").unwrap().contains("data-id=\"a-1\""));
    }
}
