//! Counting, in one call: choose the engine, pass the gate, run the plan, say how long it took.

use std::time::Instant;

use crate::board::{Size, SizeError};
use crate::engine::lanes::Isa;
use crate::engine::{Choice, Engine, Method, MethodError};
use crate::placement::Placement;
use crate::plan::Plan;
use crate::plan::rows::Lines;
use crate::run::dispatch::{Job, dispatch};
use crate::run::gate::{self, GateError};
use crate::run::sum;
use crate::tally::{Overflow, Tally};

/// Counts above this N pass the gate first; up to it the count itself is as quick as the gate.
const GATE_ABOVE: usize = 8;

/// A count to be made: of what, by which engine, on how many threads.
///
/// ```
/// use queens::{Choice, Count, EngineKind, Placement, Size};
/// let eight = Size::new(8)?;
/// assert_eq!(Count::new(eight).run()?.count, 92);
/// let oracle = Count::new(eight).engine(Choice::Engine(EngineKind::Naive)).threads(2).run()?;
/// assert_eq!((oracle.count, oracle.threads), (92, 2));
/// assert_eq!(Count::completions(Placement::parse("158", eight)?).run()?.count, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Count {
    prefix: Placement,
    engine: Choice,
    isa: Option<Isa>,
    threads: usize,
}

/// Why a count was not made. None of these leaves a wrong number behind.
#[derive(Debug, thiserror::Error)]
pub enum CountError {
    /// No board has this size.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The engine can't count this, or not on this processor.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// The engine failed on 8×8.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// The count is too large.
    #[error(transparent)]
    Overflow(#[from] Overflow),
    /// The threads could not be started.
    #[error("the threads could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// A count that was made.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// What was counted: the completions of this placement, which may be empty.
    pub prefix: Placement,
    /// The number of solutions.
    pub count: u128,
    /// By which engine, on which instruction set.
    pub method: Method,
    /// On how many threads.
    pub threads: usize,
    /// Wall time in seconds, gate and plan included, starting the threads not.
    pub seconds: f64,
}

impl Count {
    /// All solutions on a board of this size.
    pub fn new(size: Size) -> Self {
        Self::completions(Placement::empty(size))
    }

    /// The solutions whose first queens stand as in `prefix`.
    pub fn completions(prefix: Placement) -> Self {
        Self { prefix, engine: Choice::Auto, isa: None, threads: 0 }
    }

    /// By this engine instead of the fastest.
    #[must_use]
    pub fn engine(self, engine: Choice) -> Self {
        Self { engine, ..self }
    }

    /// On this instruction set instead of the best that the processor has.
    #[must_use]
    pub fn isa(self, isa: Isa) -> Self {
        Self { isa: Some(isa), ..self }
    }

    /// On this many threads; 0, the default, is every core that the process may use.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Counts.
    ///
    /// Time grows about tenfold for each step of N. Memory is under a megabyte a thread.
    ///
    /// # Errors
    /// Where the engine fails its check on 8×8, the count does not fit in 128 bits, or no threads can be had.
    pub fn run(&self) -> Result<Report, CountError> {
        let pool = thread_pool(self.threads)?;
        let threads = pool.current_num_threads();
        let method = Method::choose(self.engine, self.isa, &self.prefix)?;
        let size = self.prefix.size();
        let lines = Lines::for_threads(size, threads);
        let start = Instant::now();
        if size.get() > GATE_ABOVE {
            let eight = Size::new(8).expect("8 is a size");
            dispatch(method, &Placement::empty(eight), lines, Gate)?;
        }
        let tally = dispatch(method, &self.prefix, lines, Sum(&pool))?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(Report { prefix: self.prefix, count: tally.get(), method, threads, seconds })
    }
}

/// This many threads; 0 is every core that the process may use.
pub(crate) fn thread_pool(threads: usize) -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    let threads = if threads == 0 { available_threads() } else { threads };
    rayon::ThreadPoolBuilder::new().num_threads(threads).build()
}

/// The cores this process may use, by affinity and control group; 1 where the system does not say.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The number of solutions of the N-queens problem (OEIS A000170), by the fastest engine on every core.
///
/// ```
/// assert_eq!(queens::count(10)?, 724);
/// assert!(queens::count(33).is_err());
/// # Ok::<(), queens::CountError>(())
/// ```
///
/// # Errors
/// Where `n` is more than 32, and as for [`Count::run`].
pub fn count(n: usize) -> Result<u128, CountError> {
    Ok(Count::new(Size::new(n)?).run()?.count)
}

struct Gate;

impl Job for Gate {
    type Output = Result<(), GateError>;

    fn run<P: Plan, E: Engine<Task = P::Task>>(self, plan: &P, engine: &E) -> Self::Output {
        gate::check(plan, engine)
    }
}

struct Sum<'a>(&'a rayon::ThreadPool);

impl Job for Sum<'_> {
    type Output = Result<Tally, Overflow>;

    fn run<P: Plan, E: Engine<Task = P::Task>>(self, plan: &P, engine: &E) -> Self::Output {
        sum(plan, engine, self.0)
    }
}
