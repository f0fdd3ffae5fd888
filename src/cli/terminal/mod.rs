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

pub(crate) use exit::Exit;
pub(crate) use facts::Facts;
pub(crate) use failure::Failure;
pub(crate) use file_format::Extensions;
pub(crate) use files::Output;
pub(crate) use json_output::JsonOutput;
pub(crate) use signals::{Answering, Listening};
pub(crate) use stdout::BestEffortStdout;
pub(crate) use table::{Column, HEAD, Table};
pub(crate) use value_parsers::{Cores, Sizes};
