//! The panel of speed-ups.

use super::axis::{Axis, Scale};
use super::panel::{Frame, grid, line_labels, name, tick};
use super::series::{Series, distinct};
use super::svg::{Anchor, Svg};

/// The speed-up of an engine on a machine at one N.
pub(super) struct SpeedUp {
    label: String,
    colour: usize,
    size: usize,
    /// Threads and times faster than one, by threads.
    points: Vec<(f64, f64)>,
}

impl SpeedUp {
    /// That at the largest N with several numbers of threads, one among them.
    pub(super) fn of(series: &Series) -> Option<Self> {
        let sizes = distinct(series.points.iter().map(|point| point.n));
        sizes.into_iter().rev().find_map(|size| {
            let same = series.points.iter().filter(|point| point.n == size);
            let mut points: Vec<_> = same.filter_map(|point| Some((point.threads as f64, point.speed_up?))).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let label = format!("{}, N = {size}", series.label);
            (points.len() > 1).then_some(Self { label, colour: series.colour, size, points })
        })
    }
}

/// Speed-up against threads, with the ideal line.
pub(super) fn speed_ups(svg: &mut Svg, lines: &[SpeedUp], frame: Frame, ends: (f64, f64)) {
    let points = || lines.iter().flat_map(|line| line.points.iter().copied());
    let mut counts: Vec<f64> = points().map(|point| point.0).collect();
    counts.sort_by(f64::total_cmp);
    counts.dedup();
    let most = counts.last().copied().unwrap_or(1.0);
    // Up to this many threads a linear axis shows every step; beyond it the small numbers would crowd.
    let scale = if most > 16.0 { Scale::Log } else { Scale::Linear };
    let x = Axis::new(scale, counts.iter().copied(), 0.06, ends);
    let y = Axis::new(scale, points().flat_map(|(threads, times)| [threads, times]), 0.06, (frame.bottom, frame.top));
    for value in speed_up_ticks(scale, most).into_iter().filter(|&value| y.contains(value)) {
        grid(svg, "grid", ends, y.at(value));
        svg.text("", (ends.0 - 10.0, y.at(value) + 4.5), Anchor::End, &format!("{value}×"));
    }
    let mut free = f64::NEG_INFINITY;
    for &count in &counts {
        // A tick that would touch the one before goes without a number.
        let label = if x.at(count) > free { count.to_string() } else { String::new() };
        if !label.is_empty() {
            free = x.at(count) + 22.0;
        }
        tick(svg, x.at(count), frame, &label);
    }
    name(svg, ends, frame, "Speed-up over one thread", "threads");

    svg.path("ideal", [(x.at(1.0), y.at(1.0)), (x.at(most), y.at(most))]);
    let mut labels = vec![((x.at(most), y.at(most)), "ideal".to_owned(), "label".to_owned())];
    for line in lines {
        let colour = line.colour;
        let at = |&(threads, times): &(f64, f64)| (x.at(threads), y.at(times));
        svg.path(&format!("series{colour}"), line.points.iter().map(at));
        for point in &line.points {
            let title = format!("N = {}: {:.2} times on {} threads", line.size, point.1, point.0);
            svg.dot(&format!("fill{colour}"), at(point), &title);
        }
        let last = line.points.last().expect("a speed-up has points");
        labels.push((at(last), line.label.clone(), format!("label fill{colour}")));
    }
    line_labels(svg, &labels);
}

/// At most about six values from 1 to `most`.
fn speed_up_ticks(scale: Scale, most: f64) -> Vec<f64> {
    match scale {
        Scale::Log => (0..16).map(|exponent| f64::from(1 << exponent)).collect(),
        Scale::Linear => {
            let step = [0.25, 0.5, 1.0, 2.0, 4.0].into_iter().find(|step| (most - 1.0) / step <= 6.0).unwrap_or(4.0);
            (0..=64).map(|index| f64::from(index) * step).collect()
        }
    }
}
