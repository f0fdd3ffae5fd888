//! Engines: pure functions from a task to a count, and the choice of the engine for a board.
//!
//! An engine knows nothing of threads, plans, files or printing. The command line, the tests and the benchmarks take
//! the engines from [`EngineKind::ALL`]. [`Method::choose`] is the one place that chooses an engine by size.

pub(crate) mod backtrack;
pub(crate) mod join;
pub mod lanes;
mod naive;
pub(crate) mod split;

use std::sync::Arc;

use crate::board::{Placement, Size};
use crate::engine::backtrack::Backtrack;
use crate::engine::join::Join;
use crate::engine::lanes::Isa;
use crate::engine::naive::Naive;
pub use crate::plan::EngineKind;
use crate::plan::Task;
use crate::report::CountError;

/// One thread's engine. It keeps buffers from task to task, which never affect a result.
pub(crate) trait Engine: Send {
    /// Counts the solutions of `task`, which must be of the kind in the engine's plan.
    fn count(&mut self, task: &Task) -> u64;
}

/// Creates an engine per thread; shared tables are built once.
pub(crate) type MakeEngine = Box<dyn Fn() -> Box<dyn Engine> + Send + Sync>;

/// An engine and the instruction set it runs on.
///
/// ```
/// use queens::{Method, Placement, Size};
/// let size = Size::new(26)?;
/// assert!(Method::choose(None, None, &Placement::empty(size))?.memory(size, 8) > Some(1_500_000_000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    engine: EngineKind,
    isa: Isa,
}

/// The peak memory of the join for N = 19 to 28, in megabytes: of the first thread with the tables, and of each further
/// thread. Smaller boards need less. Measured with one and two threads on AVX2, over whole runs for N = 19 and 20 and
/// one to three minutes of several shards beyond, plus a tenth or more.
const JOIN_MEGABYTES: [(u64, u64); 10] =
    [(75, 10), (150, 10), (35, 20), (45, 30), (50, 30), (65, 60), (90, 50), (230, 200), (130, 100), (420, 380)];
/// The same for the engines without tables.
const MIN_MEGABYTES: (u64, u64) = (16, 1);

impl Method {
    /// Approximate memory in bytes of a run on this board size with `threads` threads, from measured peaks. `None` if
    /// the engine does not count this size.
    pub fn memory(self, size: Size, threads: usize) -> Option<u64> {
        let is_counted = self.engine.sizes().contains(&size.get());
        let (first, further) = match self.engine {
            EngineKind::Join => JOIN_MEGABYTES[size.get().saturating_sub(19).min(JOIN_MEGABYTES.len() - 1)],
            EngineKind::Backtrack | EngineKind::Naive => MIN_MEGABYTES,
        };
        let megabytes = (threads as u64).saturating_sub(1).saturating_mul(further).saturating_add(first);
        is_counted.then_some(megabytes.saturating_mul(1_000_000))
    }

    /// Chooses how to count the completions of `prefix`. `None` means the fastest engine or instruction set.
    pub fn choose(engine: Option<EngineKind>, isa: Option<Isa>, prefix: &Placement) -> Result<Self, CountError> {
        let engine = engine.unwrap_or_else(|| EngineKind::fastest(prefix));
        let isa = choose_isa(isa.or((engine == EngineKind::Naive).then_some(Isa::Portable)))?;
        match engine {
            _ if !engine.counts(prefix) => Err(CountError::NotForJoin),
            EngineKind::Naive if isa != Isa::Portable => Err(CountError::OnlyPortable(engine, isa)),
            _ => Ok(Self { engine, isa }),
        }
    }

    /// The engine.
    pub const fn engine(self) -> EngineKind {
        self.engine
    }

    /// The instruction set; `portable` for the naive engine.
    pub const fn isa(self) -> Isa {
        self.isa
    }

    /// Makes one engine per thread for tasks of boards of this size, for which the method was chosen.
    pub(crate) fn engines(self, size: Size) -> MakeEngine {
        self.make(size, false)
    }

    /// Engines that take every step of large boards, so that a small board or a sample of a task shows whether these
    /// steps are right. In its first three tasks, the join splits both sides as often as possible, lists them in short
    /// batches, and caches tiles or slices of quadrants; each task uses another matcher. The other tasks match whole
    /// lists with every number of windows, so [`FORCED_TASKS`](join::FORCED_TASKS) tasks take every step. Other engines
    /// have no such steps.
    pub(crate) fn forced(self, size: Size) -> MakeEngine {
        self.make(size, true)
    }

    fn make(self, size: Size, is_forced: bool) -> MakeEngine {
        match self.engine {
            EngineKind::Naive => Box::new(|| Box::new(Naive)),
            EngineKind::Backtrack => Box::new(move || Box::new(Backtrack::new(self.isa))),
            EngineKind::Join => {
                let kernels = self.isa.kernels().expect("it was chosen for the processor");
                let join = Arc::new(if is_forced { Join::forced(size, kernels) } else { Join::new(size, kernels) });
                Box::new(move || Box::new(join::Thread::new(Arc::clone(&join))))
            }
        }
    }
}

/// Returns this instruction set if the processor has it; by default, the fastest.
pub(crate) fn choose_isa(isa: Option<Isa>) -> Result<Isa, CountError> {
    let isa = isa.unwrap_or_else(Isa::best);
    if isa.is_available() { Ok(isa) } else { Err(CountError::Missing(isa)) }
}

/// The number of subsets of `choose` elements out of `of`.
fn binomial(of: usize, choose: usize) -> u64 {
    if choose > of { 0 } else { (0..choose as u64).fold(1, |product, i| product * (of as u64 - i) / (i + 1)) }
}
