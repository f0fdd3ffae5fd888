//! The panels: times, speed-ups, and the ratios of several machines.

use std::collections::{BTreeMap, BTreeSet};

use super::axis::{Axis, Scale};
use super::panel::{Dot, Line, Panel};
use super::series::Series;
use crate::cli::commands::bench::measurement::Measurement;
use crate::cli::commands::bench::results::BenchResults;
use crate::cli::commands::bench::side_by_side::same;
use crate::cli::terminal::numbers::count_of;

/// Logarithmic time against N, a line for each number of threads; where there is one N only, against the threads.
pub(super) fn times(all: &[Series]) -> Panel {
    let points = || all.iter().flat_map(|series| &series.points);
    let sizes: BTreeSet<usize> = points().map(|point| point.n).collect();
    let threads: Vec<usize> = points().map(|point| point.threads).collect::<BTreeSet<_>>().into_iter().collect();
    let (one_size, most) = (sizes.len() == 1, threads.last().copied().unwrap_or_default());
    let mut lines = Vec::new();
    for series in all {
        let groups: Vec<&[&Measurement]> = if one_size {
            vec![&series.points]
        } else {
            series.points.chunk_by(|a, b| a.threads == b.threads).collect()
        };
        for (index, group) in groups.iter().enumerate() {
            // The most threads come last, drawn solid and over the others.
            let is_last = index + 1 == groups.len();
            let dot = |point: &&Measurement| Dot {
                x: if one_size { point.threads } else { point.n } as f64,
                y: point.median,
                range: (point.fastest, point.slowest),
                title: format!(
                    "N = {}, {} on {}: {:.6} s",
                    point.n,
                    series.label,
                    count_of(point.threads as u64, "thread"),
                    point.median
                ),
            };
            lines.push(Line {
                class: format!("{}{}", series.class, if is_last { "" } else { " thin" }),
                name: is_last.then(|| series.label.clone()),
                dots: group.iter().map(dot).collect(),
            });
        }
    }
    let fewer: Vec<String> = threads.iter().filter(|&&count| count != most).map(usize::to_string).collect();
    let most = count_of(most as u64, "thread");
    Panel {
        heading: match sizes.first().filter(|_| one_size) {
            Some(size) => format!("Time for one count of N = {size}"),
            None => "Time for one count".to_owned(),
        },
        note: match fewer.as_slice() {
            _ if one_size => String::new(),
            [] => most,
            fewer => format!("thick: {most}, thin: {}", fewer.join(", ")),
        },
        x_name: if one_size { "threads" } else { "N" },
        // Threads double from one number to the next.
        x: if one_size && threads.len() > 3 { Scale::Log } else { Scale::Linear },
        y: Scale::Log,
        grid: |y| {
            let label = |(value, labelled)| (value, if labelled { time_label(value) } else { String::new() });
            y.decades().into_iter().map(label).collect()
        },
        names_above: true,
        lines,
    }
}

/// How many times faster than one thread each engine is at its largest N with several numbers of threads, against the
/// threads, beside the ideal; nothing where one number of threads was timed.
pub(super) fn speed_ups(all: &[Series]) -> Option<Panel> {
    let dot = |threads: f64, times: f64, title: String| Dot { x: threads, y: times, range: (times, times), title };
    let mut lines = Vec::new();
    for series in all {
        let mut by_size: BTreeMap<usize, Vec<Dot>> = BTreeMap::new();
        for point in &series.points {
            let Some(times) = point.speed_up else { continue };
            let title = format!("N = {}: {times:.2} times on {} threads", point.n, point.threads);
            by_size.entry(point.n).or_default().push(dot(point.threads as f64, times, title));
        }
        let Some((size, dots)) = by_size.into_iter().rev().find(|(_, dots)| dots.len() > 1) else { continue };
        let name = Some(format!("{}, N = {size}", series.label));
        lines.push(Line { class: series.class.clone(), name, dots });
    }
    let most = lines.iter().flat_map(|line| &line.dots).map(|dot| dot.x).max_by(f64::total_cmp)?;
    // Up to this many threads a linear axis shows every step; beyond it the small numbers would crowd.
    let scale = if most > 16.0 { Scale::Log } else { Scale::Linear };
    let ideal = [1.0, most].map(|threads| dot(threads, threads, String::new()));
    let name = Some("ideal".to_owned());
    lines.insert(0, Line { class: "ideal".to_owned(), name, dots: ideal.into_iter().collect() });
    Some(Panel {
        heading: "Speed-up over one thread".to_owned(),
        note: String::new(),
        x_name: "threads",
        x: scale,
        y: scale,
        grid: times_grid,
        names_above: false,
        lines,
    })
}

/// How many times as fast as the first machine the others are, engine by engine, against N on the most threads that both
/// have timed it on; nothing where there is one machine, or nothing in common.
pub(super) fn ratios(all: &[Series], first: &BenchResults) -> Option<Panel> {
    let mut lines = Vec::new();
    for series in all.iter().filter(|series| !std::ptr::eq(series.machine, first)) {
        // By N, and by threads within it: of those that both have timed the last one stays.
        let mut by_size: BTreeMap<usize, Dot> = BTreeMap::new();
        for point in &series.points {
            let Some(before) = same(first, point) else { continue };
            let ratio = before.median / point.median;
            let threads = count_of(point.threads as u64, "thread");
            let title = format!("N = {}, {} on {threads}: {ratio:.2} times as fast", point.n, series.label);
            by_size.insert(point.n, Dot { x: point.n as f64, y: ratio, range: (ratio, ratio), title });
        }
        if !by_size.is_empty() {
            let dots = by_size.into_values().collect();
            lines.push(Line { class: series.class.clone(), name: Some(series.label.clone()), dots });
        }
    }
    let sizes = || lines.iter().flat_map(|line| &line.dots).map(|dot| dot.x);
    let ends = [sizes().min_by(f64::total_cmp)?, sizes().max_by(f64::total_cmp)?];
    let dots = ends.map(|x| Dot { x, y: 1.0, range: (1.0, 1.0), title: String::new() }).into_iter().collect();
    lines.insert(0, Line { class: "ideal".to_owned(), name: Some(first.name()), dots });
    let values = lines.iter().flat_map(|line| &line.dots).map(|dot| dot.y);
    Some(Panel {
        heading: format!("Times as fast as {}", first.name()),
        note: String::new(),
        x_name: "N",
        x: Scale::Linear,
        y: if values.clone().fold(0.0, f64::max) > 8.0 * values.fold(f64::INFINITY, f64::min) {
            Scale::Log
        } else {
            Scale::Linear
        },
        grid: times_grid,
        names_above: false,
        lines,
    })
}

/// Grid lines where the axis counts times as fast.
fn times_grid(y: &Axis) -> Vec<(f64, String)> {
    let values = times_values(y).into_iter().filter(|&value| y.contains(value));
    values.map(|value| (value, format!("{value}×"))).collect()
}

/// Powers of two or, on a linear axis, the multiples of one of them of which at most about eight are within.
fn times_values(axis: &Axis) -> Vec<f64> {
    let multiples = |step: f64| (0..=64).map(move |index| f64::from(index) * step);
    match axis.scale {
        Scale::Log => (-8..16).map(|exponent| 2f64.powi(exponent)).collect(),
        Scale::Linear => {
            let within = |step: &f64| multiples(*step).filter(|&value| axis.contains(value)).count();
            multiples([0.25, 0.5, 1.0, 2.0].into_iter().find(|step| within(step) <= 8).unwrap_or(4.0)).collect()
        }
    }
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
