//! Counts, checks and shows the solutions of the N-queens problem: N queens on an N×N board, none attacking another
//! (OEIS [A000170](https://oeis.org/A000170)).
//!
//! ```
//! assert_eq!(queens::count(8)?, 92);
//! # Ok::<(), queens::CountError>(())
//! ```
//!
//! One idea runs through it: *an engine is a pure function from a task to a count*, and everything else acts on one
//! deterministic list of weighted tasks, the *plan*.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`count()`], [`Count`], [`Report`] | counting in one call |
//! | [`Size`], [`Placement`] | boards and queens: reading, printing, checking |
//! | [`Solutions`] | the solutions themselves, one after another |
//! | [`Ranking`] | the k-th solution without walking there |
//! | [`Symmetry`], [`Orbit`], [`Fundamental`] | images under turns and reflections, one of each class |
//! | [`engine`] | the engines and the choice between them |
//! | [`plan`] | how a count is cut into independent weighted tasks |
//! | [`Rotation`], [`Unique`], [`Residue`] | solutions that turns leave unchanged, solutions up to symmetry, and a check |
//! | [`profile`] | placements of k queens on the first k columns |
//! | [`run`] | a plan, an engine and a thread pool make a sum; the self-check on small boards; progress, stopping, double checks |
//! | [`ledger`], [`Shard`] | finished units and their tallies: checkpoints, shards, merging |
//! | [`durable`] | files that appear whole or not at all |
//! | [`tally`] | sums that cannot wrap |
//! | [`oeis`], [`BFile`] | published terms to compare with |
//! | [`estimate`] | the count and the time predicted from random samples |
//! | [`mod@bench`] | the engines timed |
//! | [`verify`] | recomputed terms held against them |
//! | [`Audit`] | random units and tasks of a ledger recounted |
//! | [`auditor`] | tasks counted by their definition, to hold engines against |

pub mod auditor;
pub mod bench;
pub mod engine;
pub mod estimate;
pub mod ledger;
pub mod oeis;
pub mod plan;
pub mod run;
pub mod tally;
pub mod verify;

mod audit;
mod board;
mod count;
mod profile;
mod rotational;
mod solutions;

pub use audit::{Audit, AuditedTask, Findings, Recounted};
pub use board::placement::{Placement, PlacementError, Square};
pub use board::rotation::{Rotation, RotationalBoard, RotationalBoardError, UnknownRotation};
pub use board::symmetry::{Orbit, Symmetry};
pub use board::{Size, SizeError};
pub use count::{Count, CountError, Report, available_threads, count};
pub use engine::lanes::{Isa, IsaError};
pub use engine::{Choice, ENGINES, EngineKind, Method, MethodError, UnknownEngine};
pub use ledger::shard::{Shard, ShardError, ranges};
pub use ledger::{bounded, durable};
pub use oeis::bfile::{BFile, BFileError};
pub use profile::{Profile, ProfileReport, profile};
pub use rotational::{NotDivisible, Residue, RotationalCount, RotationalReport, Unique};
pub use solutions::ranking::{Listed, Ranking};
pub use solutions::{Fundamental, Solutions};
