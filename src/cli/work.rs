//! Runs long work in a separate thread, while the main thread waits for its end or a signal, and prints its lines: a
//! terminal stopped by ^S, or a full pipe, delays printing but not the work.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::process;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use queens::{CountError, Watch};

use super::failure::{Failure, Result};
use super::progress::Bar;
use super::{output, signals, threads};

/// Runs work with a progress bar, until it ends or a signal stops it.
pub(crate) fn run_watched<T: Send + 'static>(
    title: &str,
    work: impl FnOnce(&Watch) -> Result<T, CountError> + Send + 'static,
) -> Result<T> {
    run_printing(title, |_| (), |watch, _| work(watch))
}

/// Like [`run_watched`], for work that reports lines on the way; `print` gets them at once.
pub(crate) fn run_printing<T: Send + 'static>(
    title: &str,
    mut print: impl FnMut(&str),
    work: impl FnOnce(&Watch, &(dyn Fn(String) + Sync)) -> Result<T, CountError> + Send + 'static,
) -> Result<T> {
    let mut work = Work::start(title, &Watch::default(), false, Box::new(|watch, print| Box::new(work(watch, print))))?;
    let mut until = None;
    loop {
        match work.next(until) {
            Event::Ended(result) => return Ok(downcast::<Result<T, CountError>>(result)?),
            Event::Line(line) => work.without_bar(|| print(&line)),
            Event::Signal => until = until.or(Some(work.stop())),
            Event::Closed => return Err(Failure::Closed),
            Event::Timeout => return Err(Failure::Stopped),
        }
    }
}

/// Work, given a watch and a function that reports a line. Its result is untyped, so that channels are compiled once.
type Job = Box<dyn FnOnce(&Watch, &(dyn Fn(String) + Sync)) -> Box<dyn Any + Send> + Send>;

pub(crate) fn downcast<T: 'static>(result: Box<dyn Any + Send>) -> T {
    *result.downcast().expect("work ends with what it returns")
}

pub(crate) struct Work {
    title: String,
    watch: Watch,
    events: Receiver<Event>,
    bar: Option<Bar>,
}

pub(crate) enum Event {
    Ended(Box<dyn Any + Send>),
    /// The work continues, and reports this line.
    Line(String),
    Signal,
    /// The reader of its table has closed stdout.
    Closed,
    Timeout,
}

impl Work {
    /// Starts work. If `is_saved`, a signal waits until it is saved.
    pub(crate) fn start(title: &str, watch: &Watch, is_saved: bool, work: Job) -> Result<Self> {
        let (sender, events) = mpsc::channel();
        let signal = sender.clone();
        signals::listen(move || drop(signal.send(Event::Signal)), is_saved)?;
        let handle = watch.clone();
        let work = move || {
            let print = |line| drop(sender.send(Event::Line(line)));
            // In a release build a panic aborts anyway.
            let result = panic::catch_unwind(AssertUnwindSafe(|| work(&handle, &print)));
            drop(sender.send(Event::Ended(result.unwrap_or_else(|_| process::abort()))));
        };
        threads::start("work", work).map_err(|error| Failure::Run(format!("cannot start a thread: {error}")))?;
        Ok(Self { title: title.to_owned(), watch: watch.clone(), events, bar: Some(Bar::start(title, watch)) })
    }

    pub(crate) fn next(&self, until: Option<Instant>) -> Event {
        const TICK: Duration = Duration::from_millis(100);
        loop {
            let time = until.map_or(TICK, |until| until.saturating_duration_since(Instant::now()));
            match self.events.recv_timeout(time.min(TICK)) {
                Ok(event) => return event,
                Err(_) if time < TICK => return Event::Timeout,
                Err(_) if output::is_closed() => return Event::Closed,
                Err(_) => {}
            }
        }
    }

    /// Prints without a bar on the line.
    pub(crate) fn without_bar(&mut self, print: impl FnOnce()) {
        let had_bar = self.bar.take().is_some();
        print();
        self.bar = had_bar.then(|| Bar::start(&self.title, &self.watch));
    }

    /// Stops the work, and returns until when to wait for current tasks: nobody waits longer than a second after ^C.
    pub(crate) fn stop(&mut self) -> Instant {
        self.watch.stop();
        self.bar = None;
        Instant::now() + Duration::from_secs(1)
    }
}
