//! What a command has to tell, each fact once: the table for people and the JSON object for programs come from one list.

use std::fmt;

use queens::{Rotation, Subject};
use serde::Serialize;

use crate::cli::terminal::{
    Rows,
    json::{SCHEMA, cpu_name, object},
    stdout,
};

/// Facts in the order in which they are told: fields for programs, rows of label and value for people.
#[derive(Clone, Default)]
pub(crate) struct Facts {
    /// Each as it is written.
    fields: Vec<String>,
    rows: Rows,
    text: String,
}

impl Facts {
    /// What the result of a command begins with.
    pub(crate) fn of(command: &'static str) -> Self {
        let facts = Self::default().with("schema", SCHEMA).with("version", env!("CARGO_PKG_VERSION"));
        facts.with("cpu", cpu_name()).with("command", command)
    }

    /// Those of others, behind its own.
    pub(crate) fn and(mut self, more: Self) -> Self {
        self.fields.extend(more.fields);
        self.rows = self.rows.and(more.rows);
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
    pub(crate) fn row(self, label: &'static str, text: impl fmt::Display) -> Self {
        Self { rows: self.rows.row(label, text), ..self }
    }

    /// A row that is left out where there is nothing to say.
    pub(crate) fn row_some(self, label: &'static str, text: Option<impl fmt::Display>) -> Self {
        Self { rows: self.rows.row_some(label, text), ..self }
    }

    /// The most important row, in colour.
    pub(crate) fn result(self, label: &'static str, text: impl fmt::Display) -> Self {
        Self { rows: self.rows.result(label, text), ..self }
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
        let facts = self.with("n", subject.n()).with("prefix", subject.prefix());
        let facts = facts.with_some("symmetry", subject.rotation().map(Rotation::name));
        Self { rows: facts.rows.and(Rows::of(subject)), ..facts }
    }

    /// The object, on a line of its own.
    pub(crate) fn json(&self) -> String {
        format!("{{{}}}\n", self.fields.join(","))
    }

    /// The rows, and the lines behind them.
    pub(crate) fn table(&self) -> String {
        self.rows.text(stdout::width()) + &self.text
    }
}
