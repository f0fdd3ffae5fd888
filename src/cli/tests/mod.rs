//! What tests of several files of the program share, and the documents held against the program.

#[cfg(all(feature = "browse", feature = "png"))]
mod docs;
pub(crate) mod golden;
