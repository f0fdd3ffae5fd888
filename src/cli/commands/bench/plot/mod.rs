//! The timings as a picture: time by size on the left, speed-up by threads on the right.
//!
//! One SVG that needs nothing else: its own style sheet, fonts that every system has, and colours that follow the
//! reader's light or dark setting. `plotters` was tried: it draws neither classes nor titles of dots, so there is no dark
//! setting and nothing to read where the pointer rests, a file is three times as large, and the names of lines are to be
//! kept apart by hand as here.

mod axis;
mod panel;
mod panels;
mod series;
mod svg;

use super::results::BenchResults;
use crate::cli::terminal::numbers;
use panel::Frame;
use panels::{speed_ups, times};
use series::Series;
use svg::{Anchor, Svg};

const STYLE: &str = include_str!("style.css");

/// Draws the timings of one or several machines.
pub(super) fn plot(machines: &[BenchResults]) -> String {
    /// The height of a panel, and that of a line of subtitles.
    const PANEL: f64 = 268.0;
    const SUBTITLE: f64 = 19.0;
    let all = Series::all(machines);
    let mut svg = Svg::default();
    svg.text("title", (32.0, 40.0), Anchor::Start, "Counting the solutions of the N-queens problem");
    for (index, machine) in machines.iter().enumerate() {
        let subtitle = format!("{}; medians of {}", machine.about(), numbers::count_of(machine.runs, "run"));
        let subtitle = match machines {
            [_] => format!("{subtitle}, bars from fastest to slowest"),
            _ => format!("{}: {subtitle}", machine.name()),
        };
        svg.text("", (32.0, 63.0 + SUBTITLE * index as f64), Anchor::Start, &subtitle);
    }
    let top = 118.0 + SUBTITLE * (machines.len() - 1) as f64;
    let bottom = top + PANEL;
    // At the right of each panel there is room for the names of its lines.
    let speed_ups = speed_ups(&all);
    let (width, right) = if speed_ups.is_some() { (1080.0, 500.0) } else { (700.0, 580.0) };
    times(&all).draw(&mut svg, Frame { left: 88.0, right, top, bottom });
    if let Some(panel) = speed_ups {
        panel.draw(&mut svg, Frame { left: 686.0, right: 900.0, top, bottom });
    }
    svg.finish(width, bottom + 64.0, "Time to count the N-queens solutions, by engine", STYLE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::bench::measurement::Measurement;
    use crate::cli::commands::bench::tests as planted;

    fn point(n: usize, engine: &str, threads: usize, median: f64, speed_up: Option<f64>) -> Measurement {
        let times = [median, median, 1.02 * median];
        Measurement { speed_up, ..planted::measurement(n, "92", (engine, "portable"), threads, times) }
    }

    fn machine(name: &str, points: &[Measurement]) -> BenchResults {
        let mut results = planted::results(points.to_vec());
        results.file = Some(name.into());
        results
    }

    /// No picture hides a point, and none has a coordinate that is no number.
    fn check(picture: &str, points: usize) {
        assert!(!picture.contains("NaN") && !picture.contains("inf"));
        assert_eq!(picture.matches("<svg").count(), picture.matches("</svg>").count());
        let times = picture.matches(" s</title>").count();
        assert_eq!(times, points, "{picture}");
    }

    #[test]
    fn draws_what_was_timed() {
        let one = vec![point(12, "naive", 1, 0.02, Some(1.0)), point(13, "naive", 1, 0.1, Some(1.0))];
        let mut named = machine("", &one);
        named.cpu = "a <machine> & more".to_owned();
        let picture = plot(&[named]);
        assert!(
            picture.contains("a &lt;machine&gt; &amp; more, queens 0.2.0; medians of 5 runs, bars")
                && picture.contains("prefers-color-scheme: dark")
        );
        assert!(picture.contains(">naive</text>") && picture.contains(">1 thread</text>"));
        assert!(!picture.contains("Speed-up"));
        check(&picture, 2);

        let mut more = one;
        for (threads, share) in [(2, 0.6), (4, 0.4)] {
            more.push(point(12, "naive", threads, 0.02 * share, Some(1.0 / share)));
            more.push(point(13, "naive", threads, 0.1 * share, Some(1.0 / share)));
        }
        let picture = plot(&[machine("", &more)]);
        assert!(picture.contains("solid: 4 threads, dotted: 1, 2") && picture.contains(">naive, N = 13</text>"));
        // A line for each number of threads, the most of them solid.
        assert_eq!(picture.matches("<polyline class=\"series2 thin\"").count(), 2);
        assert!(picture.contains("N = 13: 1.67 times on 2 threads") && picture.contains(">ideal</text>"));
        check(&picture, 6);
    }

    #[test]
    fn one_size_is_drawn_over_the_threads() {
        let points = vec![point(16, "join", 1, 0.06, Some(1.0)), point(16, "join", 2, 0.03, Some(2.0))];
        let picture = plot(&[machine("", &points)]);
        assert!(picture.contains("Time for one count of N = 16") && picture.contains(">threads</text>"));
        check(&picture, 2);
        let picture = plot(&[machine("", &[point(16, "join", 2, 0.03, None)])]);
        assert!(picture.contains(">2</text>"));
        check(&picture, 1);
    }

    #[test]
    fn machines_are_told_apart() {
        let points =
            |speed: f64| vec![point(15, "join", 2, 0.01 / speed, None), point(16, "join", 2, 0.03 / speed, None)];
        let (a, b) = (points(1.0), points(2.0));
        let picture = plot(&[machine("a", &a), machine("b", &b)]);
        assert!(picture.contains(">join, a</text>") && picture.contains(">join, b</text>"));
        assert!(picture.contains(">a: A Processor, of some make, queens 0.2.0; medians of 5 runs</text>"));
        assert!(picture.contains("\"series0\"") && picture.contains("\"series1\""));
        check(&picture, 4);
    }

    #[test]
    fn sets_of_one_engine_are_lines_of_their_own() {
        let mut points = vec![point(15, "join", 1, 0.02, None), point(16, "join", 1, 0.1, None)];
        assert!(plot(&[machine("", &points)]).contains(">join</text>"));
        for mut point in points.clone() {
            point.isa = "avx2".to_owned();
            points.push(point);
        }
        let picture = plot(&[machine("", &points)]);
        assert!(picture.contains(">join, portable</text>") && picture.contains(">join, avx2</text>"));
        let lines = |class| picture.matches(&format!("<polyline class=\"{class}\"")).count();
        assert_eq!(["series0", "series3"].map(lines), [1, 1]);
        check(&picture, 4);
    }
}
