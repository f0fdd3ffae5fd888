//! Results as JSON objects, and `--json`, the same for every command: the object in place of the text, or in a file beside it.

use std::io::{self, Write};
use std::sync::LazyLock;

use clap::Args;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter};

use crate::cli::terminal::{Failure, OutputPath, file_format, messages};

/// Grows where a field of a JSON object changes its meaning or goes; new fields leave it.
pub(crate) const SCHEMA: u32 = 1;

/// One JSON object on a line of its own.
pub(crate) fn object(value: &impl Serialize) -> String {
    let mut text = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut text, Readable));
    written.expect("every result has a form in JSON");
    text.push(b'\n');
    String::from_utf8(text).expect("JSON is UTF-8")
}

/// An event of `--progress json`, with these fields.
pub(crate) fn event(event: &'static str, fields: impl Serialize) -> String {
    #[derive(Serialize)]
    struct Line<T> {
        schema: u32,
        event: &'static str,
        #[serde(flatten)]
        fields: T,
    }
    object(&Line { schema: SCHEMA, event, fields })
}

/// JSON in ASCII alone, so that no name in it does anything to a terminal, with numbers to twelve digits: more of them would
/// be noise of the arithmetic. Counts are strings of their digits, which most readers would round.
struct Readable;

impl Formatter for Readable {
    fn write_u128<W: Write + ?Sized>(&mut self, out: &mut W, count: u128) -> io::Result<()> {
        write!(out, "\"{count}\"")
    }

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

/// The processor's name as it gives it, empty where it does not.
pub(crate) fn cpu_name() -> String {
    use sysinfo::{CpuRefreshKind, RefreshKind, System};
    /// A count asks twice, and the system needs some time to answer.
    static NAME: LazyLock<String> = LazyLock::new(|| {
        let system = System::new_with_specifics(RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing()));
        system.cpus().first().map_or_else(String::new, |cpu| cpu.brand().trim().to_owned())
    });
    NAME.clone()
}

#[derive(Args, Clone, Debug, Default)]
pub(crate) struct JsonOutput {
    /// Print one JSON object instead of text; with =FILE, write it to that file and print the text as well
    #[arg(
        long = "json",
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "-",
        value_parser = OutputPath::with(file_format::JSON)
    )]
    json: Option<OutputPath>,
}

impl JsonOutput {
    pub(crate) fn path(&self) -> Option<&OutputPath> {
        self.json.as_ref()
    }

    /// Whether stdout gets the object in place of the text.
    pub(crate) fn is_alone(&self) -> bool {
        self.path().is_some_and(OutputPath::is_stdout)
    }

    /// Prints the object, or else the text, and then writes the file: what cannot be written has been shown at least.
    pub(crate) fn deliver_text(&self, object: &str, text: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
        if self.is_alone() {
            return messages::deliver(object);
        }
        let (printed, saved) = (text(), self.save(object));
        // A file that could not be written is worse than a reader who has enough.
        saved.and(printed)
    }

    /// Writes the file, where one is asked for.
    pub(crate) fn save(&self, object: &str) -> Result<(), Failure> {
        self.path().map_or(Ok(()), |path| path.save(object.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_readable_everywhere() {
        let sum = 0.1 + 0.2;
        assert_ne!(sum.to_string(), "0.3");
        let values = (sum, 1.648_999_999_999_999_8, [0.0, 1e-7, 2.5e18, f64::INFINITY], "90° 𝄞\n\"", u128::MAX);
        let digits = "340282366920938463463374607431768211455";
        let text = format!(r#"[0.3,1.649,[0.0,1e-7,2.5e+18,null],"90\u00b0 \ud834\udd1e\n\"","{digits}"]"#);
        assert_eq!(object(&values), format!("{text}\n"));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap()[3], values.3);
    }
}
