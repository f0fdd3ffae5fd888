//! The origin of a ledger.

/// The origin of a ledger, for people to read; it is never compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The machine's name.
    pub host: String,
    /// Name and version of the program.
    pub program: String,
    /// Seconds of wall time of all runs that added to the ledger.
    pub seconds: f64,
    /// Seconds of processor time of all threads of these runs together. `None` if one run did not record it: on
    /// Windows, or with version 0.1.
    pub cpu_seconds: Option<f64>,
}

impl Default for Origin {
    /// No names, and no time spent.
    fn default() -> Self {
        Self { host: String::new(), program: String::new(), seconds: 0.0, cpu_seconds: Some(0.0) }
    }
}
