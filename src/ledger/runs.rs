//! The runs that made a ledger, for people to read: nothing that is counted depends on them.

use std::time::Duration;

use super::lock::host;

/// A run of the program that added to a ledger. `None` stands for what is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RunRecord {
    /// A random number: a run that is in two ledgers counts once when they are merged.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub id: u64,
    /// The machine's name.
    pub host: Option<String>,
    /// The name of its processor.
    pub processor: Option<String>,
    /// Name and version of the program.
    pub program: Option<String>,
    /// Its wall time. Files have it in milliseconds.
    #[cfg_attr(feature = "serde", serde(rename = "seconds", serialize_with = "seconds"))]
    pub elapsed: Duration,
    /// The processor time of all its threads together; unknown on Windows.
    #[cfg_attr(feature = "serde", serde(rename = "cpu_seconds", serialize_with = "seconds_if_known"))]
    pub cpu_time: Option<Duration>,
    /// When it saved the ledger last, in seconds since 1970.
    pub saved: Option<u64>,
    /// The tasks that it counted twice, those of earlier runs included.
    #[cfg_attr(feature = "serde", serde(rename = "double_checked_tasks"))]
    pub double_checked: Option<u64>,
    /// How many of them had two different tallies. The first one ends the run.
    pub differed: Option<u64>,
}

impl RunRecord {
    /// The record of a run of this version on this machine that is about to begin.
    pub(super) fn begin(processor: Option<String>) -> Self {
        Self {
            id: fastrand::u64(..),
            host: Some(host()),
            processor,
            program: Some(concat!("queens ", env!("CARGO_PKG_VERSION")).to_owned()),
            elapsed: Duration::ZERO,
            cpu_time: Some(Duration::ZERO),
            saved: None,
            double_checked: Some(0),
            differed: Some(0),
        }
    }
}

#[cfg(feature = "serde")]
pub(crate) fn seconds<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

#[cfg(feature = "serde")]
#[expect(clippy::ref_option, reason = "serde gives it so")]
pub(crate) fn seconds_if_known<S: serde::Serializer>(
    time: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&time.map(|time| time.as_secs_f64()), serializer)
}
