//! The runs that made a ledger.

use std::time::{Duration, SystemTime};

/// A run of the program that added to a ledger, for people to read: nothing that is counted depends on it. `None` stands for
/// what a file does not know. Of two records of one run the greater one is the later.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunRecord {
    /// When it began, in seconds since 1970. With the host it identifies the run: a run that is in two ledgers counts once
    /// when they are merged. It has nine decimals because the shards that a batch system starts on one machine begin in the
    /// same second, and the last three are random because clocks stand still; it is text because nobody calculates with it.
    pub begun: Option<String>,
    /// Its wall time. Files have it, and the processor time, to the millisecond.
    pub elapsed: Duration,
    /// When it saved the ledger last, in seconds since 1970.
    pub saved: Option<u32>,
    /// The processor time of all its threads together; unknown on Windows.
    pub cpu_time: Option<Duration>,
    /// The units that it finished.
    pub units: Option<u64>,
    /// Name and version of the program.
    pub program: Option<String>,
    /// The machine's name.
    pub host: Option<String>,
    /// The name of its processor.
    pub processor: Option<String>,
}

impl RunRecord {
    /// The record of a run of this version on this machine that begins now.
    pub(super) fn begin() -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let begun = Some(format!("{}.{:06}{:03}", now.as_secs(), now.subsec_micros(), fastrand::u16(..1000)));
        let program = Some(concat!("queens ", env!("CARGO_PKG_VERSION")).to_owned());
        #[cfg(unix)]
        let host = Some(rustix::system::uname().nodename().to_string_lossy().into_owned());
        #[cfg(not(unix))]
        let host = std::env::var("COMPUTERNAME").ok();
        Self { begun, program, host, ..Self::default() }
    }

    /// What it has in common with all records of its run. A run that does not know when it began is known by all else.
    pub(super) fn identity(&self) -> Self {
        let Self { begun, host, .. } = self.clone();
        if begun.is_some() { Self { begun, host, ..Self::default() } } else { self.clone() }
    }
}
