//! What a command has to tell, each fact once: the table for people and the JSON object for programs come from one list.

use std::fmt;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use queens::{Isa, Placement, Rotation, Subject};
use serde::Serialize;

use crate::cli::terminal::{
    json::{SCHEMA, cpu_name, object},
    stdout,
    table::wrapped,
};

const LABEL: Style = Style::new().dimmed();
const RESULT: Style = AnsiColor::Green.on_default().bold();

/// Facts in the order in which they are told: fields for programs, rows of label and value for people.
#[derive(Clone, Default)]
pub(crate) struct Facts {
    /// Each as it is written.
    fields: Vec<String>,
    rows: Vec<(&'static str, String, Style)>,
    text: String,
}

impl Facts {
    /// What the result of a command begins with.
    pub(crate) fn of(command: &'static str) -> Self {
        Self::on(Some(cpu_name()), command)
    }

    /// What the result begins with that is about one board, and the same on every processor.
    pub(crate) fn of_board(command: &'static str, board: &Placement) -> Self {
        Self::on(None, command).with("n", board.size().get()).with("placement", board.to_string())
    }

    fn on(cpu: Option<String>, command: &'static str) -> Self {
        let facts = Self::default().with("schema", SCHEMA).with("version", env!("CARGO_PKG_VERSION"));
        facts.with_some("cpu", cpu).with("command", command)
    }

    /// A line of `--progress json`.
    pub(crate) fn event(event: &'static str) -> Self {
        Self::default().with("schema", SCHEMA).with("event", event)
    }

    /// Those of others, behind its own.
    pub(crate) fn and(mut self, more: Self) -> Self {
        self.fields.extend(more.fields);
        self.rows.extend(more.rows);
        self.text += &more.text;
        self
    }

    /// A field, null where the value is none.
    pub(crate) fn with(mut self, key: &'static str, value: impl Serialize) -> Self {
        let value = object(&value);
        self.fields.push(format!("\"{key}\":{}", value.trim_end()));
        self
    }

    /// A field that is left out where the value is none.
    pub(crate) fn with_some(self, key: &'static str, value: Option<impl Serialize>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// A field with an object for each of these.
    pub(crate) fn list(mut self, key: &'static str, objects: impl IntoIterator<Item = Self>) -> Self {
        let objects = objects.into_iter().map(|facts| facts.json().trim_end().to_owned());
        self.fields.push(format!("\"{key}\":[{}]", objects.collect::<Vec<_>>().join(",")));
        self
    }

    /// A row.
    pub(crate) fn row(mut self, label: &'static str, text: impl fmt::Display) -> Self {
        self.rows.push((label, text.to_string(), Style::new()));
        self
    }

    /// A row that is left out where there is nothing to say.
    pub(crate) fn row_some(self, label: &'static str, text: Option<impl fmt::Display>) -> Self {
        match text {
            Some(text) => self.row(label, text),
            None => self,
        }
    }

    /// The most important row, in colour.
    pub(crate) fn result(mut self, label: &'static str, text: impl fmt::Display) -> Self {
        self.rows.push((label, text.to_string(), RESULT));
        self
    }

    /// A field and a row that say the same in the same words.
    pub(crate) fn fact(self, key: &'static str, label: &'static str, value: impl Serialize + fmt::Display) -> Self {
        let text = value.to_string();
        self.with(key, value).row(label, text)
    }

    /// Lines behind the rows, as they are.
    pub(crate) fn text(mut self, text: &str) -> Self {
        self.text += text;
        self
    }

    /// What is counted: the board, and which of its solutions.
    pub(crate) fn subject(self, subject: &Subject) -> Self {
        let (prefix, rotation) = (subject.prefix().map(|prefix| prefix.to_string()), subject.rotation());
        self.fact("n", "N", subject.n())
            .with("prefix", &prefix)
            .row_some("prefix", prefix)
            .with_some("symmetry", rotation.map(Rotation::name))
            .row_some("unchanged by", rotation.map(|rotation| format!("a {rotation} turn")))
    }

    /// What counted.
    pub(crate) fn counted_by(self, engine: &str, isa: Isa, threads: usize) -> Self {
        self.row("engine", format!("{engine}, {isa}")).row("threads", threads).by(Some(engine), isa, threads)
    }

    /// The same as fields alone.
    pub(crate) fn by(self, engine: Option<&str>, isa: Isa, threads: usize) -> Self {
        self.with_some("engine", engine).with("isa", isa.name()).with("threads", threads)
    }

    /// The object, on a line of its own.
    pub(crate) fn json(&self) -> String {
        format!("{{{}}}\n", self.fields.join(","))
    }

    /// Lines of label and value, the values aligned, and broken where the terminal is narrow.
    pub(crate) fn table(&self) -> String {
        let width = self.rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
        let mut text = String::new();
        for (label, value, style) in &self.rows {
            let room = stdout::width().saturating_sub(width + 2);
            for (index, part) in wrapped(value, room, &[' ']).iter().enumerate() {
                let label = if index == 0 { label } else { "" };
                let _ = writeln!(text, "{LABEL}{label:width$}{LABEL:#}  {style}{part}{style:#}");
            }
        }
        text + &self.text
    }
}
