//! What both panels of the picture have: grid, ticks, headings and the names of their lines.

use super::axis::apart;
use super::svg::{Anchor, Svg};

/// The upper and the lower end of the panels.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// Names at the ends of lines: point, name, class.
pub(super) fn line_labels(svg: &mut Svg, labels: &[((f64, f64), String, String)]) {
    let heights: Vec<f64> = labels.iter().map(|label| label.0.1).collect();
    for ((point, name, class), height) in labels.iter().zip(apart(&heights, 17.0)) {
        svg.text(class, (point.0 + 11.0, height + 4.5), Anchor::Start, name);
    }
}

pub(super) fn grid(svg: &mut Svg, class: &str, ends: (f64, f64), height: f64) {
    svg.line(class, (ends.0, height), (ends.1, height));
}

pub(super) fn tick(svg: &mut Svg, x: f64, frame: Frame, label: &str) {
    svg.line("axis", (x, frame.bottom), (x, frame.bottom + 5.0));
    if !label.is_empty() {
        svg.text("", (x, frame.bottom + 21.0), Anchor::Middle, label);
    }
}

/// The heading, the horizontal axis and its name.
pub(super) fn name(svg: &mut Svg, ends: (f64, f64), frame: Frame, heading: &str, axis: &str) {
    svg.text("heading", (ends.0, frame.top - 14.0), Anchor::Start, heading);
    svg.line("axis", (ends.0, frame.bottom), (ends.1, frame.bottom));
    svg.text("", (f64::midpoint(ends.0, ends.1), frame.bottom + 45.0), Anchor::Middle, axis);
}
