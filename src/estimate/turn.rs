//! What a turn leaves unchanged, estimated: the same tasks give the count and the time.

use std::time::{Duration, Instant};

use super::interval::Interval;
use super::sample::{Sampler, Samples};
use crate::count::{CountError, thread_pool};
use crate::engine::lanes::{Isa, Lanes};
use crate::turn::TurnBoard;
use crate::unchanged::{Cover, Search, TurnJob, dispatch};

/// A prediction.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TurnPrediction {
    /// On this many threads.
    pub threads: usize,
    /// On this instruction set.
    pub isa: Isa,
    /// The number of tasks that the run has.
    pub tasks: u64,
    /// The number of solutions.
    pub count: Interval,
    /// Wall time of the run in seconds.
    pub seconds: Interval,
    /// Tasks that were counted for it.
    pub samples: usize,
    /// Wall time of the sampling in seconds.
    pub spent: f64,
}

/// Predicts a count on this many threads, 0 for every core, from as many random tasks as `samples` says or the time allows.
///
/// # Errors
/// Where no threads can be had.
pub fn turn(
    board: TurnBoard,
    isa: Option<Isa>,
    threads: usize,
    samples: usize,
    seed: u64,
    max_time: Duration,
) -> Result<TurnPrediction, CountError> {
    let pool = thread_pool(threads)?;
    let (threads, isa) = (pool.current_num_threads(), isa.unwrap_or_else(Isa::best));
    let start = Instant::now();
    // A century is for ever, and still fits a clock.
    let deadline = start + max_time.min(Duration::from_hours(100 * 365 * 24));
    let found = dispatch(board, isa, Sampler { pool: &pool, samples: samples.max(2), seed, deadline });
    Ok(TurnPrediction {
        threads,
        isa,
        tasks: found.tasks,
        count: Interval::of(found.drawn.iter().map(|drawn| drawn.count)),
        seconds: Interval::of(found.drawn.iter().map(|drawn| drawn.seconds / threads as f64)),
        samples: found.drawn.len(),
        spent: start.elapsed().as_secs_f64(),
    })
}

impl TurnJob for Sampler<'_> {
    type Output = Samples;

    fn run<L: Lanes>(self, engine: &Cover<L>, _second: &Search) -> Samples {
        self.of(engine.plan(), engine)
    }
}
