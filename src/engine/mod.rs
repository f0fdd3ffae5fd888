//! Engines: pure functions from a task to a count, and the table of them.
//!
//! An engine knows nothing of threads, plans, files or printing. The command line, the tests and the benchmarks take
//! the engines from [`ENGINES`]. [`Method::choose`] is the one place that chooses an engine by size.

pub(crate) mod backtrack;
pub(crate) mod join;
pub mod lanes;
pub(crate) mod naive;
pub(crate) mod split;

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;

use crate::board::{Placement, Size};
use crate::engine::backtrack::Backtrack;
use crate::engine::join::Join;
use crate::engine::lanes::{Isa, Lanes};
use crate::engine::naive::Naive;
use crate::names::{self, NameError};
pub use crate::plan::EngineKind;
use crate::plan::{HalvesPlan, Task};
use crate::with_lanes;

/// One thread's engine, with the buffers that it keeps from task to task. They never affect a result.
pub trait Engine: Send {
    /// The number of solutions of `task`, which is of the kind that the engine's plan has.
    fn count(&mut self, task: &Task) -> u64;
}

/// Makes an engine for each thread that asks. The tables that threads share are made once.
pub type MakeEngine = Box<dyn Fn() -> Box<dyn Engine> + Send + Sync>;

/// A description of an engine.
#[derive(Debug)]
#[non_exhaustive]
pub struct EngineInfo {
    /// The kind of engine.
    pub kind: EngineKind,
    /// Its name on the command line and in results.
    pub name: &'static str,
    /// The sizes that it counts.
    pub sizes: RangeInclusive<usize>,
    /// The largest N that it counts in about a second on one core; tests stop there.
    pub quick: usize,
}

/// Every engine that counts all solutions, fastest first.
pub static ENGINES: &[EngineInfo] = &[
    EngineInfo { kind: EngineKind::Join, name: "join", sizes: HalvesPlan::SIZES, quick: 17 },
    EngineInfo { kind: EngineKind::Backtrack, name: "backtrack", sizes: 0..=Size::MAX, quick: 16 },
    EngineInfo { kind: EngineKind::Naive, name: "naive", sizes: 0..=Size::MAX, quick: 11 },
];

impl EngineKind {
    /// Its description.
    pub fn info(self) -> &'static EngineInfo {
        ENGINES.iter().find(|info| info.kind == self).expect("every engine has a line")
    }

    /// Whether it counts the solutions that begin with these queens.
    pub(crate) fn counts(self, prefix: &Placement) -> bool {
        self != Self::Join || (prefix.is_empty() && HalvesPlan::SIZES.contains(&prefix.size().get()))
    }

    /// The fastest engine for the solutions that begin with these queens. It depends on the board alone, so that shards
    /// begun on different machines are of one engine. Backtracking is faster than the oracle at every size.
    pub fn fastest(prefix: &Placement) -> Self {
        if Self::Join.counts(prefix) && prefix.size().get() >= JOIN_FROM { Self::Join } else { Self::Backtrack }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.info().name)
    }
}

impl FromStr for EngineKind {
    type Err = NameError;

    /// Reads a kind as it is displayed.
    fn from_str(name: &str) -> Result<Self, NameError> {
        names::read(name, &[Self::Join, Self::Backtrack, Self::Naive])
    }
}

/// An engine and the instruction set it runs on.
///
/// ```
/// use queens::{Method, Placement, Size};
/// let size = Size::new(26)?;
/// assert!(Method::choose(None, None, &Placement::empty(size))?.memory(size, 8) > 2_000_000_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// The engine.
    pub engine: EngineKind,
    /// The instruction set; `portable` for the oracle, which has only one version.
    pub isa: Isa,
}

/// Why a method cannot count something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MethodError {
    /// The join counts only whole boards, which it cuts in halves.
    #[error("the join engine counts whole boards of N = {} to {}, without fixed queens", HalvesPlan::SIZES.start(), HalvesPlan::SIZES.end())]
    NotForJoin,
    /// The oracle has only one version.
    #[error("the {0} engine runs on any processor and has no {1} version")]
    OnlyPortable(EngineKind, Isa),
    /// The processor lacks the instruction set.
    #[error("this processor has no {0}; it has {has}", has = Isa::available().map(|isa| isa.to_string()).collect::<Vec<_>>().join(", "))]
    Missing(Isa),
}

/// The smallest N that the join counts faster than backtracking. Backtracking needs no tables. On one thread of a Zen 4
/// in vectors, the join takes 4 times as long at N = 13, about as long at N = 14, and 0.7 of the time at N = 15; in
/// portable code it takes 0.3 of backtracking's time at N = 13 already.
const JOIN_FROM: usize = 14;

/// The largest memory of the join for N = 19 to 28, in megabytes: for the first thread with the tables, and for each
/// further thread. Up to N = 18 it is less. N = 19 and 20 are peaks of whole runs. N = 26 is the memory of all lists at
/// their greatest length. N = 28 is the peak of two threads in 150 seconds, 880 MB, plus an eighth. The others are peaks
/// of the first 10 to 100 seconds, plus half as much for later tasks.
const JOIN_MEGABYTES: [(u64, u64); 10] =
    [(100, 10), (150, 20), (45, 30), (60, 40), (70, 45), (150, 70), (180, 70), (350, 240), (200, 130), (520, 480)];
/// The memory of any run, and of each thread of an engine that needs no tables, in megabytes.
const LEAST_MEGABYTES: (u64, u64) = (16, 1);

impl Method {
    /// A guide to the memory, in bytes, that a run takes on a board of this size with `threads` threads. It may be up
    /// to twice the real amount.
    pub fn memory(self, size: Size, threads: usize) -> u64 {
        let (first, further) = match self.engine {
            EngineKind::Join => JOIN_MEGABYTES[size.get().saturating_sub(19).min(JOIN_MEGABYTES.len() - 1)],
            EngineKind::Backtrack | EngineKind::Naive => LEAST_MEGABYTES,
        };
        (first + further * (threads as u64).saturating_sub(1)) * 1_000_000
    }

    /// The way to count the solutions that begin with these queens by this engine and on this instruction set; for what is
    /// `None`, the fastest.
    pub fn choose(engine: Option<EngineKind>, isa: Option<Isa>, prefix: &Placement) -> Result<Self, MethodError> {
        if let Some(missing) = isa.filter(|isa| !isa.is_available()) {
            return Err(MethodError::Missing(missing));
        }
        let engine = engine.unwrap_or_else(|| EngineKind::fastest(prefix));
        let isa = isa.unwrap_or(if engine == EngineKind::Naive { Isa::Portable } else { Isa::best() });
        match engine {
            _ if !engine.counts(prefix) => Err(MethodError::NotForJoin),
            EngineKind::Naive if isa != Isa::Portable => Err(MethodError::OnlyPortable(engine, isa)),
            _ => Ok(Self { engine, isa }),
        }
    }

    /// Makes the engines that count tasks of boards of this size, one for each thread.
    pub fn engines(self, size: Size) -> MakeEngine {
        match self.engine {
            EngineKind::Naive => Box::new(|| Box::new(Naive)),
            EngineKind::Backtrack => Box::new(move || Box::new(Backtrack::new(self.isa))),
            EngineKind::Join => self.joins(size, false),
        }
    }

    /// The engines that count tasks of boards of this size by every step that those of large boards take. A small board or a
    /// part of a task that they count shows whether these steps are right: its lists are too short to take them otherwise.
    ///
    /// The join cuts both sides as often as they can be, lists them in short pieces, and keeps the quadrants of a tile or
    /// parts of them; and each matcher that the lanes have takes all calls of a task, one matcher after another. So three
    /// tasks take every step. The other engines have no such steps.
    pub(crate) fn forced(self, size: Size) -> MakeEngine {
        if self.engine == EngineKind::Join { self.joins(size, true) } else { self.engines(size) }
    }

    fn joins(self, size: Size, is_forced: bool) -> MakeEngine {
        fn make<L: Lanes>(join: Join<L>) -> MakeEngine {
            let shared = Arc::new(join);
            Box::new(move || Box::new(join::Thread::new(Arc::clone(&shared))))
        }

        let joins = with_lanes!(self.isa, |lanes| {
            make(if is_forced { Join::forced(size, lanes) } else { Join::new(size, lanes) })
        });
        joins.expect("it was chosen for the processor")
    }
}

/// The number of subsets of `choose` elements out of `of`.
fn binomial(of: usize, choose: usize) -> u64 {
    if choose > of { 0 } else { (0..choose as u64).fold(1, |product, i| product * (of as u64 - i) / (i + 1)) }
}
