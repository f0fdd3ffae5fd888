//! Counts, checks and shows the solutions of the N-queens problem: N queens on an N×N board, none attacking another
//! (OEIS [A000170](https://oeis.org/A000170)).
//!
//! ```
//! assert_eq!(queens::count(8)?, 92);
//! # Ok::<(), queens::CountError>(())
//! ```
//!
//! A [`Request`] says what to count and by which engine; its methods count, resume, estimate or audit. What it counts
//! is its [subject](Subject): all solutions, the completions of a placement, or the solutions that a turn of the board
//! leaves unchanged. This example counts the solutions and compares the result with OEIS:
//!
//! ```
//! use queens::{Request, Size, oeis};
//! let report = Request::solutions(Size::new(10)?).threads(2).count()?;
//! assert_eq!(Some(report.count), oeis::QUEENS.term(10));
//! println!("{} by {} in {:?}", report.count, report.engine, report.elapsed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This example lists the solutions that begin with a given placement:
//!
//! ```
//! use queens::{Orbit, Placement, Size, Solutions};
//! for solution in Solutions::completions(Placement::parse("42", Size::new(8)?)?) {
//!     let orbit = Orbit::of(&solution).expect("every queen is set");
//!     println!("{solution} is one of {}", orbit.class_size());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [run](Run) can be watched, stopped and gone on with from another thread, in shards on several machines
//! ([`Request::resume`]), and a [store](ledger::store) keeps its ledger in a file. The folder `examples` of the repository has
//! each of these, with predictions ([`Request::estimate`]) and audits ([`Request::audit`]).
//!
//! # Squares
//!
//! Columns and rows are numbered from 1, columns from the west and rows from the north, as boards are printed: `c3` of chess is
//! column 3, row N - 2. A [`Placement`] has a queen in each of its first columns, and is written as their rows: `42` is
//! column 1 row 4 and column 2 row 2, and `rows().nth(1)` is the 2 of column 2.
//!
//! The idea of the library: *an engine is a pure function from a task to a count*, and everything else works on the
//! *plan*, one deterministic list of weighted tasks.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`Request`], [`Report`], [`Subject`] | what to count and by which engine, and the result |
//! | [`Size`], [`Placement`] | boards and queens: reading, printing, checking |
//! | [`Solutions`] | the solutions themselves, one after another |
//! | [`Ranking`] | the k-th solution, without listing all before it |
//! | [`Symmetry`], [`Orbit`] | images under turns and reflections, and symmetry classes |
//! | [`engine`] | the engines and the choice between them |
//! | [`plan`] | how a count is cut into independent weighted tasks |
//! | [`Rotation`], [`Unique`], [`Residue`] | solutions that turns leave unchanged, solutions up to symmetry, and a check by remainders |
//! | [`run`] | a thread pool that counts a plan with an engine; the self-check on small boards; progress, stopping, double checks |
//! | [`ledger`], [`Shard`] | finished units and their tallies: checkpoints, shards, merging |
//! | [`ledger::durable`] | files that appear whole or not at all |
//! | [`Profile`] | the placements of k queens on the first k columns |
//! | [`tally`] | sums that cannot wrap |
//! | [`oeis`], [`BFile`] | published terms to compare with |
//! | [`estimate`] | the count and the time predicted from random samples |
//! | [`mod@bench`] | timing of the engines |
//! | [`verify`] | recomputed terms compared with the published ones |
//! | [`AuditOptions`], [`Findings`] | a recount of random units and tasks of a ledger |
//! | [`auditor`] | tasks counted by their definition, to compare the engines with |

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
mod burnside;
mod profile;
mod request;
mod rotational;
mod solutions;
mod subject;

pub use audit::{AuditOptions, AuditedTask, Findings, Recounted};
pub use board::{
    Orbit, Placement, PlacementError, Rotation, RotationalBoard, RotationalBoardError, Size, SizeError, Square,
    Symmetry, UnknownRotation,
};
pub use burnside::{NotDivisible, Residue, Unique};
pub use engine::lanes::{Isa, IsaError};
pub use engine::{Choice, ENGINES, EngineKind, Method, MethodError, UnknownEngine};
pub use ledger::shard::{Shard, ShardError};
pub use oeis::{BFile, BFileError};
pub use profile::Profile;
pub use request::{Ended, Report, Request, Run, count};
pub use run::{CountError, Share, ShareError, Threads, available_threads};
pub use solutions::{Listed, Ranking, Solutions};
pub use subject::Subject;
