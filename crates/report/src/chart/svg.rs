//! Writing SVG, everything escaped.

use std::fmt::{Display, Write as _};

/// An SVG element in the making.
pub(super) struct Svg {
    text: String,
}

impl Svg {
    /// A drawing of `width` by `height` units that scales with its place. `id` must be unique in
    /// the page; `title` and `description` are read out where the drawing cannot be seen.
    pub(super) fn new(id: &str, width: f64, height: f64, title: &str, description: &str) -> Self {
        let mut svg = Self { text: String::new() };
        let _ = write!(
            svg.text,
            "<svg id=\"{0}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-labelledby=\"{0}-t {0}-d\"><title id=\"{0}-t\">{1}</title>\
             <desc id=\"{0}-d\">{2}</desc>",
            escape(id),
            escape(title),
            escape(description),
        );
        svg
    }

    /// An element without content.
    pub(super) fn element(&mut self, name: &str, attributes: &[(&str, &dyn Display)]) {
        self.open(name, attributes);
        self.text += "/>";
    }

    /// An element with text in it.
    pub(super) fn text(&mut self, attributes: &[(&str, &dyn Display)], text: &str) {
        self.open("text", attributes);
        let _ = write!(self.text, ">{}</text>", escape(text));
    }

    /// A rectangle that shows `tip` where it is pointed at.
    pub(super) fn tip(&mut self, class: &str, at: Rectangle, tip: &str) {
        let Rectangle { x, y, width, height } = at;
        self.open(
            "rect",
            &[
                ("class", &class),
                ("x", &unit(x)),
                ("y", &unit(y)),
                ("width", &unit(width)),
                ("height", &unit(height)),
            ],
        );
        let _ = write!(self.text, "><title>{}</title></rect>", escape(tip));
    }

    /// An element that shows `tip` where it is pointed at for a while.
    pub(super) fn titled(&mut self, name: &str, attributes: &[(&str, &dyn Display)], tip: &str) {
        self.open(name, attributes);
        let _ = write!(self.text, "><title>{}</title></{name}>", escape(tip));
    }

    /// The finished element.
    pub(super) fn finish(mut self) -> String {
        self.text += "</svg>";
        self.text
    }

    fn open(&mut self, name: &str, attributes: &[(&str, &dyn Display)]) {
        let _ = write!(self.text, "<{name}");
        for (name, value) in attributes {
            let _ = write!(self.text, " {name}=\"{}\"", escape(&value.to_string()));
        }
    }
}

/// A place in a drawing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rectangle {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A coordinate with as many digits as can be seen.
pub(super) fn unit(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// The `d` of a path through `points`, broken where one is missing.
pub(super) fn path(points: impl IntoIterator<Item = Option<(f64, f64)>>) -> String {
    let mut text = String::new();
    let mut drawing = false;
    for point in points {
        match point {
            Some((x, y)) => {
                let command = if drawing { 'L' } else { 'M' };
                let _ = write!(text, "{command}{} {}", unit(x), unit(y));
                drawing = true;
            }
            None => drawing = false,
        }
    }
    text
}

/// The text as HTML and XML take it, in content and in attributes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            '\n' => escaped.push('\n'),
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
