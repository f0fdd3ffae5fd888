//! The state of a run: its ledger, its progress and the time left.
//!
//! The ledger also has the units that the threads are working on, as parts of units. A snapshot has every task that is
//! finished at that moment, but for units of one short task, which are told a few units later. So a kill loses the work since
//! the last save, and a stop loses at most the current task of each thread.
//!
//! The time left comes from the [pace](crate::run::pace) of the threads. Dividing the elapsed time by the share of
//! finished units would ignore the units in progress, an error of a fifth when 5 % of a hundred units are finished.

mod thread_state;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use super::CountError;
use super::pace::Pace;
use super::threads::process_time;
use crate::interval::Interval;
use crate::ledger::Ledger;
use crate::plan::Units;
use crate::tally::{Overflow, Tally};
use crate::watch::{Progress, Stop, Watched, lock};
pub(crate) use thread_state::Recorder;
use thread_state::{Batch, CurrentUnit, ThreadState};

/// The state of a run with its ledger. The threads of the run write it, and others can read it meanwhile.
pub(crate) struct RunState {
    plan: Arc<dyn Units>,
    /// Whether the run was made.
    used: AtomicBool,
    stop: Stop,
    /// Tasks of earlier runs that are recounted before this run goes on, and those that are recounted by now.
    pub(super) to_recount: AtomicU64,
    pub(super) recounted: AtomicU64,
    /// Tasks of this run that are counted twice by now, and whether one of all that are recounted differs.
    pub(super) checked: OnceLock<Arc<AtomicU64>>,
    pub(super) differs: AtomicBool,
    /// When the run started, and on how many threads.
    started: OnceLock<(Instant, usize)>,
    /// What the threads have in hand and have finished.
    threads: Mutex<Vec<Arc<ThreadState>>>,
    state: Mutex<State>,
}

struct State {
    /// With the time of earlier runs.
    ledger: Ledger,
    /// What the threads have finished, to be entered in the ledger.
    fresh: Vec<Batch>,
    /// The processor time that this process had used before this run began.
    cpu_before: Option<Duration>,
    /// Estimated work of every unit of the plan; empty until somebody asks for the ledger or the progress.
    works: Vec<f64>,
    pace: Pace,
    /// Tasks solved by this run in units that it has finished.
    tasks: u64,
}

impl RunState {
    /// The state of a run that continues from `ledger`, whose units are those of the plan, until this flag stops it.
    pub(crate) fn new(mut ledger: Ledger, plan: Arc<dyn Units>, stop: Stop) -> Self {
        if ledger.current_run().is_none() {
            ledger.begin_run(None);
        }
        let (fresh, works, pace, cpu_before) = (Vec::new(), Vec::new(), Pace::default(), process_time());
        let state = Mutex::new(State { ledger, fresh, cpu_before, works, pace, tasks: 0 });
        let [to_recount, recounted] = [AtomicU64::default(), AtomicU64::default()];
        let (used, checked, differs, started, threads) = Default::default();
        Self { plan, used, stop, to_recount, recounted, checked, differs, started, threads, state }
    }

    /// The run is made, by whoever calls this first.
    pub(crate) fn begin(&self) -> Result<(), CountError> {
        if self.used.swap(true, Ordering::Relaxed) { Err(CountError::Used) } else { Ok(()) }
    }

    /// The flag that stops the run.
    pub(crate) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// The ledger at this moment, with the units in progress and the seconds spent so far.
    pub(crate) fn ledger(&self) -> Ledger {
        let current = self.current();
        let state = self.entered();
        let mut ledger = state.ledger.clone();
        for unit in current {
            let entered = ledger.record_partial(unit.unit, unit.finished);
            entered.expect("what a thread has in hand goes on from what the ledger has of it");
        }
        let checked = self.checked.get().map_or(0, |tasks| tasks.load(Ordering::Relaxed));
        let recounted = self.recounted.load(Ordering::Relaxed) + checked;
        let run = ledger.current_run().expect("it was begun with the state");
        run.elapsed = run.elapsed.saturating_add(self.elapsed());
        let cpu = run.cpu_time.zip(state.cpu_before.zip(process_time()));
        run.cpu_time = cpu.map(|(earlier, (start, now))| earlier.saturating_add(now.saturating_sub(start)));
        run.double_checked = run.double_checked.map(|tasks| tasks + recounted);
        run.differed = run.differed.map(|tasks| tasks + u64::from(self.differs.load(Ordering::Relaxed)));
        ledger
    }

    /// The ledger that the run continues from.
    pub(crate) fn earlier(&self) -> Ledger {
        lock(&self.state).ledger.clone()
    }

    /// Starts the clock, for so many threads. A state is that of one run.
    pub(crate) fn start(&self, threads: usize) {
        self.started.get_or_init(|| (Instant::now(), threads));
    }

    /// For a thread of the run that was started, which tells by this what it has in hand and has finished.
    pub(crate) fn recorder(&self) -> Recorder {
        let (started, _) = self.started.get().expect("the run was started");
        let thread = Arc::default();
        lock(&self.threads).push(Arc::clone(&thread));
        Recorder::new(thread, *started)
    }

    /// The sum of the finished units.
    pub(crate) fn total(&self) -> Result<Tally, Overflow> {
        let state = self.gathered();
        let mut fresh = state.fresh.iter().flat_map(|batch| &batch.units);
        fresh.try_fold(state.ledger.total()?, |sum, (_, tally)| sum.plus(*tally))
    }

    /// The tally of the first tasks of this unit is wrong: the next run must not go on from it.
    pub(super) fn disproved(&self, unit: usize) {
        lock(&self.state).ledger.forget_partial(unit);
    }

    /// The units in hand.
    fn current(&self) -> Vec<CurrentUnit> {
        lock(&self.threads).iter().filter_map(|thread| thread.read()).collect()
    }

    fn elapsed(&self) -> Duration {
        self.started.get().map_or(Duration::ZERO, |(started, _)| started.elapsed())
    }

    /// The state, with what the threads have finished.
    fn gathered(&self) -> MutexGuard<'_, State> {
        let mut state = lock(&self.state);
        state.fresh.extend(lock(&self.threads).iter().flat_map(|thread| thread.take_finished()));
        state
    }

    /// The same, entered in the ledger.
    fn entered(&self) -> MutexGuard<'_, State> {
        let mut state = self.gathered();
        state.enter(&*self.plan);
        state
    }

    /// The progress after `elapsed`, of so many threads which have these units in hand.
    fn progress_of(&self, state: &State, threads: usize, mut current: Vec<CurrentUnit>, elapsed: Duration) -> Progress {
        /// Fewer tasks of a unit say little about the others.
        const FEWEST: u64 = 8;
        let State { ledger, works, .. } = state;
        // A unit that was finished meanwhile is in the ledger.
        current.retain(|unit| !ledger.has(unit.unit));
        let (mut pace, mut blind, mut tasks) = (state.pace.clone(), 0, state.tasks);
        // The part of a unit in hand that this run has finished by now is a sample of its pace.
        for &CurrentUnit { unit, finished, begun } in &current {
            let of = self.plan.tasks(unit);
            let now = finished.tasks - ledger.partial(unit).tasks;
            tasks += now;
            if now < FEWEST.min(of) {
                blind += 1;
                continue;
            }
            // Only the time at which the unit was begun is known: taking the time of each task would cost more than a small
            // task. On average the current task is half done.
            let half = if finished.tasks < of { 0.5 / of as f64 } else { 0.0 };
            let passed = elapsed.saturating_sub(begun).as_secs_f64();
            pace.add(works[unit] * (share(now, of) + half), passed, elapsed.as_secs_f64());
        }
        let seconds = pace.seconds();
        // For each unit in progress, the work done and the work left. If none of its tasks is finished, the work done
        // is estimated from the time spent; but the first task counts at most as its estimated work, however long it
        // takes.
        let of_units = current.iter().map(|&CurrentUnit { unit, finished, begun }| {
            let (work, of) = (works[unit], self.plan.tasks(unit));
            let passed = elapsed.saturating_sub(begun).as_secs_f64();
            let first = seconds.map_or(0.0, |seconds| (passed / seconds).min(work * share(1, of)));
            let done = if finished.tasks == 0 { first } else { work * share(finished.tasks, of) };
            (done, work - done)
        });
        let (in_progress, longest) =
            of_units.fold((0.0, 0.0_f64), |(sum, longest), (done, left)| (sum + done, longest.max(left)));
        // Parts of units that earlier runs have finished, and no thread is working on.
        let waiting = || ledger.partials().filter(|(unit, _)| !current.iter().any(|of| of.unit == *unit));
        let parts: f64 = waiting().map(|(unit, part)| works[unit] * share(part.tasks, self.plan.tasks(unit))).sum();
        let total: f64 = ledger.shard().units(works.len()).map(|unit| works[unit]).sum();
        let reached = ledger.tallies().map(|(unit, _)| works[unit]).sum::<f64>() + parts + in_progress;
        let left = seconds.zip(pace.error(blind)).map(|(seconds, error)| {
            // Near the end the longest unit in progress decides, while other threads are idle.
            let expected = ((total - reached) / threads as f64).max(longest) * seconds;
            let [mean, low, high] = [1.0, 1.0 - error, 1.0 + error].map(|factor| expected * factor);
            Interval { mean, low, high }
        });
        let (units, units_done) = (ledger.units(), ledger.finished());
        let is_finished = units_done == units;
        let tallies = waiting().map(|(_, part)| part.tally).chain(current.iter().map(|of| of.finished.tally));
        let [recounted, to_recount] = [&self.recounted, &self.to_recount].map(|tasks| tasks.load(Ordering::Relaxed));
        Progress {
            doing: if recounted < to_recount { "recounting" } else { "counting" }.to_owned(),
            done: units_done as u64,
            total: units as u64,
            share: match (is_finished, total > 0.0) {
                (true, _) => 1.0,
                (false, true) => (reached / total).clamp(0.0, 1.0),
                // The plan has no work.
                (false, false) => 0.0,
            },
            elapsed,
            earlier: ledger.elapsed(),
            left: if is_finished { Some(Interval::exactly(0.0)) } else { left },
            solutions: ledger
                .tallies()
                .map(|(_, tally)| tally)
                .chain(tallies)
                .map(Tally::get)
                .fold(0, u128::saturating_add),
            tasks,
            recounted,
            to_recount,
            threads,
        }
    }
}

impl Watched<Ledger> for RunState {
    fn progress(&self) -> Progress {
        let (current, threads) = (self.current(), self.started.get().map_or(0, |(_, threads)| *threads));
        self.progress_of(&self.entered(), threads, current, self.elapsed())
    }

    fn known(&self) -> Option<Ledger> {
        Some(self.ledger())
    }
}

impl State {
    /// Enters what the threads have finished in the ledger.
    fn enter(&mut self, plan: &dyn Units) {
        if self.works.is_empty() {
            self.works = (0..plan.units()).map(|unit| plan.work(unit)).collect();
        }
        for Batch { units, begun, ended } in std::mem::take(&mut self.fresh) {
            let mut work = 0.0;
            for (unit, tally) in units {
                let (tasks, of) = (plan.tasks(unit) - self.ledger.partial(unit).tasks, plan.tasks(unit));
                self.tasks += tasks;
                work += self.works[unit] * share(tasks, of);
                let entered = self.ledger.record(unit, tally);
                entered.expect("a unit is counted once, and goes on from what the ledger has of it");
            }
            self.pace.add(work, ended.saturating_sub(begun).as_secs_f64(), ended.as_secs_f64());
        }
    }
}

/// The share of a unit that `tasks` of its tasks are.
fn share(tasks: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { tasks as f64 / of as f64 }
}

#[cfg(test)]
mod tests;
