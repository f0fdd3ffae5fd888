//! The runs that made a ledger, for people to read: nothing that is counted depends on them.

use std::time::Duration;

use super::lock::host;

/// A run of the program that added to a ledger. `None` stands for what is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunRecord {
    /// A random number: a run that is in two ledgers counts once when they are merged.
    pub id: u64,
    /// The machine's name.
    pub host: Option<String>,
    /// The name of its processor.
    pub processor: Option<String>,
    /// Name and version of the program.
    pub program: Option<String>,
    /// Its wall time. Files have it in milliseconds.
    pub elapsed: Duration,
    /// The processor time of all its threads together; unknown on Windows.
    pub cpu_time: Option<Duration>,
    /// When it saved the ledger last, in seconds since 1970.
    pub saved: Option<u64>,
    /// The tasks that it counted twice, those of earlier runs included.
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
