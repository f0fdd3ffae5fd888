//! A long run as the program runs it: the threads of the run count, one shows progress, one heeds signals, and the
//! main thread keeps the checkpoint and the clock.
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
use queens::run::state::RunState;

use super::progress::{self, Line, State};
use crate::cli::long_run::checkpoint::Checkpoint;
use crate::cli::long_run::options::{LongRun, When};
use crate::cli::long_run::progress_printer::Printer;
use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::numbers;
use crate::cli::terminal::signals::{self, Request};

/// How long threads that were told to stop may take to finish the task in hand. Tasks that take longer are lost, for a
/// person who pressed ^C does not wait.
const GRACE: Duration = Duration::from_secs(1);

/// Why a run is ended before its end.
enum Early {
    Signal(i32),
    MaxTime,
    /// A thread failed, with these words.
    Failed(String),
}

/// What the main thread is told.
enum Event<T> {
    Ended(Result<T, CountError>),
    Request(Request),
}

/// A run, where it is kept and where it is shown.
struct SupervisedRun<'a> {
    watch: &'a RunState,
    checkpoint: &'a mut Checkpoint,
    printer: &'a Printer,
}

/// What people should know of a run that will be long, told once.
struct Advice {
    /// When it is next asked whether there is something to tell; never once it is told.
    due: Option<Instant>,
    /// When it is told at the latest, for by then the run is long.
    latest: Instant,
    n: usize,
}

impl Advice {
    /// How long a run takes before anybody is told anything.
    const EARLY: Duration = Duration::from_secs(2);
    /// How long until a run whose end is not known is a long one.
    const LATE: Duration = Duration::from_mins(1);
    /// Expected to take longer than this, a run had better keep a checkpoint.
    const LONG: Duration = Duration::from_mins(10);

    fn new(n: usize, progress: When) -> Self {
        // A program reads one object a line.
        let speak = !matches!(progress, When::Never | When::Json);
        let now = Instant::now();
        Self { due: speak.then(|| now + Self::EARLY), latest: now + Self::LATE, n }
    }

    /// Tells it, where it is due and something is known to tell.
    fn tell(&mut self, run: &SupervisedRun) {
        let now = Instant::now();
        if self.due.is_none_or(|due| now < due) {
            return;
        }
        let time = match run.watch.progress().left {
            // It will soon be over.
            Some(left) if left.high < Self::LONG => {
                self.due = None;
                return;
            }
            Some(left) => format!("{} expected", progress::range(&left)),
            None if now < self.latest => {
                self.due = Some(now + Self::EARLY);
                return;
            }
            None => "how long this takes is not known yet".to_owned(),
        };
        self.due = None;
        let advice = if run.checkpoint.is_kept() { "" } else { "; with --checkpoint FILE it could be resumed" };
        run.printer.say(Line::Note(format!("{time}; 'queens estimate {}' tells more{advice}", self.n)));
    }
}

/// How a run ended: its result where it came to an end, and what cut it short.
type Ending<T> = (Option<Result<T, CountError>>, Option<Early>);

/// Does the `work` that `ledger` lacks, which must be what the watch that it is given is told; gives its result and
/// the finished ledger.
pub(crate) fn run<T: Send + 'static>(
    ledger: Ledger,
    checkpoint: &mut Checkpoint,
    args: &LongRun,
    work: impl FnOnce(&RunState) -> Result<T, CountError> + Send + 'static,
) -> Result<(T, Ledger), Failure> {
    let n = ledger.fingerprint().subject.n();
    let watch = Arc::new(RunState::new(ledger));
    let (sender, events) = mpsc::channel();
    let requests = sender.clone();
    // Nobody is left to be told after the end of the run, here and below.
    let _listening = signals::listen(move |request| drop(requests.send(Event::Request(request))))
        .map_err(|error| Failure::Run(Exit::Failure, format!("signals cannot be listened for: {error}")))?;
    let (shown, age) = (Arc::clone(&watch), checkpoint.age());
    let state = move || State { n, progress: shown.progress(), saved: age.get() };
    let printer = Printer::start(args.progress, state).map_err(|error| no_thread(&error))?;
    let working = Arc::clone(&watch);
    // Detached: whoever cannot wait for its end lets the process end it.
    thread::Builder::new()
        .name("run".to_owned())
        .spawn(move || drop(sender.send(Event::Ended(work(&working)))))
        .map_err(|error| no_thread(&error))?;

    let deadline = args.max_time.and_then(|time| Instant::now().checked_add(time));
    let advice = Advice::new(n, args.progress);
    let mut run = SupervisedRun { watch: &watch, checkpoint, printer: &printer };
    let (result, early) = wait(&events, &mut run, deadline, advice);

    // A thread that failed may have done so while it held the state.
    let Some(ledger) = watch.ledger_within(GRACE) else {
        printer.end(Vec::new());
        let Some(Early::Failed(message)) = early else { unreachable!("only a thread that failed keeps the state") };
        return Err(Failure::Run(Exit::Failure, format!("{message}; the save before is as it was")));
    };
    match (result, early) {
        // A count that ends while it is told to stop has ended.
        (Some(Ok(report)), _) => {
            let warning = checkpoint.finish(&ledger).err().map(|error| Line::Warning(error.to_string()));
            signals::arm();
            printer.end(warning.into_iter().collect());
            Ok((report, ledger))
        }
        (Some(Err(CountError::Run(RunError::Stopped))) | None, Some(early)) => {
            let saved = checkpoint.save(&ledger);
            signals::arm();
            let (line, mut failure) = early.end(&ledger, checkpoint, args);
            let mut lines = vec![how_to_go_on(&early, &ledger, checkpoint, saved.is_ok())];
            if let Err(error) = saved {
                lines.insert(0, Line::Warning(checkpoint.unsaved(&error)));
                // What was done is lost, so whoever repeats the command until it is over would repeat it for ever.
                if matches!(failure, Failure::AlreadyReported(Exit::Stopped)) {
                    failure = Failure::AlreadyReported(Exit::Failure);
                }
            }
            lines.extend(line);
            printer.end(lines);
            Err(failure)
        }
        (Some(Err(error)), _) => {
            // The unit that was counted twice with different results is not among what is finished.
            let saved = checkpoint.save(&ledger).err().map(|error| Line::Warning(error.to_string()));
            printer.end(saved.into_iter().collect());
            Err(Failure::from(&error))
        }
        (None, None) => unreachable!("a run is waited for until it ends or is cut short"),
    }
}

/// Waits for the end of the run, saves and heeds requests meanwhile.
fn wait<T: Send + 'static>(
    events: &Receiver<Event<T>>,
    run: &mut SupervisedRun,
    deadline: Option<Instant>,
    mut advice: Advice,
) -> Ending<T> {
    let early = loop {
        let next = [deadline, run.checkpoint.due(), advice.due].into_iter().flatten().min();
        let event = match next {
            Some(next) => events.recv_timeout(next.saturating_duration_since(Instant::now())).ok(),
            None => events.recv().ok(),
        };
        match event {
            Some(Event::Ended(result)) => return (Some(result), None),
            Some(Event::Request(Request::Show)) => run.printer.show(),
            Some(Event::Request(Request::End(signal))) => break Early::Signal(signal),
            Some(Event::Request(Request::Failed(message))) => break Early::Failed(message),
            None => {}
        }
        advice.tell(run);
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            break Early::MaxTime;
        }
        if run.checkpoint.is_due()
            && let Err(error) = run.checkpoint.save(&run.watch.ledger())
        {
            run.printer.say(Line::Warning(format!("{}; the count goes on", run.checkpoint.unsaved(&error))));
        }
    };
    run.watch.stop().request();
    if matches!(early, Early::Failed(_)) {
        return (None, Some(early));
    }
    // What is finished by now is saved at once, for who knows how patient the sender is; what goes wrong here is
    // told of the save that follows.
    let _ = run.checkpoint.save(&run.watch.ledger());
    let until = Instant::now() + GRACE;
    loop {
        match events.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Event::Ended(result)) => return (Some(result), Some(early)),
            Ok(Event::Request(_)) => {}
            Err(_) => return (None, Some(early)),
        }
    }
}

fn no_thread(error: &std::io::Error) -> Failure {
    Failure::Run(Exit::Failure, format!("a thread could not be started: {error}"))
}

/// What has been saved, and the command that goes on from there.
fn how_to_go_on(early: &Early, ledger: &Ledger, checkpoint: &Checkpoint, is_saved: bool) -> Line {
    let reason = match early {
        Early::Signal(signal) => signals::name(*signal),
        Early::MaxTime => "the time is up",
        Early::Failed(_) => "the program failed",
    };
    let ((saved, parts), units) = (checkpoint.saved(), ledger.units());
    let parts = if parts == 0 { String::new() } else { format!(" and parts of {parts} more") };
    Line::Note(match checkpoint.resume_command() {
        Some(command) if is_saved => {
            format!("{reason}: saved {saved} of {units} units{parts}; go on with\n    {command}")
        }
        Some(command) if checkpoint.is_there() => {
            format!(
                "{reason}: not saved; the save before had {saved} of {units} units{parts}; go on with\n    {command}"
            )
        }
        Some(_) => format!("{reason}: not saved, and the save before is gone"),
        None => format!("{reason}: nothing was saved, for there is no --checkpoint"),
    })
}

impl Early {
    /// How the program ends, and what there is to say of it last.
    fn end(&self, ledger: &Ledger, checkpoint: &Checkpoint, args: &LongRun) -> (Option<Line>, Failure) {
        match self {
            Self::Signal(signal) => (None, Failure::Signal(*signal)),
            Self::Failed(message) => (Some(Line::Error(message.clone())), Failure::AlreadyReported(Exit::Failure)),
            Self::MaxTime if ledger.reached() > checkpoint.found() => (None, Failure::AlreadyReported(Exit::Stopped)),
            // Another run of the same length would not do better. The first one may have been a trial.
            Self::MaxTime => {
                let time = numbers::seconds(args.max_time.unwrap_or_default().as_secs_f64());
                let text =
                    format!("no task was finished within {time}, for one takes longer: give a longer --max-time");
                if checkpoint.went_on() {
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
        let work = |watch: &RunState| {
            let report = count().resume(watch)?;
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
