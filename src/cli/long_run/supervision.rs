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

use queens::CountError;
use queens::ledger::Ledger;
use queens::run::RunError;
use queens::run::state::{Progress, RunState};

use super::display::{Ending, Line};
use super::hint::LongRunHint;
use super::run_status;
use crate::cli::long_run::checkpoint::Checkpoint;
use crate::cli::long_run::options::LongRun;
use crate::cli::long_run::printer::Printer;
use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::json::Object;
use crate::cli::terminal::numbers;
use crate::cli::terminal::signals::{self, Request};

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
type Outcome<T> = (Option<Result<T, CountError>>, Option<Interruption>);

/// What the main thread is told.
enum Event<T> {
    Ended(Result<T, CountError>),
    Request(Request),
}

/// Does the `work` that `ledger` lacks, which reports what it finishes to the state that it is given; returns its result
/// and the finished ledger.
pub(crate) fn run<T: Send + 'static>(
    ledger: Ledger,
    checkpoint: &mut Checkpoint,
    args: &LongRun,
    work: impl FnOnce(&RunState) -> Result<T, CountError> + Send + 'static,
) -> Result<(T, Ledger), Failure> {
    let no_thread =
        |error: std::io::Error| Failure::Run(Exit::Failure, format!("a thread could not be started: {error}"));
    let fingerprint = ledger.fingerprint().clone();
    let hint = LongRunHint::new(&fingerprint, args.progress);
    let state = Arc::new(RunState::new(ledger));
    let (sender, events) = mpsc::channel();
    let requests = sender.clone();
    // After the end of the run nobody receives, here and below.
    let _listening = signals::listen(move |request| drop(requests.send(Event::Request(request))))
        .map_err(|error| Failure::Run(Exit::Failure, format!("the program cannot listen for signals: {error}")))?;
    let (shown, last_save) = (Arc::clone(&state), checkpoint.last_save.clone());
    let status = move || run_status::status(&fingerprint, &shown.progress(), last_save.age());
    let printer = Printer::start(args.progress, status).map_err(no_thread)?;
    let working = Arc::clone(&state);
    // Never joined: where its end cannot be waited for, the end of the process ends it.
    thread::Builder::new()
        .name("run".to_owned())
        .spawn(move || drop(sender.send(Event::Ended(work(&working)))))
        .map_err(no_thread)?;

    let deadline = args.max_time.and_then(|time| Instant::now().checked_add(time));
    let mut run = SupervisedRun { state, checkpoint, printer };
    let outcome = run.wait(&events, deadline, hint);
    run.conclude(outcome, args)
}

struct SupervisedRun<'a> {
    state: Arc<RunState>,
    checkpoint: &'a mut Checkpoint,
    printer: Printer,
}

impl SupervisedRun<'_> {
    /// Waits for the end of the run; saves and answers requests meanwhile.
    fn wait<T>(&mut self, events: &Receiver<Event<T>>, deadline: Option<Instant>, mut hint: LongRunHint) -> Outcome<T> {
        let interruption = loop {
            let next = [deadline, self.checkpoint.due, hint.due].into_iter().flatten().min();
            let event = match next {
                Some(next) => events.recv_timeout(next.saturating_duration_since(Instant::now())).ok(),
                None => events.recv().ok(),
            };
            match event {
                Some(Event::Ended(result)) => return (Some(result), None),
                Some(Event::Request(Request::Show)) => self.printer.show(),
                Some(Event::Request(Request::End(signal))) => break Interruption::Signal(signal),
                Some(Event::Request(Request::Failed(message))) => break Interruption::Failed(message),
                None => {}
            }
            if let Some(told) = hint.told(|| self.state.progress().left) {
                let advice =
                    if self.checkpoint.is_kept() { "" } else { "; with --checkpoint FILE it could be resumed" };
                self.printer.say(Line::Note(told + advice));
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break Interruption::MaxTime;
            }
            if self.checkpoint.due.is_some_and(|due| Instant::now() >= due)
                && let Err(error) = self.checkpoint.save(&self.state.ledger())
            {
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
        let _ = self.checkpoint.save(&self.state.ledger());
        let until = Instant::now() + STOP_TIMEOUT;
        loop {
            match events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Event::Ended(result)) => return (Some(result), Some(interruption)),
                Ok(Event::Request(_)) => {}
                Err(_) => return (None, Some(interruption)),
            }
        }
    }

    /// Saves the run as it has ended, and prints the last lines.
    fn conclude<T>(self, outcome: Outcome<T>, args: &LongRun) -> Result<(T, Ledger), Failure> {
        let Self { state, checkpoint, printer } = self;
        // A thread that failed may have done so while it held the state.
        let Some(ledger) = state.ledger_within(STOP_TIMEOUT) else {
            let (_, Some(Interruption::Failed(message))) = outcome else {
                unreachable!("only a thread that failed keeps the state")
            };
            printer.end(Ending::stopped(Some(&message)));
            return Err(Failure::Run(Exit::Failure, format!("{message}; the save before is as it was")));
        };
        match outcome {
            // A count that ends while it is told to stop has ended.
            (Some(Ok(report)), _) => {
                let warning = checkpoint.finish(&ledger).err().map(|error| Line::Warning(error.to_string()));
                printer.end(Ending::finished(warning.into_iter().collect()));
                Ok((report, ledger))
            }
            (Some(Err(CountError::Run(RunError::Stopped))) | None, Some(interruption)) => {
                let (saved, progress) = (checkpoint.save(&ledger), state.progress());
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
                let object = Object::default().with("reason", interruption.reason()).with("resume", resume);
                printer.end(Ending { lines, event, object });
                Err(failure)
            }
            (Some(Err(error)), _) => {
                // A task that was counted twice with different results is not among those finished.
                let warning = checkpoint.save(&ledger).err().map(|error| Line::Warning(error.to_string()));
                let lines = warning.into_iter().collect();
                printer.end(Ending { lines, ..Ending::stopped(Some(&error.to_string())) });
                Err(Failure::from(&error))
            }
            (None, None) => unreachable!("a run is waited for until it ends or is interrupted"),
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
            None => format!("{reason}: nothing was saved, for there is no --checkpoint"),
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
        let work = |state: &RunState| {
            let report = count().resume(state)?;
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            pool.install(|| -> () { panic!("planted") });
            Ok(report)
        };
        let result = run(ledger, &mut checkpoint, &line.long, work);
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
