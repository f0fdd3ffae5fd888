//! A run's checkpoint: found again, saved now and then, and how to go on from it.

use std::time::{Duration, Instant};

use queens::Shard;
use queens::ledger::store::{Store, StoreError};
use queens::ledger::{Fingerprint, Ledger, Origin};

use super::long::LongRun;
use super::{Exit, Failure, output};

/// The checkpoint of a run, where it keeps one.
pub(crate) struct Keep {
    store: Option<Store>,
    every: Duration,
    saved: Instant,
    /// When the next save is due, be it the first try or another after a failure.
    due: Instant,
}

impl Keep {
    /// Opens the checkpoint, if any, and gives the ledger to go on from.
    ///
    /// It is saved once at the start, so that a full disk or a folder that may not be written shows before the work.
    pub(crate) fn open(args: &LongRun, fingerprint: Fingerprint, shard: Shard) -> Result<(Self, Ledger), Failure> {
        let mut ledger = Ledger::new(fingerprint, shard);
        let mut store = args.checkpoint.as_ref().map(Store::open).transpose()?;
        if let Some(store) = &mut store {
            let resume = args.resume || args.shard.is_some();
            if !resume && store.path().symlink_metadata().is_ok() {
                let path = store.path().display();
                let message =
                    format!("{path}: there is a checkpoint already; go on from it with --resume or remove it");
                return Err(Failure::Run(Exit::Failure, message));
            }
            match resume.then(|| store.load(ledger.fingerprint(), shard)).transpose()?.flatten() {
                Some(found) => {
                    if let Some(reason) = found.fallback {
                        output::warning(&format!("{reason}; going on from the save before it"));
                    }
                    ledger = found.ledger;
                }
                // A mistyped name should not go unnoticed.
                None if args.resume => {
                    let path = store.path().display();
                    output::note(&format!("{path}: there is no checkpoint yet; counting from the beginning"));
                }
                None => {}
            }
        }
        let host = sysinfo::System::host_name().unwrap_or_default();
        ledger.origin = Origin { host, program: output::PROGRAM.to_owned(), ..ledger.origin };
        if let Some(store) = &mut store {
            store.save(&ledger)?;
        }
        let now = Instant::now();
        let keep = Self { store, every: args.checkpoint_every, saved: now, due: now + args.checkpoint_every };
        Ok((keep, ledger))
    }

    /// No checkpoint at all.
    pub(crate) fn nothing() -> Self {
        let now = Instant::now();
        Self { store: None, every: Duration::MAX, saved: now, due: now }
    }

    /// Time since the last save, where there is a checkpoint.
    pub(crate) fn age(&self) -> Option<Duration> {
        self.store.as_ref().map(|_| self.saved.elapsed())
    }

    /// The time between saves.
    pub(crate) fn every(&self) -> Duration {
        self.every
    }

    /// Whether it is time to save.
    pub(crate) fn is_due(&self) -> bool {
        self.store.is_some() && Instant::now() >= self.due
    }

    /// Saves, where there is a checkpoint. The count goes on whatever happens here.
    pub(crate) fn save(&mut self, ledger: &Ledger) -> Result<(), StoreError> {
        let Some(store) = &mut self.store else { return Ok(()) };
        let result = store.save(ledger);
        let now = Instant::now();
        self.due = now + self.every;
        if result.is_ok() {
            self.saved = now;
        }
        result
    }

    /// Saves the finished ledger, after which the save before is of no use.
    pub(crate) fn finish(&mut self, ledger: &Ledger) -> Result<(), StoreError> {
        self.save(ledger)?;
        self.store.as_ref().map_or(Ok(()), Store::tidy)
    }

    /// The command that goes on from here, as a shell takes it; none without a checkpoint.
    pub(crate) fn resume_command(&self) -> Option<String> {
        self.store.as_ref()?;
        let arguments = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
        Some(with_resume(arguments.collect()))
    }
}

fn with_resume(mut arguments: Vec<String>) -> String {
    if !arguments.iter().any(|argument| argument == "--resume") {
        // Not at the end, where a `--` may stand before.
        let command = arguments.iter().position(|argument| argument == "count").unwrap_or(0);
        arguments.insert(command + 1, "--resume".to_owned());
    }
    shell_words::join(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_to_resume() {
        let command = |line: &str| with_resume(shell_words::split(line).unwrap());
        assert_eq!(
            command("queens --color never count 19 --checkpoint 'my file'"),
            "queens --color never count --resume 19 --checkpoint 'my file'"
        );
        assert_eq!(command("q count --resume 19 --checkpoint c"), "q count --resume 19 --checkpoint c");
    }
}
