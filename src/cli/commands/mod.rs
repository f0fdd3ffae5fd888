//! The commands: a file or a folder for each, with its arguments, what it does and what it prints.

pub(crate) mod audit;
pub(crate) mod bench;
#[cfg(feature = "browse")]
pub(crate) mod browse;
pub(crate) mod count;
pub(crate) mod definitions;
pub(crate) mod estimate;
pub(crate) mod merge;
pub(crate) mod numbered;
pub(crate) mod profile;
pub(crate) mod show;
pub(crate) mod solutions;
pub(crate) mod status;
pub(crate) mod symmetries;
mod terms;
pub(crate) mod verify;
