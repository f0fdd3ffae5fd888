//! Estimates of the count and the time of a long run, from random parts of it.
//!
//! Two samples are drawn, because no single one would serve both purposes. Each takes half of the time that is left after
//! a first look, on as many threads as the run would have:
//!
//! - **The count** is the same for every engine. So it is sampled by the engine whose samples are cheapest: thousands of
//!   small parts, by backtracking.
//! - **The time** is that of the engine on this machine. So tasks of its own plan are timed, by their processor time, which
//!   other programs do not lengthen. The join keeps lists from one task to the next. So a sample is as many tasks as share
//!   lists, and the time begins when the lists are there that a run would find.
//!
//! If tasks of the board take longer than the time that is given, those of the largest board are timed that leaves room
//! for enough of them. How the work grows from there is known from other machines, to within a factor that is part of the
//! interval ([`growth`]).
//!
//! The mean of many independent samples is nearly normally distributed, so Student's t gives the interval from their
//! deviation. What a run takes is measured by a few samples first: if that is less than the time that is given, the
//! board is counted instead.
//!
//! Backtracking keeps nothing from task to task: there parts are timed too, but larger ones, that fill its vectors as a run
//! does.

mod board;
mod growth;

use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::board::{Placement, Size};
use crate::engine::lanes::Isa;
use crate::engine::{EngineKind, Method};
use crate::interval::{FEWEST, Interval};
use crate::plan::Plan;
use crate::plan::prefixes::part_columns;
use crate::report::CountError;
use crate::request::Request;
use crate::run::{Counted, MINUTE, Threads, available_threads, self_check};
use crate::watch::{Steps, Watch};

use board::{Board, Draw, Drawn};
use growth::{SMALLEST, grown, work};

/// A first look at a board takes so long, or longer where an interval needs it, but only one part of so many of the time.
const LOOK: (Duration, u32) = (Duration::from_millis(100), 8);

/// So many parts at least are drawn for the count: that takes milliseconds, and the counts of a few are far from normally
/// distributed.
const PARTS: usize = 100;

/// The parts of backtracking that are timed leave so many columns empty. Smaller ones do not fill vectors as a run does: by
/// parts with 10, N = 16 would take three times as long, with 13, N = 17 and 30 half as long again.
const COLUMNS: usize = 16;

/// The factor that no sample shows: the run may come at another time than the estimate.
const BESIDE: f64 = 1.2;

/// An estimate.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Estimate {
    /// Columns and rows of the board.
    pub n: usize,
    /// The engine of the run, as ledgers name it.
    pub engine: &'static str,
    /// Its instruction set.
    pub isa: Isa,
    /// Its number of threads.
    pub threads: usize,
    /// The number of solutions.
    pub count: Interval,
    /// Processor time of the run in seconds, of all threads together, on this machine.
    pub core_seconds: Interval,
    /// Wall time of the run in seconds if this machine has nothing else to do.
    pub seconds: Interval,
    /// The size of the board whose tasks were timed: the board itself or, if they would take too long, a smaller one.
    pub timed_n: usize,
    /// A guide to the memory of the run, in bytes.
    pub memory: u64,
    /// The exact number of solutions, of a board so small that it was counted. (Not serialized: a double may round it.)
    #[cfg_attr(feature = "serde", serde(skip))]
    pub counted: Option<u128>,
    /// Wall time of the estimate.
    #[cfg_attr(feature = "serde", serde(rename = "spent_seconds", serialize_with = "crate::report::seconds"))]
    pub spent: Duration,
}

/// See [`Request::estimate`].
pub(crate) fn estimate(request: &Request, time: Duration, seed: u64, watch: &Watch) -> Result<Estimate, CountError> {
    let (prefix, method, begun) = (request.prefix, request.method()?, Instant::now());
    let by_parts = Method::choose(Some(EngineKind::Backtrack), None, &prefix)?;
    let check = || [method, by_parts].into_iter().try_for_each(|method| self_check::check(method, prefix.size()));
    let pool = Threads::start(request.threads, &check)?;
    // A century is for ever, and still fits a clock.
    let time = time.min(Duration::from_hours(100 * 365 * 24));
    let steps = Steps::begin(watch, "drawing samples", 0, Some(time));
    // The numbers of generators with consecutive seeds begin alike; those of generators that they seed do not.
    let mut random = Rng::with_seed(seed).fork();
    let draw = Draw { threads: &pool, watch, steps: &steps };
    let threads = pool.number();
    let cores = threads.min(available_threads()) as f64;
    let mut estimate = Estimate {
        n: prefix.size().get(),
        engine: method.engine.info().name,
        isa: method.isa,
        threads,
        count: Interval::open(0.0),
        core_seconds: Interval::open(0.0),
        seconds: Interval::open(0.0),
        timed_n: prefix.size().get(),
        memory: method.memory(prefix.size(), threads),
        counted: None,
        spent: Duration::ZERO,
    };
    let deadline = begun + time;
    let probed = Probed::new(method, prefix, draw, random.fork(), deadline);
    let is_short = probed.drawn.seconds.mean <= cores * left(deadline).as_secs_f64();
    if probed.board.n == estimate.n && is_short {
        match request.run()?.count(watch) {
            Ok(Counted { report, ledger, .. }) => {
                let (count, elapsed) = (report.count, report.elapsed);
                let core_seconds = ledger.cpu_time().map_or(cores * elapsed.as_secs_f64(), |time| time.as_secs_f64());
                estimate.counted = Some(count);
                estimate.count = Interval::exactly(count as f64);
                estimate.core_seconds = Interval::exactly(core_seconds);
                estimate.seconds = Interval::exactly(elapsed.as_secs_f64());
            }
            Err(CountError::Stopped) => {}
            Err(error) => return Err(error),
        }
        return Ok(Estimate { spent: begun.elapsed(), ..estimate });
    }
    let parts = Board::new(by_parts, prefix, part_columns(prefix.size()));
    estimate.count = parts.draw(draw, random.fork(), PARTS, Instant::now() + left(deadline) / 2).count.interval();
    (estimate.timed_n, estimate.core_seconds) = probed.core_seconds(draw, random, deadline);
    estimate.seconds = estimate.core_seconds.times(1.0 / cores);
    pool.check_all(MINUTE)?;
    Ok(Estimate { spent: begun.elapsed(), ..estimate })
}

/// The largest board with tasks short enough for a first look.
struct Probed {
    method: Method,
    prefix: Placement,
    threads: usize,
    board: Board,
    drawn: Drawn,
}

impl Probed {
    /// Looks at one board after the other, each as large as the one before lets expect that it fits: the growth of the work
    /// from a board that takes no time is wrong by a factor of two or so. Backtracking is looked at in parts of its own.
    fn new(method: Method, prefix: Placement, draw: Draw, mut random: Rng, deadline: Instant) -> Self {
        let (own, threads) = (prefix.size().get(), draw.threads.number());
        let mut look = |n| {
            let board = Board::new(method, if n == own { prefix } else { whole(n) }, COLUMNS);
            let drawn = board.draw(draw, random.fork(), FEWEST, Instant::now() + LOOK.0.min(left(deadline) / LOOK.1));
            Self { method, prefix, threads, board, drawn }
        };
        let mut probed = look(if method.engine == EngineKind::Join { own.min(SMALLEST) } else { own });
        while probed.board.n < own && !draw.watch.is_stopped() {
            let next = probed.largest_within(left(deadline) / LOOK.1);
            if next == probed.board.n {
                break;
            }
            probed = look(next);
        }
        probed
    }

    /// The largest board of which enough samples for an interval, and half as many again, fit in this time; else this one.
    fn largest_within(&self, time: Duration) -> usize {
        // The work of a sample is that of its tasks and of what is counted before them.
        let work_of_sample = |n| {
            let plan = Plan::of(self.method.engine, &whole(n));
            let tasks: u64 = (0..plan.units()).map(|unit| plan.tasks(unit)).sum();
            work(n) * (3 * plan.tasks_sharing_lists()).max(1) as f64 / tasks as f64
        };
        let rounds = 1.5 * (FEWEST as f64 / self.threads as f64).ceil();
        let seconds = rounds * self.drawn.wall.mean / work_of_sample(self.board.n);
        let fits = |&n: &usize| seconds * work_of_sample(n) < time.as_secs_f64();
        (self.board.n + 1..=self.prefix.size().get()).rev().find(fits).unwrap_or(self.board.n)
    }

    /// The processor time of the run, from tasks of the largest board that there is time for, and the size of that.
    fn core_seconds(&self, draw: Draw, random: Rng, deadline: Instant) -> (usize, Interval) {
        let own = self.prefix.size().get();
        let n = if self.board.n < own { self.largest_within(left(deadline)) } else { own };
        let other = (n != self.board.n).then(|| Board::new(self.method, whole(n), COLUMNS));
        let drawn = other.as_ref().unwrap_or(&self.board).draw(draw, random, FEWEST, deadline);
        let timed = drawn.seconds.interval().within(BESIDE);
        (n, grown(timed, n, own))
    }
}

fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

/// The board of this size, which is no larger than one that is there.
fn whole(n: usize) -> Placement {
    Placement::empty(Size::new(n).expect("a size"))
}

#[cfg(test)]
mod tests;
