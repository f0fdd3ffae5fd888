//! The timings as a picture: time by size on the left, speed-up by threads on the right.
//!
//! One SVG that needs nothing else: its own style sheet, fonts that every system has, and colours that follow the
//! reader's light or dark setting.

use queens::{ENGINES, Isa};

use super::axis::{Axis, Scale, apart};
use super::svg::{Anchor, Svg};

const STYLE: &str = include_str!("style.css");
/// Where the panels begin, below one line of subtitle, and their height.
const TOP: f64 = 118.0;
const PANEL: f64 = 268.0;
/// Room beside a panel for the labels of its lines.
const LABEL: f64 = 120.0;
/// The same where the labels name sizes too.
const LONG_LABEL: f64 = 180.0;
/// Of the style sheet.
const COLOURS: usize = 6;

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
    /// The engine, by the name it has in [`ENGINES`]; another program's may be another.
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
    let speed_ups: Vec<SpeedUp> = all.iter().filter_map(SpeedUp::of).collect();
    let width = if speed_ups.is_empty() { 700.0 } else { 1080.0 };
    let mut svg = Svg::default();
    svg.text("title", (32.0, 40.0), Anchor::Start, "Counting the solutions of the N-queens problem");
    for (index, subtitle) in subtitles.iter().enumerate() {
        svg.text("", (32.0, 63.0 + 19.0 * index as f64), Anchor::Start, subtitle);
    }
    // Every line but the first moves the rest down.
    let top = TOP + 19.0 * subtitles.len().saturating_sub(1) as f64;
    let frame = Frame { top, bottom: top + PANEL };
    let right = if speed_ups.is_empty() { width } else { 620.0 };
    times(&mut svg, &all, frame, (88.0, right - LABEL));
    if !speed_ups.is_empty() {
        threads(&mut svg, &speed_ups, frame, (686.0, width - LONG_LABEL));
    }
    svg.finish(width, frame.bottom + 64.0, "Time to count the N-queens solutions, by engine", STYLE)
}

/// The upper and the lower end of the panels.
#[derive(Clone, Copy)]
struct Frame {
    top: f64,
    bottom: f64,
}

/// An engine on a machine, and on one instruction set where several were timed: what is drawn in one colour.
struct Series<'a> {
    label: String,
    colour: usize,
    points: Vec<&'a Point>,
}

impl<'a> Series<'a> {
    /// By machine, then engine. One machine's engines have colours of their own, the same in every picture; several
    /// machines are told apart by colours, and their engines by name.
    fn all(machines: &'a [Machine]) -> Vec<Self> {
        let mut all = Vec::new();
        for machine in machines {
            let mut engines: Vec<&str> = machine.points.iter().map(|point| point.engine.as_str()).collect();
            engines.sort_by_key(|engine| position(engine));
            engines.dedup();
            for engine in engines {
                let mut isas: Vec<&str> = machine
                    .points
                    .iter()
                    .filter(|point| point.engine == engine)
                    .map(|point| point.isa.as_str())
                    .collect();
                isas.sort_by_key(|isa| Isa::ALL.iter().position(|known| known.name() == *isa));
                isas.dedup();
                for (index, &isa) in isas.iter().enumerate() {
                    let is_it = |point: &&Point| point.engine == engine && point.isa == isa;
                    let points = machine.points.iter().filter(is_it).collect();
                    let mut label = engine.to_owned();
                    if isas.len() > 1 {
                        label = format!("{label}, {isa}");
                    }
                    // The best set has the colour of its engine, for that is what runs where nobody chooses.
                    let is_best = index + 1 == isas.len();
                    let mut colour = if is_best { position(engine) } else { ENGINES.len() + index };
                    if machines.len() > 1 {
                        label = format!("{label}, {}", machine.name);
                        colour = all.len();
                    }
                    all.push(Self { label, colour: colour % COLOURS, points });
                }
            }
        }
        all
    }

    /// The points on so many threads, by N.
    fn on(&self, threads: usize) -> Vec<&'a Point> {
        let mut line: Vec<&Point> = self.points.iter().copied().filter(|point| point.threads == threads).collect();
        line.sort_by_key(|point| point.n);
        line
    }

    /// Every number of threads, the most first.
    fn threads(&self) -> Vec<usize> {
        let mut threads: Vec<usize> = self.points.iter().map(|point| point.threads).collect();
        threads.sort_unstable_by(|a, b| b.cmp(a));
        threads.dedup();
        threads
    }
}

/// Logarithmic time against N or, for one N, against the threads.
fn times(svg: &mut Svg, all: &[Series], frame: Frame, ends: (f64, f64)) {
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

/// The speed-up of an engine on a machine at one N.
struct SpeedUp {
    label: String,
    colour: usize,
    size: usize,
    /// Threads and times faster than one, by threads.
    points: Vec<(f64, f64)>,
}

impl SpeedUp {
    /// That at the largest N with several numbers of threads, one among them.
    fn of(series: &Series) -> Option<Self> {
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
fn threads(svg: &mut Svg, speed_ups: &[SpeedUp], frame: Frame, ends: (f64, f64)) {
    let points = || speed_ups.iter().flat_map(|line| line.points.iter().copied());
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
    for line in speed_ups {
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

/// Names at the ends of lines: point, name, class.
fn line_labels(svg: &mut Svg, labels: &[((f64, f64), String, String)]) {
    let heights: Vec<f64> = labels.iter().map(|label| label.0.1).collect();
    for ((point, name, class), height) in labels.iter().zip(apart(&heights, 17.0)) {
        svg.text(class, (point.0 + 11.0, height + 4.5), Anchor::Start, name);
    }
}

fn grid(svg: &mut Svg, class: &str, ends: (f64, f64), height: f64) {
    svg.line(class, (ends.0, height), (ends.1, height));
}

fn tick(svg: &mut Svg, x: f64, frame: Frame, label: &str) {
    svg.line("axis", (x, frame.bottom), (x, frame.bottom + 5.0));
    if !label.is_empty() {
        svg.text("", (x, frame.bottom + 21.0), Anchor::Middle, label);
    }
}

/// The heading, the horizontal axis and its name.
fn name(svg: &mut Svg, ends: (f64, f64), frame: Frame, heading: &str, axis: &str) {
    svg.text("heading", (ends.0, frame.top - 14.0), Anchor::Start, heading);
    svg.line("axis", (ends.0, frame.bottom), (ends.1, frame.bottom));
    svg.text("", (f64::midpoint(ends.0, ends.1), frame.bottom + 45.0), Anchor::Middle, axis);
}

/// Each value once, in order.
fn distinct(values: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut values: Vec<usize> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// Where an engine stands in [`ENGINES`], and after them all where it does not.
fn position(engine: &str) -> usize {
    ENGINES.iter().position(|info| info.name == engine).unwrap_or(ENGINES.len())
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

    #[test]
    fn labels_are_short() {
        assert_eq!([2e-5, 1e-3, 0.5, 20.0].map(time_label), ["20 µs", "1 ms", "500 ms", "20 s"]);
    }
}
