//! What a command found: told once, as text for people, as numbers for scripts, or as a JSON object.

use std::fmt;
use std::io::IsTerminal;

use anstyle::{AnsiColor, Style};
use queens::Subject;
use serde::Serialize;

use crate::cli::terminal::{
    Failure, JsonOutput,
    json::{SCHEMA, cpu_name, object},
    messages, stdout,
    table::wrapped,
};

/// What a command found. Its fields are those of the JSON object.
pub(crate) trait Answer: Serialize {
    /// Whether the object names the processor; false if the answer is the same on every one.
    const NAMES_PROCESSOR: bool = true;

    /// The name of the command in the object.
    fn command(&self) -> &'static str;

    /// The version of the program and the processor, if they are not those that tell the answer.
    fn found_by(&self) -> Option<(&str, &str)> {
        None
    }

    /// For people, no wider than this.
    fn text(&self, width: usize) -> String;

    /// The numbers alone, for `-q` and unless stdout is a terminal; `None` if the text is for scripts too.
    fn plain(&self) -> Option<String> {
        None
    }

    /// What is said on stderr beside the numbers.
    fn remark(&self) -> Option<String> {
        None
    }

    /// An error if something is not as it should be.
    fn verdict(&self) -> Result<(), Failure> {
        Ok(())
    }
}

/// The form in which an answer is asked for.
#[derive(clap::Args, Debug)]
pub(crate) struct Form {
    #[command(flatten)]
    pub(crate) json: JsonOutput,

    /// Print only the numbers, as if stdout were not a terminal
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl Form {
    /// Of a command without `-q`.
    pub(crate) fn text(json: &JsonOutput) -> Self {
        Self { json: json.clone(), quiet: false }
    }

    /// Whether a person reads the answer, and not only the numbers in it.
    pub(crate) fn is_for_people(&self) -> bool {
        !self.quiet && std::io::stdout().is_terminal()
    }
}

/// What can be told, whatever it is.
pub(crate) trait Tell {
    /// Prints the answer as the form says, and writes the file of `--json=FILE`. What is wrong with the answer is worse than
    /// a result that could not be written.
    fn tell(&self, form: &Form) -> Result<(), Failure>;
}

impl<A: Answer> Tell for A {
    fn tell(&self, form: &Form) -> Result<(), Failure> {
        let numbers = if form.is_for_people() { None } else { self.plain() };
        let delivered = form.json.deliver_text(&json(self), || match numbers {
            None => messages::deliver(&self.text(stdout::width())),
            Some(numbers) => {
                messages::deliver(&numbers)?;
                if !form.quiet && !messages::are_events() {
                    self.remark().iter().for_each(|remark| messages::note(remark));
                }
                Ok(())
            }
        });
        self.verdict().and(delivered)
    }
}

/// What every object begins with, and the fields of the answer.
#[derive(Serialize)]
struct Envelope<'a, A> {
    schema: u32,
    version: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu: Option<String>,
    command: &'static str,
    #[serde(flatten)]
    answer: &'a A,
}

/// The object of an answer, on a line of its own.
pub(crate) fn json<A: Answer>(answer: &A) -> String {
    let (version, cpu) = match answer.found_by() {
        Some((version, cpu)) => (version, Some(cpu.to_owned())),
        None => (env!("CARGO_PKG_VERSION"), A::NAMES_PROCESSOR.then(cpu_name)),
    };
    object(&Envelope { schema: SCHEMA, version, cpu, command: answer.command(), answer })
}

const LABEL: Style = Style::new().dimmed();
const RESULT: Style = AnsiColor::Green.on_default().bold();

/// Lines of a label and a value, for people.
#[derive(Clone, Default)]
pub(crate) struct Rows(Vec<(&'static str, String, Style)>);

impl Rows {
    /// What is counted: the board, and which of its solutions.
    pub(crate) fn of(subject: &Subject) -> Self {
        Self::default()
            .row("N", subject.n())
            .row_some("prefix", subject.prefix())
            .row_some("queens", subject.queens())
            .row_some("unchanged by", subject.rotation().map(|rotation| format!("a {rotation} turn")))
    }

    pub(crate) fn row(mut self, label: &'static str, value: impl fmt::Display) -> Self {
        self.0.push((label, value.to_string(), Style::new()));
        self
    }

    /// A row that is left out if there is nothing to say.
    pub(crate) fn row_some(self, label: &'static str, value: Option<impl fmt::Display>) -> Self {
        match value {
            Some(value) => self.row(label, value),
            None => self,
        }
    }

    /// The most important row, in colour.
    pub(crate) fn result(mut self, label: &'static str, value: impl fmt::Display) -> Self {
        self.0.push((label, value.to_string(), RESULT));
        self
    }

    /// The same, left out if there is nothing to say.
    pub(crate) fn result_some(self, label: &'static str, value: Option<impl fmt::Display>) -> Self {
        match value {
            Some(value) => self.result(label, value),
            None => self,
        }
    }

    /// Those of others, behind its own.
    pub(crate) fn and(mut self, more: Self) -> Self {
        self.0.extend(more.0);
        self
    }

    /// The values aligned, and broken between words where they are too wide.
    pub(crate) fn text(&self, width: usize) -> String {
        use fmt::Write;
        let labels = self.0.iter().map(|row| row.0.len()).max().unwrap_or(0);
        let mut text = String::new();
        for (label, value, style) in &self.0 {
            let room = width.saturating_sub(labels + 2);
            for (index, part) in wrapped(value, room, &[' ']).iter().enumerate() {
                let label = if index == 0 { label } else { "" };
                let _ = writeln!(text, "{LABEL}{label:labels$}{LABEL:#}  {style}{part}{style:#}");
            }
        }
        text
    }
}
