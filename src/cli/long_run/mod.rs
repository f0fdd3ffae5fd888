//! What a run of minutes to months needs beside the count itself, whatever it counts.

pub(crate) mod activity;
pub(crate) mod checkpoint;
mod display;
mod hint;
pub(crate) mod known_terms;
pub(crate) mod memory;
pub(crate) mod named_files;
pub(crate) mod options;
mod printer;
pub(crate) mod run_status;
pub(crate) mod status;
pub(crate) mod supervision;
pub(crate) mod units;

pub(crate) use activity::Activity;
pub(crate) use known_terms::{Agreement, Form, Printed};
pub(crate) use named_files::NamedFile;
pub(crate) use options::{LongRun, When};
pub(crate) use status::Status;
pub(crate) use supervision::{Event, Work};
pub(crate) use units::Outcome;
