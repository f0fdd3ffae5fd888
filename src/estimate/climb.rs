//! Timing tasks of a run: those of smaller boards first, which tell how long the next take, and those of the board itself
//! if they take no longer than there is time. A run of a second or two is simply made.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::interval::FEWEST;
use super::sampler::Sampler;
use super::samples::Samples;
use super::time::STEP;
use crate::board::Size;
use crate::engine::{Choice, Method};
use crate::ledger::Partial;
use crate::plan::Plan;
use crate::run::clock::thread_seconds;
use crate::run::dispatch::{Counter, Dispatch, Job};
use crate::run::{Observer, RunError, Stop, run};
use crate::subject::Subject;
use crate::tally::Tally;

/// How far down the climb to the board begins, in steps.
const CLIMB: usize = 5;

/// Tasks timed on the way up, on each board.
const PROBES: usize = 8;

/// A task is expected to take at least this many times as long as on the board a step below.
const LEAST_GROWTH: f64 = 8.0;

/// A run is made as a whole where it is expected to take no longer than this, in seconds: what a run makes once for all
/// tasks (tables of quadrants, 0.1 s for N = 18) is a seventh of so short a one, and in no sample.
const BRIEF: f64 = 2.0;

/// Times tasks of the run into the sampler's state.
pub(super) struct Climb<'a> {
    pub(super) subject: &'a Subject,
    pub(super) method: Method,
    pub(super) sampler: Sampler<'a>,
}

impl Climb<'_> {
    pub(super) fn draw(&self) {
        let sizes = (1..=CLIMB).rev().filter_map(|steps| self.subject.n().checked_sub(steps * STEP));
        let way: Vec<Subject> = sizes.filter_map(|n| self.smaller(n)).collect();
        let begun = Instant::now();
        let mut before = None;
        for (index, board) in way.iter().enumerate() {
            let (samples, deadline) = (PROBES, self.sooner(2 * CLIMB as u32));
            let found = self.time(board, Sampler { samples, least: FEWEST, deadline, ..self.sampler });
            let tasks = found.drawn.len() as u64 * self.tasks_of_a_sample(board);
            let mean = found.sum(|drawn| drawn.sample_seconds) / tasks.max(1) as f64;
            let growth = before.map_or(LEAST_GROWTH, |before: f64| (mean / before).max(LEAST_GROWTH));
            before = Some(mean);
            // Enough for an interval, and half as much again, for some tasks take longer. An extrapolation needs two
            // boards.
            let rounds = (FEWEST as f64 / self.sampler.pool.current_num_threads() as f64).ceil();
            let above = way.get(index + 1).unwrap_or(self.subject);
            let next = 1.5 * rounds * growth * mean * self.tasks_of_a_sample(above) as f64;
            let left = self.sampler.deadline.saturating_duration_since(Instant::now()).as_secs_f64();
            if index > 0 && next > left {
                // Of tasks more than a step away nobody knows. The count may take half of the time.
                if index + 1 == way.len() {
                    let needed = 2.0 * (begun.elapsed().as_secs_f64() + next);
                    self.sampler.state.needs(Duration::try_from_secs_f64(needed).unwrap_or(Duration::MAX));
                }
                return;
            }
            if self.sampler.state.stop().is_requested() {
                return;
            }
        }
        let own = self.time(self.subject, self.sampler);
        let seconds = own.mean(|drawn| drawn.seconds).mean / self.sampler.pool.current_num_threads() as f64;
        if !own.drawn.is_empty() && seconds < BRIEF {
            self.method.dispatch(self.subject, Whole(self.sampler));
        }
    }

    /// The same of a smaller board, where the method counts it; none for completions, which have no smaller like.
    fn smaller(&self, n: usize) -> Option<Subject> {
        let size = Size::new(n).ok()?;
        let smaller = match self.subject {
            Subject::Completions(prefix) if prefix.is_empty() => size.into(),
            Subject::Profile(_) => Subject::Profile(size),
            Subject::Completions(_) | Subject::Rotational(_) => return None,
        };
        Method::choose(Choice::Engine(self.method.engine), Some(self.method.isa), smaller).is_ok().then_some(smaller)
    }

    /// The end of this fraction of the time that is left.
    fn sooner(&self, fraction: u32) -> Instant {
        let now = Instant::now();
        now + self.sampler.deadline.saturating_duration_since(now) / fraction
    }

    fn time(&self, board: &Subject, sampler: Sampler) -> Samples {
        sampler.state.next_board(board.n());
        self.method.dispatch(board, sampler);
        sampler.state.samples(sampler.target)
    }

    fn tasks_of_a_sample(&self, board: &Subject) -> u64 {
        self.method.dispatch(board, TasksOfASample)
    }
}

/// Those that share lists, and before them the same ones and their predecessors.
struct TasksOfASample;

impl Job for TasksOfASample {
    type Output = u64;

    fn run<C: Counter>(self, counter: &C) -> u64 {
        (3 * counter.plan().tasks_sharing_lists()).max(1)
    }
}

/// How many tasks a plan has.
pub(super) struct Tasks;

impl Job for Tasks {
    type Output = u64;

    fn run<C: Counter>(self, counter: &C) -> u64 {
        let plan = counter.plan();
        (0..plan.units()).map(|unit| plan.tasks(unit)).sum()
    }
}

/// Makes the run, and times all of it.
struct Whole<'a>(Sampler<'a>);

impl Job for Whole<'_> {
    type Output = ();

    fn run<C: Counter>(self, counter: &C) {
        let Sampler { pool, state, .. } = self.0;
        let units: Vec<usize> = (0..counter.plan().units()).collect();
        let begun = (0..pool.current_num_threads()).map(|_| Mutex::new(0.0)).collect();
        let timing = Timing { stop: state.stop(), begun, seconds: Mutex::default() };
        if run(counter.plan(), counter.engine(), pool, &units, &timing).is_ok() {
            state.ran(*timing.seconds.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

/// Adds up the processor time of the threads of a run.
struct Timing<'a> {
    stop: &'a Stop,
    /// Of each thread, when it took up the unit in hand.
    begun: Vec<Mutex<f64>>,
    seconds: Mutex<f64>,
}

impl Observer for Timing<'_> {
    fn begun(&self, thread: usize, _unit: usize) -> Partial {
        *self.begun[thread].lock().unwrap_or_else(PoisonError::into_inner) = thread_seconds();
        Partial::default()
    }

    fn stopped(&self) -> bool {
        self.stop.is_requested()
    }

    fn finished(&self, thread: usize, _unit: usize, _tally: Tally) -> Result<(), RunError> {
        let begun = *self.begun[thread].lock().unwrap_or_else(PoisonError::into_inner);
        *self.seconds.lock().unwrap_or_else(PoisonError::into_inner) += thread_seconds() - begun;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of each unit from when it was taken up: not what its thread did before.
    #[test]
    fn a_run_is_timed_by_its_units() {
        let stop = Stop::default();
        let begun = (0..2).map(|_| Mutex::new(0.0)).collect();
        let timing = Timing { stop: &stop, begun, seconds: Mutex::default() };
        while thread_seconds() < 0.002 {}
        let before = thread_seconds();
        for unit in 0..2 {
            timing.begun(1, unit);
            timing.finished(1, unit, Tally::default()).unwrap();
        }
        let (found, all) = (*timing.seconds.lock().unwrap(), thread_seconds() - before);
        assert!((0.0..=all).contains(&found), "{found} of {all}");
        assert!(!timing.stopped());
        stop.request();
        assert!(timing.stopped());
    }
}
