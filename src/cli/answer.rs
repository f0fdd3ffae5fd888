//! The result of a command: text for people, plain text for scripts or a JSON object, at once or row by row.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use queens::oeis::Sequence;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::args::Json;
use super::check;
use super::failure::{Failure, Result, report_lesser};
use super::output::{self, Output};
use super::text::{self, Align};

/// A label and a value, if there is one.
pub(crate) type Line = (&'static str, Option<String>);

/// Prints answers. Opened before the work, so that an unwritable `--json=FILE` fails early.
pub(crate) struct Printer {
    json: Option<Output>,
    /// Whether stdout gets the JSON object instead of the text.
    pub(crate) is_json_only: bool,
}

impl Printer {
    pub(crate) fn open(json: &Json) -> Result<Self> {
        let out = json.file.as_ref().map(|file| Output::open(Some(file))).transpose()?;
        Ok(Self { json: out, is_json_only: json.file.as_deref().is_some_and(output::is_stdout) })
    }

    /// Prints a table, whose rows `fill` prints one by one, and then the JSON object that `fill` returns.
    pub(crate) fn table<const N: usize>(
        self,
        command: &'static str,
        columns: [(Align, usize); N],
        fill: impl FnOnce(&mut Rows<N>) -> Result<Value>,
    ) -> Result {
        // With `--json=FILE` a closed stdout does not end the work, because the file needs all rows.
        output::IS_TABLE.store(self.json.is_none(), Ordering::Relaxed);
        let mut rows = Rows { columns, is_json_only: self.is_json_only, differing: Vec::new() };
        let printed = fill(&mut rows).and_then(|object| self.object(command, &object, Ok(())));
        let differing = text::count_of(rows.differing.len() as u64, "result");
        let verdict = |id: &&str| Err(Failure::Wrong(format!("disagreement with OEIS {id} in {differing}")));
        report_lesser([printed, rows.differing.first().map_or(Ok(()), verdict)])
    }

    /// Prints a total: for people with labels; for scripts the number alone, with the check on stderr.
    pub(crate) fn total(&self, number: Option<u128>, check: Option<&String>, lines: Vec<Line>) -> Result {
        if is_for_people() {
            return self.text(lines);
        }
        if !self.is_json_only {
            output::print(&number.map_or_else(String::new, |number| format!("{number}\n")))?;
            if let Some(check) = check {
                output::note(check);
            }
        }
        Ok(())
    }

    /// Prints the lines that have a value.
    pub(crate) fn text(&self, lines: Vec<Line>) -> Result {
        let lines: Vec<_> = lines.into_iter().filter_map(|(label, value)| Some([label.to_owned(), value?])).collect();
        let columns = text::columns(&lines);
        let text: String = lines.iter().map(|line| text::row(&columns, line)).collect();
        if self.is_json_only { Ok(()) } else { output::print(&text) }
    }

    /// Writes the JSON object, even if printing the text failed.
    pub(crate) fn object(self, command: &'static str, answer: &impl Serialize, printed: Result) -> Result {
        let Some(mut out) = self.json else { return printed };
        let object = Object { command, version: env!("CARGO_PKG_VERSION"), answer };
        let object = serde_json::to_string(&object).expect("every answer is an object with names for keys");
        // JSON leaves U+007F to U+009F unescaped; they are escaped too, so that no terminal gets them.
        let written = out.write(&(text::printable(&object) + "\n")).and_then(|()| out.finish());
        report_lesser([printed, written.map_err(Failure::require_full_output)])
    }
}

/// A table whose rows are printed one by one, unless stdout gets the JSON object.
pub(crate) struct Rows<const N: usize> {
    columns: [(Align, usize); N],
    pub(crate) is_json_only: bool,
    /// The OEIS number of each result that differs.
    pub(crate) differing: Vec<&'static str>,
}

impl<const N: usize> Rows<N> {
    /// Calls [`check::compare`]. A difference is counted, and printed at once, because the next row may take days.
    pub(crate) fn compare(&mut self, sequence: &Sequence, n: usize, count: u128) -> Result<Option<String>, ExitCode> {
        check::compare(sequence, n, count).map_err(|difference| {
            self.differing.push(sequence.id);
            difference.exit()
        })
    }

    pub(crate) fn row(&self, cells: &[impl AsRef<str>; N]) -> Result {
        self.write(&text::row(&self.columns, cells))
    }

    /// Prints a line below or above the rows, for example a summary.
    pub(crate) fn line(&self, line: &str) -> Result {
        self.write(&text::wrapped(line))
    }

    fn write(&self, text: &str) -> Result {
        let written = if self.is_json_only { Ok(()) } else { output::list(text) };
        if output::IS_TABLE.load(Ordering::Relaxed) { written } else { written.map_err(Failure::require_full_output) }
    }
}

/// Whether a person reads stdout: a terminal, without `-q`.
pub(crate) fn is_for_people() -> bool {
    !output::is_quiet() && std::io::stdout().is_terminal()
}

/// A JSON object: its common first fields, followed by the fields of the answer.
#[derive(Serialize)]
struct Object<'a, A: Serialize> {
    command: &'static str,
    version: &'static str,
    #[serde(flatten)]
    answer: &'a A,
}

/// A count, in JSON a string, because most readers would round a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Count(pub(crate) u128);

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}
