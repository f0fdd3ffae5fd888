//! Counts, checks and shows the solutions of the N-queens problem: N queens on an N×N board, none attacking another
//! (OEIS [A000170](https://oeis.org/A000170)).
//!
//! ```
//! assert_eq!(queens::count(8)?, 92);
//! # Ok::<(), queens::CountError>(())
//! ```
//!
//! A [`Request`] says what to count and by which engine; its methods count, resume, estimate or audit. What it counts
//! is its [subject](Subject): all solutions, the completions of a placement, the solutions that a turn of the board
//! leaves unchanged, or a profile. This example counts the solutions and compares the result with OEIS:
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
//! This example counts in shards. Several machines would do that, or one machine that stops and resumes. A
//! [store](ledger::store) keeps such a ledger in a file:
//!
//! ```
//! use queens::ledger::Ledger;
//! use queens::run::state::RunState;
//! use queens::{Request, Shard, Size};
//! let request = Request::solutions(Size::new(9)?);
//! let mut whole = Ledger::new(request.fingerprint()?, Shard::WHOLE);
//! for shard in ["1/2".parse()?, "2/2".parse()?] {
//!     let state = RunState::new(Ledger::new(request.fingerprint()?, shard));
//!     request.resume(&state)?;
//!     whole.merge(&state.ledger())?;
//! }
//! assert_eq!(whole.total()?.get(), 352);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This example predicts a count before the run ([`Request::estimate`]) and audits it afterwards ([`Request::audit`]):
//!
//! ```
//! use queens::estimate::Sampling;
//! use queens::ledger::Ledger;
//! use queens::run::state::RunState;
//! use queens::{AuditOptions, Request, Shard, Size};
//! let request = Request::solutions(Size::new(9)?);
//! let prediction = request.estimate(&Sampling { samples: 200, ..Sampling::default() })?;
//! println!("{:.0} solutions in {:.3} s", prediction.count.mean, prediction.seconds.mean);
//! let state = RunState::new(Ledger::new(request.fingerprint()?, Shard::WHOLE));
//! request.resume(&state)?;
//! let findings = request.audit(&state.ledger(), &AuditOptions::default())?;
//! assert_eq!(findings.differences().count(), 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
//! | [`Symmetry`], [`Orbit`], [`Fundamental`] | images under turns and reflections, and one solution of each symmetry class |
//! | [`engine`] | the engines and the choice between them |
//! | [`plan`] | how a count is cut into independent weighted tasks |
//! | [`Rotation`], [`Unique`], [`Residue`] | solutions that turns leave unchanged, solutions up to symmetry, and a check by remainders |
//! | [`run`] | a thread pool that counts a plan with an engine; the self-check on small boards; progress, stopping, double checks |
//! | [`ledger`], [`Shard`] | finished units and their tallies: checkpoints, shards, merging |
//! | [`durable`] | files that appear whole or not at all |
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
pub use board::placement::{Placement, PlacementError, Square};
pub use board::rotation::{Rotation, RotationalBoard, RotationalBoardError, UnknownRotation};
pub use board::symmetry::{Orbit, Symmetry};
pub use board::{Size, SizeError};
pub use burnside::{NotDivisible, Residue, Unique};
pub use engine::lanes::{Isa, IsaError};
pub use engine::{Choice, ENGINES, EngineKind, Method, MethodError, UnknownEngine};
pub use ledger::durable;
pub use ledger::shard::{Shard, ShardError, ranges};
pub use oeis::bfile::{BFile, BFileError};
pub use profile::Profile;
pub use request::{Report, Request, count};
pub use run::{CountError, Share, ShareError, Threads, available_threads};
pub use solutions::ranking::{Listed, Ranking};
pub use solutions::{Fundamental, Solutions};
pub use subject::Subject;
