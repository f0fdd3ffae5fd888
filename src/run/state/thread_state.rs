//! The unit that a thread has in hand, and the units that it has finished.

use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::ledger::Partial;
use crate::tally::Tally;
use crate::watch::lock;

/// The unit in hand of a thread and its finished units, which others read now and then while the thread goes on. The thread
/// never waits for them; a reader that comes while it writes reads again.
#[derive(Debug, Default)]
pub(super) struct ThreadState {
    /// Odd while the unit in hand is being written.
    version: AtomicU64,
    /// One more than its number; 0 before there is any.
    unit: AtomicU64,
    begun: AtomicU64,
    tasks: AtomicU64,
    /// The tally, its lower half first.
    tally: [AtomicU64; 2],
    finished: Mutex<Vec<Batch>>,
}

/// A unit that a thread is working on, or has just finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CurrentUnit {
    pub(super) unit: usize,
    /// The part that is finished by now.
    pub(super) finished: Partial,
    /// When it was begun, from the start of the run.
    pub(super) begun: Duration,
}

/// Units that a thread has finished one after another, and when it began and ended, from the start of the run.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) units: Vec<(usize, Tally)>,
    pub(super) begun: Duration,
    pub(super) ended: Duration,
}

/// With which a thread records what it has in hand and has finished.
///
/// Units of a microsecond, at N = 14, are told in batches: a lock and a clock for each made the run a seventh longer.
#[derive(Debug)]
pub(crate) struct Recorder {
    thread: Arc<ThreadState>,
    started: Instant,
    batch: Batch,
}

impl Recorder {
    pub(super) fn new(thread: Arc<ThreadState>, started: Instant) -> Self {
        Self { thread, started, batch: Batch::default() }
    }

    /// The thread begins a unit, of which so much was finished before.
    pub(crate) fn begin(&mut self, unit: usize, finished: Partial) {
        if self.batch.units.is_empty() {
            self.batch.begun = self.started.elapsed();
        }
        self.thread.write(&CurrentUnit { unit, finished, begun: self.batch.begun });
    }

    /// So much of its unit is finished now.
    pub(crate) fn advance(&self, finished: &Partial) {
        self.thread.change(|| self.thread.part(finished));
    }

    /// The thread has finished a unit, all of whose tasks are these. It is told at once if it took long, and otherwise
    /// with the units that follow.
    pub(crate) fn finish(&mut self, unit: usize, all: &Partial) {
        const LONG: Duration = Duration::from_millis(1);
        self.batch.units.push((unit, all.tally));
        // A single task takes seconds at most; a unit of several may have taken hours.
        if all.tasks > 1 || self.batch.units.len().is_power_of_two() {
            self.batch.ended = self.started.elapsed();
            if self.batch.ended.saturating_sub(self.batch.begun) >= LONG {
                self.tell();
            }
        }
    }

    fn tell(&mut self) {
        lock(&self.thread.finished).push(std::mem::take(&mut self.batch));
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if !self.batch.units.is_empty() {
            self.batch.ended = self.started.elapsed();
            self.tell();
        }
    }
}

impl ThreadState {
    fn write(&self, CurrentUnit { unit, finished, begun }: &CurrentUnit) {
        self.change(|| {
            self.unit.store(*unit as u64 + 1, Ordering::Relaxed);
            self.begun.store(begun.as_nanos() as u64, Ordering::Relaxed);
            self.part(finished);
        });
    }

    fn part(&self, Partial { tasks, tally }: &Partial) {
        self.tasks.store(*tasks, Ordering::Relaxed);
        self.tally[0].store(tally.get() as u64, Ordering::Relaxed);
        self.tally[1].store((tally.get() >> 64) as u64, Ordering::Relaxed);
    }

    fn change(&self, write: impl FnOnce()) {
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version.wrapping_add(1), Ordering::Relaxed);
        // Whoever reads any of the new values finds the odd version, or a later one.
        fence(Ordering::Release);
        write();
        self.version.store(version.wrapping_add(2), Ordering::Release);
    }

    /// The unit in hand now. It may be among those that are read after that from [`ThreadState::take_finished`].
    pub(super) fn read(&self) -> Option<CurrentUnit> {
        loop {
            let version = self.version.load(Ordering::Acquire);
            let unit = self.unit.load(Ordering::Relaxed);
            let begun = Duration::from_nanos(self.begun.load(Ordering::Relaxed));
            let tasks = self.tasks.load(Ordering::Relaxed);
            let [low, high] = [&self.tally[0], &self.tally[1]].map(|half| u128::from(half.load(Ordering::Relaxed)));
            fence(Ordering::Acquire);
            if version.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == version {
                let finished = Partial { tasks, tally: (high << 64 | low).into() };
                return unit.checked_sub(1).map(|unit| CurrentUnit { unit: unit as usize, finished, begun });
            }
            std::hint::spin_loop();
        }
    }

    /// What was finished since the last call.
    pub(super) fn take_finished(&self) -> Vec<Batch> {
        std::mem::take(&mut lock(&self.finished))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    fn current(tasks: u64) -> CurrentUnit {
        let finished = Partial { tasks, tally: (u128::from(tasks) << 64 | u128::from(!tasks)).into() };
        CurrentUnit { unit: tasks as usize, finished, begun: Duration::from_nanos(tasks) }
    }

    /// What is read was written at one time: all its numbers are made of one.
    #[test]
    fn what_is_in_hand_is_read_whole() {
        let (thread, ended) = (ThreadState::default(), AtomicBool::new(false));
        assert_eq!(thread.read(), None);
        thread.write(&current(0));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                (1..200_000).for_each(|tasks| thread.write(&current(tasks)));
                ended.store(true, Ordering::Relaxed);
            });
            let mut last = 0;
            while !ended.load(Ordering::Relaxed) {
                let read = thread.read().unwrap();
                assert!(read == current(read.finished.tasks) && read.finished.tasks >= last, "{read:?}");
                last = read.finished.tasks;
            }
        });
        assert_eq!(thread.read(), Some(current(199_999)));
    }

    /// Short units are told together, the last ones at the end, and a long one at once.
    #[test]
    fn finished_units_are_told() {
        let thread = Arc::new(ThreadState::default());
        let (one, several) = (Partial { tasks: 1, tally: 5.into() }, Partial { tasks: 2, tally: 5.into() });
        let units = |batches: Vec<Batch>| -> Vec<usize> {
            batches.into_iter().flat_map(|batch| batch.units).map(|(unit, _)| unit).collect()
        };
        let now = Instant::now();
        let mut recorder = Recorder::new(Arc::clone(&thread), now);
        recorder.begin(7, Partial::default());
        assert_eq!(thread.read().map(|unit| unit.unit), Some(7));
        std::thread::sleep(Duration::from_millis(2));
        recorder.finish(7, &one);
        assert_eq!(units(thread.take_finished()), [7]);
        // After two short units one of several tasks, whichever place it has among them.
        for unit in 0..3 {
            recorder.begin(unit, Partial::default());
            if unit == 2 {
                std::thread::sleep(Duration::from_millis(2));
            }
            recorder.finish(unit, if unit == 2 { &several } else { &one });
        }
        assert!(units(thread.take_finished()).contains(&2));
        // A batch that was begun a moment ago in the time of the run.
        let mut recorder = Recorder::new(Arc::clone(&thread), now + Duration::from_secs(3600));
        for unit in 0..100 {
            recorder.begin(unit, Partial::default());
            recorder.finish(unit, &several);
        }
        assert!(thread.take_finished().is_empty(), "they took no time");
        drop(recorder);
        assert_eq!(units(thread.take_finished()), (0..100).collect::<Vec<_>>());
    }
}
