//! Writing SVG: a handful of shapes whose looks are left to classes of one style sheet.

use std::fmt::{self, Write};

/// Which part of a text is at its point.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A text in a picture.
pub(super) struct Text {
    pub(super) class: String,
    pub(super) at: (f64, f64),
    pub(super) anchor: Anchor,
    pub(super) letters: String,
}

/// The shapes and the texts drawn so far.
#[derive(Default)]
pub(super) struct Svg {
    shapes: String,
    pub(super) texts: Vec<Text>,
}

impl Svg {
    fn write(&mut self, element: fmt::Arguments) {
        writeln!(self.shapes, "{element}").expect("a string grows as needed");
    }

    pub(super) fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        if !text.is_empty() {
            self.texts.push(Text { class: class.to_owned(), at, anchor, letters: text.to_owned() });
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

    /// The whole file, for a picture of this many units with a style sheet; the texts are drawn over all else, or left out.
    pub(super) fn file(&self, (width, height): (f64, f64), title: &str, style: &str, with_texts: bool) -> String {
        let (mut body, title) = (self.shapes.clone(), escaped(title));
        for Text { class, at: (x, y), anchor, letters } in self.texts.iter().filter(|_| with_texts) {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let text = escaped(letters);
            writeln!(body, r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#)
                .expect("a string grows as needed");
        }
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
