//! A count that may take months: it goes on from its file, is saved every minute, and says at the end where it is saved.

use std::path::Path;
use std::time::{Duration, Instant};

use queens::ledger::{Ledger, Shard, Store, StoreError};
use queens::{CountError, EngineKind, Report, Request, Run, Watch};

use super::failure::{Failure, Stopped};
use super::work::{Event, Work};
use super::{ledgers, output, text};

/// A run, and the file that it is saved in: from where the file is, or from the beginning. `request` says what to count when
/// it knows what is in the file.
pub(crate) fn open(
    file: Option<&Path>,
    shard: Shard,
    request: impl FnOnce(Option<&Ledger>) -> Result<Request, Failure>,
) -> Result<(Run, Option<Store>), Failure> {
    let store = file.map(Store::open).transpose()?;
    let is_saved = |store: &&Store| store.ledger().is_none_or(|ledger| !ledger.is_complete());
    if let Some(store) = store.as_ref().filter(is_saved).filter(|store| !store.is_locked()) {
        let path = store.path().display();
        output::warning(&format!("{path}: this file system has no locks; let no other run save in this file"));
    }
    let begun = store.as_ref().and_then(Store::ledger);
    let run = request(begun)?.run()?;
    let ledger = begun.cloned().unwrap_or_else(|| Ledger::new(run.ledger().fingerprint().clone(), shard));
    let of_file = |failure: Failure| file.into_iter().fold(failure, Failure::of_file);
    let run = run.resume(ledger).map_err(|error| of_file(error.into()))?.processor(processor());
    if run.ledger().shard() != shard {
        let difference = format!("it is for shard {}, not {shard}", run.ledger().shard());
        return Err(of_file(Failure::Run(difference)));
    }
    if let Some(store) = store.as_ref().filter(|_| run.ledger().is_complete()) {
        output::note(&format!("{} is complete: nothing is counted again", store.path().display()));
    }
    Ok((run, store))
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
    let (size, engine) = (run.ledger().fingerprint().prefix.size(), run.ledger().fingerprint().engine);
    huge_pages(engine == EngineKind::Join && size.get() >= LONG_LISTS);
    let (watch, begun) = (Watch::default(), run.ledger().clone());
    let store = keep.store.filter(|_| !begun.is_complete());
    let mut saved = Saved { store, begun, watch: watch.clone() };
    // A full disk, or a folder that may not be written, shows before the work.
    saved.save()?;
    let work = Work::start(&format!("N = {size}"), &watch, move |watch| run.count(watch))?;
    let deadline = keep.max_time.and_then(|time| Instant::now().checked_add(time));
    let mut due = saved.store.is_some().then(|| Instant::now() + keep.every);
    let stopped = loop {
        match work.next([deadline, due].into_iter().flatten().min()) {
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
            (Ok(()), None) => output::say("nothing was saved; --checkpoint FILE saves a count"),
            (Ok(()), Some(store)) if is_asked_for => {
                output::say(&format!("saved {finished} in {}; the same command goes on", store.path().display()));
            }
            (Ok(()), Some(store)) => {
                let path = store.path().display();
                output::say(&format!("saved {finished} in {path}; to go on:\n    {command} --checkpoint {path}"));
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

/// The least N for which the lists of the join are long.
const LONG_LISTS: usize = 26;

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

/// The processor's name, where the system tells it.
pub(crate) fn processor() -> Option<String> {
    let about = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let name = about.lines().find_map(|line| line.strip_prefix("model name"))?;
    Some(name.trim_start_matches([' ', '\t', ':']).trim().to_owned())
}
