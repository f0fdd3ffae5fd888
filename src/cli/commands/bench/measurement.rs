//! What was timed of one combination.

use queens::Size;
use serde::{Deserialize, Serialize};

/// What ± means, after the sign.
pub(super) const SPREAD: &str = "is half the range from the fastest to the slowest run";

/// The times of one board by one engine on some number of threads; seconds.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Measurement {
    pub(super) n: usize,
    pub(super) engine: String,
    pub(super) isa: String,
    pub(super) threads: usize,
    pub(super) count: String,
    /// Of each run, in the order of the runs.
    pub(super) seconds: Vec<f64>,
    pub(super) median: f64,
    pub(super) fastest: f64,
    pub(super) slowest: f64,
    pub(super) solutions_per_second: f64,
    /// Over one thread, where that was timed too.
    pub(super) speed_up: Option<f64>,
    pub(super) efficiency: Option<f64>,
}

impl Measurement {
    /// Whether there is such a board, and time has passed: of anything else there is neither a ratio nor a picture.
    pub(super) fn is_possible(&self) -> bool {
        // Some 30,000 years, and more threads than there are.
        const MOST: f64 = 1e12;
        let Self { n, threads, median, fastest, slowest, .. } = *self;
        Size::new(n).is_ok()
            && (1..=1 << 24).contains(&threads)
            && 0.0 <= fastest
            && 0.0 < median
            && fastest <= median
            && median <= slowest
            && slowest <= MOST
            && [self.speed_up, self.efficiency].into_iter().flatten().all(|share| (0.0..=MOST).contains(&share))
    }

    /// Half the range from the fastest to the slowest run, over the median.
    pub(super) fn spread(&self) -> f64 {
        (self.slowest - self.fastest) / 2.0 / self.median
    }
}
