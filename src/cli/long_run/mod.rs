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
