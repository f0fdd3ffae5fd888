//! The commands, one file each. None imports from another.

pub(crate) mod audit;
pub(crate) mod bench;
pub(crate) mod count;
pub(crate) mod estimate;
pub(crate) mod manual;
pub(crate) mod merge;
pub(crate) mod show;
pub(crate) mod solutions;
pub(crate) mod status;
pub(crate) mod symmetries;
pub(crate) mod verify;
