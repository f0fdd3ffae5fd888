//! Engines: pure functions from a task to a count, and the table of them.
//!
//! An engine knows nothing of threads, plans, files or printing. The command line, the tests and the benchmarks take
//! the engines from [`ENGINES`]. [`Method::choose`] is the one place that chooses an engine by size.
//!
//! The engines are public so that they can be timed, tested and replaced. Their details may change with any release;
//! the numbers that a [`Request`](crate::Request) counts do not.

pub mod backtrack;
pub(crate) mod cover;
// These two are public for the benchmarks and the tests; users name the engine, and take `Isa` from the root.
#[doc(hidden)]
pub mod join;
#[doc(hidden)]
pub mod lanes;
pub mod naive;
pub(crate) mod split;

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::board::{Rotation, Size};
use crate::engine::lanes::{Isa, IsaError};
use crate::plan::HalvesPlan;
use crate::subject::Subject;

/// Counts the solutions of a task.
pub trait Engine: Sync {
    /// The tasks that it counts.
    type Task;

    /// Buffers that one thread keeps from task to task. They never affect a result.
    type Worker: Send;

    /// Fresh buffers for one thread.
    fn worker(&self) -> Self::Worker;

    /// The number of solutions of `task`.
    fn count(&self, worker: &mut Self::Worker, task: &Self::Task) -> u64;
}

/// An engine that counts the completions of queens fixed on any squares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WithFixed<E>(pub(crate) E);

/// An engine that is borrowed.
impl<E: Engine> Engine for &E {
    type Task = E::Task;
    type Worker = E::Worker;

    fn worker(&self) -> E::Worker {
        E::worker(self)
    }

    fn count(&self, worker: &mut E::Worker, task: &E::Task) -> u64 {
        E::count(self, worker, task)
    }
}

/// The kinds of engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EngineKind {
    /// Joining half boards.
    Join,
    /// Bitboard backtracking.
    Backtrack,
    /// Arrays and plain recursion, the oracle.
    Naive,
    /// Exact covers, for the solutions that a turn leaves unchanged.
    Cover,
}

/// A description of an engine.
#[derive(Debug)]
#[non_exhaustive]
pub struct EngineInfo {
    /// The kind of engine.
    pub kind: EngineKind,
    /// Its name on the command line and in results.
    pub name: &'static str,
    /// A description in a few words.
    pub summary: &'static str,
    /// The sizes that it counts.
    pub sizes: RangeInclusive<usize>,
    /// The largest N that it counts in about a second on one core; tests stop there.
    pub quick: usize,
}

/// Every engine that counts all solutions, fastest first.
pub static ENGINES: &[EngineInfo] = &[
    EngineInfo {
        kind: EngineKind::Join,
        name: "join",
        summary: "joins half boards, N = 5 to 28, no fixed queens",
        sizes: HalvesPlan::SIZES,
        quick: 17,
    },
    EngineInfo {
        kind: EngineKind::Backtrack,
        name: "backtrack",
        summary: "bitboard backtracking in vectors, any N and any fixed queens",
        sizes: 0..=Size::MAX,
        quick: 16,
    },
    EngineInfo {
        kind: EngineKind::Naive,
        name: "naive",
        summary: "arrays and plain recursion: slow, obvious, the oracle",
        sizes: 0..=Size::MAX,
        quick: 11,
    },
];

/// The only engine for the solutions that a turn leaves unchanged, so it need not be named.
static COVER: EngineInfo = EngineInfo {
    kind: EngineKind::Cover,
    name: "cover",
    summary: "joins half solutions of a board that is turned",
    sizes: Rotation::Quarter.sizes(),
    quick: 26,
};

impl EngineKind {
    /// Its description: its line of [`ENGINES`] if it counts all solutions.
    pub fn info(self) -> &'static EngineInfo {
        ENGINES.iter().find(|info| info.kind == self).unwrap_or(&COVER)
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.info().name)
    }
}

impl FromStr for EngineKind {
    type Err = UnknownEngine;

    fn from_str(text: &str) -> Result<Self, UnknownEngine> {
        let found = ENGINES.iter().find(|info| info.name == text);
        found.map(|info| info.kind).ok_or_else(|| UnknownEngine(text.to_owned()))
    }
}

/// An engine and the instruction set it runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// The engine.
    pub engine: EngineKind,
    /// The instruction set; `portable` for the oracle, which has only one version.
    pub isa: Isa,
}

/// No engine has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown engine '{0}'")]
pub struct UnknownEngine(pub String);

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
    /// The engine counts other things.
    #[error("the {0} engine cannot count this; the {1} engine can")]
    Unsuited(EngineKind, EngineKind),
    /// An engine from outside the crate counts only completions of placements.
    #[error("a custom engine counts completions of placements, which fill the first columns, and nothing else")]
    OnlyPlacements,
    /// No engine has the name.
    #[error(transparent)]
    Unknown(#[from] UnknownEngine),
    /// The processor lacks the instruction set.
    #[error(transparent)]
    Isa(#[from] IsaError),
}

/// The smallest N that the join counts faster than backtracking, in portable code and in vectors. Backtracking needs no
/// tables. On one thread of a Zen 4 in portable code, the join takes 0.3 of backtracking's time at N = 13. In vectors
/// it takes 4 times as long at N = 13, about as long at N = 14, and 0.7 of the time at N = 15.
const JOIN_FROM: [usize; 2] = [13, 14];

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
    ///
    /// ```
    /// use queens::{Method, Size};
    /// let size = Size::new(26)?;
    /// let join = Method::choose(None, None, size)?;
    /// assert!(join.memory(size, 8) > 2_000_000_000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn memory(self, size: Size, threads: usize) -> u64 {
        let (first, further) = match self.engine {
            EngineKind::Join => JOIN_MEGABYTES[size.get().saturating_sub(19).min(JOIN_MEGABYTES.len() - 1)],
            EngineKind::Backtrack | EngineKind::Naive | EngineKind::Cover => LEAST_MEGABYTES,
        };
        (first + further * (threads as u64).saturating_sub(1)) * 1_000_000
    }

    /// The way to count this subject by this engine and on this instruction set; for what is `None`, the fastest.
    ///
    /// # Errors
    /// If the engine, the instruction set, the processor and the subject do not go together.
    pub fn choose(
        engine: Option<EngineKind>,
        isa: Option<Isa>,
        subject: impl Into<Subject>,
    ) -> Result<Self, MethodError> {
        if let Some(missing) = isa.filter(|isa| !isa.is_available()) {
            return Err(IsaError::Missing(missing).into());
        }
        let subject = subject.into();
        let best = isa.unwrap_or_else(Isa::best);
        let can_join = subject.fixed().is_none() && HalvesPlan::SIZES.contains(&subject.n());
        let fastest = match subject {
            Subject::Rotational(_) => EngineKind::Cover,
            Subject::Completions(_) if can_join && subject.n() >= JOIN_FROM[usize::from(best != Isa::Portable)] => {
                EngineKind::Join
            }
            // Backtracking is faster than the oracle at every size.
            Subject::Completions(_) => EngineKind::Backtrack,
        };
        let engine = engine.unwrap_or(fastest);
        match (engine, subject, isa) {
            (EngineKind::Join, Subject::Completions(_), _) if !can_join => Err(MethodError::NotForJoin),
            (EngineKind::Naive, Subject::Completions(_), None | Some(Isa::Portable)) => {
                Ok(Self { engine, isa: Isa::Portable })
            }
            (EngineKind::Naive, Subject::Completions(_), Some(other)) => Err(MethodError::OnlyPortable(engine, other)),
            (EngineKind::Join | EngineKind::Backtrack, Subject::Completions(_), _)
            | (EngineKind::Cover, Subject::Rotational(_), _) => Ok(Self { engine, isa: best }),
            _ => Err(MethodError::Unsuited(engine, fastest)),
        }
    }
}

/// The number of subsets of `choose` elements out of `of`.
fn binomial(of: usize, choose: usize) -> u64 {
    if choose > of { 0 } else { (0..choose as u64).fold(1, |product, i| product * (of as u64 - i) / (i + 1)) }
}

#[cfg(test)]
pub(crate) mod fault {
    //! Faults on purpose, for tests of all that should see them: the self-check, the double checks, the audit.
    //!
    //! A test cannot hand an engine of its own to what chooses engines by name, and what is handed past that choice does not
    //! show that the choice is wired to what checks it. So the joins and covers that a test makes can be wrong themselves.

    use std::cell::Cell;

    /// How many solutions too many an engine finds in a task: on boards of N (for covers: of so many items), on lanes of
    /// this type, in the task with this number (east rows, north before south; for covers: items on the left).
    pub(crate) type Fault = fn(n: usize, lanes: &str, task: u64) -> u64;

    thread_local! {
        static FAULT: Cell<Fault> = const { Cell::new(NONE) };
        static IS_PLANTED: Cell<bool> = const { Cell::new(false) };
    }

    const NONE: Fault = |_, _, _| 0;

    /// Does `work`; whatever joins and covers this thread makes meanwhile have the fault, on whichever threads they count.
    pub(crate) fn with<T>(fault: Fault, work: impl FnOnce() -> T) -> T {
        FAULT.set(fault);
        IS_PLANTED.set(true);
        let done = work();
        FAULT.set(NONE);
        IS_PLANTED.set(false);
        done
    }

    /// Whether an engine that is made now is wrong.
    pub(crate) fn is_any_planted() -> bool {
        IS_PLANTED.get()
    }

    /// The fault of an engine that is made now.
    pub(crate) fn here() -> Fault {
        FAULT.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(n: usize) -> Size {
        Size::new(n).unwrap()
    }

    /// The join where it is the faster one, which in vectors is a size later.
    #[test]
    fn the_fastest_is_chosen() {
        for isa in Isa::available() {
            let first = if isa == Isa::Portable { 13 } else { 14 };
            for n in 0..=32 {
                let expected = if (first..=28).contains(&n) { EngineKind::Join } else { EngineKind::Backtrack };
                let chosen = Method::choose(None, Some(isa), size(n)).unwrap();
                assert_eq!((chosen.engine, chosen.isa), (expected, isa), "N = {n}");
            }
        }
        assert_eq!(Method::choose(None, None, size(13)), Method::choose(None, Some(Isa::best()), size(13)));
    }

    #[test]
    fn memory_grows_with_the_threads_and_the_tables() {
        let memory = |engine, n, threads| Method { engine, isa: Isa::Portable }.memory(size(n), threads) / 1_000_000;
        let join = [(5, 1), (19, 1), (19, 3), (20, 3), (28, 0), (28, 1), (28, 2), (32, 2)];
        assert_eq!(
            join.map(|(n, threads)| memory(EngineKind::Join, n, threads)),
            [100, 100, 120, 190, 520, 520, 1000, 1000]
        );
        let of_each: Vec<u64> = (19..=28).map(|n| memory(EngineKind::Join, n, 1)).collect();
        assert_eq!(of_each, [100, 150, 45, 60, 70, 150, 180, 350, 200, 520]);
        assert_eq!([1, 8].map(|threads| memory(EngineKind::Backtrack, 28, threads)), [16, 23]);
    }
}
