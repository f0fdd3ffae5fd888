//! What a command found: told once, as text for people, as plain text for scripts, or as a JSON object.

use std::io::IsTerminal;

use serde::{Serialize, Serializer};

use super::args::Json;
use super::failure::Failure;
use super::output::{self, Output};

/// What a command found. Its fields are those of the JSON object.
pub(crate) trait Answer: Serialize {
    /// The command, which the JSON object names first.
    const COMMAND: &'static str;

    /// For people.
    fn text(&self) -> String;

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

/// Prints an answer and writes the file of `--json=FILE`.
///
/// What is wrong with the answer is worse than that it could not be written.
pub(crate) fn tell<A: Answer>(answer: &A, json: &Json) -> Result<(), Failure> {
    let printed = match json.is_alone() {
        true => Ok(()),
        false if is_for_people() => output::print(&answer.text()),
        false => {
            output::print(&answer.plain()).map(|()| answer.remark().iter().for_each(|remark| output::note(remark)))
        }
    };
    let written = json.write(answer);
    answer.verdict().and(written).and(printed)
}

/// Whether a person reads stdout, and not only the numbers in it.
pub(crate) fn is_for_people() -> bool {
    !output::is_quiet() && std::io::stdout().is_terminal()
}

impl Json {
    /// Whether stdout gets the object in place of the text.
    pub(crate) fn is_alone(&self) -> bool {
        self.file.as_deref().is_some_and(output::is_stdout)
    }

    fn write<A: Answer>(&self, answer: &A) -> Result<(), Failure> {
        let Some(file) = &self.file else { return Ok(()) };
        let object = Object { command: A::COMMAND, version: env!("CARGO_PKG_VERSION"), answer };
        let object = serde_json::to_string(&object).expect("every answer is an object with names for keys");
        let mut out = Output::open(Some(file))?;
        out.write(&format!("{object}\n"))?;
        out.finish()
    }
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
