//! The panel of times.

use super::Point;
use super::axis::{Axis, Scale};
use super::panel::{Frame, grid, line_labels, name, tick};
use super::series::{Series, distinct};
use super::svg::{Anchor, Svg};

/// Logarithmic time against N or, for one N, against the threads.
pub(super) fn times(svg: &mut Svg, all: &[Series], frame: Frame, ends: (f64, f64)) {
    let points = || all.iter().flat_map(|series| series.points.iter().copied());
    let sizes = distinct(points().map(|point| point.n));
    let counts = distinct(points().map(|point| point.threads));
    let by_threads = sizes.len() == 1;
    let place = |point: &Point| if by_threads { point.threads as f64 } else { point.n as f64 };
    let places = if by_threads { &counts } else { &sizes };
    // Threads double from one number to the next.
    let scale = if by_threads && counts.len() > 3 { Scale::Log } else { Scale::Linear };
    let x = Axis::new(scale, places.iter().map(|&place| place as f64), 0.04, ends);
    let extremes = points().flat_map(|point| [point.fastest, point.slowest]);
    let y = Axis::new(Scale::Log, extremes, 0.05, (frame.bottom, frame.top));
    for (value, labelled) in y.decades() {
        grid(svg, if labelled { "grid" } else { "fine" }, ends, y.at(value));
        if labelled {
            svg.text("", (ends.0 - 10.0, y.at(value) + 4.5), Anchor::End, &time_label(value));
        }
    }
    for &place in places {
        tick(svg, x.at(place as f64), frame, &place.to_string());
    }
    let (heading, axis) = match sizes.as_slice() {
        [size] => (format!("Time for one count of N = {size}"), "threads"),
        _ => ("Time for one count".to_owned(), "N"),
    };
    name(svg, ends, frame, &heading, axis);
    if !by_threads {
        let legend = match counts.split_last() {
            Some((most, [])) => threads_label(*most),
            Some((most, fewer)) => {
                let fewer: Vec<String> = fewer.iter().map(usize::to_string).collect();
                format!("solid: {}, dotted: {}", threads_label(*most), fewer.join(", "))
            }
            None => String::new(),
        };
        svg.text("", (ends.1, frame.top - 14.0), Anchor::End, &legend);
    }
    let at = |point: &Point| (x.at(place(point)), y.at(point.median));
    let mut labels = Vec::new();
    for series in all {
        let colour = series.colour;
        let lines: Vec<Vec<&Point>> = if by_threads {
            let mut line = series.points.clone();
            line.sort_by_key(|point| point.threads);
            vec![line]
        } else {
            series.threads().into_iter().map(|threads| series.on(threads)).collect()
        };
        for (index, line) in lines.iter().enumerate().rev() {
            let thin = if index > 0 { " thin" } else { "" };
            svg.path(&format!("series{colour}{thin}"), line.iter().map(|point| at(point)));
            for point in line {
                let (x, fastest, slowest) = (at(point).0, y.at(point.fastest), y.at(point.slowest));
                svg.line(&format!("series{colour} span"), (x, fastest), (x, slowest));
                let threads = threads_label(point.threads);
                let title = format!("N = {}, {} on {threads}: {:.6} s", point.n, series.label, point.median);
                svg.dot(&format!("fill{colour}{thin}"), at(point), &title);
            }
        }
        let Some(end) = lines.first().and_then(|line| line.last()).map(|last| at(last)) else { continue };
        let class = format!("label fill{colour}");
        if end.0 < ends.1 - 30.0 {
            // A line that ends early is named above its end, out of the way of those that go on.
            svg.text(&class, (end.0, end.1 - 13.0), Anchor::Middle, &series.label);
        } else {
            labels.push((end, series.label.clone(), class));
        }
    }
    line_labels(svg, &labels);
}

fn threads_label(threads: usize) -> String {
    if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") }
}

fn time_label(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 0.9e-3 => (s * 1e6, "µs"),
        s if s < 0.9 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    format!("{} {unit}", (value * 1e3).round() / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short() {
        assert_eq!([2e-5, 1e-3, 0.5, 20.0].map(time_label), ["20 µs", "1 ms", "500 ms", "20 s"]);
    }
}
