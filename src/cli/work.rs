//! Long work: in a thread of its own, while the main thread waits for its end or for a signal, and prints what it finds.
//!
//! A terminal stopped by ^S, or a full pipe, holds up whoever prints, but not the work.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::process;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use queens::{CountError, Watch};

use super::failure::Failure;
use super::progress::Bar;
use super::{output, signals, threads};

/// Does work until it ends, or until a signal comes and stops it, and shows how far it is.
pub(crate) fn watched<T: Send + 'static>(
    title: &str,
    work: impl FnOnce(&Watch) -> Result<T, CountError> + Send + 'static,
) -> Result<T, Failure> {
    told(title, |_| (), |watch, _| work(watch))
}

/// The same of work that finds lines on the way, which `print` is given at once.
pub(crate) fn told<T: Send + 'static>(
    title: &str,
    mut print: impl FnMut(&str),
    work: impl FnOnce(&Watch, &(dyn Fn(String) + Sync)) -> Result<T, CountError> + Send + 'static,
) -> Result<T, Failure> {
    let mut work = Work::start(title, &Watch::default(), false, Box::new(|watch, tell| Box::new(work(watch, tell))))?;
    let mut until = None;
    loop {
        match work.next(until) {
            Event::Ended(found) => return Ok(taken::<Result<T, CountError>>(found)?),
            Event::Found(line) => work.without_bar(|| print(&line)),
            Event::Signal => until = until.or(Some(work.stop())),
            Event::Closed => return Err(Failure::Closed),
            Event::Timeout => return Err(Failure::Stopped),
        }
    }
}

/// Work, with a watch and with what tells a line on the way. Whatever its result is, channels are compiled once.
type Job = Box<dyn FnOnce(&Watch, &(dyn Fn(String) + Sync)) -> Box<dyn Any + Send> + Send>;

/// The result of work of this type.
pub(crate) fn taken<T: 'static>(result: Box<dyn Any + Send>) -> T {
    *result.downcast().expect("work ends with what it returns")
}

/// Work in a thread.
pub(crate) struct Work {
    title: String,
    watch: Watch,
    events: Receiver<Event>,
    bar: Option<Bar>,
}

pub(crate) enum Event {
    /// The work has ended, with this result.
    Ended(Box<dyn Any + Send>),
    /// It goes on, and has found this.
    Found(String),
    Signal,
    /// Nobody reads its table any more.
    Closed,
    Timeout,
}

impl Work {
    /// Begins work, which may be saved when a signal comes.
    pub(crate) fn start(title: &str, watch: &Watch, is_saved: bool, work: Job) -> Result<Self, Failure> {
        let (sender, events) = mpsc::channel();
        let signal = sender.clone();
        signals::listen(move || drop(signal.send(Event::Signal)), is_saved)?;
        let watched = watch.clone();
        let work = move || {
            let tell = |line| drop(sender.send(Event::Found(line)));
            // In a release a panic ends the process anyway.
            let found = panic::catch_unwind(AssertUnwindSafe(|| work(&watched, &tell)));
            drop(sender.send(Event::Ended(found.unwrap_or_else(|_| process::abort()))));
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

    /// Tells it to stop, and returns until when to wait for tasks in hand: those that take longer than a second are lost, for
    /// a person who pressed ^C does not wait.
    pub(crate) fn stop(&mut self) -> Instant {
        self.watch.stop();
        self.bar = None;
        Instant::now() + Duration::from_secs(1)
    }
}
