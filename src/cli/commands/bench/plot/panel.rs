//! One panel of the picture: axes, grid, lines of dots, and their names at their ends.

use super::axis::{Axis, Scale, apart};
use super::labels::{Area, Labels};
use super::svg::{Anchor, Svg};

/// What a panel shows.
pub(super) struct Panel {
    pub(super) heading: String,
    /// At the right of the heading.
    pub(super) note: String,
    /// What the horizontal axis counts.
    pub(super) x_name: &'static str,
    pub(super) x: Scale,
    pub(super) y: Scale,
    /// The values that get a horizontal grid line, each with its label; those without one get a finer line.
    pub(super) grid: fn(&Axis) -> Vec<(f64, String)>,
    /// Whether a line that ends before the right edge has its name near its end, out of the way of those that go on.
    pub(super) names_above: bool,
    /// In the order in which they are drawn, later ones over earlier ones.
    pub(super) lines: Vec<Line>,
}

/// Values that belong together.
pub(super) struct Line {
    /// Its class in the style sheet.
    pub(super) class: String,
    pub(super) name: Option<String>,
    pub(super) dots: Vec<Dot>,
}

/// A value on a line.
pub(super) struct Dot {
    pub(super) x: f64,
    pub(super) y: f64,
    /// The least and the largest of what it is the median of.
    pub(super) range: (f64, f64),
    /// Shown where the pointer rests on the dot; a value without a title has no dot.
    pub(super) title: String,
}

/// Where a panel is, without the labels around it.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Panel {
    /// Draws it, and says how far to the right its names reach.
    pub(super) fn draw(&self, svg: &mut Svg, frame: Frame) -> f64 {
        let dots = || self.lines.iter().flat_map(|line| &line.dots);
        let x = Axis::new(self.x, dots().map(|dot| dot.x), (frame.left, frame.right));
        let y = Axis::new(self.y, dots().flat_map(|dot| [dot.range.0, dot.range.1]), (frame.bottom, frame.top));
        self.draw_axes(svg, frame, &x, &y);
        let (mut names, mut inside, mut labels) = (Vec::new(), Vec::new(), Labels::default());
        let heading =
            (frame.top - 14.0, [(frame.left, Anchor::Start, &self.heading), (frame.right, Anchor::End, &self.note)]);
        labels.texts.extend(heading.1.map(|(x, anchor, text)| Area::of_text((x, heading.0), anchor, text)));
        for Line { class, name, dots } in &self.lines {
            let at = |dot: &Dot| (x.at(dot.x), y.at(dot.y));
            let through: Vec<(f64, f64)> = dots.iter().map(at).collect();
            svg.path(class, through.iter().copied());
            labels.line(&through);
            for dot in dots.iter().filter(|dot| !dot.title.is_empty()) {
                let (low, high) = (y.at(dot.range.0), y.at(dot.range.1));
                svg.line(&format!("{class} span"), (x.at(dot.x), low), (x.at(dot.x), high));
                svg.dot(class, at(dot), &dot.title);
            }
            let (Some(name), Some(end)) = (name, dots.last().map(at)) else { continue };
            let class = format!("label {class}");
            if self.names_above && end.0 < frame.right - 30.0 {
                inside.push((end, name, class));
            } else {
                names.push((end, name, class));
            }
        }
        let heights: Vec<f64> = names.iter().map(|(end, ..)| end.1).collect();
        for ((end, name, class), height) in names.iter().zip(apart(&heights, 17.0)) {
            let at = (end.0 + 11.0, height + 4.5);
            svg.text(class, at, Anchor::Start, name);
            labels.texts.push(Area::of_text(at, Anchor::Start, name));
        }
        for (end, name, class) in inside {
            let (anchor, at) = labels.place(name, end);
            svg.text(&class, at, anchor, name);
        }
        labels.reach()
    }

    /// Everything but the lines.
    fn draw_axes(&self, svg: &mut Svg, frame: Frame, x: &Axis, y: &Axis) {
        /// Room for a number below the axis.
        const NUMBER: f64 = 22.0;
        let Frame { left, right, top, bottom } = frame;
        svg.text("heading", (left, top - 14.0), Anchor::Start, &self.heading);
        svg.text("", (right, top - 14.0), Anchor::End, &self.note);
        for (value, label) in (self.grid)(y) {
            svg.line(if label.is_empty() { "fine" } else { "grid" }, (left, y.at(value)), (right, y.at(value)));
            svg.text("", (left - 10.0, y.at(value) + 4.5), Anchor::End, &label);
        }
        svg.line("axis", (left, bottom), (right, bottom));
        svg.text("", (f64::midpoint(left, right), bottom + 45.0), Anchor::Middle, self.x_name);
        let mut values: Vec<f64> = self.lines.iter().flat_map(|line| &line.dots).map(|dot| dot.x).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let mut free = f64::NEG_INFINITY;
        for value in values {
            let at = x.at(value);
            svg.line("axis", (at, bottom), (at, bottom + 5.0));
            // A number that would touch the one before is left out.
            if at > free {
                svg.text("", (at, bottom + 21.0), Anchor::Middle, &value.to_string());
                free = at + NUMBER;
            }
        }
    }
}
