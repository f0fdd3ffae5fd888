//! The commands, a file each, from arguments to answer. None imports from another.

pub(crate) mod count;
pub(crate) mod manual;
pub(crate) mod show;
pub(crate) mod solutions;
pub(crate) mod symmetries;
