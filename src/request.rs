//! A request: what to count and by which engine.

use crate::board::{Placement, Size};
use crate::engine::lanes::Isa;
use crate::engine::{EngineKind, Method, MethodError};
use crate::ledger::Shard;
use crate::report::{CountError, Report};
use crate::run::Run;
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
#[must_use = "it does nothing until it is told to"]
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

    /// Uses this instruction set instead of the best that the processor has.
    pub fn isa(self, isa: impl Into<Option<Isa>>) -> Self {
        Self { isa: isa.into(), ..self }
    }

    /// Uses this many threads. With 0, as without it, there is one for every core that the process may use.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// The engine and the instruction set that will count.
    pub fn method(&self) -> Result<Method, MethodError> {
        Method::choose(self.engine, self.isa, &self.prefix)
    }

    /// Counts.
    ///
    /// The time grows about tenfold with each further N. Backtracking takes less than a megabyte of memory for each thread.
    /// [`Method::memory`] tells that of the join.
    /// The calling thread needs 256 KB of stack; the threads that count have what they need.
    ///
    /// # Errors
    /// If the engine cannot count this board, a thread fails its self-check or cannot be started, or the count does not fit.
    pub fn count(&self) -> Result<Report, CountError> {
        self.run()?.count(&Watch::default())
    }

    /// Makes a run of this count, which other threads can watch, stop and save.
    pub fn run(&self) -> Result<Run, MethodError> {
        self.shard(Shard::WHOLE)
    }

    /// Makes a run of this shard of it.
    pub fn shard(&self, shard: Shard) -> Result<Run, MethodError> {
        Ok(Run::new(self.prefix, self.method()?, self.threads, shard))
    }
}

/// The number of solutions on a board of N columns and rows, 0 to 32, by the fastest engine on every core. Two cores take
/// milliseconds for N = 15, ten seconds for 20 and an hour for 23; a [`Run`] of larger boards can be watched and saved.
pub fn count(n: usize) -> Result<u128, CountError> {
    Ok(Request::solutions(Size::new(n)?).count()?.count)
}
