//! Timing tasks of a run: those of smaller boards first, which tell how long the next take, and those of the board itself
//! if they take no longer than there is time. A run of up to ten seconds is simply made, and made again to see
//! how far one differs from another.

use std::time::{Duration, Instant};

use super::sampler::Sampler;
use super::state::Samples;
use super::time::STEP;
use super::time_that_leaves;
use crate::board::Size;
use crate::engine::Method;
use crate::interval::FEWEST;
use crate::ledger::Ledger;
use crate::ledger::shard::Shard;
use crate::run::counting::{Counter, Counting};
use crate::run::state::RunState;
use crate::run::threads::thread_seconds;
use crate::run::{self, Share};
use crate::subject::Subject;

/// How far down the climb to the board begins, in steps.
const CLIMB: usize = 5;

/// Tasks timed on the way up, on each board.
const PROBES: usize = 8;

/// A task is expected to take at least this many times as long as on the board a step below.
const LEAST_GROWTH: f64 = 8.0;

/// A run is made as a whole where it is expected to take no longer than this, in seconds: what it makes once for all tasks
/// (tables of quadrants, 0.1 s for N = 18, half a second for N = 19) is in no sample, and up to a seventh of so short a run.
const BRIEF: f64 = 10.0;

/// A run that is expected to take no longer than this is made whatever the time allowed.
const AT_ONCE: f64 = 2.0;

/// How often a run is made at the most: one of 0.3 s was seen to take 1.6 times as long as another.
const RUNS: usize = 8;

/// For how long a run is begun again.
const RUNS_WITHIN: Duration = Duration::from_secs(4);

/// Whether a run is made once more, after so many in this time, of which the longest would have to end in what is left.
fn is_made_again(made: usize, elapsed: Duration, longest: Duration, left: Duration) -> bool {
    made == 0 || made < RUNS && elapsed < RUNS_WITHIN && longest < left
}

/// Whether a run is made as a whole that is expected to take so many seconds, of those that are left.
fn is_made(seconds: f64, left: Duration) -> bool {
    seconds < left.as_secs_f64().clamp(AT_ONCE, BRIEF)
}

/// The time of a task, in seconds, on the board a step above one where it takes `mean`, and a step below that `before`.
fn grown(mean: f64, before: Option<f64>) -> f64 {
    mean * before.map_or(LEAST_GROWTH, |before| (mean / before).max(LEAST_GROWTH))
}

/// The time in which so many threads draw enough samples of that many seconds for an interval, and half as much again, for
/// some take longer.
fn time_to_draw(seconds: f64, threads: usize) -> f64 {
    1.5 * (FEWEST as f64 / threads as f64).ceil() * seconds
}

/// Times tasks of the run, for the sampler's estimate.
pub(super) struct Climb<'a> {
    pub(super) subject: &'a Subject,
    pub(super) counter: &'a Counter<'static>,
    /// The count of the subject.
    pub(super) counting: &'a dyn Counting,
    pub(super) sampler: Sampler<'a>,
}

impl Climb<'_> {
    pub(super) fn draw(&self) {
        let sizes = (1..=CLIMB).rev().filter_map(|steps| self.subject.n().checked_sub(steps * STEP));
        let way: Vec<Subject> = sizes.filter_map(|n| self.smaller(n)).collect();
        let begun = Instant::now();
        let mut before = None;
        for (index, board) in way.iter().enumerate() {
            // A part of the time that is left.
            let deadline = Instant::now() + self.left() / (2 * CLIMB as u32);
            let counting = self.counter.counting(board);
            let found = time(board, &*counting, Sampler { samples: PROBES, least: FEWEST, deadline, ..self.sampler });
            let tasks = found.drawn.len() as u64 * tasks_of_a_sample(&*counting);
            let mean = found.sum(|drawn| drawn.all_seconds) / tasks.max(1) as f64;
            let task = grown(mean, before.replace(mean));
            let above = way.get(index + 1).map(|board| self.counter.counting(board));
            let above = tasks_of_a_sample(above.as_deref().unwrap_or(self.counting));
            let threads = self.sampler.pool.current_num_threads();
            let next = time_to_draw(task * above as f64, threads);
            // An extrapolation needs two boards.
            if index > 0 && next > self.left().as_secs_f64() {
                // Of tasks more than a step away nobody knows.
                if index + 1 == way.len() {
                    let needed = time_that_leaves(begun.elapsed().as_secs_f64() + next);
                    self.sampler.drawing.found().needed = Some(needed);
                }
                return;
            }
            if self.sampler.drawing.stop.is_requested() {
                return;
            }
        }
        let own = time(self.subject, self.counting, self.sampler);
        let seconds = own.mean(|drawn| drawn.seconds).mean / self.sampler.pool.current_num_threads() as f64;
        if !own.drawn.is_empty() && is_made(seconds, self.left()) {
            self.whole();
        }
    }

    fn left(&self) -> Duration {
        self.sampler.deadline.saturating_duration_since(Instant::now())
    }

    /// The same of a smaller board, where the method counts it; none for completions, which have no smaller like.
    fn smaller(&self, n: usize) -> Option<Subject> {
        let size = Size::new(n).ok()?;
        let smaller = match self.subject {
            Subject::Completions(fixed) if fixed.is_empty() => size.into(),
            Subject::Completions(_) | Subject::Rotational(_) => return None,
        };
        let Method { engine, isa } = self.counter.method?;
        Method::choose(Some(engine), Some(isa), smaller).is_ok().then_some(smaller)
    }

    /// Makes the run several times, and times all of it.
    fn whole(&self) {
        let (Sampler { pool, drawing, .. }, counting) = (self.sampler, self.counting);
        let fingerprint = self.counter.fingerprint(self.subject, &*counting.plan());
        let (started, mut made, mut longest) = (Instant::now(), 0, Duration::ZERO);
        while is_made_again(made, started.elapsed(), longest, self.left()) {
            let (begun, worked) = (Instant::now(), seconds_of(pool));
            let ledger = Ledger::new(fingerprint.clone(), Shard::WHOLE);
            let run = RunState::new(ledger, counting.plan(), drawing.stop.clone());
            if run::count(counting, pool, Share::NONE, &run).is_err() {
                return;
            }
            drawing.found().ran.push(seconds_of(pool) - worked);
            (made, longest) = (made + 1, longest.max(begun.elapsed()));
        }
    }
}

/// Times tasks of a board.
fn time(board: &Subject, counting: &dyn Counting, sampler: Sampler) -> Samples {
    sampler.drawing.found().timed.push(Samples { n: board.n(), ..Samples::default() });
    sampler.draw(counting);
    sampler.drawing.found().samples(sampler.target).clone()
}

/// The tasks that share lists, and before them the same tasks and their predecessors, which make these lists.
fn tasks_of_a_sample(counting: &dyn Counting) -> u64 {
    (3 * counting.plan().tasks_sharing_lists()).max(1)
}

/// The processor time of all threads of a pool; only differences are meaningful.
fn seconds_of(pool: &rayon::ThreadPool) -> f64 {
    pool.broadcast(|_| thread_seconds()).into_iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineKind;
    use crate::estimate::state::Target;
    use crate::estimate::state::tests::begun;

    /// What every thread of the pool does counts, and nothing else does.
    #[test]
    fn the_threads_of_a_pool_are_timed() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let work = |seconds: f64| {
            let start = thread_seconds();
            while thread_seconds() - start < seconds {}
        };
        let before = seconds_of(&pool);
        pool.broadcast(|_| work(0.01));
        work(0.05);
        let worked = seconds_of(&pool) - before;
        assert!(worked >= 0.03, "{worked}");
        assert!(cfg!(not(unix)) || worked < 0.08, "{worked}");
    }

    /// Once in any case; then while there is time, for four seconds, up to eight times.
    #[test]
    fn brief_runs_are_made_again() {
        let [second, four, hour] = [1, 4, 3600].map(Duration::from_secs);
        let (tick, below_four) = (Duration::from_nanos(1), Duration::from_nanos(3_999_999_999));
        assert!(is_made_again(0, hour, hour, Duration::ZERO));
        assert!(is_made_again(1, second, second, second + tick) && !is_made_again(1, second, second, second));
        assert!(is_made_again(7, below_four, second, hour) && !is_made_again(7, four, second, hour));
        assert!(!is_made_again(8, second, second, hour));
    }

    #[test]
    fn what_comes_next_is_expected() {
        let [none, four, minute] = [0, 4, 60].map(Duration::from_secs);
        let made = [(1.9, none), (2.1, none), (3.9, four), (4.1, four), (9.9, minute), (10.1, minute)];
        assert_eq!(made.map(|(seconds, left)| is_made(seconds, left)), [true, false, true, false, true, false]);
        let grown = [(1.0, None), (1.0, Some(0.5)), (1.0, Some(0.05))].map(|(mean, before)| grown(mean, before));
        assert!(
            grown.iter().zip([8.0, 8.0, 20.0]).all(|(found, expected)| (found - expected).abs() < 1e-9),
            "{grown:?}"
        );
        let drawn = [1, 2, 5, 64].map(|threads| time_to_draw(2.0, threads));
        assert!(drawn.iter().zip([15.0, 9.0, 3.0, 3.0]).all(|(found, expected)| (found - expected).abs() < 1e-9));
    }

    /// Each run counts by itself: not what its threads did before. A request to stop leaves out the one in hand.
    #[test]
    fn each_run_is_timed() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        pool.broadcast(|_| while thread_seconds() < 0.2 {});
        let subject = Subject::from(Size::new(8).unwrap());
        let counter = Counter::new(Method::choose(Some(EngineKind::Backtrack), None, subject).unwrap());
        let counting = counter.counting(&subject);
        let (soon, late) = (Instant::now(), Instant::now() + Duration::from_secs(3600));
        for (deadline, stop, runs) in [(soon, false, 1), (late, false, RUNS), (late, true, 0)] {
            let drawing = begun(subject, Duration::MAX);
            if stop {
                drawing.stop.request();
            }
            let (pool, drawing) = (&pool, &drawing);
            let sampler = Sampler { pool, drawing, target: Target::Time, samples: 0, least: 0, seed: 1, deadline };
            Climb { subject: &subject, counter: &counter, counting: &*counting, sampler }.whole();
            let ran = drawing.found().ran.clone();
            assert_eq!(ran.len(), runs);
            assert!(ran.iter().all(|seconds| (0.0..0.2).contains(seconds)), "{ran:?}");
        }
    }
}
