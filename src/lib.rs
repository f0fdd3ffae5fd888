//! Counts, checks and shows the solutions of the N-queens problem: N queens on an N×N board, none attacking another
//! (OEIS [A000170](https://oeis.org/A000170)).
//!
//! ```
//! assert_eq!(queens::count(8)?, 92);
//! # Ok::<(), queens::CountError>(())
//! ```
//!
//! A [`Request`] says what is to be counted and by what, and then what becomes of it. What is counted is a
//! [subject](Subject): all solutions, the completions of a placement, what a turn of the board leaves unchanged, or a
//! profile. Counted and held against OEIS:
//!
//! ```
//! use queens::{Request, Size, oeis};
//! let report = Request::solutions(Size::new(10)?).threads(2).count()?;
//! assert_eq!(Some(report.count), oeis::QUEENS.term(10));
//! println!("{} by {} in {:?}", report.count, report.engine, report.elapsed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Listed, from a placement on:
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
//! In shards, as several machines would do it, or as one that stops and goes on; a [store](ledger::store) keeps the ledger
//! in a file:
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
//! Predicted before, and audited after ([`Request::estimate`], [`Request::audit`]):
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
//! One idea runs through it: *an engine is a pure function from a task to a count*, and everything else acts on one
//! deterministic list of weighted tasks, the *plan*.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`Request`], [`Report`], [`Subject`] | what is counted, by what, and what comes of it |
//! | [`Size`], [`Placement`] | boards and queens: reading, printing, checking |
//! | [`Solutions`] | the solutions themselves, one after another |
//! | [`Ranking`] | the k-th solution without walking there |
//! | [`Symmetry`], [`Orbit`], [`Fundamental`] | images under turns and reflections, one of each class |
//! | [`engine`] | the engines and the choice between them |
//! | [`plan`] | how a count is cut into independent weighted tasks |
//! | [`Rotation`], [`Unique`], [`Residue`] | solutions that turns leave unchanged, solutions up to symmetry, and a check |
//! | [`run`] | a plan, an engine and a thread pool make a sum; the self-check on small boards; progress, stopping, double checks |
//! | [`ledger`], [`Shard`] | finished units and their tallies: checkpoints, shards, merging |
//! | [`durable`] | files that appear whole or not at all |
//! | [`tally`] | sums that cannot wrap |
//! | [`oeis`], [`BFile`] | published terms to compare with |
//! | [`estimate`] | the count and the time predicted from random samples |
//! | [`mod@bench`] | the engines timed |
//! | [`verify`] | recomputed terms held against them |
//! | [`AuditOptions`], [`Findings`] | random units and tasks of a ledger recounted |
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
pub use ledger::shard::{Shard, ShardError, ranges};
pub use ledger::{bounded, durable};
pub use oeis::bfile::{BFile, BFileError};
pub use request::{Report, Request, count};
pub use run::{CountError, Share, ShareError, Threads, available_threads};
pub use solutions::ranking::{Listed, Ranking};
pub use solutions::{Fundamental, Solutions};
pub use subject::Subject;
