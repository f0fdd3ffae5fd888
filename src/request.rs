//! A request: what to count and by which engine.

use std::time::Duration;

use crate::board::{Placement, Size};
use crate::engine::lanes::Isa;
use crate::engine::{EngineKind, Method, MethodError};
use crate::estimate::{self, Estimate};
use crate::run::{CountError, Run};
use crate::symmetric::Rotation;
use crate::watch::Watch;

/// A count to make: the board, the engine, the instruction set and the number of threads.
///
/// ```
/// use queens::{EngineKind, Placement, Request, Size};
/// let eight = Size::new(8)?;
/// assert_eq!(Request::solutions(eight).count()?.count, 92);
/// let oracle = Request::solutions(eight).engine(EngineKind::Naive).threads(2).count()?;
/// assert_eq!((oracle.count, oracle.engine, oracle.threads), (92, "naive", 2));
/// assert_eq!(Request::completions(Placement::parse("158", eight)?).count()?.count, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub(crate) prefix: Placement,
    engine: Option<EngineKind>,
    isa: Option<Isa>,
    pub(crate) threads: usize,
}

/// The result of a count.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// Columns and rows of the board.
    pub n: usize,
    /// The queens with which the solutions begin, if any were given.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub prefix: Option<Placement>,
    /// The turn, if only the solutions that it leaves unchanged were counted.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub symmetry: Option<Rotation>,
    /// The number of solutions; of the units of its shard, if a shard was counted.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_text"))]
    pub count: u128,
    /// The engine, by its name in ledgers.
    pub engine: &'static str,
    /// The instruction set.
    pub isa: Isa,
    /// The number of threads: at most eight for each core.
    pub threads: usize,
    /// Wall time, with the tables, without the plan, the self-check and starting the threads.
    #[cfg_attr(feature = "serde", serde(rename = "seconds", serialize_with = "seconds"))]
    pub elapsed: Duration,
}

impl Request {
    /// All solutions on a board of this size.
    pub fn solutions(size: Size) -> Self {
        Self::completions(Placement::empty(size))
    }

    /// The solutions that begin with these queens.
    pub fn completions(prefix: Placement) -> Self {
        Self { prefix, engine: None, isa: None, threads: 0 }
    }

    /// Uses this engine instead of the fastest.
    #[must_use]
    pub fn engine(self, engine: impl Into<Option<EngineKind>>) -> Self {
        Self { engine: engine.into(), ..self }
    }

    /// Uses this instruction set instead of the best that the processor has.
    #[must_use]
    pub fn isa(self, isa: impl Into<Option<Isa>>) -> Self {
        Self { isa: isa.into(), ..self }
    }

    /// Uses this many threads; with 0, as without it, one for every core that the process may use.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// The engine and the instruction set that will count.
    ///
    /// # Errors
    /// If the engine, the instruction set, the processor and the board do not go together.
    pub fn method(&self) -> Result<Method, MethodError> {
        Method::choose(self.engine, self.isa, &self.prefix)
    }

    /// Counts.
    ///
    /// The time grows about tenfold with each further N. Backtracking takes less than a megabyte of memory for each thread.
    /// The join keeps up to 140 MB of tables for N ≤ 20; each thread takes at most 60 MB at N = 22, 150 at 24 and 450 at 28.
    /// The calling thread needs 256 KB of stack; the threads that count have what they need.
    ///
    /// # Errors
    /// If the engine cannot count this board or fails its self-check, the count does not fit in 128 bits, or the threads
    /// cannot be started.
    pub fn count(&self) -> Result<Report, CountError> {
        self.run()?.count(&Watch::default())
    }

    /// Makes a run of this count, which other threads can watch, stop and save.
    ///
    /// # Errors
    /// As for [`Request::method`].
    pub fn run(&self) -> Result<Run, MethodError> {
        Ok(Run::new(self.prefix, self.method()?, self.threads))
    }

    /// Estimates the count and the time that it takes on this machine, from random parts of it that take about `time`. The
    /// same seed draws the same parts. If it is stopped, the estimate is that of the parts counted by then.
    ///
    /// # Errors
    /// As for [`Request::count`].
    pub fn estimate(&self, time: Duration, seed: u64, watch: &Watch) -> Result<Estimate, CountError> {
        estimate::estimate(self, time, seed, watch)
    }
}

/// The number of solutions on a board of N columns and rows, by the fastest engine on every core.
///
/// # Errors
/// If N is above 32, or as for [`Request::count`].
pub fn count(n: usize) -> Result<u128, CountError> {
    Ok(Request::solutions(Size::new(n)?).count()?.count)
}

/// Counts for JSON, where most readers would round them, are strings.
#[cfg(feature = "serde")]
pub(crate) fn as_text<S: serde::Serializer>(number: &impl ToString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&number.to_string())
}

#[cfg(feature = "serde")]
pub(crate) fn all_as_text<S: serde::Serializer>(numbers: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(numbers.iter().map(u64::to_string))
}

/// Times are seconds.
#[cfg(feature = "serde")]
pub(crate) fn seconds<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}
