//! A long run as the program runs it: the threads of the run count, one thread shows progress, one listens for signals,
//! and the main thread saves the checkpoint and watches the time.
//!
//! The main thread prints nothing as long as the run goes on: a terminal stopped by ^S or a full pipe holds up
//! whoever writes to it, and the work is not to be lost for that. Nothing here knows what is counted: a run is
//! whatever finishes the units of a [`Ledger`] and can be asked to stop.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use queens::ledger::Ledger;
use queens::ledger::store::StoreError;
use queens::{CountError, Interval, Progress, Report, Run, Watch};
use serde_json::json;

use super::activity::Line;
use super::forecast;
use super::status::recounting;
use crate::cli::long_run::{Activity, LongRun, Status, When, checkpoint::Checkpoint};
use crate::cli::terminal::{Exit, Failure, Interruption, Listening, json, messages, numbers, signals};

/// How long threads that were told to stop may take to finish their tasks. Tasks that take longer are lost, for a person
/// who pressed ^C does not wait.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// Work in a thread of its own. It is never joined: where its end cannot be waited for, the end of the process ends it.
struct Work<T> {
    events: Receiver<Event<T>>,
    /// For work beside it.
    sender: Sender<Event<T>>,
    _listening: Listening,
}

/// An end of work, or what is to end it.
enum Event<T> {
    Ended(T),
    Interrupted(Interruption),
    /// How long all of it takes, as far as that is known.
    Forecast(Option<Interval>),
}

impl<T: Send + 'static> Work<T> {
    fn start(name: &str, work: impl FnOnce() -> T + Send + 'static) -> Result<Self, Failure> {
        let failure = |reason: String| Failure::Run(Exit::Failure, reason);
        let (sender, events) = mpsc::channel();
        let (interruptions, ended) = (sender.clone(), sender.clone());
        // After the end nobody receives, here and below.
        let listening = signals::listen(move |why| drop(interruptions.send(Event::Interrupted(why))))
            .map_err(|error| failure(format!("the program cannot listen for signals: {error}")))?;
        let work = move || drop(ended.send(Event::Ended(work())));
        let thread = thread::Builder::new().name(name.to_owned()).spawn(work);
        thread.map_err(|error| failure(format!("a thread could not be started: {error}")))?;
        Ok(Self { events, sender, _listening: listening })
    }

    /// Makes a forecast beside it. Where no thread can be started, there is none.
    fn forecast(&self, make: impl FnOnce() -> Option<Interval> + Send + 'static) {
        let sender = self.sender.clone();
        let make = move || drop(sender.send(Event::Forecast(make())));
        let _ = thread::Builder::new().name("forecast".to_owned()).spawn(make);
    }

    /// The next event; none by that time.
    fn next(&self, until: Option<Instant>) -> Option<Event<T>> {
        let timeout = until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()));
        self.events.recv_timeout(timeout).ok()
    }

    /// What it ends with, after it was told to stop; nothing if that takes too long.
    fn end(&self) -> Option<T> {
        let until = Instant::now() + STOP_TIMEOUT;
        loop {
            if let Event::Ended(result) = self.next(Some(until))? {
                return Some(result);
            }
        }
    }
}

/// Does work until it ends, or until a signal comes and stops it, and shows how far it is. Returns what it ends with, if it does
/// before a person who pressed ^C would wait, and the signal.
pub(super) fn watched<T: Send + 'static, K: 'static>(
    activity: &Activity,
    watch: &Watch<K>,
    status: impl Fn(Progress) -> Status + Send + 'static,
    work: impl FnOnce(&Watch<K>) -> T + Send + 'static,
) -> Result<(Option<T>, Option<i32>), Failure> {
    let (watched, working) = (watch.clone(), watch.clone());
    // Whoever sees its progress may stop it.
    let work = Work::start(activity.command(), move || work(&working))?;
    activity.watch(move || status(watched.progress()));
    match work.next(None) {
        Some(Event::Ended(result)) => Ok((Some(result), None)),
        Some(Event::Interrupted(Interruption::Signal(signal))) => {
            watch.stop();
            Ok((work.end(), Some(signal)))
        }
        Some(Event::Interrupted(Interruption::Failed(message))) => Err(Failure::Run(Exit::Failure, message)),
        Some(Event::Forecast(_)) | None => unreachable!("it waits for ever, and nobody asks for a forecast"),
    }
}

/// Does the `work`, which makes this run; returns its report, the finished ledger and, if the file that was asked for has not
/// all of it, the failure that this is.
pub(crate) fn run(
    run: Arc<Run<'static>>,
    checkpoint: &mut Checkpoint,
    args: &LongRun,
    activity: &Activity,
    work: impl FnOnce() -> Result<Report, CountError> + Send + 'static,
) -> Result<(Report, Ledger, Option<Failure>), Failure> {
    let fingerprint = run.fingerprint();
    let (shown, last_save) = (run.watch(), Arc::clone(&checkpoint.last_save));
    let saved = move || last_save.lock().unwrap_or_else(PoisonError::into_inner).map(|saved| saved.elapsed());
    // Whoever sees its progress may stop it.
    let work = Work::start("run", work)?;
    activity.show(move || Status::of_run(&fingerprint, &shown.progress(), saved()));
    let mut run = SupervisedRun { run, checkpoint, activity, args };
    let (result, interruption) = run.wait(&work);
    let ledger = run.run.ledger();
    match result {
        // A count that ends while it is told to stop has ended.
        Some(Ok(report)) => {
            let saved = run.checkpoint.save(&ledger);
            // The result of a shard is in another file.
            let is_asked_for = args.checkpoint.is_some() && args.out.is_none();
            let failure = saved.as_ref().err().filter(|_| is_asked_for).and_then(|_| run.checkpoint.not_whole(&ledger));
            for line in unsaved(saved) {
                activity.say(line);
            }
            Ok((report, ledger, failure))
        }
        Some(Err(CountError::Stopped)) | None => Err(run.stopped(&ledger, interruption)),
        // A task that was counted twice with different results is not among those finished.
        Some(Err(error)) => {
            let saved = run.checkpoint.save(&ledger);
            activity.end(unsaved(saved), "stopped", json!({"reason": error.to_string()}));
            Err(error.into())
        }
    }
}

/// A warning where a save has failed.
fn unsaved(saved: Result<(), StoreError>) -> Vec<Line> {
    saved.err().map(|error| -> Line { (messages::warning, error.to_string()) }).into_iter().collect()
}

struct SupervisedRun<'a> {
    run: Arc<Run<'static>>,
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
    ) -> (Option<Result<Report, CountError>>, Option<Interruption>) {
        let deadline = self.args.max_time.and_then(|time| Instant::now().checked_add(time));
        let is_shown = self.args.progress != When::Never;
        let mut hint_due = is_shown.then(|| Instant::now() + forecast::DUE);
        let interruption = loop {
            let next = [deadline, self.checkpoint.due, hint_due].into_iter().flatten().min();
            match work.next(next) {
                Some(Event::Ended(result)) => return (Some(result), None),
                Some(Event::Interrupted(interruption)) => break Some(interruption),
                Some(Event::Forecast(time)) => self.hint(time),
                None => {}
            }
            if hint_due.is_some_and(|due| Instant::now() >= due) {
                hint_due = None;
                let (request, progress) = (self.run.request(), self.run.watch().progress());
                match progress.left {
                    Some(_) => self.hint(None),
                    None => work.forecast(move || forecast::time(&request, progress.threads, &forecast::sampling())),
                }
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break None;
            }
            if self.checkpoint.due.is_some_and(|due| Instant::now() >= due)
                && let Err(error) = self.checkpoint.save(&self.run.ledger())
            {
                if self.checkpoint.is_taken_over(&error) {
                    let message = format!("{error}, which took it over while this one was silent");
                    break Some(Interruption::Failed(message));
                }
                let text = format!("{}; the count goes on", self.checkpoint.unsaved(&error));
                self.activity.say((messages::warning, text));
            }
        };
        self.run.watch().stop();
        if matches!(interruption, Some(Interruption::Failed(_))) {
            return (None, interruption);
        }
        // What is finished by now is saved at once, for the sender may kill the process soon; an error shows at the
        // save that follows.
        let _ = self.save(interruption.is_none(), &self.run.ledger());
        (work.end(), interruption)
    }

    /// Says how long the run takes, if it is long; programs are told in any case.
    fn hint(&self, forecast: Option<Interval>) {
        let (of, mut progress) = (self.run.fingerprint(), self.run.watch().progress());
        let forecast = forecast::of_the_rest(&of, &progress, forecast);
        if self.args.progress == When::Json {
            progress.left = progress.left.or(forecast);
            let event = json::event("forecast", Status::of_run(&of, &progress, None).object(()));
            return self.activity.say((messages::print, event));
        }
        let advice = match (self.checkpoint.is_kept(), self.args.no_save) {
            (true, _) => None,
            (false, true) => Some("without --no-save it could be resumed"),
            (false, false) => Some("if stopped after a minute or more, it is saved in a new file here"),
        };
        let told = forecast::hint(&of, &progress, forecast, advice);
        for line in told.iter().flat_map(|told| told.lines()) {
            self.activity.say((messages::note, line.to_owned()));
        }
    }

    /// Saves a run that is interrupted. One without a checkpoint is saved too if it has taken long, or was given a time.
    fn save(&mut self, time_is_up: bool, ledger: &Ledger) -> Result<(), StoreError> {
        /// What takes less is soon counted again.
        const LONG: Duration = Duration::from_secs(60);
        let is_long = time_is_up || ledger.elapsed() >= LONG;
        let may_begin = ledger.reached() > (0, 0) && !self.args.no_save;
        if is_long && may_begin && !self.checkpoint.is_kept() {
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
        let mut is_too_short = false;
        let (reason, last, mut failure): (_, Option<Line>, _) = match interruption {
            Some(Interruption::Signal(signal)) => (signals::name(signal), None, Failure::Signal(signal)),
            Some(Interruption::Failed(message)) => {
                ("the program failed", Some((messages::error, message)), Failure::AlreadyReported(Exit::Failure))
            }
            None => {
                let (last, exit) = self.time_is_up(ledger);
                is_too_short = last.is_some();
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
        let (exists, command) = (checkpoint.exists(), checkpoint.resume_command(args, ledger, is_too_short));
        // Programs are told by the event.
        if args.progress != When::Json {
            let ((units, parts), all) = (checkpoint.saved, ledger.units());
            let parts = if parts == 0 { String::new() } else { format!(" and parts of {parts} more") };
            let units = format!("{units} of {all} units{parts}");
            let text = match &command {
                Some(_) if saved.is_ok() => format!("saved {units}; go on with"),
                Some(_) if exists => format!("not saved; the save before had {units}; go on with"),
                Some(_) => "not saved, and the save before is gone".to_owned(),
                None if saved.is_err() || args.no_save || args.range.is_some() => "nothing was saved".to_owned(),
                None => "nothing was saved; --checkpoint FILE saves a run".to_owned(),
            };
            lines.push((messages::note, format!("{reason}: {text}")));
            let command = command.iter().filter(|_| saved.is_ok() || exists);
            lines.extend(command.map(|command| (messages::note as _, format!("    {command}"))));
        }
        lines.extend(last);
        let event = if checkpoint.is_kept() && saved.is_ok() { "saved" } else { "stopped" };
        let object = json!({"reason": reason, "resume": command.filter(|_| exists)});
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
        let (time, progress) = (args.max_time.unwrap_or_default().as_secs_f64(), self.run.watch().progress());
        let (what, or) = if progress.recounted < progress.to_recount {
            let recounting = format!(": the double check has {};", recounting(&progress));
            (recounting, " or a smaller --double-check")
        } else {
            (":".to_owned(), "")
        };
        let time = numbers::seconds(time);
        let text = format!("no task was finished within {time}{what} give a longer --max-time{or}");
        // Another run of the same length would not do better. The first one with a checkpoint may have been a trial.
        match (checkpoint.reached_before, exit) {
            (None, Exit::Stopped) => (Some((messages::warning, text)), exit),
            _ => (Some((messages::error, text)), Exit::Failure),
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
    use std::process::{self, Command, Output};

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
        let counting = Arc::new(count().prepare().unwrap().resume(ledger).unwrap());
        let run_of_work = Arc::clone(&counting);
        let work = move || {
            let report = run_of_work.count()?;
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            pool.install(|| -> () { panic!("planted") });
            Ok(report)
        };
        let result = run(counting, &mut checkpoint, &line.long, &Activity::start(When::Never, "count"), work);
        let Err(Failure::AlreadyReported(exit)) = result else { panic!("it should have failed and said why") };
        process::exit(exit as i32);
    }

    /// Set in the process that a test starts for itself.
    const ITSELF: &str = "QUEENS_TEST_ITSELF";

    /// Does a test in a process of its own, in this folder.
    fn itself(test: &str, folder: &Path) -> Output {
        let (_, module) = module_path!().split_once("::").unwrap();
        let mut itself = Command::new(env::current_exe().unwrap());
        // A range is an argument of both, and names no test.
        let arguments = ["--exact", &format!("{module}::{test}"), "9-10"];
        itself.args(arguments).env(ITSELF, "").current_dir(folder).output().unwrap()
    }

    /// The process ends.
    #[test]
    fn a_thread_that_fails_has_the_rest_saved() {
        if env::var_os(ITSELF).is_some() {
            fail(Path::new("c"));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c");
        let result = itself("a_thread_that_fails_has_the_rest_saved", folder.path());
        let err = String::from_utf8(result.stderr).unwrap();
        assert_eq!(result.status.code(), Some(1), "{err}");
        assert!(err.contains("error: the program failed: planted (src"), "{err}");
        let saved = store::read(&path).unwrap();
        assert_eq!((saved.is_complete(), saved.total().unwrap().get()), (true, 352), "{err}");
        let units = saved.units();
        assert!(err.contains(&format!("the program failed: saved {units} of {units} units; go on with\n")), "{err}");
    }

    /// The file is in the folder of the process.
    #[test]
    fn a_run_of_a_minute_is_saved_without_being_asked() {
        if env::var_os(ITSELF).is_none() {
            let folder = tempfile::tempdir().unwrap();
            let result = itself("a_run_of_a_minute_is_saved_without_being_asked", folder.path());
            return assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stdout));
        }
        let path = Path::new("queens-9.ledger");
        for (line, seconds, units, is_saved) in
            [("", 59, 1, false), ("", 61, 0, false), ("--no-save", 61, 1, false), ("", 61, 1, true)]
        {
            let args = Line::parse_from(["queens"].into_iter().chain((!line.is_empty()).then_some(line))).long;
            let args = LongRun { range: "9-10".parse().ok(), ..args };
            let mut ledger = Ledger::new(count().fingerprint().unwrap(), Shard::WHOLE);
            (0..units).for_each(|unit| ledger.record(unit, 1.into()).unwrap());
            ledger.begin_run(None);
            ledger.current_run().unwrap().elapsed = Duration::from_secs(seconds);
            let activity = Activity::start(When::Never, "count");
            let (run, mut checkpoint) = (Arc::new(count().prepare().unwrap()), Checkpoint::default());
            let mut run = SupervisedRun { run, checkpoint: &mut checkpoint, activity: &activity, args: &args };
            run.save(false, &ledger).unwrap();
            assert_eq!(path.exists(), is_saved, "{line} {seconds} s, {units} units");
            let command = run.checkpoint.resume_command(&args, &ledger, false);
            assert_eq!(command.is_some(), is_saved);
            assert!(command.is_none_or(|command| command.ends_with(" 9 --checkpoint queens-9.ledger --resume")));
        }
        assert_eq!(store::read(path).unwrap().finished(), 1);
    }
}
