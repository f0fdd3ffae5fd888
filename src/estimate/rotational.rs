//! What a turn leaves unchanged, estimated: the same tasks give the count and the time.

use std::time::Instant;

use super::interval::Interval;
use super::sample::{Sampler, Samples};
use super::{Sampling, cores};
use crate::count::CountError;
use crate::engine::cover::Cover;
use crate::engine::lanes::{Isa, Lanes};
use crate::rotational::{RotationalCount, RotationalJob, Search, dispatch};

/// A prediction.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RotationalPrediction {
    /// On this many threads.
    pub threads: usize,
    /// The cores that these threads keep busy: as many, unless the machine has fewer for this process.
    pub cores: usize,
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

/// Predicts a count, on its threads and its instruction set, from random tasks.
///
/// ```
/// use queens::estimate::{Sampling, rotation};
/// use queens::{Rotation, RotationalBoard, RotationalCount};
/// let count = RotationalCount::new(RotationalBoard::new(Rotation::Half, 16)?).threads(1);
/// let prediction = rotation(&count, Sampling { samples: 500, ..Sampling::default() })?;
/// assert!(prediction.count.low <= prediction.count.mean);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where no threads can be had.
pub fn rotation(count: &RotationalCount, sampling: Sampling) -> Result<RotationalPrediction, CountError> {
    let pool = count.pool()?;
    let cores = cores(pool.current_num_threads());
    Ok(predict(count, &pool, cores, sampling))
}

/// Predicts a count whose threads keep so many cores busy.
fn predict(
    count: &RotationalCount,
    pool: &rayon::ThreadPool,
    cores: usize,
    sampling: Sampling,
) -> RotationalPrediction {
    let isa = count.chosen_isa();
    let start = Instant::now();
    let (samples, deadline) = (sampling.samples.max(2), sampling.deadline(start, 1.0));
    let found = dispatch(count.board(), isa, Sampler { pool, samples, seed: sampling.seed, deadline });
    RotationalPrediction {
        threads: pool.current_num_threads(),
        cores,
        isa,
        tasks: found.tasks,
        count: found.count(),
        seconds: found.seconds(cores),
        samples: found.drawn.len(),
        spent: start.elapsed().as_secs_f64(),
    }
}

impl RotationalJob for Sampler<'_> {
    type Output = Samples;

    fn run<L: Lanes>(self, engine: &Cover<L>, _second: &Search) -> Samples {
        self.of(engine.plan(), engine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::rotation::{Rotation, RotationalBoard};

    /// As for boards: by a factor that no machine's noise reaches.
    #[test]
    fn more_cores_take_less_time() {
        let count = RotationalCount::new(RotationalBoard::new(Rotation::Half, 16).unwrap()).threads(2);
        let pool = count.pool().unwrap();
        let sampling = Sampling { samples: 20, ..Sampling::default() };
        let [one, many] = [1, 1_000_000].map(|cores| predict(&count, &pool, cores, sampling));
        assert!(one.seconds.mean > 100.0 * many.seconds.mean && many.seconds.mean > 0.0);
        assert_eq!([one.count, many.count], [one.count; 2]);
        assert_eq!(rotation(&count, sampling).unwrap().cores, cores(2));
    }
}
