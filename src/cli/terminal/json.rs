//! Results as JSON objects, and what every one of them says of the program and the machine.

use std::io::{self, Write};

use queens::Isa;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter};

/// Grows where a field of a JSON object changes its meaning or goes; new fields leave it.
pub(crate) const SCHEMA: u32 = 1;
/// Name and version, as in the ledgers.
pub(crate) const PROGRAM: &str = concat!("queens ", env!("CARGO_PKG_VERSION"));

/// One JSON object on a line of its own.
pub(crate) fn json(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Readable))?;
    writeln!(out)
}

/// The same as text.
pub(crate) fn object(value: &impl Serialize) -> io::Result<String> {
    let mut text = Vec::new();
    json(&mut text, value)?;
    Ok(String::from_utf8(text).expect("JSON is UTF-8"))
}

/// JSON in ASCII alone, so that no name in it does anything to a terminal, with numbers to twelve digits: more of them would
/// be noise of the arithmetic.
struct Readable;

impl Formatter for Readable {
    fn write_f64<W: Write + ?Sized>(&mut self, out: &mut W, value: f64) -> io::Result<()> {
        let rounded = format!("{value:.11e}").parse().expect("a number reads back");
        CompactFormatter.write_f64(out, rounded)
    }

    fn write_string_fragment<W: Write + ?Sized>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        fragment.chars().try_for_each(|c| {
            if c.is_ascii() {
                write!(out, "{c}")
            } else {
                c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}"))
            }
        })
    }
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

/// The fields of a JSON object, each as it is written, in the order in which they were given.
#[derive(Clone, Default)]
pub(crate) struct Object(Vec<String>);

impl Object {
    /// What the result of every command begins with.
    pub(crate) fn of(command: &'static str) -> Self {
        let About { schema, version, cpu } = About::here();
        Self(Vec::new()).with("schema", schema).with("version", version).with("cpu", cpu).with("command", command)
    }

    /// The same for a board of `n` columns.
    pub(crate) fn of_board(command: &'static str, n: usize) -> Self {
        Self::of(command).with("n", n)
    }

    /// A line of `--progress json`.
    pub(crate) fn event(event: &'static str) -> Self {
        Self(Vec::new()).with("schema", SCHEMA).with("event", event)
    }

    /// The fields of another one, behind its own.
    pub(crate) fn and(mut self, more: Self) -> Self {
        self.0.extend(more.0);
        self
    }

    /// Null where the value is none.
    pub(crate) fn with(mut self, name: &'static str, value: impl Serialize) -> Self {
        let value = object(&value).expect("the values of a result have a form in JSON");
        self.0.push(format!("\"{name}\":{}", value.trim_end()));
        self
    }

    /// Left out where the value is none.
    pub(crate) fn with_some(self, name: &'static str, value: Option<impl Serialize>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// By what it was found.
    pub(crate) fn by(self, engine: Option<&str>, isa: Isa, threads: usize) -> Self {
        self.with_some("engine", engine).with("isa", isa.name()).with("threads", threads)
    }

    /// The object, on a line of its own.
    pub(crate) fn line(&self) -> String {
        format!("{{{}}}\n", self.0.join(","))
    }
}

/// The processor's name as it gives it, empty where it does not.
fn cpu_name() -> String {
    use sysinfo::{CpuRefreshKind, RefreshKind, System};
    let system = System::new_with_specifics(RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing()));
    let name = |system: System| system.cpus().first().map(|cpu| cpu.brand().trim().to_owned());
    system.ok().and_then(name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_readable_everywhere() {
        let sum = 0.1 + 0.2;
        assert_ne!(sum.to_string(), "0.3");
        let values = (sum, 1.648_999_999_999_999_8, [0.0, 1e-7, 2.5e18, f64::INFINITY], "90° 𝄞\n\"");
        let text = r#"[0.3,1.649,[0.0,1e-7,2.5e+18,null],"90\u00b0 \ud834\udd1e\n\""]"#;
        assert_eq!(object(&values).unwrap(), format!("{text}\n"));
        assert_eq!(serde_json::from_str::<serde_json::Value>(text).unwrap()[3], values.3);
    }
}
