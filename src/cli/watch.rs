//! A count as the program runs it: the threads count, and the main thread shows progress, saves and heeds signals.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use queens::CountError;
use queens::ledger::Ledger;
use queens::run::Halt;
use queens::run::progress::Watch;

use super::keep::Keep;
use super::long::LongRun;
use super::progress::{Display, State};
use super::signals::{self, Signals};
use super::{Exit, Failure, output};

/// How often signals, clocks and progress are looked at.
const TICK: Duration = Duration::from_millis(100);

/// How long threads that were told to stop may take to finish what they have in hand. Units that take longer are
/// lost, for a person who pressed ^C does not wait.
const GRACE: Duration = Duration::from_secs(1);

/// Why a run is ended before its end.
enum Early {
    Signal(i32),
    MaxTime,
}

/// Does the `work` that `ledger` lacks, which must be what the watch that it is given is told; gives its result and the
/// finished ledger.
pub(crate) fn run<T: Send + 'static>(
    ledger: Ledger,
    keep: &mut Keep,
    args: &LongRun,
    work: impl FnOnce(&Watch) -> Result<T, CountError> + Send + 'static,
) -> Result<(T, Ledger), Failure> {
    let signals = Signals::listen()
        .map_err(|error| Failure::Run(Exit::Failure, format!("signals cannot be listened for: {error}")))?;
    let n = ledger.fingerprint().subject.n();
    let watch = Arc::new(Watch::new(ledger));
    let (sender, receiver) = mpsc::channel();
    let working = Arc::clone(&watch);
    // Detached: whoever cannot wait for its end lets the process end it.
    thread::spawn(move || sender.send(work(&working)));

    let mut display = Display::new(args.progress);
    let deadline = args.max_time.and_then(|time| Instant::now().checked_add(time));
    let tick = TICK.min(keep.every());
    let state = |keep: &Keep| State { n, progress: watch.progress(), saved: keep.age() };
    let (result, early) = loop {
        match receiver.recv_timeout(tick) {
            Ok(result) => break (Some(result), None),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break (None, None),
        }
        let early = match signals.ending() {
            Some(signal) => Some(Early::Signal(signal)),
            None => deadline.filter(|&deadline| Instant::now() >= deadline).map(|_| Early::MaxTime),
        };
        if early.is_some() {
            watch.stop().request();
            break (receiver.recv_timeout(GRACE).ok(), early);
        }
        if signals.asked() {
            display.show(&state(keep));
        }
        if keep.is_due()
            && let Err(error) = keep.save(&watch.ledger())
        {
            display.say(&format!("{error}; the count goes on, and the save before is as it was"));
        }
        display.tick(|| state(keep));
    };
    display.end(|| state(keep));

    let ledger = watch.ledger();
    match (result, early) {
        // A count that ends while it is told to stop has ended.
        (Some(Ok(report)), _) => {
            if let Err(error) = keep.finish(&ledger) {
                output::warning(&error.to_string());
            }
            Ok((report, ledger))
        }
        (Some(Err(CountError::Halt(Halt::Stopped))) | None, Some(early)) => Err(stopped(&early, &ledger, keep)),
        (Some(Err(error)), _) => Err(Failure::from(&error)),
        (None, None) => Err(Failure::Run(Exit::Failure, "the count ended without a result".to_owned())),
    }
}

/// Saves a run that ends early, and says how to go on.
fn stopped(early: &Early, ledger: &Ledger, keep: &mut Keep) -> Failure {
    let saved = keep.save(ledger);
    let reason = match *early {
        Early::Signal(signal) => signals::name(signal),
        Early::MaxTime => "the time is up",
    };
    match (keep.resume_command(), saved) {
        (Some(command), Ok(())) => {
            let (finished, units) = (ledger.finished(), ledger.units());
            output::note(&format!("{reason}: saved {finished} of {units} units; go on with\n    {command}"));
        }
        (Some(command), Err(error)) => {
            output::warning(&format!("{error}; the save before is as it was"));
            output::note(&format!("{reason}: go on from the last save with\n    {command}"));
        }
        (None, _) => output::note(&format!("{reason}: nothing was saved, for there is no --checkpoint")),
    }
    match *early {
        Early::Signal(signal) => Failure::Signal(signal),
        Early::MaxTime => Failure::Told(Exit::Stopped),
    }
}
