//! One number for a machine, from the same work everywhere.

use std::fmt;

use queens::bench::Combination;
use queens::{Choice, Isa, Method, MethodError, Size};
use serde::{Deserialize, Serialize};

use super::measurement::Measurement;
use crate::cli::terminal::numbers;

/// The board of the score: less than a second on a desktop, long enough that starting the threads does not matter.
const SIZE: usize = 17;

/// Million solutions of this board a second, by the engine that `count` takes by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Score {
    n: usize,
    isa: String,
    /// On the most threads timed.
    threads: usize,
    value: f64,
    /// On one.
    one_thread: Option<f64>,
}

/// What is timed for the score: one thread and as many as there are, on each of these instruction sets, or on the best.
pub(super) fn combinations(isas: &[Isa], threads: usize) -> Result<Vec<Combination>, MethodError> {
    let size = Size::new(SIZE).expect("a board has up to 32 columns");
    let choose = |isa| Method::choose(Choice::Auto, isa, size);
    let methods = match isas {
        [] => vec![choose(None)?],
        named => named.iter().map(|&isa| choose(Some(isa))).collect::<Result<_, _>>()?,
    };
    let mut counts = vec![1, threads];
    counts.dedup();
    let on = |method| counts.iter().map(move |&threads| Combination { size, method, threads });
    Ok(methods.into_iter().flat_map(on).collect())
}

impl Score {
    /// From the results, where the board of the score is among them.
    pub(super) fn of(results: &[Measurement]) -> Option<Self> {
        let size = Size::new(SIZE).expect("as above");
        let engine = Method::choose(Choice::Auto, None, size).ok()?.engine.info().name;
        let timed = || results.iter().filter(|timed| timed.n == SIZE && timed.engine == engine);
        let millions = |measurement: &Measurement| measurement.solutions_per_second / 1e6;
        // Where instruction sets were compared, that of the fastest on the most threads.
        let threads = timed().map(|timed| timed.threads).max()?;
        let most = timed().filter(|timed| timed.threads == threads).min_by(|a, b| a.median.total_cmp(&b.median))?;
        Some(Self {
            n: SIZE,
            isa: most.isa.clone(),
            threads: most.threads,
            value: millions(most),
            one_thread: timed().find(|timed| timed.threads == 1 && timed.isa == most.isa).map(millions),
        })
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = numbers::count_of(self.threads as u64, "thread");
        write!(f, "{} on {threads}", numbers::rate(self.value))?;
        if let Some(one) = self.one_thread.filter(|_| self.threads > 1) {
            write!(f, ", {} on one", numbers::rate(one))?;
        }
        write!(f, " (million solutions/s for N = {}, {})", self.n, self.isa)
    }
}
