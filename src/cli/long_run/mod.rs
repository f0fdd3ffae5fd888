//! What a run of minutes to months needs beside the count itself, whatever it counts.

pub(crate) mod checkpoint;
pub(crate) mod known_terms;
pub(crate) mod memory;
pub(crate) mod options;
pub(crate) mod progress;
mod progress_printer;
mod supervision;
pub(crate) mod units;
