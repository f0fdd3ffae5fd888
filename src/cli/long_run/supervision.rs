//! A long run as the program runs it: the threads of the run count, one thread shows progress, one listens for signals,
//! and the main thread saves the checkpoint and watches the time.
//!
//! The main thread prints nothing as long as the run goes on: a terminal stopped by ^S or a full pipe holds up
//! whoever writes to it, and the work is not to be lost for that. Nothing here knows what is counted: a run is
//! whatever finishes the units of a [`Ledger`] and can be asked to stop.

use std::cell::OnceCell;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use queens::ledger::Ledger;
use queens::ledger::store::StoreError;
use queens::run::state::RunState;
use queens::{CountError, Report};

use super::activity::Line;
use super::forecast::LongRunHint;
use super::status::recounting;
use crate::cli::long_run::{Activity, LongRun, Status, When, checkpoint::Checkpoint};
use crate::cli::terminal::{Exit, Facts, Failure, Interruption, Listening, messages, numbers, signals};

/// How long threads that were told to stop may take to finish their tasks. Tasks that take longer are lost, for a person
/// who pressed ^C does not wait.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// Work in a thread of its own. It is never joined: where its end cannot be waited for, the end of the process ends it.
pub(crate) struct Work<T> {
    events: Receiver<Event<T>>,
    _listening: Listening,
}

/// An end of work, or what is to end it.
pub(crate) enum Event<T> {
    Ended(T),
    Interrupted(Interruption),
}

impl<T: Send + 'static> Work<T> {
    pub(crate) fn start(name: &str, work: impl FnOnce() -> T + Send + 'static) -> Result<Self, Failure> {
        let failure = |reason: String| Failure::Run(Exit::Failure, reason);
        let (sender, events) = mpsc::channel();
        let interruptions = sender.clone();
        // After the end nobody receives, here and below.
        let listening = signals::listen(move |why| drop(interruptions.send(Event::Interrupted(why))))
            .map_err(|error| failure(format!("the program cannot listen for signals: {error}")))?;
        let work = move || drop(sender.send(Event::Ended(work())));
        let thread = thread::Builder::new().name(name.to_owned()).spawn(work);
        thread.map_err(|error| failure(format!("a thread could not be started: {error}")))?;
        Ok(Self { events, _listening: listening })
    }

    /// The next event; none by that time.
    pub(crate) fn next(&self, until: Option<Instant>) -> Option<Event<T>> {
        let timeout = until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()));
        self.events.recv_timeout(timeout).ok()
    }

    /// What it ends with, after it was told to stop; nothing if that takes too long.
    pub(crate) fn end(&self) -> Option<T> {
        let until = Instant::now() + STOP_TIMEOUT;
        loop {
            if let Event::Ended(result) = self.next(Some(until))? {
                return Some(result);
            }
        }
    }
}

/// Does the `work` that tells this state what it finishes; returns its report and the finished ledger.
///
/// The activity is the command's: it begins with the first run, and goes on after one that is finished.
pub(crate) fn run(
    state: Arc<RunState>,
    checkpoint: &mut Checkpoint,
    args: &LongRun,
    activity: &OnceCell<Activity>,
    work: impl FnOnce() -> Result<Report, CountError> + Send + 'static,
) -> Result<(Report, Ledger), Failure> {
    let fingerprint = state.ledger().fingerprint().clone();
    let hint = LongRunHint::new(fingerprint.clone(), args.progress);
    let (shown, last_save) = (Arc::clone(&state), Arc::clone(&checkpoint.last_save));
    let saved = move || last_save.lock().unwrap_or_else(PoisonError::into_inner).map(|saved| saved.elapsed());
    let status = move || Status::of_run(&fingerprint, &shown.progress(), saved());
    if let Some(activity) = activity.get() {
        activity.show(status.clone());
    }
    let activity = activity.get_or_init(|| Activity::of(args.progress, "count", status));
    let work = Work::start("run", work)?;
    let mut run = SupervisedRun { state, checkpoint, activity, args };
    let (result, interruption) = run.wait(&work, hint);
    let ledger = run.state.ledger();
    match result {
        // A count that ends while it is told to stop has ended.
        Some(Ok(report)) => {
            let saved = run.checkpoint.save(&ledger);
            for line in unsaved(saved) {
                activity.say(line);
            }
            Ok((report, ledger))
        }
        Some(Err(CountError::Stopped)) | None => Err(run.stopped(&ledger, interruption)),
        // A task that was counted twice with different results is not among those finished.
        Some(Err(error)) => {
            let saved = run.checkpoint.save(&ledger);
            activity.end(unsaved(saved), "stopped", Facts::default().with("reason", error.to_string()));
            Err(error.into())
        }
    }
}

/// A warning where a save has failed.
fn unsaved(saved: Result<(), StoreError>) -> Vec<Line> {
    saved.err().map(|error| -> Line { (messages::warning, error.to_string()) }).into_iter().collect()
}

/// Whether a run has taken so long that it is saved if it is stopped: what takes less is soon counted again.
fn is_long(ledger: &Ledger) -> bool {
    ledger.origin.elapsed >= Duration::from_mins(1)
}

struct SupervisedRun<'a> {
    state: Arc<RunState>,
    checkpoint: &'a mut Checkpoint,
    activity: &'a Activity,
    args: &'a LongRun,
}

impl SupervisedRun<'_> {
    /// Waits for the end of the run, and saves meanwhile. Returns its result, if it came to one, and what interrupted it: nothing
    /// where the time was up.
    fn wait(
        &mut self,
        work: &Work<Result<Report, CountError>>,
        mut hint: LongRunHint,
    ) -> (Option<Result<Report, CountError>>, Option<Interruption>) {
        let deadline = self.args.max_time.and_then(|time| Instant::now().checked_add(time));
        let interruption = loop {
            let next = [deadline, self.checkpoint.due, hint.due].into_iter().flatten().min();
            match work.next(next) {
                Some(Event::Ended(result)) => return (Some(result), None),
                Some(Event::Interrupted(interruption)) => break Some(interruption),
                None => {}
            }
            let advice = match (self.checkpoint.is_kept(), self.args.no_save, self.args.range) {
                (false, false, _) => Some("if stopped after a minute or more, it is saved in a new file here"),
                (false, true, None) => Some("with --checkpoint FILE it could be resumed"),
                _ => None,
            };
            if let Some(told) = hint.told(|| self.state.progress(), advice) {
                told.lines().for_each(|line| self.activity.say((messages::note, line.to_owned())));
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break None;
            }
            if self.checkpoint.due.is_some_and(|due| Instant::now() >= due)
                && let Err(error) = self.checkpoint.save(&self.state.ledger())
            {
                if self.checkpoint.is_taken_over(&error) {
                    let message = format!("{error}, which took it over while this one was silent");
                    break Some(Interruption::Failed(message));
                }
                let text = format!("{}; the count goes on", self.checkpoint.unsaved(&error));
                self.activity.say((messages::warning, text));
            }
        };
        self.state.stop().request();
        if matches!(interruption, Some(Interruption::Failed(_))) {
            return (None, interruption);
        }
        // What is finished by now is saved at once, for the sender may kill the process soon; an error shows at the
        // save that follows.
        let _ = self.save(interruption.is_none(), &self.state.ledger());
        (work.end(), interruption)
    }

    /// Saves a run that is interrupted. One without a checkpoint is saved too if it has taken long, or was given a time.
    fn save(&mut self, time_is_up: bool, ledger: &Ledger) -> Result<(), StoreError> {
        let may_begin = ledger.reached() > (0, 0) && !self.args.no_save;
        if may_begin && !self.checkpoint.is_kept() && (time_is_up || is_long(ledger)) {
            return self.checkpoint.begin_unasked(ledger);
        }
        match self.checkpoint.save(ledger) {
            // Its folder was removed or renamed.
            Err(error) if may_begin && !self.checkpoint.exists() => {
                self.activity.say((messages::warning, self.checkpoint.unsaved(&error)));
                self.checkpoint.begin_unasked(ledger)
            }
            saved => saved,
        }
    }

    /// Saves the run and prints the last lines: what was saved, and the command that goes on from there.
    fn stopped(mut self, ledger: &Ledger, interruption: Option<Interruption>) -> Failure {
        let saved = self.save(interruption.is_none(), ledger);
        let (reason, last, mut failure): (_, Option<Line>, _) = match interruption {
            Some(Interruption::Signal(signal)) => (signals::name(signal), None, Failure::Signal(signal)),
            Some(Interruption::Failed(message)) => {
                ("the program failed", Some((messages::error, message)), Failure::AlreadyReported(Exit::Failure))
            }
            None => {
                let (last, exit) = self.time_is_up(ledger);
                ("the time is up", last, Failure::AlreadyReported(exit))
            }
        };
        let Self { checkpoint, activity, args, .. } = self;
        let mut lines: Vec<Line> = Vec::new();
        if let Err(error) = &saved {
            lines.push((messages::warning, checkpoint.unsaved(error)));
            // What was done is lost: a script that repeats the command until it is done would never end.
            if matches!(failure, Failure::AlreadyReported(Exit::Stopped)) {
                failure = Failure::AlreadyReported(Exit::Failure);
            }
        }
        let (exists, command) = (checkpoint.exists(), checkpoint.resume_command(args, ledger));
        // Programs are told by the event.
        if args.progress != When::Json {
            let ((units, parts), all) = (checkpoint.saved, ledger.units());
            let parts = if parts == 0 { String::new() } else { format!(" and parts of {parts} more") };
            let units = format!("{units} of {all} units{parts}");
            let text = match &command {
                Some(_) if saved.is_ok() => format!("saved {units}; go on with"),
                Some(_) if exists => format!("not saved; the save before had {units}; go on with"),
                Some(_) => "not saved, and the save before is gone".to_owned(),
                None if saved.is_err() || args.range.is_some() => "nothing was saved".to_owned(),
                None => "nothing was saved; --checkpoint FILE saves a run".to_owned(),
            };
            lines.push((messages::note, format!("{reason}: {text}")));
            let command = command.iter().filter(|_| saved.is_ok() || exists);
            lines.extend(command.map(|command| (messages::note as _, format!("    {command}"))));
        }
        lines.extend(last);
        let event = if checkpoint.is_kept() && saved.is_ok() { "saved" } else { "stopped" };
        let object = Facts::default().with("reason", reason).with("resume", command.filter(|_| exists));
        activity.end(lines, event, object);
        failure
    }

    /// What is said of a run whose time is up, if anything, and its exit code.
    fn time_is_up(&self, ledger: &Ledger) -> (Option<Line>, Exit) {
        let Self { checkpoint, args, .. } = self;
        let exit = if checkpoint.is_kept() { Exit::Stopped } else { Exit::Failure };
        if ledger.reached() > checkpoint.reached_before.unwrap_or_default() {
            return (None, exit);
        }
        let (time, progress) = (args.max_time.unwrap_or_default().as_secs_f64(), self.state.progress());
        let (what, or) = if progress.recounted < progress.to_recount {
            let recounting = format!(": the double check has {};", recounting(&progress));
            (recounting, " or a smaller --double-check")
        } else {
            (":".to_owned(), "")
        };
        let time = numbers::seconds(time);
        let text = format!("no task was finished within {time}{what} give a longer --max-time{or}");
        // Another run of the same length would not do better. The first one may have been a trial.
        match checkpoint.reached_before {
            Some(_) => (Some((messages::error, text)), Exit::Failure),
            None => (Some((messages::warning, text)), exit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::terminal::catch_panics;
    use clap::Parser;
    use queens::ledger::store;
    use queens::{Request, Shard, Size};
    use std::env;
    use std::path::Path;
    use std::process::{self, Command};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        long: LongRun,
    }

    fn count() -> Request {
        Request::solutions(Size::new(9).unwrap()).threads(2)
    }

    /// A run that finishes its units, of which none is saved yet, and then fails in a thread of a pool. The process ends.
    fn fail(checkpoint: &Path) -> ! {
        catch_panics();
        let line = Line::parse_from(["queens".as_ref(), "--checkpoint".as_ref(), checkpoint.as_os_str()]);
        let empty = Ledger::new(count().fingerprint().unwrap(), Shard::WHOLE);
        let (mut checkpoint, ledger) = Checkpoint::open(&line.long, empty).unwrap();
        let counting = count().resume(ledger).unwrap();
        let state = counting.state();
        let work = move || {
            let report = counting.wait()?;
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            pool.install(|| -> () { panic!("planted") });
            Ok(report)
        };
        let result = run(state, &mut checkpoint, &line.long, &OnceCell::new(), work);
        let Err(Failure::AlreadyReported(exit)) = result else { panic!("it should have failed and said why") };
        process::exit(exit as i32);
    }

    /// In a process of its own, for it ends.
    #[test]
    fn a_thread_that_fails_has_the_rest_saved() {
        const CHECKPOINT: &str = "QUEENS_TEST_CHECKPOINT";
        if let Some(path) = env::var_os(CHECKPOINT) {
            fail(Path::new(&path));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c");
        let (_, module) = module_path!().split_once("::").unwrap();
        let test = format!("{module}::a_thread_that_fails_has_the_rest_saved");
        let mut itself = Command::new(env::current_exe().unwrap());
        let result = itself.args(["--exact", &test]).env(CHECKPOINT, &path).output().unwrap();
        let err = String::from_utf8(result.stderr).unwrap();
        assert_eq!(result.status.code(), Some(1), "{err}");
        assert!(err.contains("error: the program failed: planted (src"), "{err}");
        let saved = store::read(&path).unwrap();
        assert_eq!((saved.is_complete(), saved.total().unwrap().get()), (true, 352), "{err}");
        let units = saved.units();
        assert!(err.contains(&format!("the program failed: saved {units} of {units} units; go on with\n")), "{err}");
    }
}
