//! Counts, checks and shows the solutions of the N-queens problem: N queens on an N×N board, none attacking another
//! (OEIS [A000170](https://oeis.org/A000170)).
//!
//! ```
//! assert_eq!(queens::count(8)?, 92);
//! # Ok::<(), queens::CountError>(())
//! ```
//!
//! Where to start (in parentheses: a program in the folder `examples`):
//!
//! - **A count** with a chosen engine, instruction set and number of threads is a [`Request`].
//! - **A long count** is a [`Run`]. A [`Watch`] lets other threads follow and stop it. A
//!   [ledger file](ledger::LedgerFile) saves its [ledger](ledger::Ledger), from which it can resume (`checkpoint`).
//! - **On several machines**, each counts a [shard](ledger::Shard); the merged ledger is [audited](audit) (`shards`).
//! - **An estimate** of a count and its time is made by an [estimator](estimate::Estimator) (`estimate`).
//! - **Solutions** are listed by [`Solutions`], and an [`Orbit`] has the images of one (`walk`). A
//!   [`SymmetricRequest`](symmetric::SymmetricRequest) counts the solutions that a rotation leaves unchanged.
//!
//! Columns and rows are numbered from 1, rows from the top. A [`Placement`] has a queen in each of its first columns.
//! It is written as the rows of these queens: `42` is column 1 row 4 and column 2 row 2.
//!
//! The idea of the library: *an engine is a pure function from a task to a count*. Everything else works on the *plan*,
//! a deterministic list of *units*, each a list of weighted tasks.
//!
//! Features: `cli`, on by default, builds the program `queens`; `default-features = false` leaves the library. `serde`
//! makes reports, findings and estimates serializable.

pub mod audit;
pub mod estimate;
pub mod ledger;
pub mod oeis;
pub mod symmetric;

mod atomic_file;
mod board;
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

pub use atomic_file::AtomicFile;
pub use board::{Orbit, Placement, PlacementError, Rotation, Size, Square, Symmetry};
pub use engine::lanes::Isa;
pub use engine::{EngineKind, Method};
pub use interval::Interval;
pub use names::ValueError;
pub use report::{CountError, Report};
pub use request::{Request, count};
pub use run::{Run, available_threads};
pub use solutions::Solutions;
pub use watch::{Progress, Watch};

/// Items for this repository's program and benchmarks; they may change in any release.
#[doc(hidden)]
pub mod internals {
    pub use crate::engine::lanes;
    pub use crate::engine::lanes::fault::obey_environment;
}
