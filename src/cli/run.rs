//! A count that may take months: it resumes from its file, is saved every minute, and reports where it is saved.

use std::fs::{self, File};
use std::io::ErrorKind::AlreadyExists;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use std::{env, iter};

use queens::ledger::{self, Ledger, LedgerFile, LedgerFileError, Shard};
use queens::{CountError, EngineKind, Report, Request, Run, Watch};

use super::args::duration;
use super::failure::{Failure, Result, report_lesser, store_message};
use super::ledgers::finished;
use super::machine::{huge_pages, processor};
use super::work::{Event, Work, downcast};
use super::{output, signals, text};

/// How a count is saved, and when it is stopped.
#[derive(clap::Args)]
#[command(next_help_heading = "Long runs")]
pub(crate) struct LongRunArgs {
    /// Save progress in this file; resume from it if it exists
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,

    /// Count shard K of M, for `queens merge`
    #[arg(long, value_name = "K/M", requires = "checkpoint", conflicts_with = "unique")]
    pub(crate) shard: Option<Shard>,

    /// Stop after this time, e.g. 90s or 2h30m; the same command resumes
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "checkpoint")]
    max_time: Option<Duration>,

    /// Time between saves
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s", requires = "checkpoint")]
    checkpoint_every: Duration,
}

pub(crate) struct Ended {
    pub(crate) report: Report,
    /// The time of all runs that used the file.
    pub(crate) total: Duration,
    /// Whether this run counted anything.
    pub(crate) has_counted: bool,
    /// Whether the last save succeeded; its failure is the command's, once the result is printed.
    pub(crate) saved: Result,
}

/// Opens the file and creates a run that resumes from it, or starts anew. `request` gets the file's ledger.
fn open(
    long: &LongRunArgs,
    request: impl FnOnce(Option<&Ledger>) -> Result<Request>,
) -> Result<(Run, Option<LedgerFile>)> {
    let (file, shard) = (long.checkpoint.as_deref(), long.shard.unwrap_or(Shard::WHOLE));
    let store = file.map(LedgerFile::open).transpose()?;
    let begun = store.as_ref().and_then(LedgerFile::ledger);
    let mut run = request(begun)?.shard(shard)?.processor(processor());
    if let (Some(ledger), Some(file)) = (begun, file) {
        run = run.resume(ledger.clone()).map_err(|error| Failure::from_ledger(file, &error))?;
    }
    // A shard without units is complete before it has a file.
    let is_complete = begun.is_some() && run.ledger().is_complete();
    if let Some(store) = &store {
        let path = store.path().display();
        if is_complete {
            output::note(&format!("{path} is already complete"));
        } else if !store.is_locked() {
            output::warning(&format!("{path}: this file system has no locks; let no other run use this file"));
        }
    }
    Ok((run, store.filter(|_| !is_complete)))
}

/// Counts and saves, unless the ledger is complete. `in_range` is N for a board of a range.
pub(crate) fn count(
    long: &LongRunArgs,
    in_range: Option<usize>,
    request: impl FnOnce(Option<&Ledger>) -> Result<Request>,
) -> Result<Ended> {
    /// The smallest N for which the lists of the join are long.
    const LONG_LISTS: usize = 26;
    let (mut run, store) = open(long, request)?;
    let (fingerprint, begun) = (run.ledger().fingerprint(), run.ledger().clone());
    huge_pages(fingerprint.engine == EngineKind::Join && fingerprint.prefix.size().get() >= LONG_LISTS);
    let watch = Watch::default();
    let mut saved = SavedRun { store, begun, watch: watch.clone(), in_range };
    // Save twice before the work, so that a full disk, a read-only folder, or one in which files cannot be replaced
    // fails at once. A signal waits for both saves.
    signals::listen(|| (), true)?;
    saved.save()?;
    saved.save()?;
    let title = format!("N = {}", fingerprint.prefix.size());
    let mut work = match Work::start(&title, &watch, true, Box::new(move |watch, _| Box::new(run.count(watch)))) {
        Err(Failure::Stopped) => return saved.save_stopped(true),
        work => work?,
    };
    let deadline = long.max_time.and_then(|time| Instant::now().checked_add(time));
    let mut failed = None;
    let is_signal = loop {
        let due = Instant::now().checked_add(long.checkpoint_every);
        match work.next([deadline, due].into_iter().flatten().min()) {
            Event::Ended(result) => return saved.end(downcast(result)),
            Event::Signal => break true,
            Event::Closed => return Err(Failure::Closed),
            Event::Timeout if deadline.is_some_and(|deadline| Instant::now() >= deadline) => break false,
            Event::Timeout | Event::Line(_) => {}
        }
        let error = saved.save().err().map(|error| store_message(&error));
        if let Some(error) = error.as_ref().filter(|_| error != failed) {
            work.without_bar(|| output::warning(&format!("{error}; counting continues")));
        }
        failed = error;
    };
    let until = work.stop();
    // Save at once, because the sender may soon kill the process. An error is reported by the next save.
    let _ = saved.save();
    loop {
        match work.next(Some(until)) {
            Event::Ended(result) => match downcast(result) {
                Err(CountError::Stopped) => return saved.save_stopped(is_signal),
                result => return saved.end(result),
            },
            Event::Timeout => return saved.save_stopped(is_signal),
            Event::Signal | Event::Closed | Event::Line(_) => {}
        }
    }
}

struct SavedRun {
    store: Option<LedgerFile>,
    /// What the run started from.
    begun: Ledger,
    watch: Watch,
    in_range: Option<usize>,
}

impl SavedRun {
    fn ledger(&self) -> Ledger {
        self.watch.ledger().unwrap_or_else(|| self.begun.clone())
    }

    fn save(&mut self) -> Result<(), LedgerFileError> {
        let ledger = self.ledger();
        self.store.as_mut().map_or(Ok(()), |store| store.save(&ledger))
    }

    /// The last save, or else a failure and a save in another file, from which the same command would not resume.
    fn save_finally(&mut self) -> Result {
        let Err(error) = self.save() else { return Ok(()) };
        let ledger = self.ledger();
        if ledger.reached() > (0, 0) && self.save_in_new_file(&ledger).is_ok() {
            return Err(error.into());
        }
        let in_file = self.store.as_ref().and_then(|store| ledger::read(store.path()).ok());
        let in_file = in_file.filter(|in_file| ledger.clone().merge(in_file.clone()).is_ok());
        let lost = ledger.finished().saturating_sub(in_file.map_or(0, |ledger| ledger.finished()));
        let lost = format!("lost: {lost} of {}", text::count_of(ledger.finished() as u64, "finished unit"));
        Err(Failure::Run(format!("{}; {lost}", store_message(&error))))
    }

    fn end(mut self, result: Result<Report, CountError>) -> Result<Ended> {
        let saved = self.save_finally();
        signals::end_saving();
        if let (Err(CountError::SelfCheck { .. }), Ok(()), Some(store)) = (&result, &saved, &self.store) {
            let (path, done) = (store.path().display(), finished(&self.ledger()));
            output::report(&format!("saved {done} in {path}; unverified work was discarded"));
        }
        let both = |error: CountError| report_lesser([saved.clone(), Err(error.into())]).expect_err("one has failed");
        let report = result.map_err(both)?;
        Ok(Ended { report, total: self.ledger().elapsed(), has_counted: !self.begun.is_complete(), saved })
    }

    /// Saves a stopped run, and reports where and how to resume it.
    fn save_stopped(mut self, is_signal: bool) -> Result<Ended> {
        /// Shorter runs are quickly repeated. (Tests use one second.)
        const MIN_AUTOSAVE: Duration = Duration::from_secs(if cfg!(debug_assertions) { 1 } else { 60 });
        let ledger = self.ledger();
        let has_more = ledger.reached() > self.begun.reached();
        match &self.store {
            Some(store) => {
                let resume = if is_signal || has_more { "; the same command resumes" } else { "" };
                let message = format!("saved {} in {}{resume}", finished(&ledger), store.path().display());
                self.save_finally()?;
                output::report(&message);
            }
            None if ledger.elapsed() >= MIN_AUTOSAVE && has_more => self.save_in_new_file(&ledger)?,
            None => output::report("nothing was saved; use --checkpoint FILE"),
        }
        Err(match is_signal {
            true => Failure::Stopped,
            false if has_more => Failure::TimeUp,
            // Exit code 75 would make a script repeat the command for ever.
            false => Failure::Run("no task finished in that time; give a longer --max-time".into()),
        })
    }

    /// Saves a run without a writable file in a new one, here or else in the folder for temporary files. Reports the
    /// host too, because each node of a cluster may have such a folder.
    fn save_in_new_file(&self, ledger: &Ledger) -> Result<(), LedgerFileError> {
        let here = create_and_save(Path::new(""), ledger);
        let path = here.or_else(|error| create_and_save(&env::temp_dir(), ledger).map_err(|_| error))?;
        let host = ledger.runs().iter().max_by_key(|run| run.saved).and_then(|run| run.host.as_deref());
        let host = host.map_or_else(String::new, |host| format!(" on {host}"));
        let path = path.display();
        let command = match self.in_range {
            Some(n) => format!("`queens count {n}` with the other options and"),
            None => "the same command with".to_owned(),
        };
        let kind = if ledger.shard().is_whole() { "count" } else { "shard" };
        let complete = format!("the complete {kind} is in {path}{host}");
        let saved = format!("saved {} in {path}{host}; {command} --checkpoint {path} resumes", finished(ledger));
        output::report(if ledger.is_complete() { &complete } else { &saved });
        Ok(())
    }
}

/// Saves a ledger in a new file of this folder. Two containers may use the same process number, so it is not enough.
fn create_and_save(folder: &Path, ledger: &Ledger) -> Result<PathBuf, LedgerFileError> {
    let minute = text::moment(SystemTime::now())[..16].replace(['-', ':'], "");
    let name = format!("queens-{}-{minute}-{}", ledger.fingerprint().prefix.size(), std::process::id());
    let others = iter::repeat_with(|| format!("{name}-{}", fastrand::u16(..)));
    let mut paths = iter::once(name.clone()).chain(others).map(|name| folder.join(format!("{name}.ledger")));
    let is_free = |path: &PathBuf| !File::create_new(path).is_err_and(|error| error.kind() == AlreadyExists);
    let path = paths.find(is_free).expect("some number is free");
    let saved = LedgerFile::open(&path).and_then(|mut store| store.save(ledger));
    // Otherwise an empty file and its lock are left behind.
    let lock = path.with_file_name(format!(".{}.lock", path.file_name().unwrap_or_default().display()));
    saved.inspect_err(|_| [&path, &lock].into_iter().for_each(|left| fs::remove_file(left).unwrap_or_default()))?;
    Ok(path)
}
