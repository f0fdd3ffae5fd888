//! What a command found: told once, as text for people, as plain text for scripts, or as a JSON object; or row by row.

use std::io::IsTerminal;

use serde::{Serialize, Serializer};

use super::args::Json;
use super::failure::Failure;
use super::output::{self, Output};
use super::text::{self, Align};

/// What a command found. Its fields are those of the JSON object.
pub(crate) trait Answer: Serialize {
    /// The command, which the JSON object names first.
    const COMMAND: &'static str;

    /// For people; nothing, if rows have told it.
    fn text(&self) -> String {
        String::new()
    }

    /// For scripts: with `-q`, or unless stdout is a terminal.
    fn plain(&self) -> String {
        self.text()
    }

    /// What is said on stderr beside plain text.
    fn remark(&self) -> Option<String> {
        None
    }

    /// A failure if something is not as it should be. It is told last, and what is wrong is not to stand in the text.
    fn verdict(&self) -> Result<(), Failure> {
        Ok(())
    }
}

/// Prints answers. It is opened before the work, so that a file of `--json=FILE` that cannot be written shows then.
pub(crate) struct Printer {
    json: Option<Output>,
    /// Whether stdout gets the object in place of the text.
    is_alone: bool,
}

impl Printer {
    pub(crate) fn open(json: &Json) -> Result<Self, Failure> {
        let out = json.file.as_ref().map(|file| Output::open(Some(file))).transpose()?;
        Ok(Self { json: out, is_alone: json.file.as_deref().is_some_and(output::is_stdout) })
    }

    /// Prints a line that is found before the end, on stderr if stdout gets the object.
    pub(crate) fn line(&self, line: &str) -> Result<(), Failure> {
        if self.is_alone {
            output::say(line);
            return Ok(());
        }
        output::print(&(text::printable(line) + "\n"))
    }

    /// Begins a table of columns of these widths.
    pub(crate) fn rows<const N: usize>(&self, columns: [(Align, usize); N]) -> Result<Rows<N>, Failure> {
        let out = if self.is_alone { None } else { Some(Output::open(None)?) };
        Ok(Rows { columns, out, is_all: self.json.is_none() })
    }

    /// Prints a table that is known as a whole, of which the reader may have enough after some lines.
    pub(crate) fn table(&self, text: &str) -> Result<(), Failure> {
        self.rows([])?.line(text)
    }

    /// Prints an answer, and writes the object.
    ///
    /// What is wrong with the answer is worse than that it could not be written.
    pub(crate) fn tell<A: Answer>(self, answer: &A) -> Result<(), Failure> {
        let printed = match self.is_alone {
            true => Ok(()),
            false if is_for_people() => output::print(&answer.text()),
            false => {
                output::print(&answer.plain()).map(|()| answer.remark().iter().for_each(|remark| output::note(remark)))
            }
        };
        let written = self.json.map_or(Ok(()), |out| write(answer, out).map_err(Failure::of_whole));
        answer.verdict().and(written).and(printed)
    }
}

/// A table whose rows are printed when they are known, unless stdout gets the JSON object.
pub(crate) struct Rows<const N: usize> {
    columns: [(Align, usize); N],
    out: Option<Output>,
    /// Whether the rows are all that is told: then who closes stdout has enough.
    is_all: bool,
}

impl<const N: usize> Rows<N> {
    pub(crate) fn row(&mut self, cells: &[String; N]) -> Result<(), Failure> {
        self.line(&text::row(&self.columns, cells))
    }

    /// A line of another kind, for example what the table says as a whole.
    pub(crate) fn line(&mut self, line: &str) -> Result<(), Failure> {
        match self.out.as_mut().map_or(Ok(()), |out| out.write(line)) {
            Err(Failure::Closed) if !self.is_all => self.out = None,
            written => written?,
        }
        Ok(())
    }
}

fn write<A: Answer>(answer: &A, mut out: Output) -> Result<(), Failure> {
    let object = Object { command: A::COMMAND, version: env!("CARGO_PKG_VERSION"), answer };
    let object = serde_json::to_string(&object).expect("every answer is an object with names for keys");
    // JSON lets those from U+007F on stand, which its own escape writes as well.
    out.write(&(text::printable(&object) + "\n"))?;
    out.finish()
}

/// Whether a person reads stdout, and not only the numbers in it.
pub(crate) fn is_for_people() -> bool {
    !output::is_quiet() && std::io::stdout().is_terminal()
}

/// What every object begins with, and the fields of the answer.
#[derive(Serialize)]
struct Object<'a, A> {
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
