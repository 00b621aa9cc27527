//! The pages of `myrig serve`: past runs, two of them beside each other, a live one.
//!
//! They load their style and scripts from beside them ([`asset`]) and nothing from elsewhere; none
//! has a script or a style inside, so that a browser can be told to run no other. What happens live
//! is drawn by the scripts from the server's events.

mod comparison;
mod entry;
mod filter;
mod history;
mod live;

pub use comparison::comparison;
pub use entry::Entry;
pub use filter::{Filter, Order};
pub use history::{History, history};
pub use live::{live, message};

/// What is put on top of a report: the way back to the list.
pub const WAY_BACK: &str = "<nav class=\"mark\"><a href=\"/\">← all runs</a></nav>";

/// The style sheet of the reports, and what the pages have besides.
const STYLE: &str = concat!(
    include_str!("../../templates/style.css"),
    include_str!("../../templates/serve/serve.css")
);
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// A file that pages refer to as `/assets/NAME`: its content type and its text.
pub fn asset(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "style.css" => ("text/css; charset=utf-8", STYLE),
        "theme.js" => (SCRIPT, include_str!("../../templates/serve/theme.js")),
        "history.js" => (SCRIPT, include_str!("../../templates/serve/history.js")),
        "live.js" => (SCRIPT, include_str!("../../templates/serve/live.js")),
        "chart.js" => (SCRIPT, include_str!("../../templates/serve/chart.js")),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_pages_refer_to_is_there() {
        let pages = [
            include_str!("../../templates/serve/history.html"),
            include_str!("../../templates/serve/live.html"),
            include_str!("../../templates/serve/base.html"),
        ];
        let mut found = 0;
        for page in pages {
            for name in page.split("/assets/").skip(1).filter_map(|it| it.split('"').next()) {
                assert!(asset(name).is_some(), "{name}");
                found += 1;
            }
        }
        assert!(found >= 4, "{found}");
        assert!(asset("../style.css").is_none());
    }

    #[test]
    fn the_toggle_has_the_colours_of_the_style_sheet() {
        // Both schemes are written twice: for a browser's own wish, and for the button's.
        let colours = |from: &str| {
            let block = STYLE.split(from).nth(1).and_then(|rest| rest.split('}').next());
            let words: Vec<&str> = block.unwrap_or_default().split_whitespace().collect();
            words
                .join(" ")
                .split_once('{')
                .map_or(String::new(), |(_, rest)| rest.trim().to_owned())
        };
        let wished = colours("@media screen and (prefers-color-scheme: dark) {\n  :root");
        assert!(!wished.is_empty());
        assert_eq!(colours(":root[data-theme=\"dark\"]"), wished);
        let light = STYLE.split('}').next().unwrap_or_default().split_once('{');
        let light: Vec<&str> = light.map_or("", |(_, rest)| rest).split_whitespace().collect();
        assert_eq!(colours(":root[data-theme=\"light\"]"), light.join(" "));
    }
}
