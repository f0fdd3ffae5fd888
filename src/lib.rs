//! Counts, checks and shows the solutions of the N-queens problem: N queens on an N×N board, none attacking another
//! (OEIS [A000170](https://oeis.org/A000170)).
//!
//! ```
//! assert_eq!(queens::count(8)?, 92);
//! # Ok::<(), queens::CountError>(())
//! ```
//!
//! A [`Request`] says what to count and by which engine; its methods count or estimate, or prepare a run. What it counts
//! is its [subject](Subject): all solutions, those that have given queens, or those that a turn of the board leaves unchanged.
//!
//! A [run](Run) can be watched and stopped from another thread, and resumed, in shards on several machines
//! ([`Run::resume`]), and a [store](ledger::store) keeps its ledger in a file. The folder `examples` of the repository has
//! each of these, with counts, predictions ([`Request::estimate`]), audits ([`Run::audit`]) and the solutions that begin
//! with a placement ([`Solutions`]).
//!
//! # Squares
//!
//! Columns and rows are numbered from 1, columns from the west and rows from the north, as boards are printed: `c3` of chess is
//! column 3, row N - 2. A [`Placement`] has a queen in each of its first columns, and is written as their rows: `42` is
//! column 1 row 4 and column 2 row 2, and `rows().nth(1)` is the 2 of column 2.
//!
//! # Features
//!
//! | feature | what it adds |
//! | --- | --- |
//! | `cli` (by default) | the program `queens`; the library alone is `default-features = false` |
//! | `browse` (by default) | its full screen of boards |
//! | `serde` | reports, findings, predictions and profiles can be serialized |
//!
//! # Modules
//!
//! The idea of the library: *an engine is a pure function from a task to a count*, and everything else works on the
//! *plan*, one deterministic list of weighted tasks.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`Request`], [`Report`], [`Subject`] | what to count and by which engine, and the result |
//! | [`Size`], [`Placement`], [`FixedQueens`] | boards and queens: reading, printing, checking |
//! | [`Solutions`] | the solutions themselves, one after another |
//! | [`Ranking`] | the k-th solution, without listing all before it |
//! | [`Symmetry`], [`Orbit`] | images under turns and reflections, and symmetry classes |
//! | [`engine`] | the engines and the choice between them |
//! | [`plan`] | how a count is cut into independent weighted tasks |
//! | [`Rotation`], [`Unique`], [`Residue`] | solutions that turns leave unchanged, solutions up to symmetry, and a check by remainders |
//! | [`Run`] | a count that can be watched, stopped, saved and resumed |
//! | [`ledger`], [`Shard`] | finished units and their tallies: checkpoints, shards, merging |
//! | [`ledger::durable`] | files that appear whole or not at all |
//! | [`Profile`] | the placements of k queens on the first k columns |
//! | [`Watch`], [`Progress`] | one handle to watch and to stop whatever takes long |
//! | [`tally`] | sums that cannot wrap |
//! | [`oeis`], [`BFile`] | published terms to compare with |
//! | [`estimate`] | the count and the time predicted from random samples |
//! | [`mod@bench`] | timing of the engines |
//! | [`AuditOptions`], [`Findings`] | a recount of random units and tasks of a ledger |
//! | [`auditor`] | tasks counted by their definition, to compare the engines with |

pub mod auditor;
pub mod bench;
pub mod engine;
pub mod estimate;
pub mod ledger;
pub mod oeis;
pub mod plan;
pub mod tally;

mod audit;
mod board;
mod burnside;
mod interval;
mod profile;
mod request;
mod rotational;
mod run;
mod solutions;
mod subject;
mod watch;

pub use audit::{AuditOptions, AuditedTask, Findings, Recounted};
pub use board::{
    FixedQueens, Orbit, Placement, PlacementError, Rotation, RotationalBoard, RotationalBoardError, Size, SizeError,
    Square, Symmetry, UnknownRotation,
};
pub use burnside::{NotDivisible, Residue, Unique};
pub use engine::lanes::{Isa, IsaError};
pub use engine::{ENGINES, EngineKind, Method, MethodError, UnknownEngine};
pub use interval::Interval;
pub use ledger::shard::{Shard, ShardError};
pub use oeis::{BFile, BFileError};
pub use profile::Profile;
pub use request::{Report, Request, Run, count};
pub use run::{CountError, SelfCheckError, Share, ShareError, available_threads, thread_count};
pub use solutions::{Listed, Ranking, Solutions};
pub use subject::Subject;
pub use watch::{Progress, Watch};
