//! Timing tasks of a run: those of smaller boards first, which tell how long the next take, and those of the board itself
//! if they take no longer than there is time. A run of up to ten seconds is simply made, and made again to see
//! how far one differs from another.

use std::time::{Duration, Instant};

use super::growth::work;
use super::sampler::Sampler;
use super::state::Samples;
use crate::board::{RotationalBoard, Size};
use crate::engine::EngineKind;
use crate::interval::FEWEST;
use crate::ledger::Ledger;
use crate::ledger::shard::Shard;
use crate::run::counting::{Counter, Counting};
use crate::run::state::RunState;
use crate::run::threads::thread_seconds;
use crate::run::{self, Share};
use crate::subject::Subject;

/// Tasks timed on each smaller board but the last, which is timed as long as there is time.
const PROBES: usize = 8;

/// Into so many parts the time is cut, of which one is for a board that only tells which board to time after it. It is
/// chosen by the growth of the work from a board that takes no time, which is wrong by a factor of 2 or so.
const PROBE_SHARE: u32 = 8;

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

/// The time in which so many threads draw enough samples of that many seconds for an interval, and half as much again, for
/// some take longer.
pub(super) fn time_to_draw(seconds: f64, threads: usize) -> f64 {
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

/// A board whose tasks may be timed.
struct Board {
    subject: Subject,
    counting: Box<dyn Counting>,
    /// The work of a sample, on the scale of [`work`].
    sample: f64,
}

impl Climb<'_> {
    pub(super) fn draw(&self) {
        let Some(own) = sample_work(self.subject, self.counting) else { return self.own() };
        let below = self.below();
        let Some(first) = below.first() else { return self.own() };
        let Some(seconds) = self.time(first, PROBES, FEWEST, self.left() / PROBE_SHARE) else { return };
        let (mut at, mut pace) = (0, seconds / first.sample);
        for (share, samples) in [(PROBE_SHARE, PROBES), (1, self.sampler.samples)] {
            let left = self.left() / share;
            let fits = |sample: f64| self.time_to_draw(pace * sample) < left.as_secs_f64();
            if fits(own) {
                return self.own();
            }
            // At the end, if there is room for no larger one, for more samples of the same.
            let above = below[at..].iter().rposition(|board| fits(board.sample)).unwrap_or(0);
            if above == 0 && share > 1 {
                continue;
            }
            at += above;
            let Some(seconds) = self.time(&below[at], samples, self.sampler.least, left) else { break };
            pace = seconds / below[at].sample;
        }
        self.sampler.drawing.found().own_sample = Some(pace * own);
    }

    /// The board itself, as a whole if that is brief.
    fn own(&self) {
        let own = drawn(self.subject, self.counting, self.sampler);
        let seconds = own.mean(|drawn| drawn.seconds).mean / self.threads() as f64;
        if !own.drawn.is_empty() && is_made(seconds, self.left()) && self.subject.rotation().is_none() {
            self.whole();
        }
        self.sampler.drawing.found().own_sample = of_a_sample(&own);
    }

    /// Times so many samples of a smaller board, within so long. Returns the wall time of one.
    fn time(&self, board: &Board, samples: usize, least: usize, within: Duration) -> Option<f64> {
        let sampler = Sampler { samples, least, deadline: Instant::now() + within, ..self.sampler };
        of_a_sample(&drawn(&board.subject, &*board.counting, sampler))
    }

    fn time_to_draw(&self, seconds: f64) -> f64 {
        time_to_draw(seconds, self.threads())
    }

    fn threads(&self) -> usize {
        self.sampler.pool.current_num_threads()
    }

    fn left(&self) -> Duration {
        self.sampler.deadline.saturating_duration_since(Instant::now())
    }

    /// The smaller boards of which it is known how their work grows to that of this one, the smallest first. There is none for
    /// placements that are completed: of any board, the parts that are sampled are small.
    fn below(&self) -> Vec<Board> {
        let is_by_parts = |engine| matches!(engine, EngineKind::Backtrack | EngineKind::Naive);
        if self.counter.method.is_none_or(|method| is_by_parts(method.engine)) {
            return Vec::new();
        }
        let smaller = (0..self.subject.n()).filter_map(|n| {
            let subject = match self.subject {
                Subject::Completions(_) => Size::new(n).ok()?.into(),
                Subject::Rotational(board) => RotationalBoard::new(board.rotation(), n).ok()?.into(),
            };
            work(&subject)?;
            let counting = self.counter.counting(&subject);
            Some(Board { subject, sample: sample_work(&subject, &*counting)?, counting })
        });
        smaller.collect()
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

/// The samples of a board.
fn drawn(board: &Subject, counting: &dyn Counting, sampler: Sampler) -> Samples {
    let of = Samples { n: board.n(), work: work(board).unwrap_or(1.0), ..Samples::default() };
    sampler.drawing.found().timed.push(of);
    sampler.draw(counting);
    sampler.drawing.found().samples(sampler.target).clone()
}

/// The work of a sample: its tasks and, before them, the same tasks and their predecessors, which make the lists that a run
/// would find.
fn sample_work(board: &Subject, counting: &dyn Counting) -> Option<f64> {
    let plan = counting.plan();
    let tasks: u64 = (0..plan.units()).map(|unit| plan.tasks(unit)).sum();
    Some(work(board)? / tasks as f64 * (3 * plan.tasks_sharing_lists()).max(1) as f64)
}

/// The wall time of a sample, with what is made before it; `None` where none was drawn.
fn of_a_sample(samples: &Samples) -> Option<f64> {
    let drawn = samples.drawn.len();
    (drawn > 0).then(|| samples.sum(|drawn| drawn.all_seconds) / drawn as f64)
}

/// The processor time of all threads of a pool; only differences are meaningful.
fn seconds_of(pool: &rayon::ThreadPool) -> f64 {
    pool.broadcast(|_| thread_seconds()).into_iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Method;
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
