//! What a count gives: a report, or why there is none.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::board::{Placement, Rotation};
use crate::engine::MethodError;
use crate::engine::lanes::Isa;
use crate::names::ValueError;

/// The result of a count.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// Columns and rows of the board.
    pub n: usize,
    /// The queens with which the solutions begin, if any were given.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub prefix: Option<Placement>,
    /// The turn, if only the solutions that it leaves unchanged were counted.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub symmetry: Option<Rotation>,
    /// The number of solutions; of the units of its shard, if a shard was counted.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_text"))]
    pub count: u128,
    /// The engine, by its name in ledgers.
    pub engine: &'static str,
    /// The instruction set.
    pub isa: Isa,
    /// The number of threads: at most eight for each core.
    pub threads: usize,
    /// Wall time, with the tables, without the plan, the self-checks and starting the threads.
    #[cfg_attr(feature = "serde", serde(rename = "seconds", serialize_with = "seconds"))]
    pub elapsed: Duration,
    /// How long the threads took, side by side, to check themselves before.
    #[cfg_attr(feature = "serde", serde(rename = "check_seconds", serialize_with = "seconds"))]
    pub checked: Duration,
}

/// Why a count was not made, or ended early. In none of these cases is there a wrong number. Here as in all errors of this crate,
/// what an error came from is its source, and no part of its text.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum CountError {
    /// No board has this size, or solutions that a turn leaves unchanged are not counted on it.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// The engine cannot count this board, or not on this processor.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// A thread failed its self-check. The ledger of a run has nothing that it has counted since the last one.
    #[error("self-check failed{}: {found}", core.map_or_else(String::new, |core| format!(" on core {core}")))]
    SelfCheck { core: Option<usize>, found: String },
    /// The threads could not be started.
    #[error("could not start the threads")]
    Threads(#[source] Arc<io::Error>),
    /// It was asked to stop. The ledger of a run has what is finished.
    #[error("stopped before the end")]
    Stopped,
    /// The sum is too large.
    #[error("the count does not fit in 128 bits")]
    Overflow,
}

/// Counts for JSON, where most readers would round them, are strings.
#[cfg(feature = "serde")]
pub(crate) fn as_text<S: serde::Serializer>(number: &impl ToString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&number.to_string())
}

#[cfg(feature = "serde")]
pub(crate) fn all_as_text<S: serde::Serializer>(numbers: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(numbers.iter().map(u64::to_string))
}

/// Times are seconds.
#[cfg(feature = "serde")]
pub(crate) fn seconds<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}
