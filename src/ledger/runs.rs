//! The runs that made a ledger.

use std::time::{Duration, SystemTime};

/// The record of a run that added to a ledger, for people to read: no count depends on it. `None` means unknown. The
/// greater of two records of one run is the later.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunRecord {
    /// When the run began, in seconds since 1970. With the host it identifies the run, so that a run in two ledgers
    /// counts once when they are merged. It has nine decimals, because a batch system starts several shards in one
    /// second on one machine; the last three are random, because clocks can stand still.
    pub begun: Option<String>,
    /// Wall time. Files have wall and processor time to the millisecond.
    pub elapsed: Duration,
    /// When the run last saved the ledger, in seconds since 1970.
    pub saved: Option<u32>,
    /// The processor time of all threads together; unknown on Windows.
    pub cpu_time: Option<Duration>,
    /// The number of units that the run finished.
    pub units: Option<u64>,
    /// Name and version of the program.
    pub program: Option<String>,
    /// The machine's name.
    pub host: Option<String>,
    /// The name of its processor.
    pub processor: Option<String>,
}

impl RunRecord {
    /// The record of a run that begins now, of this version on this machine.
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

    /// The fields that all records of one run share. A record without a beginning is identified by all its fields.
    pub(super) fn identity(&self) -> Self {
        let Self { begun, host, .. } = self.clone();
        if begun.is_some() { Self { begun, host, ..Self::default() } } else { self.clone() }
    }
}
