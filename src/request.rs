//! A request: what to count and by which engine.

use crate::board::{Placement, Size};
use crate::engine::lanes::Isa;
use crate::engine::{EngineKind, Method};
use crate::ledger::Shard;
use crate::report::{CountError, Report};
use crate::run::Run;
use crate::watch::Watch;

/// A request for a count: the board, the engine, the instruction set and the number of threads.
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
#[must_use = "a request does nothing until it is run"]
pub struct Request {
    pub(crate) prefix: Placement,
    engine: Option<EngineKind>,
    isa: Option<Isa>,
    pub(crate) threads: usize,
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
    pub fn engine(self, engine: impl Into<Option<EngineKind>>) -> Self {
        Self { engine: engine.into(), ..self }
    }

    /// Uses this instruction set instead of the processor's best.
    pub fn isa(self, isa: impl Into<Option<Isa>>) -> Self {
        Self { isa: isa.into(), ..self }
    }

    /// Sets the number of threads. 0, the default, means one per core available to the process.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// The engine and the instruction set of the count, or why these cannot count this board on this processor.
    pub fn method(&self) -> Result<Method, CountError> {
        Method::choose(self.engine, self.isa, &self.prefix)
    }

    /// Counts.
    ///
    /// The time grows about sevenfold with each N from 16 to 28. Backtracking needs less than 1 MB of memory per
    /// thread; for the join see [`Method::memory`]. The calling thread needs 256 KB of stack.
    pub fn count(&self) -> Result<Report, CountError> {
        self.run()?.count(&Watch::default())
    }

    /// Makes a run, which other threads can watch, stop and save. Fails as [`Self::method`].
    pub fn run(&self) -> Result<Run, CountError> {
        self.shard(Shard::WHOLE)
    }

    /// Makes a run of one shard. Fails as [`Self::method`].
    pub fn shard(&self, shard: Shard) -> Result<Run, CountError> {
        Ok(Run::new(self.prefix, self.method()?, self.threads, shard))
    }
}

/// Counts the solutions on an N×N board, for N = 0 to 32, with the fastest engine on all cores. Two cores of an AMD
/// EPYC (Zen 3) take 0.04 s for N = 16 and 24 s for N = 20. For larger boards use a [`Run`].
pub fn count(n: usize) -> Result<u128, CountError> {
    Ok(Request::solutions(Size::new(n)?).count()?.count)
}
