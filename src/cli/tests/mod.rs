//! What tests of several files of the program share, and the documents held against the program.

#[cfg(feature = "browse")]
mod docs;
mod files;
pub(crate) mod golden;
