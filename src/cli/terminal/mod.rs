//! What the program shares with the terminal and the system: nothing here knows a command or a count.

pub(crate) mod answer;
pub(crate) mod escape;
pub(crate) mod exit;
pub(crate) mod file_format;
pub(crate) mod files;
pub(crate) mod json;
pub(crate) mod messages;
pub(crate) mod numbers;
pub(crate) mod signals;
pub(crate) mod stdout;
pub(crate) mod table;
pub(crate) mod value_parsers;

pub(crate) use answer::{Answer, Form, Rows, Tell};
pub(crate) use exit::{Exit, Failure, catch_panics};
pub(crate) use file_format::Extensions;
pub(crate) use files::{Output, OutputPath};
pub(crate) use json::JsonOutput;
pub(crate) use signals::{Answering, Interruption, Listening};
pub(crate) use table::{Column, HEAD, Table};
pub(crate) use value_parsers::{Cores, Sizes};
