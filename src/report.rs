//! The result of a count: a report or an error.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::board::{Placement, Rotation};
use crate::engine::lanes::Isa;
use crate::names::ValueError;
use crate::plan::{EngineKind, HalvesPlan};

/// The result of a count.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// Columns and rows of the board.
    pub n: usize,
    /// The given queens with which all solutions begin, if any.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub prefix: Option<Placement>,
    /// The rotation, if only the solutions that it leaves unchanged were counted.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub symmetry: Option<Rotation>,
    /// The number of solutions or, for a shard, its subtotal.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_text"))]
    pub count: u128,
    /// The engine, by its name in ledgers.
    pub engine: &'static str,
    /// The instruction set.
    pub isa: Isa,
    /// The number of threads: at most eight per core.
    pub threads: usize,
    /// Wall time, which includes making tables, but not the plan, the start of the threads or the first self-checks.
    #[cfg_attr(feature = "serde", serde(rename = "seconds", serialize_with = "seconds"))]
    pub elapsed: Duration,
    /// Wall time of the first self-checks, which run in parallel.
    #[cfg_attr(feature = "serde", serde(rename = "check_seconds", serialize_with = "seconds"))]
    pub checked: Duration,
}

/// Why a count is impossible, failed or ended early. As in all errors of this crate, the message leaves the cause to
/// `source()`.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum CountError {
    /// No board has this size, or the symmetric solutions of this size cannot be counted.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// The join counts only whole boards, which it halves.
    #[error("the join engine counts whole boards of N = {} to {}, without fixed queens", HalvesPlan::SIZES.start(), HalvesPlan::SIZES.end())]
    NotForJoin,
    /// The naive engine exists only in portable code.
    #[error("the {0} engine runs on any processor and has no {1} version")]
    OnlyPortable(EngineKind, Isa),
    /// The processor lacks the instruction set.
    #[error("this processor has no {0}; it has {has}", has = Isa::available().map(|isa| isa.to_string()).collect::<Vec<_>>().join(", "))]
    Missing(Isa),
    /// A thread failed its self-check. Its results since its last check are not in the run's ledger.
    #[error("self-check failed{}: {found}", core.map_or_else(String::new, |core| format!(" on core {core}")))]
    SelfCheck { core: Option<usize>, found: String },
    /// The threads could not be started.
    #[error("could not start the threads")]
    Threads(#[source] Arc<io::Error>),
    /// The count was stopped. The run's ledger has all finished tasks.
    #[error("stopped before the end")]
    Stopped,
    /// The sum exceeds 128 bits.
    #[error("the count does not fit in 128 bits")]
    Overflow,
}

/// Counts are strings in JSON, because most readers of JSON would round large numbers.
#[cfg(feature = "serde")]
pub(crate) fn as_text<S: serde::Serializer>(number: &impl ToString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&number.to_string())
}

#[cfg(feature = "serde")]
pub(crate) fn all_as_text<S: serde::Serializer>(numbers: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(numbers.iter().map(u64::to_string))
}

/// Times are numbers of seconds.
#[cfg(feature = "serde")]
pub(crate) fn seconds<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}
