//! Progress of a command that keeps no ledger: it says how far it is, and the rest looks as it does for a count.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use queens::run::TimeLeft;

use crate::cli::long_run::{Status, When, display::Ending, printer::Printer};
use crate::cli::terminal::{Answering, Facts, messages, signals};

/// A bar after two seconds, a line a minute or JSON, as `--progress` says, from a thread of its own. Whoever works says how
/// far it is, as often as it likes and from any thread; what would break the bar is printed aside; and before the result
/// is printed the activity is over:
///
/// ```ignore
/// let activity = Activity::start(args.progress, "verify");
/// for (done, n) in sizes.enumerate() {
///     activity.at(Status { title: format!("N = {n}"), share: Some(done as f64 / all as f64), ..Status::default() });
///     let row = check(n)?;
///     activity.aside(|| print(row));
/// }
/// activity.finish();
/// ```
///
/// Where it is dropped without that, a program that reads JSON is told that it was stopped.
pub(crate) struct Activity {
    /// Where no thread could be started, nothing is shown.
    printer: Option<Printer>,
    /// Where there are no signals, nobody can ask.
    answering: Option<Answering>,
    shared: Arc<Shared>,
}

struct Shared {
    command: &'static str,
    started: Instant,
    status: Mutex<Box<dyn Fn() -> Status + Send>>,
}

impl Activity {
    pub(crate) fn start(when: When, command: &'static str) -> Self {
        if when == When::Json {
            messages::as_events();
        }
        let first = move || Status { title: command.to_owned(), ..Status::default() };
        let shared = Arc::new(Shared { command, started: Instant::now(), status: Mutex::new(Box::new(first)) });
        let shown = Arc::clone(&shared);
        let printer = Printer::start(when, move || shown.status()).ok();
        let asked = printer.clone();
        let answering = asked.and_then(|printer| signals::answer(move || printer.show()).ok());
        Self { printer, answering, shared }
    }

    /// How far it is by now.
    pub(crate) fn at(&self, status: Status) {
        self.watch(move || status.clone());
    }

    /// Who is asked from now on how far it is.
    pub(crate) fn watch(&self, status: impl Fn() -> Status + Send + 'static) {
        *self.shared.status.lock().unwrap_or_else(PoisonError::into_inner) = Box::new(status);
    }

    /// Prints on stdout, say, while no bar is in the way.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.printer {
            Some(printer) => printer.aside(print),
            None => print(),
        }
    }

    /// It has come to its end.
    pub(crate) fn finish(mut self) {
        self.end(Ending::finished(Vec::new()));
    }

    fn end(&mut self, ending: Ending) {
        self.answering = None;
        if let Some(printer) = self.printer.take() {
            printer.end(ending);
        }
    }
}

impl Drop for Activity {
    fn drop(&mut self) {
        self.end(Ending::stopped(None));
    }
}

impl Shared {
    fn status(&self) -> Status {
        let status = self.status.lock().unwrap_or_else(PoisonError::into_inner)();
        let elapsed = self.started.elapsed();
        let even = status.share.filter(|_| status.is_even).and_then(|share| even(share, elapsed));
        let left = even.map(|expected| TimeLeft { expected, low: expected, high: expected });
        let seconds = left.map(|left| left.expected.as_secs_f64());
        let object = Facts::default().with("command", self.command).with("doing", &status.title).with("left", seconds);
        Status { elapsed, left, object, ..status }
    }
}

/// The time left of what grows evenly; less than a hundredth says nothing.
fn even(share: f64, elapsed: Duration) -> Option<Duration> {
    let left = elapsed.as_secs_f64() * (1.0 - share) / share;
    Duration::try_from_secs_f64(left).ok().filter(|_| share >= 0.01)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_told_of_what_grows_evenly() {
        let elapsed = Duration::from_secs(10);
        assert_eq!(even(0.25, elapsed), Some(Duration::from_secs(30)));
        assert_eq!([even(0.009, elapsed), even(0.0, elapsed)], [None; 2]);
        let activity = Activity::start(When::Never, "test");
        let told = |is_even| {
            activity.at(Status { title: "N = 8".to_owned(), share: Some(0.5), is_even, ..Status::default() });
            activity.shared.status()
        };
        assert!(told(true).left.is_some() && told(false).left.is_none());
        let event = told(false).event("progress").json();
        assert!(
            event.contains("\"command\":\"test\",\"doing\":\"N = 8\",\"left\":null,\"share\":0.5,\"elapsed\":"),
            "{event}"
        );
    }
}
