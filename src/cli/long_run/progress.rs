//! The progress of a run on stderr: a bar, plain lines or JSON.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use queens::run::TimeLeft;
use queens::run::state::Progress;
use serde::Serialize;

use crate::cli::long_run::options::When;
use crate::cli::terminal::{json, messages, numbers};

/// A run shorter than this shows no progress unless it is asked for.
const SILENT: Duration = Duration::from_secs(2);
const LINE_EVERY: Duration = Duration::from_mins(1);
const JSON_EVERY: Duration = Duration::from_secs(1);
const STEPS: u64 = 1000;

/// Where progress goes.
pub(crate) struct Display {
    form: Form,
    next: Instant,
}

enum Form {
    Bar(ProgressBar),
    Lines,
    Json,
    Nothing,
}

/// A line for people.
pub(crate) enum Line {
    Note(String),
    Warning(String),
    Error(String),
}

/// The progress of a run, and how long ago it was saved, where there is a checkpoint.
pub(crate) struct State {
    pub(crate) n: usize,
    pub(crate) progress: Progress,
    pub(crate) saved: Option<Duration>,
}

impl Display {
    pub(crate) fn new(when: When) -> Self {
        let now = Instant::now();
        let terminal = std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let (form, next) = match when {
            When::Auto if terminal => (Form::Bar(bar()), now + SILENT),
            When::Auto => (Form::Lines, now + LINE_EVERY),
            When::Always => (Form::Bar(bar()), now),
            When::Json => (Form::Json, now),
            When::Never => (Form::Nothing, now),
        };
        Self { form, next }
    }

    /// Shows the state where that is due.
    pub(crate) fn tick(&mut self, state: impl FnOnce() -> State) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        match &self.form {
            Form::Bar(bar) => {
                let state = state();
                let width = columns();
                bar.set_style(style(width));
                // The figures first, for moving the bar draws them.
                bar.set_message(state.short(width - bar_width(width) - 1));
                bar.set_position((state.progress.share * STEPS as f64) as u64);
                bar.tick();
            }
            Form::Lines => {
                self.next += LINE_EVERY;
                messages::note(&state().long(usize::MAX));
            }
            Form::Json => {
                self.next += JSON_EVERY;
                state().json();
            }
            Form::Nothing => {}
        }
    }

    /// Shows the state at once.
    pub(crate) fn show(&self, state: &State) {
        if matches!(self.form, Form::Json) {
            return state.json();
        }
        let width = if std::io::stderr().is_terminal() { columns() } else { usize::MAX };
        self.say(&Line::Note(state.long(width)));
    }

    /// Prints a line without breaking a bar.
    pub(crate) fn say(&self, line: &Line) {
        match &self.form {
            Form::Bar(bar) => bar.suspend(|| line.print()),
            _ => line.print(),
        }
    }

    /// The run is over: removes the bar; a program that reads JSON gets the last state.
    pub(crate) fn end(&self, state: impl FnOnce() -> State) {
        match &self.form {
            Form::Bar(bar) => bar.finish_and_clear(),
            Form::Json => state().json(),
            Form::Lines | Form::Nothing => {}
        }
    }
}

/// A bar that is drawn whether stderr is a terminal or not; [`Display::new`] has decided.
fn bar() -> ProgressBar {
    let target = ProgressDrawTarget::term_like(Box::new(Term::buffered_stderr()));
    ProgressBar::with_draw_target(Some(STEPS), target).with_style(style(columns()))
}

fn style(width: usize) -> ProgressStyle {
    let template = format!("{{bar:{}}} {{msg}}", bar_width(width));
    ProgressStyle::with_template(&template).expect("the template is valid").progress_chars("█▉▊▋▌▍▎▏ ")
}

/// The bar itself leaves most of the line to the figures.
fn bar_width(width: usize) -> usize {
    if width < 60 { 8 } else { 20 }
}

/// Columns of the terminal, 80 where there is none. The last one stays free, for some terminals begin a new line behind
/// it.
fn columns() -> usize {
    const LEAST: usize = 20;
    usize::from(Term::stderr().size().1).max(LEAST) - 1
}

/// The fields that fit, the most important first, none of them cut. The first one is printed in any case.
fn fit(fields: impl IntoIterator<Item = String>, separator: &str, width: usize) -> String {
    let mut fields = fields.into_iter();
    let mut line = fields.next().unwrap_or_default();
    for field in fields {
        let longer = format!("{line}{separator}{field}");
        if longer.chars().count() <= width {
            line = longer;
        }
    }
    line
}

impl State {
    /// The fields that fit beside a bar, the most important first. What is not known is left out.
    fn short(&self, width: usize) -> String {
        let Progress { elapsed, left, .. } = self.progress;
        let fields = [
            self.percent().map(|percent| format!("{percent:>6}")),
            left.map(|left| format!("{} left", range(&left).trim_start_matches("about "))),
            Some(format!("{} so far", time(elapsed))),
            self.saved.map(|age| format!("saved {} ago", time(age))),
            self.solutions(|count| numbers::rounded(count as f64)),
            self.rate(),
        ];
        fit(fields.into_iter().flatten(), "  ", width)
    }

    /// A line for people.
    fn long(&self, width: usize) -> String {
        let Progress { units_done, units, elapsed, earlier, left, .. } = self.progress;
        let units = format!("{units_done} of {units} units");
        let (first, second) = match self.percent() {
            Some(percent) => (format!("{percent} done"), Some(units)),
            None => (units, None),
        };
        let fields = [
            Some(format!("N = {}: {first}", self.n)),
            second,
            Some(format!("in {}", time(elapsed))),
            (!earlier.is_zero()).then(|| format!("{} with earlier runs", time(earlier.saturating_add(elapsed)))),
            Some(left.map_or("time left not known yet".to_owned(), |left| format!("{} left", range(&left)))),
            self.solutions(numbers::grouped),
            self.rate(),
            self.saved.map(|age| format!("saved {} ago", time(age))),
        ];
        fit(fields.into_iter().flatten(), ", ", width)
    }

    /// The share done, where it is known.
    fn percent(&self) -> Option<String> {
        let Progress { share, units_done, .. } = self.progress;
        match share * 100.0 {
            0.0 if units_done == 0 => None,
            percent if percent < 0.05 => Some("< 0.1 %".to_owned()),
            // 100 % is shown at the end only.
            percent => Some(format!("{:.1} %", if share < 1.0 { percent.min(99.9) } else { percent })),
        }
    }

    fn solutions(&self, print: impl Fn(u128) -> String) -> Option<String> {
        let Progress { solutions, units_done, .. } = self.progress;
        (units_done > 0).then(|| format!("{} solutions so far", print(solutions)))
    }

    fn rate(&self) -> Option<String> {
        let rate = self.progress.tasks_per_second();
        (rate > 0.0).then(|| format!("{} tasks/s", numbers::rate(rate)))
    }

    fn json(&self) {
        let Progress { units_done, units, share, elapsed, earlier, left, solutions, .. } = self.progress;
        let json = Json {
            schema: json::SCHEMA,
            event: "progress",
            n: self.n,
            share,
            units_done,
            units,
            elapsed: elapsed.as_secs_f64(),
            total: (earlier + elapsed).as_secs_f64(),
            left: left.map(|left| left.expected.as_secs_f64()),
            left_low: left.map(|left| left.low.as_secs_f64()),
            left_high: left.map(|left| left.high.as_secs_f64()),
            solutions: solutions.to_string(),
            tasks_per_second: self.progress.tasks_per_second(),
            saved_ago: self.saved.map(|age| age.as_secs_f64()),
        };
        let mut err = std::io::stderr().lock();
        // Where nobody reads stderr any more, the count goes on for the reader of stdout.
        let _ = json::json(&mut err, &json).and_then(|()| err.flush());
    }
}

/// The interval, or a single time where its upper end is within a sixth of the expected time.
pub(super) fn range(left: &TimeLeft) -> String {
    let TimeLeft { expected, low, high } = *left;
    if high.as_secs_f64() <= 1.16 * expected.as_secs_f64() {
        return format!("about {}", time(expected));
    }
    match (coarse(low), coarse(high)) {
        (low, high) if low == high => format!("about {} {}", high.0, high.1),
        ((low, unit), (high, same)) if unit == same => format!("{low} to {high} {unit}"),
        ((low, smaller), (high, larger)) => format!("{low} {smaller} to {high} {larger}"),
    }
}

/// A time in one unit, as whole numbers: an interval of the time left needs no more.
fn coarse(time: Duration) -> (String, &'static str) {
    const MINUTE: f64 = 60.0;
    const HOUR: f64 = 60.0 * MINUTE;
    const DAY: f64 = 24.0 * HOUR;
    const YEAR: f64 = 365.25 * DAY;
    let seconds = time.as_secs_f64();
    let units = [(100.0, 1.0, "s"), (100.0, MINUTE, "min"), (72.0, HOUR, "h"), (1000.0, DAY, "days")];
    let found = units.into_iter().find(|(most, unit, _)| (seconds / unit).round() < *most);
    let (_, unit, name) = found.unwrap_or((0.0, YEAR, "years"));
    (numbers::grouped((seconds / unit).round() as u128), name)
}

/// Whole seconds, as fractions of a moving figure could not be read.
fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64().round();
    if seconds < 60.0 { format!("{seconds} s") } else { numbers::seconds(seconds) }
}

#[derive(Serialize)]
struct Json {
    schema: u32,
    event: &'static str,
    n: usize,
    share: f64,
    units_done: usize,
    units: usize,
    elapsed: f64,
    /// With the time of earlier runs.
    total: f64,
    left: Option<f64>,
    /// Its 95 % interval.
    left_low: Option<f64>,
    left_high: Option<f64>,
    solutions: String,
    tasks_per_second: f64,
    saved_ago: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(expected: f64, error: f64) -> TimeLeft {
        let [expected, low, high] =
            [1.0, 1.0 - error, 1.0 + error].map(|part| Duration::from_secs_f64(part * expected));
        TimeLeft { expected, low, high }
    }

    fn state() -> State {
        let progress = Progress {
            units_done: 44,
            units: 105,
            share: 0.4231,
            elapsed: Duration::from_secs(62),
            earlier: Duration::ZERO,
            left: Some(left(4.4, 0.01)),
            solutions: 6_123_456,
            tasks: 77,
        };
        State { n: 16, progress, saved: Some(Duration::from_secs(12)) }
    }

    #[test]
    fn a_person_reads_how_far_it_is() {
        let mut state = state();
        assert_eq!(
            state.long(usize::MAX),
            "N = 16: 42.3 % done, 44 of 105 units, in 1 min 02 s, about 4 s left, 6,123,456 solutions so far, \
             1.24 tasks/s, saved 12 s ago"
        );
        assert_eq!(
            state.short(usize::MAX),
            "42.3 %  4 s left  1 min 02 s so far  saved 12 s ago  6.12 million solutions so far  1.24 tasks/s"
        );
        state.progress.earlier = Duration::from_hours(1);
        assert!(state.long(usize::MAX).contains("in 1 min 02 s, 1 h 01 min 02 s with earlier runs, about"));
    }

    #[test]
    fn what_is_unknown_is_left_out() {
        let mut state = state();
        state.saved = None;
        let progress = Progress { units_done: 0, share: 0.0, left: None, solutions: 0, tasks: 0, ..state.progress };
        state.progress = progress;
        assert_eq!(state.long(usize::MAX), "N = 16: 0 of 105 units, in 1 min 02 s, time left not known yet");
        assert_eq!(state.short(usize::MAX), "1 min 02 s so far");
        let left = Some(left(2_676_430_000_000.0, 0.01));
        state.progress = Progress { left, share: 1e-9, ..progress };
        assert_eq!(state.long(80), "N = 16: < 0.1 % done, 0 of 105 units, in 1 min 02 s, about 84,811 years left");
        assert_eq!(state.short(usize::MAX), "< 0.1 %  84,811 years left  1 min 02 s so far");
        state.progress = Progress { share: 0.99996, units_done: 104, ..progress };
        assert!(state.long(80).starts_with("N = 16: 99.9 % done, 104 of"), "100 % is the end");
    }

    #[test]
    fn the_time_left_is_as_exact_as_it_is_known() {
        let told = |expected, error| range(&left(expected, error));
        assert_eq!(told(4.4, 0.04), "about 4 s");
        assert_eq!(told(4000.0, 0.04), "about 1 h 06 min 40 s");
        assert_eq!(told(4000.0, 0.2), "53 to 80 min");
        assert_eq!(told(6000.0, 0.5), "50 min to 3 h");
        assert_eq!(told(90.0, 0.2), "72 s to 2 min");
        assert_eq!(told(0.8, 0.2), "about 1 s");
        assert_eq!(told(1e6, 0.2), "9 to 14 days");
        assert_eq!(told(1e9, 0.9), "3 to 60 years");
    }

    /// Terminals of 40, 80 and 120 columns show whole fields and leave the last column free.
    #[test]
    fn narrow_terminals_get_fewer_fields() {
        let bar = |columns: usize| {
            let width = columns - 1;
            let message = state().short(width - bar_width(width) - 1);
            assert!(bar_width(width) + 1 + message.chars().count() < columns);
            message
        };
        assert_eq!(bar(40), "42.3 %  4 s left  1.24 tasks/s");
        assert_eq!(bar(80), "42.3 %  4 s left  1 min 02 s so far  saved 12 s ago");
        assert_eq!(
            bar(120),
            "42.3 %  4 s left  1 min 02 s so far  saved 12 s ago  6.12 million solutions so far  1.24 tasks/s"
        );
        assert_eq!(state().long(39), "N = 16: 42.3 % done, 44 of 105 units");
        assert_eq!(state().long(79), "N = 16: 42.3 % done, 44 of 105 units, in 1 min 02 s, about 4 s left");
        assert_eq!(
            state().long(119),
            "N = 16: 42.3 % done, 44 of 105 units, in 1 min 02 s, about 4 s left, 6,123,456 solutions so far, 1.24 tasks/s"
        );
    }
}
