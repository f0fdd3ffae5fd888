//! Counts, checks and shows the solutions of the N-queens problem: N queens on an N×N board, none attacking another
//! (OEIS [A000170](https://oeis.org/A000170)).
//!
//! ```
//! assert_eq!(queens::count(8)?, 92);
//! # Ok::<(), queens::CountError>(())
//! ```
//!
//! Where to begin, and the program in the folder `examples` that does it:
//!
//! - **A count** by an engine, an instruction set and threads of one's choice is a [`Request`].
//! - **A long count** is a [`Run`] of it: a [`Watch`] shows its progress to other threads and stops it, and a
//!   [store](ledger::Store) keeps its [ledger](ledger::Ledger) in a file, from which it goes on (`checkpoint`).
//! - **On several machines** each counts a [shard](ledger::Shard); the merged ledger is [audited](audit) (`shards`).
//! - **A prediction** of the count and of its time is made by an [estimator](estimate::Estimator) (`estimate`).
//! - **A list** of the [`Solutions`], whose images an [`Orbit`] has (`walk`), and
//!   [counts](symmetric::SymmetricRequest) of those that a turn leaves unchanged.
//!
//! Columns and rows are numbered from 1, rows from the top. A [`Placement`] has a queen in each of its first columns, and is
//! written as their rows: `42` is column 1 row 4 and column 2 row 2.
//!
//! The idea of the library: *an engine is a pure function from a task to a count*, and everything else works on the
//! *plan*, one deterministic list of *units*, each a list of weighted tasks.
//!
//! Features: `cli` (by default) is the program `queens`; the library alone is `default-features = false`. `serde` lets
//! reports, findings and estimates be serialized.

pub mod audit;
pub mod estimate;
pub mod ledger;
pub mod oeis;
pub mod symmetric;

mod board;
mod draft;
mod engine;
mod interval;
mod names;
mod plan;
mod report;
mod request;
mod run;
mod solutions;
#[cfg(test)]
mod tests;
mod watch;

pub use board::{Orbit, Placement, PlacementError, Rotation, Size, Square, Symmetry};
pub use draft::Draft;
pub use engine::lanes::Isa;
pub use engine::{EngineKind, Method, MethodError};
pub use interval::Interval;
pub use names::ValueError;
pub use report::{CountError, Report};
pub use request::{Request, count};
pub use run::{Run, available_threads};
pub use solutions::Solutions;
pub use watch::{Progress, Watch};

/// What the program, the benchmarks and the tests of this repository need besides. It may change with any release.
#[doc(hidden)]
pub mod internals {
    pub use crate::engine::backtrack::Backtrack;
    pub use crate::engine::lanes::fault::obey_environment;
    pub use crate::engine::naive::Naive;
    pub use crate::engine::{Engine, MakeEngine, lanes};
    pub use crate::plan::{Halves, HalvesPlan, InnerSquares, Middle, Plan, PrefixPlan, Task, Weighted, plan_of};

    /// The engines of a method that was chosen for boards of this size.
    pub fn engines(method: crate::Method, size: crate::Size) -> MakeEngine {
        method.engines(size)
    }
}
