//! What a run of minutes to months needs beside the count itself, whatever it counts.

mod activity;
mod checkpoint;
pub(crate) mod forecast;
mod known_terms;
pub(crate) mod named_files;
mod options;
pub(crate) mod status;
mod supervision;
pub(crate) mod units;

pub(crate) use activity::Activity;
pub(crate) use known_terms::Agreement;
pub(crate) use options::{LongRun, When};
pub(crate) use status::Status;
pub(crate) use units::Outcome;
