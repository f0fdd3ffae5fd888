//! Results as JSON objects, and what every one of them says of the program and the machine.

use std::io::{self, Write};

use serde::Serialize;

/// Grows where a field of a JSON object changes its meaning or goes; new fields leave it.
pub(crate) const SCHEMA: u32 = 1;
/// Name and version, as in the ledgers.
pub(crate) const PROGRAM: &str = concat!("queens ", env!("CARGO_PKG_VERSION"));

/// One JSON object on a line of its own.
pub(crate) fn json(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}

/// The same as text.
pub(crate) fn object(value: &impl Serialize) -> io::Result<String> {
    let mut text = Vec::new();
    json(&mut text, value)?;
    Ok(String::from_utf8(text).expect("JSON is UTF-8"))
}

/// What every JSON object says of the program and the machine.
#[derive(Serialize)]
pub(crate) struct About {
    schema: u32,
    version: &'static str,
    pub(crate) cpu: String,
}

impl About {
    pub(crate) fn here() -> Self {
        Self { schema: SCHEMA, version: env!("CARGO_PKG_VERSION"), cpu: cpu_name() }
    }
}

/// The processor's name as it gives it, empty where it does not.
fn cpu_name() -> String {
    use sysinfo::{CpuRefreshKind, RefreshKind, System};
    let system = System::new_with_specifics(RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing()));
    let name = |system: System| system.cpus().first().map(|cpu| cpu.brand().trim().to_owned());
    system.ok().and_then(name).unwrap_or_default()
}
