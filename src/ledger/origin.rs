//! Where a ledger comes from.

/// Where a ledger comes from: for people, never compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The machine's name.
    pub host: String,
    /// Name and version of the program.
    pub program: String,
    /// Seconds of wall time spent, over every run that added to it.
    pub seconds: f64,
    /// Seconds of processor time that all threads of these runs spent together. `None` where one of them could not tell:
    /// on Windows, or by version 0.1.
    pub cpu_seconds: Option<f64>,
}

impl Default for Origin {
    /// From nowhere, and nothing spent.
    fn default() -> Self {
        Self { host: String::new(), program: String::new(), seconds: 0.0, cpu_seconds: Some(0.0) }
    }
}
