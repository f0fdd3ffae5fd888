//! A long run as the program runs it: the threads of the run count, one thread shows progress, one listens for signals,
//! and the main thread saves the checkpoint and watches the time.
//!
//! The main thread prints nothing as long as the run goes on: a terminal stopped by ^S or a full pipe holds up
//! whoever writes to it, and the work is not to be lost for that. Nothing here knows what is counted: a run is
//! whatever finishes the units of a [`Ledger`] and can be asked to stop.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use queens::ledger::Ledger;
use queens::ledger::store::StoreError;
use queens::run::state::{Progress, RunState};
use queens::{CountError, Report};

use super::display::{Ending, Line};
use super::hint::LongRunHint;
use super::run_status;
use crate::cli::long_run::{LongRun, checkpoint::Checkpoint, printer::Printer};
use crate::cli::terminal::{
    Exit, Facts, Failure, Listening, numbers,
    signals::{self, Request},
};

/// How long threads that were told to stop may take to finish their tasks. Tasks that take longer are lost, for a person
/// who pressed ^C does not wait.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// Why a run is stopped before its end.
enum Interruption {
    Signal(i32),
    MaxTime,
    /// A thread failed, with this message.
    Failed(String),
}

/// The result of a run that came to its end, and what interrupted it.
type Outcome = (Option<Result<Report, CountError>>, Option<Interruption>);

/// Work in a thread of its own. It is never joined: where its end cannot be waited for, the end of the process ends it.
pub(crate) struct Work<T> {
    events: Receiver<Event<T>>,
    _listening: Listening,
}

/// What who waits for work is told.
pub(crate) enum Event<T> {
    Ended(T),
    Request(Request),
}

impl<T: Send + 'static> Work<T> {
    pub(crate) fn start(name: &str, work: impl FnOnce() -> T + Send + 'static) -> Result<Self, Failure> {
        let (sender, events) = mpsc::channel();
        let requests = sender.clone();
        // After the end nobody receives, here and below.
        let listening = signals::listen(move |request| drop(requests.send(Event::Request(request))))
            .map_err(|error| Failure::Run(Exit::Failure, format!("the program cannot listen for signals: {error}")))?;
        let work = move || drop(sender.send(Event::Ended(work())));
        thread::Builder::new().name(name.to_owned()).spawn(work).map_err(|error| no_thread(&error))?;
        Ok(Self { events, _listening: listening })
    }

    /// What happens next; nothing if that is later.
    pub(crate) fn next(&self, until: Option<Instant>) -> Option<Event<T>> {
        match until {
            Some(until) => self.events.recv_timeout(until.saturating_duration_since(Instant::now())).ok(),
            None => self.events.recv().ok(),
        }
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

fn no_thread(error: &std::io::Error) -> Failure {
    Failure::Run(Exit::Failure, format!("a thread could not be started: {error}"))
}

/// Does the `work` that tells this state what it finishes; returns its report and the finished ledger.
pub(crate) fn run(
    state: Arc<RunState>,
    checkpoint: &mut Checkpoint,
    args: &LongRun,
    work: impl FnOnce() -> Result<Report, CountError> + Send + 'static,
) -> Result<(Report, Ledger), Failure> {
    let fingerprint = state.ledger().fingerprint().clone();
    let hint = LongRunHint::new(&fingerprint, args.progress);
    let (shown, last_save) = (Arc::clone(&state), checkpoint.last_save.clone());
    let status = move || run_status::status(&fingerprint, &shown.progress(), last_save.age());
    let printer = Printer::start(args.progress, status).map_err(|error| no_thread(&error))?;
    let work = Work::start("run", work)?;
    let deadline = args.max_time.and_then(|time| Instant::now().checked_add(time));
    let mut run = SupervisedRun { state, checkpoint, printer, args };
    let outcome = run.wait(&work, deadline, hint);
    run.conclude(outcome)
}

struct SupervisedRun<'a> {
    state: Arc<RunState>,
    checkpoint: &'a mut Checkpoint,
    printer: Printer,
    args: &'a LongRun,
}

impl SupervisedRun<'_> {
    /// Waits for the end of the run; saves and answers requests meanwhile.
    fn wait(
        &mut self,
        work: &Work<Result<Report, CountError>>,
        deadline: Option<Instant>,
        mut hint: LongRunHint,
    ) -> Outcome {
        let interruption = loop {
            let next = [deadline, self.checkpoint.due, hint.due].into_iter().flatten().min();
            match work.next(next) {
                Some(Event::Ended(result)) => return (Some(result), None),
                Some(Event::Request(Request::Show)) => self.printer.show(),
                Some(Event::Request(Request::End(signal))) => break Interruption::Signal(signal),
                Some(Event::Request(Request::Failed(message))) => break Interruption::Failed(message),
                None => {}
            }
            let advice = match (self.checkpoint.is_kept(), self.args.no_save) {
                (true, _) => None,
                (false, true) => Some("with --checkpoint FILE it could be resumed"),
                (false, false) => Some("if stopped after a minute or more, it is saved in a new file here"),
            };
            if let Some(told) = hint.told(|| self.state.progress(), advice) {
                self.printer.say(Line::Note(told));
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break Interruption::MaxTime;
            }
            if self.checkpoint.due.is_some_and(|due| Instant::now() >= due)
                && let Err(error) = self.checkpoint.save(&self.state.ledger())
            {
                if self.checkpoint.is_taken_over(&error) {
                    break Interruption::Failed(format!("{error}, which took it over while this one was silent"));
                }
                let text = format!("{}; the count goes on", self.checkpoint.unsaved(&error));
                self.printer.say(Line::Warning(text));
            }
        };
        self.state.stop().request();
        if matches!(interruption, Interruption::Failed(_)) {
            return (None, Some(interruption));
        }
        // What is finished by now is saved at once, for the sender may kill the process soon; an error shows at the
        // save that follows.
        let ledger = self.state.ledger();
        let _ = self.save(&interruption, &ledger);
        (work.end(), Some(interruption))
    }

    /// Saves a run that is interrupted. One without a checkpoint is saved too if it has taken long, or was given a time.
    fn save(&mut self, interruption: &Interruption, ledger: &Ledger) -> Result<(), StoreError> {
        /// What takes less is soon counted again.
        const LONG: Duration = Duration::from_mins(1);
        let is_long = matches!(interruption, Interruption::MaxTime) || ledger.origin.elapsed >= LONG;
        let may_begin = ledger.reached() > (0, 0) && !self.args.no_save;
        if is_long && may_begin && !self.checkpoint.is_kept() {
            return self.checkpoint.begin_unasked(ledger);
        }
        match self.checkpoint.save(ledger) {
            // Its folder was removed or renamed.
            Err(error) if may_begin && !self.checkpoint.exists() => {
                self.printer.say(Line::Warning(self.checkpoint.unsaved(&error)));
                self.checkpoint.begin_unasked(ledger)
            }
            saved => saved,
        }
    }

    /// Saves the run as it has ended, and prints the last lines.
    fn conclude(mut self, outcome: Outcome) -> Result<(Report, Ledger), Failure> {
        let ledger = self.state.ledger();
        let saved = match &outcome {
            (Some(Err(CountError::Stopped)) | None, Some(interruption)) => self.save(interruption, &ledger),
            _ => Ok(()),
        };
        let Self { state, checkpoint, printer, args } = self;
        match outcome {
            // A count that ends while it is told to stop has ended.
            (Some(Ok(report)), _) => {
                let warning = checkpoint.finish(&ledger).err().map(|error| Line::Warning(error.to_string()));
                printer.end(Ending::finished(warning.into_iter().collect()));
                Ok((report, ledger))
            }
            (Some(Err(CountError::Stopped)) | None, Some(interruption)) => {
                let progress = state.progress();
                let (is_saved, (line, mut failure)) =
                    (saved.is_ok(), interruption.ending(&ledger, &progress, checkpoint, args));
                let mut lines = vec![interruption.how_to_resume(&ledger, checkpoint, is_saved)];
                if let Err(error) = saved {
                    lines.insert(0, Line::Warning(checkpoint.unsaved(&error)));
                    // What was done is lost: a script that repeats the command until it is done would never end.
                    if matches!(failure, Failure::AlreadyReported(Exit::Stopped)) {
                        failure = Failure::AlreadyReported(Exit::Failure);
                    }
                }
                lines.extend(line);
                let event = if checkpoint.is_kept() && is_saved { "saved" } else { "stopped" };
                let resume = checkpoint.resume_command().filter(|_| checkpoint.exists());
                let object = Facts::default().with("reason", interruption.reason()).with("resume", resume);
                printer.end(Ending { lines, event, object });
                Err(failure)
            }
            (None, None) => unreachable!("a run is waited for until it ends or is interrupted"),
            (Some(Err(error)), _) => {
                // A task that was counted twice with different results is not among those finished.
                let warning = checkpoint.save(&ledger).err().map(|error| Line::Warning(error.to_string()));
                let lines = warning.into_iter().collect();
                printer.end(Ending { lines, ..Ending::stopped(Some(&error.to_string())) });
                Err(Failure::from(&error))
            }
        }
    }
}

impl Interruption {
    fn reason(&self) -> &str {
        match self {
            Self::Signal(signal) => signals::name(*signal),
            Self::MaxTime => "the time is up",
            Self::Failed(_) => "the program failed",
        }
    }

    /// What has been saved, and the command that goes on from there.
    fn how_to_resume(&self, ledger: &Ledger, checkpoint: &Checkpoint, is_saved: bool) -> Line {
        let reason = self.reason();
        let ((saved, parts), units) = (checkpoint.saved, ledger.units());
        let parts = if parts == 0 { String::new() } else { format!(" and parts of {parts} more") };
        let units = format!("{saved} of {units} units{parts}");
        Line::Note(match checkpoint.resume_command() {
            Some(command) if is_saved => format!("{reason}: saved {units}; go on with\n    {command}"),
            Some(command) if checkpoint.exists() => {
                format!("{reason}: not saved; the save before had {units}; go on with\n    {command}")
            }
            Some(_) => format!("{reason}: not saved, and the save before is gone"),
            None => format!("{reason}: nothing was saved; --checkpoint FILE saves a run"),
        })
    }

    /// The last line, if any, and how the program ends.
    fn ending(
        &self,
        ledger: &Ledger,
        progress: &Progress,
        checkpoint: &Checkpoint,
        args: &LongRun,
    ) -> (Option<Line>, Failure) {
        match self {
            Self::Signal(signal) => (None, Failure::Signal(*signal)),
            Self::Failed(message) => (Some(Line::Error(message.clone())), Failure::AlreadyReported(Exit::Failure)),
            // A script that repeats the command until it is done would never end.
            Self::MaxTime if !checkpoint.is_kept() && ledger.reached() > (0, 0) => {
                (None, Failure::AlreadyReported(Exit::Failure))
            }
            Self::MaxTime if ledger.reached() > checkpoint.reached_before.unwrap_or_default() => {
                (None, Failure::AlreadyReported(Exit::Stopped))
            }
            // Another run of the same length would not do better. The first one may have been a trial.
            Self::MaxTime => {
                let time = numbers::seconds(args.max_time.unwrap_or_default().as_secs_f64());
                let (what, or) = if progress.recounted < progress.to_recount {
                    let recounting = format!(": the double check has {};", run_status::recounting(progress));
                    (recounting, " or a smaller --double-check")
                } else {
                    (":".to_owned(), "")
                };
                let text = format!("no task was finished within {time}{what} give a longer --max-time{or}");
                if checkpoint.reached_before.is_some() {
                    (Some(Line::Error(text)), Failure::AlreadyReported(Exit::Failure))
                } else {
                    (Some(Line::Warning(text)), Failure::AlreadyReported(Exit::Stopped))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::terminal::panics;
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
        panics::catch();
        let line = Line::parse_from(["queens".as_ref(), "--checkpoint".as_ref(), checkpoint.as_os_str()]);
        let (mut checkpoint, ledger) =
            Checkpoint::open(&line.long, count().fingerprint().unwrap(), Shard::WHOLE).unwrap();
        let counting = count().resume(ledger).unwrap();
        let state = counting.state();
        let work = move || {
            let report = counting.wait()?;
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            pool.install(|| -> () { panic!("planted") });
            Ok(report)
        };
        let result = run(state, &mut checkpoint, &line.long, work);
        let Err(Failure::AlreadyReported(exit)) = result else { panic!("it should have failed and said why") };
        process::exit(exit.code().into());
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
