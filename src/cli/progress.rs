//! How far a run is, on stderr: a bar, plain lines or JSON.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use queens::run::progress::Progress;
use serde::Serialize;

use super::long::When;
use super::output;

/// A run shorter than this shows nothing by itself.
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

/// How far a run is, and how long ago that was saved, where it is saved at all.
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
                bar.set_position((state.progress.share * STEPS as f64) as u64);
                bar.set_message(state.short());
                bar.tick();
            }
            Form::Lines => {
                self.next += LINE_EVERY;
                output::note(&state().long());
            }
            Form::Json => {
                self.next += JSON_EVERY;
                state().json();
            }
            Form::Nothing => {}
        }
    }

    /// Shows the state at once, as somebody asked.
    pub(crate) fn show(&self, state: &State) {
        match &self.form {
            Form::Json => state.json(),
            _ => self.say(&state.long()),
        }
    }

    /// A line for people, which leaves a bar intact.
    pub(crate) fn say(&self, line: &str) {
        match &self.form {
            Form::Bar(bar) => bar.suspend(|| output::note(line)),
            _ => output::note(line),
        }
    }

    /// The run is over: the bar goes, a program gets the last state.
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
    let style = ProgressStyle::with_template("{bar:20} {wide_msg}").expect("the template is valid");
    let target = ProgressDrawTarget::term_like(Box::new(Term::buffered_stderr()));
    ProgressBar::with_draw_target(Some(STEPS), target).with_style(style.progress_chars("█▉▊▋▌▍▎▏ "))
}

impl State {
    /// What fits beside a bar, the most wanted first.
    fn short(&self) -> String {
        let Progress { share, elapsed, left, solutions, .. } = self.progress;
        let left = left.map_or("time left unknown".to_owned(), |left| format!("{} left", time(left)));
        let saved = self.saved.map_or(String::new(), |age| format!("  saved {} ago", time(age)));
        format!(
            "{:4.1} %  {left}, {} so far  {} solutions  {} tasks/s{saved}",
            share * 100.0,
            time(elapsed),
            output::rounded(solutions as f64),
            output::rate(self.progress.tasks_per_second()),
        )
    }

    fn long(&self) -> String {
        let Progress { units_done, units, share, elapsed, left, solutions, .. } = self.progress;
        let left = left.map_or("time left unknown".to_owned(), |left| format!("about {} left", time(left)));
        let saved = self.saved.map_or(String::new(), |age| format!(", saved {} ago", time(age)));
        format!(
            "N = {}: {:.1} % done ({units_done} of {units} units) in {}, {left}, {} solutions so far, {} tasks/s{saved}",
            self.n,
            share * 100.0,
            time(elapsed),
            output::grouped(solutions),
            output::rate(self.progress.tasks_per_second()),
        )
    }

    fn json(&self) {
        let Progress { units_done, units, share, elapsed, left, solutions, .. } = self.progress;
        let json = Json {
            schema: output::SCHEMA,
            event: "progress",
            n: self.n,
            share,
            units_done,
            units,
            elapsed: elapsed.as_secs_f64(),
            left: left.map(|left| left.as_secs_f64()),
            solutions: solutions.to_string(),
            tasks_per_second: self.progress.tasks_per_second(),
            saved_ago: self.saved.map(|age| age.as_secs_f64()),
        };
        let mut err = std::io::stderr().lock();
        // Nobody reads stderr any more: the count goes on for the reader of stdout.
        let _ = output::json(&mut err, &json).and_then(|()| err.flush());
    }
}

/// Whole seconds: nobody needs more of a moving figure.
fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64().round();
    if seconds < 60.0 { format!("{seconds} s") } else { output::seconds(seconds) }
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
    left: Option<f64>,
    solutions: String,
    tasks_per_second: f64,
    saved_ago: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_reads_how_far_it_is() {
        let progress = Progress {
            units_done: 44,
            units: 105,
            share: 0.4231,
            elapsed: Duration::from_secs(62),
            left: Some(Duration::from_millis(4400)),
            solutions: 6_123_456,
            tasks: 77,
        };
        let state = State { n: 16, progress, saved: Some(Duration::from_secs(12)) };
        assert_eq!(
            state.long(),
            "N = 16: 42.3 % done (44 of 105 units) in 1 min 02 s, about 4 s left, 6,123,456 solutions so far, \
             1.24 tasks/s, saved 12 s ago"
        );
        assert_eq!(
            state.short(),
            "42.3 %  4 s left, 1 min 02 s so far  6.12 million solutions  1.24 tasks/s  saved 12 s ago"
        );
        let progress = Progress { left: None, ..progress };
        let unknown = State { n: 16, progress, saved: None };
        assert!(unknown.long().ends_with("time left unknown, 6,123,456 solutions so far, 1.24 tasks/s"));
    }
}
