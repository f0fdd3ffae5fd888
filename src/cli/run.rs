//! Long work: in a thread of its own, while the main thread waits for signals and saves.
//!
//! The main thread prints nothing as long as the work goes on: a terminal stopped by ^S or a full pipe holds up whoever
//! writes to it, and the work is not to be lost for that.

use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use queens::ledger::{Ledger, Store, StoreError};
use queens::{CountError, EngineKind, Report, Run, Watch};

use super::failure::{Failure, Stopped};
use super::progress::Bar;
use super::signals::{self, Listening};
use super::{ledgers, output, text};

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
    match work.next(None)? {
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
struct Work<T> {
    events: Receiver<Event<T>>,
    _bar: Bar,
    _listening: Listening,
}

enum Event<T> {
    Ended(T),
    Signal(i32),
    Timeout,
}

impl<T: Send + 'static> Work<T> {
    fn start(title: &str, watch: &Watch, work: impl FnOnce(&Watch) -> T + Send + 'static) -> Result<Self, Failure> {
        let (sender, events) = mpsc::channel();
        let failure = |error: std::io::Error| Failure::Run(format!("cannot start a thread: {error}"));
        let listening = signals::listen(sender.clone(), Event::Signal).map_err(failure)?;
        let watched = watch.clone();
        let work = move || drop(sender.send(Event::Ended(work(&watched))));
        thread::Builder::new().name("work".to_owned()).spawn(work).map_err(failure)?;
        Ok(Self { events, _bar: Bar::start(title, watch), _listening: listening })
    }

    fn next(&self, until: Option<Instant>) -> Result<Event<T>, Failure> {
        let time = until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()));
        match self.events.recv_timeout(time) {
            Ok(event) => Ok(event),
            Err(mpsc::RecvTimeoutError::Timeout) => Ok(Event::Timeout),
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(Failure::Run("the program failed".to_owned())),
        }
    }

    /// Tells it to stop and waits a second for tasks in hand; those that take longer are lost, for a person who pressed ^C
    /// does not wait.
    fn stop(&self, watch: &Watch) -> Option<T> {
        watch.stop();
        let until = Instant::now() + Duration::from_secs(1);
        loop {
            match self.next(Some(until)) {
                Ok(Event::Ended(found)) => return Some(found),
                Ok(Event::Signal(_)) => {}
                Ok(Event::Timeout) | Err(_) => return None,
            }
        }
    }
}

/// How a run is saved, and when it is stopped.
pub(crate) struct Keep {
    /// The file, if it has one.
    pub(crate) store: Option<Store>,
    pub(crate) every: Duration,
    pub(crate) max_time: Option<Duration>,
    /// The command without `--checkpoint`, which goes on with a file when that is added.
    pub(crate) command: String,
}

/// A run that has come to its end.
pub(crate) struct Counted {
    pub(crate) report: Report,
    pub(crate) ledger: Ledger,
    /// Whether its file has it; if not, that is the command's failure, once the result is told.
    pub(crate) saved: Result<(), Failure>,
}

/// Counts, and saves now and then. A ledger that is complete already is neither counted nor saved again.
pub(crate) fn count(run: Run, keep: Keep) -> Result<Counted, Failure> {
    let (title, begun) = (format!("N = {}", run.fingerprint().prefix.size()), run.ledger().clone());
    huge_pages(run.fingerprint().engine == EngineKind::Join && run.fingerprint().prefix.size().get() >= 26);
    let (watch, is_complete) = (Watch::default(), begun.is_complete());
    let mut saved = Saved { store: keep.store.filter(|_| !is_complete), begun, watch: watch.clone() };
    // A full disk, or a folder that may not be written, shows before the work.
    saved.save()?;
    let work = Work::start(&title, &watch, move |watch| run.count(watch))?;
    let deadline = keep.max_time.and_then(|time| Instant::now().checked_add(time));
    let mut due = saved.store.is_some().then(|| Instant::now() + keep.every);
    let stopped = loop {
        match work.next([deadline, due].into_iter().flatten().min())? {
            Event::Ended(result) => return saved.end(result),
            Event::Signal(signal) => break Stopped::Signal(signal),
            Event::Timeout if deadline.is_some_and(|deadline| Instant::now() >= deadline) => break Stopped::TimeUp,
            Event::Timeout => {}
        }
        if let Err(error) = saved.save() {
            output::warning(&format!("{error}; the count goes on"));
        }
        due = Some(Instant::now() + keep.every);
    };
    watch.stop();
    // What is finished by now is saved at once, for the sender may soon kill the process. An error shows at the next save.
    let _ = saved.save();
    match work.stop(&watch) {
        Some(Err(CountError::Stopped)) | None => {
            drop(work);
            Err(saved.last_words(stopped, &keep.command))
        }
        Some(result) => saved.end(result),
    }
}

/// A run and its file.
struct Saved {
    store: Option<Store>,
    /// What the run went on from.
    begun: Ledger,
    watch: Watch,
}

impl Saved {
    /// The ledger at this moment.
    fn ledger(&self) -> Ledger {
        self.watch.ledger().unwrap_or_else(|| self.begun.clone())
    }

    fn save(&mut self) -> Result<(), StoreError> {
        let ledger = self.ledger();
        self.store.as_mut().map_or(Ok(()), |store| store.save(&ledger))
    }

    fn end(mut self, result: Result<Report, CountError>) -> Result<Counted, Failure> {
        let saved = self.save().map_err(Failure::from);
        Ok(Counted { report: result?, ledger: self.ledger(), saved })
    }

    /// Saves a run that was stopped and says where, and how it goes on.
    fn last_words(mut self, stopped: Stopped, command: &str) -> Failure {
        /// What takes less is soon counted again.
        const LONG: Duration = Duration::from_secs(60);
        let (ledger, is_asked_for) = (self.ledger(), self.store.is_some());
        let has_more = ledger.reached() > self.begun.reached();
        let saved = match self.save() {
            Ok(()) if !is_asked_for && ledger.elapsed() >= LONG && has_more => self.save_unasked(&ledger),
            saved => saved,
        };
        let finished = ledgers::finished(&ledger);
        match (saved, &self.store) {
            (Err(error), _) => {
                // A script that repeats the command until it is done must not go on for ever.
                let failure = Failure::Run(format!("{error}; {finished} are lost"));
                return if matches!(stopped, Stopped::TimeUp) { failure } else { failure.and_stopped(stopped) };
            }
            (Ok(()), None) => output::note("nothing was saved; --checkpoint FILE saves a count"),
            (Ok(()), Some(store)) if is_asked_for => {
                output::note(&format!("saved {finished} in {}; the same command goes on", store.path().display()));
            }
            (Ok(()), Some(store)) => {
                let path = store.path().display();
                output::note(&format!("saved {finished} in {path}; to go on:\n    {command} --checkpoint {path}"));
            }
        }
        match stopped {
            Stopped::TimeUp if !has_more => {
                Failure::Run("nothing was finished in that time; give a longer --max-time".into())
            }
            stopped => Failure::Stopped(stopped),
        }
    }

    /// Saves a run that has no file in a new one, here.
    fn save_unasked(&mut self, ledger: &Ledger) -> Result<(), StoreError> {
        let name = format!("queens-{}-{}", ledger.fingerprint().prefix.size(), text::now_for_names());
        let mut store = Store::open(format!("{name}.ledger"));
        if store.as_ref().is_ok_and(|store| store.ledger().is_some()) {
            // Of another run that was stopped in the same minute.
            store = Store::open(format!("{name}-{}.ledger", std::process::id()));
        }
        let mut store = store?;
        store.save(ledger)?;
        self.store = Some(store);
        Ok(())
    }
}

/// Gives huge pages to the join of a large board, and to nothing else.
///
/// The allocator asks for them always. With thousands of short lists they fill every gap between them: 195 MB instead of 140
/// at N = 20, for no less time (without them 0.97 to 1.02 of it at N = 18, 0.99 at 20). With long lists N = 28 takes 0.98 of
/// the time and N = 26 0.99, and each thread 30 or 40 MB more.
pub(crate) fn huge_pages(are_used: bool) {
    // If the kernel refuses, it takes more memory or time.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(!are_used);
    #[cfg(not(target_os = "linux"))]
    let _ = are_used;
}
