//! `--json`, the same for every command: the object in place of the text, or in a file beside it.

use std::path::{Path, PathBuf};

use clap::Args;
use queens::ledger::store;

use crate::cli::terminal::{Exit, Facts, Failure, escape, file_format, files, messages};

#[derive(Args, Debug, Default)]
pub(crate) struct JsonOutput {
    /// Print one JSON object instead of text; with =FILE, write it to that file and print the text as well
    #[arg(long = "json", value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    json: Option<PathBuf>,
}

impl JsonOutput {
    pub(crate) fn path(&self) -> Option<&Path> {
        self.json.as_deref()
    }

    /// Whether stdout gets the object in place of the text.
    pub(crate) fn is_alone(&self) -> bool {
        self.path().is_some_and(files::is_stdout)
    }

    /// Fails where the file could not be written, so that the error comes before the work.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let Some(path) = self.path() else { return Ok(()) };
        file_format::require("--json[=<FILE>]", path, file_format::JSON)?;
        keep_ledgers(path)?;
        files::try_out(path)
    }

    /// Prints the object, or else the table, and then writes the file.
    pub(crate) fn deliver(&self, facts: &Facts) -> Result<(), Failure> {
        self.deliver_text(&facts.json(), || messages::deliver(&facts.table()))
    }

    /// The same with another text: what cannot be written has been shown at least.
    pub(crate) fn deliver_text(&self, object: &str, text: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
        if self.is_alone() {
            return messages::deliver(object);
        }
        let (printed, saved) = (text(), self.save(object));
        printed.and(saved)
    }

    /// Writes the file, where one is asked for.
    pub(crate) fn save(&self, object: &str) -> Result<(), Failure> {
        let Some(path) = self.path() else { return Ok(()) };
        keep_ledgers(path)?;
        files::save(path, object.as_bytes())
    }
}

/// Fails where the file is a checkpoint or a shard: a name given twice must not cost what is in it.
fn keep_ledgers(path: &Path) -> Result<(), Failure> {
    if store::read(path).is_err() {
        return Ok(());
    }
    let message = format!("{} is a checkpoint or a shard; give --json another name", escape::name(path));
    Err(Failure::Run(Exit::Failure, message))
}
