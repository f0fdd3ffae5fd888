//! Writing SVG: a handful of shapes whose looks are left to classes of one style sheet.

use std::fmt::{self, Write};

/// Which part of a text is at its point.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The elements written so far.
#[derive(Default)]
pub(super) struct Svg(String);

impl Svg {
    fn write(&mut self, element: fmt::Arguments) {
        writeln!(self.0, "{element}").expect("a string grows as needed");
    }

    pub(super) fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escaped(text);
        if !text.is_empty() {
            self.write(format_args!(
                r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#
            ));
        }
    }

    pub(super) fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        self.write(format_args!(r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#));
    }

    pub(super) fn path(&mut self, class: &str, points: impl IntoIterator<Item = (f64, f64)>) {
        let points: Vec<String> = points.into_iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.write(format_args!(r#"<polyline class="{class}" points="{}"/>"#, points.join(" ")));
    }

    /// A dot with a text that is shown where the pointer rests on it.
    pub(super) fn dot(&mut self, class: &str, (x, y): (f64, f64), title: &str) {
        let title = escaped(title);
        self.write(format_args!(
            r#"<circle class="{class}" cx="{x:.1}" cy="{y:.1}" r="4"><title>{title}</title></circle>"#
        ));
    }

    /// The whole file, for a picture of this many units with a style sheet.
    pub(super) fn finish(self, width: f64, height: f64, title: &str, style: &str) -> String {
        let (body, title) = (self.0, escaped(title));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\">\n<title>{title}</title>\n<style>\n{style}</style>\n\
             <rect class=\"paper\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n{body}</svg>\n"
        )
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
