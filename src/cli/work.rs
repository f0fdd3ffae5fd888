//! Long work: in a thread of its own, while the main thread waits for its end or for a signal.
//!
//! The main thread prints nothing as long as the work goes on: a terminal stopped by ^S or a full pipe holds up whoever
//! writes to it, and the work is not to be lost for that.

use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};
use std::{process, thread};

use queens::{CountError, Watch};

use super::failure::{Failure, Stopped};
use super::progress::Bar;
use super::signals::{self, Listening};

/// What long work has found: all of it, or what was known when it was stopped.
pub(crate) struct Outcome<T> {
    pub(crate) found: T,
    pub(crate) stopped: Option<Stopped>,
}

impl<T> Outcome<Result<T, CountError>> {
    /// All of it, or the failure; work that ends while it is told to stop has ended.
    pub(crate) fn whole(self) -> Result<T, Failure> {
        match (self.found, self.stopped) {
            (Err(CountError::Stopped), Some(stopped)) => Err(Failure::Stopped(stopped)),
            (found, _) => Ok(found?),
        }
    }
}

/// Does work until it ends, or until a signal comes and stops it, and shows how far it is.
pub(crate) fn watched<T: Send + 'static>(
    title: &str,
    watch: &Watch,
    work: impl FnOnce(&Watch) -> T + Send + 'static,
) -> Result<Outcome<T>, Failure> {
    let work = Work::start(title, watch, work)?;
    match work.next(None) {
        Event::Ended(found) => Ok(Outcome { found, stopped: None }),
        Event::Signal(signal) => {
            let stopped = Stopped::Signal(signal);
            let found = work.stop(watch).ok_or(Failure::Stopped(stopped))?;
            Ok(Outcome { found, stopped: Some(stopped) })
        }
        Event::Timeout => unreachable!("there is no time limit"),
    }
}

/// Work in a thread. It is never joined: the end of the process ends it.
pub(crate) struct Work<T> {
    events: Receiver<Event<T>>,
    _bar: Bar,
    _listening: Listening,
}

pub(crate) enum Event<T> {
    Ended(T),
    Signal(i32),
    Timeout,
}

impl<T: Send + 'static> Work<T> {
    pub(crate) fn start(
        title: &str,
        watch: &Watch,
        work: impl FnOnce(&Watch) -> T + Send + 'static,
    ) -> Result<Self, Failure> {
        let (sender, events) = mpsc::channel();
        let failure = |error: std::io::Error| Failure::Run(format!("cannot start a thread: {error}"));
        let listening = signals::listen(sender.clone(), Event::Signal).map_err(failure)?;
        let watched = watch.clone();
        let work = move || {
            // In a release a panic ends the process anyway.
            let found = panic::catch_unwind(AssertUnwindSafe(|| work(&watched))).unwrap_or_else(|_| process::abort());
            drop(sender.send(Event::Ended(found)));
        };
        thread::Builder::new().name("work".to_owned()).spawn(work).map_err(failure)?;
        Ok(Self { events, _bar: Bar::start(title, watch), _listening: listening })
    }

    pub(crate) fn next(&self, until: Option<Instant>) -> Event<T> {
        let time = until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()));
        self.events.recv_timeout(time).unwrap_or(Event::Timeout)
    }

    /// Tells it to stop and waits a second for tasks in hand; those that take longer are lost, for a person who pressed ^C
    /// does not wait.
    pub(crate) fn stop(&self, watch: &Watch) -> Option<T> {
        watch.stop();
        let until = Instant::now() + Duration::from_secs(1);
        loop {
            match self.next(Some(until)) {
                Event::Ended(found) => return Some(found),
                Event::Signal(_) => {}
                Event::Timeout => return None,
            }
        }
    }
}
