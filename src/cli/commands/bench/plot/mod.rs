//! The timings as a picture: time by size on the left; on the right speed-up by threads and, of several machines, how many
//! times as fast as the first the others are.
//!
//! One SVG that needs nothing else: its own style sheet, fonts that every system has, and colours that follow the
//! reader's light or dark setting. `plotters` was tried: it draws neither classes nor titles of dots, so there is no dark
//! setting and nothing to read where the pointer rests, a file is three times as large, and the names of lines are to be
//! kept apart by hand as here.

mod axis;
mod labels;
mod panel;
mod panels;
mod series;
mod svg;

use super::results::BenchResults;
use crate::cli::terminal::numbers;
use panel::{Frame, Panel};
use panels::{ratios, speed_ups, times};
use series::Series;
use svg::{Anchor, Svg};

const TITLE: &str = "Time to count the N-queens solutions, by engine";
const STYLE: &str = include_str!("style.css");

/// Draws the timings of one or several machines.
pub(super) fn plot(machines: &[BenchResults]) -> String {
    let (svg, size) = draw(machines);
    svg.file(size, TITLE, STYLE, true)
}

/// The picture, and how large it is.
fn draw(machines: &[BenchResults]) -> (Svg, (f64, f64)) {
    /// The height of a panel, the width of a further one, what is at least between two, room for the values on its axis
    /// beyond the names of the panel before, and how high a subtitle is.
    const PANEL: f64 = 268.0;
    const WIDTH: f64 = 214.0;
    const BETWEEN: f64 = 196.0;
    const VALUES: f64 = 54.0;
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
    let first = times(&all);
    let more: Vec<Panel> = [speed_ups(&all), ratios(&all, &machines[0])].into_iter().flatten().collect();
    if more.is_empty() {
        first.draw(&mut svg, Frame { left: 88.0, right: 580.0, top, bottom });
        return (svg, (700.0, bottom + 64.0));
    }
    let mut right = 500.0;
    let mut reach = first.draw(&mut svg, Frame { left: 88.0, right, top, bottom });
    for panel in &more {
        let left = (right + BETWEEN).max(reach + VALUES);
        right = left + WIDTH;
        reach = panel.draw(&mut svg, Frame { left, right, top, bottom });
    }
    (svg, ((right + BETWEEN - 16.0).max(reach + 32.0).ceil(), bottom + 64.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::bench::measurement::Measurement;
    use crate::cli::commands::bench::tests as planted;
    use labels::Area;

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
        assert!(picture.contains("thick: 4 threads, thin: 1, 2") && picture.contains(">naive, N = 13</text>"));
        // A line for each number of threads, the most of them solid.
        assert_eq!(picture.matches("<polyline class=\"series2 stroke0 tint0 thin\"").count(), 2);
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
        // One hue, for it is one engine, and two strokes.
        assert!(picture.contains("\"series0 stroke0 tint0\"") && picture.contains("\"series0 stroke1 tint0\""));
        assert!(!picture.contains("\"series1 "));
        assert!(
            picture.contains(">Times as fast as a</text>")
                && picture.contains("N = 16, join, b on 2 threads: 2.00 times")
        );
        check(&picture, 4);
    }

    #[test]
    fn long_names_leave_the_next_panel_alone() {
        let points = |speed: f64| {
            let of = |engine, threads, seconds| point(16, engine, threads, seconds / speed, Some(threads as f64));
            vec![of("join", 1, 0.06), of("join", 2, 0.03), of("backtrack", 1, 0.6), of("backtrack", 2, 0.3)]
        };
        let (svg, (width, _)) = draw(&[machine("a-machine-1", &points(1.0)), machine("a-machine-2", &points(1.6))]);
        let area = |text: &svg::Text| Area::of_text(text.at, text.anchor, &text.letters);
        let long = svg.texts.iter().filter(|text| text.letters.starts_with("backtrack, a-machine"));
        for name in long {
            assert!(area(name).is_within(width), "{}", name.letters);
            let others = svg.texts.iter().filter(|other| !std::ptr::eq(*other, name));
            for other in others {
                assert!(!area(name).overlaps(area(other)), "{} and {}", name.letters, other.letters);
            }
        }
    }

    /// Other programs, as scripts/vs-peers writes them: a hue for each, that of no engine.
    #[test]
    fn other_programs_have_colours_of_their_own() {
        let names = ["join", "backtrack", "naive", "plain loop", "auto", "NQueensFAF 1234567"];
        let points: Vec<Measurement> = names.iter().map(|name| point(15, name, 2, 0.1, None)).collect();
        let picture = plot(&[machine("", &points)]);
        for (index, name) in
            ["join", "backtrack", "naive", "NQueensFAF 1234567", "auto", "plain loop"].iter().enumerate()
        {
            let label = format!("<text class=\"label series{index} stroke0 tint0\"");
            let line = picture.lines().find(|line| line.ends_with(&format!(">{name}</text>"))).unwrap();
            assert!(line.starts_with(&label), "{line}");
        }
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
        assert_eq!(["series0 stroke0 tint0", "series0 stroke0 tint1"].map(lines), [1, 1]);
        check(&picture, 4);
    }
}
