//! The origin of a ledger.

use std::time::Duration;

/// The origin of a ledger, for people to read; it is never compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The machine's name.
    pub host: String,
    /// Name and version of the program.
    pub program: String,
    /// The wall time of all runs that added to the ledger. Files have it in milliseconds.
    pub elapsed: Duration,
    /// The processor time of all threads of these runs together. `None` if one run did not record it: on Windows, or
    /// with version 0.1.
    pub cpu_time: Option<Duration>,
}

impl Default for Origin {
    /// No names, and no time spent.
    fn default() -> Self {
        Self { host: String::new(), program: String::new(), elapsed: Duration::ZERO, cpu_time: Some(Duration::ZERO) }
    }
}
