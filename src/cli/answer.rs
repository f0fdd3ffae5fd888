//! What a command found: told once, as text for people, as plain text for scripts, or as a JSON object; or row by row.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use queens::oeis::Sequence;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::args::Json;
use super::check;
use super::failure::{Failure, worst};
use super::output::{self, Output};
use super::text::{self, Align};

/// A label and a value, if there is one.
pub(crate) type Line = (&'static str, Option<String>);

/// Prints answers. It is opened before the work, so that a file of `--json=FILE` that cannot be written shows then.
pub(crate) struct Printer {
    json: Option<Output>,
    /// Whether stdout gets the object in place of the text.
    pub(crate) is_alone: bool,
}

impl Printer {
    pub(crate) fn open(json: &Json) -> Result<Self, Failure> {
        let out = json.file.as_ref().map(|file| Output::open(Some(file))).transpose()?;
        Ok(Self { json: out, is_alone: json.file.as_deref().is_some_and(output::is_stdout) })
    }

    /// Prints a table of columns of these widths, whose rows `fill` prints as it finds them, and then the object that it
    /// returns.
    pub(crate) fn table<const N: usize>(
        self,
        command: &'static str,
        columns: [(Align, usize); N],
        fill: impl FnOnce(&mut Rows<N>) -> Result<Value, Failure>,
    ) -> Result<(), Failure> {
        // A file of `--json=FILE` needs all rows.
        output::IS_TABLE.store(self.json.is_none(), Ordering::Relaxed);
        let mut rows = Rows { columns, is_alone: self.is_alone, differing: Vec::new() };
        let told = fill(&mut rows).and_then(|object| self.object(command, &object, Ok(())));
        let differing = text::count_of(rows.differing.len() as u64, "result");
        let verdict = |id: &&str| Err(Failure::Wrong(format!("{differing} unlike OEIS {id}")));
        worst([told, rows.differing.first().map_or(Ok(()), verdict)])
    }

    /// Prints a total: with labels for people; for scripts the number alone, and on stderr what it agrees with.
    pub(crate) fn total(&self, number: Option<u128>, check: Option<&String>, lines: Vec<Line>) -> Result<(), Failure> {
        if is_for_people() {
            return self.text(lines);
        }
        if !self.is_alone {
            output::print(&number.map_or_else(String::new, |number| format!("{number}\n")))?;
            if let Some(check) = check {
                output::note(check);
            }
        }
        Ok(())
    }

    /// Prints lines, those that there are.
    pub(crate) fn text(&self, lines: Vec<Line>) -> Result<(), Failure> {
        let lines = lines.into_iter().filter_map(|(label, value)| Some([label.to_owned(), value?]));
        let lines: Vec<[String; 2]> = lines.collect();
        let columns = text::columns(&lines);
        let text: String = lines.iter().map(|line| text::row(&columns, line)).collect();
        if self.is_alone { Ok(()) } else { output::print(&text) }
    }

    /// Writes the object of a command. What was printed may have failed; the object is written all the same.
    pub(crate) fn object(
        self,
        command: &'static str,
        answer: &impl Serialize,
        printed: Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Some(mut out) = self.json else { return printed };
        let object = Object { command, version: env!("CARGO_PKG_VERSION"), answer };
        let object = serde_json::to_string(&object).expect("every answer is an object with names for keys");
        // JSON lets control characters from U+007F on stand, which its own escape writes as well.
        let written = out.write(&(text::printable(&object) + "\n")).and_then(|()| out.finish());
        worst([printed, written.map_err(Failure::of_whole)])
    }
}

/// A table whose rows are printed when they are known, unless stdout gets the JSON object.
pub(crate) struct Rows<const N: usize> {
    columns: [(Align, usize); N],
    pub(crate) is_alone: bool,
    /// The sequence of each result that differs.
    pub(crate) differing: Vec<&'static str>,
}

impl<const N: usize> Rows<N> {
    /// What agrees with a result, in words, nothing if its term is not published. A difference is printed at once, because
    /// the next row may take days, and counted.
    pub(crate) fn compare(&mut self, sequence: &Sequence, n: usize, found: u128) -> Result<Option<String>, ExitCode> {
        check::term(sequence, n, found).map_err(|difference| {
            self.differing.push(sequence.id);
            difference.exit()
        })
    }

    pub(crate) fn row(&self, cells: &[impl AsRef<str>; N]) -> Result<(), Failure> {
        self.write(&text::row(&self.columns, cells))
    }

    /// A line of another kind, for example what the table says as a whole.
    pub(crate) fn line(&self, line: &str) -> Result<(), Failure> {
        self.write(&text::wrapped(line))
    }

    fn write(&self, text: &str) -> Result<(), Failure> {
        let written = if self.is_alone { Ok(()) } else { output::list(text) };
        if output::IS_TABLE.load(Ordering::Relaxed) { written } else { written.map_err(Failure::of_whole) }
    }
}

/// Whether a person reads stdout, and not only the numbers in it.
pub(crate) fn is_for_people() -> bool {
    !output::is_quiet() && std::io::stdout().is_terminal()
}

/// What every object begins with, and the fields of the answer.
#[derive(Serialize)]
struct Object<'a, A: Serialize> {
    command: &'static str,
    version: &'static str,
    #[serde(flatten)]
    answer: &'a A,
}

/// Counts in JSON are text: most readers would round them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Count(pub(crate) u128);

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}
