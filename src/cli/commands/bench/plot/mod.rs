//! The timings as a picture: time by size on the left, speed-up by threads on the right.
//!
//! One SVG that needs nothing else: its own style sheet, fonts that every system has, and colours that follow the
//! reader's light or dark setting.

mod axis;
mod panel;
mod series;
mod speed_up;
mod svg;
mod times;

use panel::Frame;
use series::Series;
use speed_up::{SpeedUp, speed_ups};
use svg::{Anchor, Svg};
use times::times;

const STYLE: &str = include_str!("style.css");
/// Where the panels begin, below one line of subtitle, and their height.
const TOP: f64 = 118.0;
const PANEL: f64 = 268.0;
/// Room beside a panel for the labels of its lines.
const LABEL: f64 = 120.0;
/// The same where the labels name sizes too.
const LONG_LABEL: f64 = 180.0;

/// The results of a machine, as the plot shows them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Machine {
    /// What its lines are called where there are several machines.
    pub(crate) name: String,
    /// What was timed.
    pub(crate) points: Vec<Point>,
}

/// The times of one combination; seconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    /// The board.
    pub(crate) n: usize,
    /// The engine, by the name it has in [`queens::ENGINES`]; another program's may be another.
    pub(crate) engine: String,
    /// The instruction set, by its name.
    pub(crate) isa: String,
    /// The number of threads.
    pub(crate) threads: usize,
    /// The median of the runs.
    pub(crate) median: f64,
    /// The fastest of the runs.
    pub(crate) fastest: f64,
    /// The slowest of the runs.
    pub(crate) slowest: f64,
    /// Times faster than on one thread, where that was timed.
    pub(crate) speed_up: Option<f64>,
}

/// Draws the timings of one or several machines; `subtitles` say which, a line each, and whatever else there is to know.
///
/// Time against N for each engine, and each of its instruction sets where there are several, on every number of threads
/// or, where a single N was timed, against the threads; where more than one number of threads was timed, also the
/// speed-up over one thread of each engine at its largest N, beside the ideal.
pub(crate) fn plot(machines: &[Machine], subtitles: &[String]) -> String {
    let all: Vec<Series> = Series::all(machines);
    let faster: Vec<SpeedUp> = all.iter().filter_map(SpeedUp::of).collect();
    let width = if faster.is_empty() { 700.0 } else { 1080.0 };
    let mut svg = Svg::default();
    svg.text("title", (32.0, 40.0), Anchor::Start, "Counting the solutions of the N-queens problem");
    for (index, subtitle) in subtitles.iter().enumerate() {
        svg.text("", (32.0, 63.0 + 19.0 * index as f64), Anchor::Start, subtitle);
    }
    // Every line but the first moves the rest down.
    let top = TOP + 19.0 * subtitles.len().saturating_sub(1) as f64;
    let frame = Frame { top, bottom: top + PANEL };
    let right = if faster.is_empty() { width } else { 620.0 };
    times(&mut svg, &all, frame, (88.0, right - LABEL));
    if !faster.is_empty() {
        speed_ups(&mut svg, &faster, frame, (686.0, width - LONG_LABEL));
    }
    svg.finish(width, frame.bottom + 64.0, "Time to count the N-queens solutions, by engine", STYLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(n: usize, engine: &str, threads: usize, median: f64, speed_up: Option<f64>) -> Point {
        let isa = "portable".to_owned();
        Point { n, engine: engine.to_owned(), isa, threads, median, fastest: median, slowest: median * 1.02, speed_up }
    }

    fn machine(name: &str, points: Vec<Point>) -> Machine {
        Machine { name: name.to_owned(), points }
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
        let picture = plot(&[machine("", one.clone())], &["a <machine> & more".to_owned()]);
        assert!(picture.contains("a &lt;machine&gt; &amp; more") && picture.contains("prefers-color-scheme: dark"));
        assert!(picture.contains(">naive</text>") && picture.contains(">1 thread</text>"));
        assert!(!picture.contains("Speed-up"));
        check(&picture, 2);

        let mut more = one;
        for (threads, share) in [(2, 0.6), (4, 0.4)] {
            more.push(point(12, "naive", threads, 0.02 * share, Some(1.0 / share)));
            more.push(point(13, "naive", threads, 0.1 * share, Some(1.0 / share)));
        }
        let picture = plot(&[machine("", more)], &[]);
        assert!(picture.contains("solid: 4 threads, dotted: 1, 2") && picture.contains(">naive, N = 13</text>"));
        assert!(picture.contains("N = 13: 1.67 times on 2 threads") && picture.contains(">ideal</text>"));
        check(&picture, 6);
    }

    #[test]
    fn one_size_is_drawn_over_the_threads() {
        let points = vec![point(16, "join", 1, 0.06, Some(1.0)), point(16, "join", 2, 0.03, Some(2.0))];
        let picture = plot(&[machine("", points)], &[]);
        assert!(picture.contains("Time for one count of N = 16") && picture.contains(">threads</text>"));
        check(&picture, 2);
        let picture = plot(&[machine("", vec![point(16, "join", 2, 0.03, None)])], &[]);
        assert!(picture.contains(">2</text>"));
        check(&picture, 1);
    }

    #[test]
    fn machines_are_told_apart() {
        let points =
            |speed: f64| vec![point(15, "join", 2, 0.01 / speed, None), point(16, "join", 2, 0.03 / speed, None)];
        let machines = [machine("a", points(1.0)), machine("b", points(2.0))];
        let picture = plot(&machines, &["a: one".to_owned(), "b: two".to_owned()]);
        assert!(picture.contains(">join, a</text>") && picture.contains(">join, b</text>"));
        assert!(picture.contains("fill0") && picture.contains("\"fill1\""));
        check(&picture, 4);
    }

    #[test]
    fn sets_of_one_engine_are_lines_of_their_own() {
        let mut points = vec![point(15, "join", 1, 0.02, None), point(16, "join", 1, 0.1, None)];
        assert!(plot(&[machine("", points.clone())], &[]).contains(">join</text>"));
        for mut point in points.clone() {
            point.isa = "avx2".to_owned();
            points.push(point);
        }
        let picture = plot(&[machine("", points)], &[]);
        assert!(picture.contains(">join, portable</text>") && picture.contains(">join, avx2</text>"));
        assert_eq!(["series0", "series3"].map(|class| picture.matches(&format!("class=\"{class}\"")).count()), [1, 1]);
        check(&picture, 4);
    }
}
