//! What the program shares with the terminal and the system: nothing here knows a command or a count.

pub(crate) mod colour;
pub(crate) mod escape;
pub(crate) mod exit;
pub(crate) mod facts;
pub(crate) mod failure;
pub(crate) mod file_format;
pub(crate) mod files;
pub(crate) mod json;
pub(crate) mod json_output;
pub(crate) mod messages;
pub(crate) mod numbers;
pub(crate) mod panics;
pub(crate) mod signals;
pub(crate) mod stdout;
pub(crate) mod table;
pub(crate) mod value_parsers;
