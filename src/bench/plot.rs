//! The timings as a picture: time by size on the left, speed-up by threads on the right.
//!
//! One SVG that needs nothing else: its own style sheet, fonts that every system has, and colours that follow the
//! reader's light or dark setting.

use super::axis::{Axis, Scale, apart};
use super::svg::{Anchor, Svg};
use super::{Combination, Timing};
use crate::engine::lanes::Isa;
use crate::engine::{ENGINES, Method};

const STYLE: &str = include_str!("style.css");
const HEIGHT: f64 = 450.0;
const TOP: f64 = 118.0;
const BOTTOM: f64 = 386.0;
/// Room beside a panel for the labels of its lines.
const LABEL: f64 = 90.0;
/// The same where the labels name sizes too.
const LONG_LABEL: f64 = 150.0;

/// Draws the timings of one machine; `subtitle` says which, and whatever else there is to know.
///
/// Time against N for each engine and each of its instruction sets, on the most and on the fewest threads timed; where more than one number of threads
/// was timed, also the speed-up over one thread of each engine at its largest N, beside the ideal.
pub fn plot(timings: &[Timing], subtitle: &str) -> String {
    let speed_ups = SpeedUp::all(timings);
    let width = if speed_ups.is_empty() { 640.0 } else { 1020.0 };
    let mut svg = Svg::default();
    svg.text("title", (32.0, 40.0), Anchor::Start, "Counting the solutions of the N-queens problem");
    svg.text("", (32.0, 63.0), Anchor::Start, subtitle);
    let right = if speed_ups.is_empty() { width } else { 590.0 };
    times(&mut svg, timings, (88.0, right - LABEL));
    if !speed_ups.is_empty() {
        threads(&mut svg, &speed_ups, (656.0, width - LONG_LABEL));
    }
    svg.finish(width, HEIGHT, "Time to count the N-queens solutions, by engine", STYLE)
}

/// Logarithmic time against N.
fn times(svg: &mut Svg, timings: &[Timing], ends: (f64, f64)) {
    let sizes: Vec<f64> = timings.iter().map(|timing| n(&timing.combination)).collect();
    let x = Axis::new(Scale::Linear, sizes.iter().copied(), 0.04, ends);
    let extremes = timings.iter().flat_map(|timing| [timing.fastest(), timing.slowest()]);
    let y = Axis::new(Scale::Log, extremes, 0.05, (BOTTOM, TOP));
    for (value, labelled) in y.decades() {
        grid(svg, if labelled { "grid" } else { "fine" }, ends, y.at(value));
        if labelled {
            svg.text("", (ends.0 - 10.0, y.at(value) + 4.5), Anchor::End, &time_label(value));
        }
    }
    let mut ticks = sizes;
    ticks.sort_by(f64::total_cmp);
    ticks.dedup();
    for &size in &ticks {
        tick(svg, x.at(size), &size.to_string());
    }
    frame(svg, ends, "Time for one count", "N");

    let counts = || timings.iter().map(|timing| timing.combination.threads);
    let (fewest, most) = (counts().min().unwrap_or(1), counts().max().unwrap_or(1));
    if fewest < most {
        let legend = format!("solid: {}, dotted: {}", threads_label(most), threads_label(fewest));
        svg.text("", (ends.1, TOP - 14.0), Anchor::End, &legend);
    }
    let mut labels = Vec::new();
    for series in Series::all(timings) {
        let (name, colour) = (&series.name, series.colour);
        let line = |threads| {
            let mut line: Vec<&Timing> = timings
                .iter()
                .filter(|timing| timing.combination.method == series.method && timing.combination.threads == threads)
                .collect();
            line.sort_by_key(|timing| timing.combination.size);
            line
        };
        let point = |timing: &Timing| (x.at(n(&timing.combination)), y.at(timing.median()));
        if fewest < most {
            svg.path(&format!("series{colour} thin"), line(fewest).into_iter().map(point));
        }
        let line = line(most);
        svg.path(&format!("series{colour}"), line.iter().copied().map(point));
        for timing in &line {
            let at = point(timing);
            let (fastest, slowest) = (y.at(timing.fastest()), y.at(timing.slowest()));
            svg.line(&format!("series{colour} span"), (at.0, fastest), (at.0, slowest));
            let title = format!("N = {}, {name}: {:.6} s", timing.combination.size, timing.median());
            svg.dot(&format!("fill{colour}"), at, &title);
        }
        let Some(end) = line.last().map(|last| point(last)) else { continue };
        let (name, class) = (name.clone(), format!("label fill{colour}"));
        if end.0 < ends.1 - 30.0 {
            // A line that ends early is named above its end, out of the way of those that go on.
            svg.text(&class, (end.0, end.1 - 13.0), Anchor::Middle, &name);
        } else {
            labels.push((end, name, class));
        }
    }
    line_labels(svg, &labels);
}

/// The speed-up of one line at one N.
struct SpeedUp {
    series: Series,
    size: usize,
    /// Threads and times faster than one, by threads.
    points: Vec<(f64, f64)>,
}

impl SpeedUp {
    /// That of each line at its largest N with several numbers of threads, one among them.
    fn all(timings: &[Timing]) -> Vec<Self> {
        let of = |series: Series| {
            let mut sizes: Vec<_> = timings.iter().map(|timing| timing.combination.size).collect();
            sizes.sort();
            sizes.dedup();
            sizes.into_iter().rev().find_map(|size| {
                let same =
                    |timing: &&Timing| timing.combination.method == series.method && timing.combination.size == size;
                let point = |timing: &Timing| Some((timing.combination.threads as f64, timing.speed_up(timings)?));
                let mut points: Vec<_> = timings.iter().filter(same).filter_map(point).collect();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                (points.len() > 1).then(|| Self { series: series.clone(), size: size.get(), points })
            })
        };
        Series::all(timings).into_iter().filter_map(of).collect()
    }
}

/// Speed-up against threads, with the ideal line.
fn threads(svg: &mut Svg, speed_ups: &[SpeedUp], ends: (f64, f64)) {
    let points = || speed_ups.iter().flat_map(|line| line.points.iter().copied());
    let mut counts: Vec<f64> = points().map(|point| point.0).collect();
    counts.sort_by(f64::total_cmp);
    counts.dedup();
    let most = counts.last().copied().unwrap_or(1.0);
    // Up to this many threads a linear axis shows every step; beyond it the small numbers would crowd.
    let scale = if most > 16.0 { Scale::Log } else { Scale::Linear };
    let x = Axis::new(scale, counts.iter().copied(), 0.06, ends);
    let y = Axis::new(scale, points().flat_map(|(threads, times)| [threads, times]), 0.06, (BOTTOM, TOP));
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
        tick(svg, x.at(count), &label);
    }
    frame(svg, ends, "Speed-up over one thread", "threads");

    svg.path("ideal", [(x.at(1.0), y.at(1.0)), (x.at(most), y.at(most))]);
    let mut labels = vec![((x.at(most), y.at(most)), "ideal".to_owned(), "label".to_owned())];
    for line in speed_ups {
        let Series { name, colour, .. } = &line.series;
        let at = |&(threads, times): &(f64, f64)| (x.at(threads), y.at(times));
        svg.path(&format!("series{colour}"), line.points.iter().map(at));
        for point in &line.points {
            let title = format!("{name}, N = {}: {:.2} times on {} threads", line.size, point.1, point.0);
            svg.dot(&format!("fill{colour}"), at(point), &title);
        }
        let last = line.points.last().expect("a speed-up has points");
        labels.push((at(last), format!("{name}, N = {}", line.size), format!("label fill{colour}")));
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

fn tick(svg: &mut Svg, x: f64, label: &str) {
    svg.line("axis", (x, BOTTOM), (x, BOTTOM + 5.0));
    if !label.is_empty() {
        svg.text("", (x, BOTTOM + 21.0), Anchor::Middle, label);
    }
}

/// The heading, the horizontal axis and its name.
fn frame(svg: &mut Svg, ends: (f64, f64), heading: &str, axis: &str) {
    svg.text("heading", (ends.0, TOP - 14.0), Anchor::Start, heading);
    svg.line("axis", (ends.0, BOTTOM), (ends.1, BOTTOM));
    svg.text("", (f64::midpoint(ends.0, ends.1), BOTTOM + 45.0), Anchor::Middle, axis);
}

fn n(combination: &Combination) -> f64 {
    combination.size.get() as f64
}

/// A line of the picture: an engine on an instruction set.
#[derive(Clone)]
struct Series {
    method: Method,
    name: String,
    /// Its number in the style sheet, in every picture the same.
    colour: usize,
}

impl Series {
    /// Those timed, in the order of [`ENGINES`]; instruction sets are named where there are several of one engine.
    fn all(timings: &[Timing]) -> Vec<Self> {
        const COLOURS: usize = 5;
        let mut all = Vec::new();
        for (colour, engine) in ENGINES.iter().enumerate() {
            let timed = |isa: &Isa| {
                let method = Method { engine: engine.kind, isa: *isa };
                timings.iter().any(|timing| timing.combination.method == method)
            };
            let isas: Vec<Isa> = Isa::ALL.into_iter().filter(timed).collect();
            for (index, &isa) in isas.iter().enumerate() {
                // The best has the colour of its engine, for that is what runs where nobody chooses.
                let is_best = index + 1 == isas.len();
                let colour = if is_best { colour } else { ENGINES.len() + index } % COLOURS;
                let name = if isas.len() == 1 { engine.name.to_owned() } else { format!("{}, {isa}", engine.name) };
                all.push(Self { method: Method { engine: engine.kind, isa }, name, colour });
            }
        }
        all
    }
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
    use crate::Size;
    use crate::engine::EngineKind;

    fn timing(n: usize, engine: EngineKind, threads: usize, seconds: f64) -> Timing {
        let method = Method { engine, isa: Isa::Portable };
        let combination = Combination { size: Size::new(n).unwrap(), method, threads };
        Timing { combination, count: 1, seconds: vec![seconds, seconds * 1.02] }
    }

    #[test]
    fn draws_what_was_timed() {
        let one = [timing(12, EngineKind::Naive, 1, 0.02), timing(13, EngineKind::Naive, 1, 0.1)];
        let picture = plot(&one, "a <machine> & more");
        assert!(picture.contains("a &lt;machine&gt; &amp; more") && picture.contains("prefers-color-scheme: dark"));
        assert!(picture.contains(">naive</text>") && !picture.contains("Speed-up"));

        let mut two = one.to_vec();
        two.extend([timing(12, EngineKind::Naive, 2, 0.011), timing(13, EngineKind::Naive, 2, 0.06)]);
        let picture = plot(&two, "");
        assert!(picture.contains("solid: 2 threads, dotted: 1 thread") && picture.contains(">naive, N = 13</text>"));
        assert!(picture.contains("N = 13: 1.67 times on 2 threads") && picture.contains(">ideal</text>"));
        assert!(!picture.contains("NaN") && !picture.contains("inf"));
        assert_eq!(picture.matches("<svg").count(), picture.matches("</svg>").count());
    }

    #[test]
    fn sets_of_one_engine_are_lines_of_their_own() {
        let mut timings = vec![timing(15, EngineKind::Join, 1, 0.02), timing(16, EngineKind::Join, 1, 0.1)];
        assert!(plot(&timings, "").contains(">join</text>"));
        for mut timing in timings.clone() {
            timing.combination.method.isa = Isa::Avx2;
            timings.push(timing);
        }
        let picture = plot(&timings, "");
        assert!(picture.contains(">join, portable</text>") && picture.contains(">join, avx2</text>"));
        assert_eq!(["series0", "series3"].map(|class| picture.matches(&format!("class=\"{class}\"")).count()), [1, 1]);
    }

    #[test]
    fn labels_are_short() {
        assert_eq!([2e-5, 1e-3, 0.5, 20.0].map(time_label), ["20 µs", "1 ms", "500 ms", "20 s"]);
    }
}
