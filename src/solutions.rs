//! The list of solutions, in order.
#![allow(unused_variables)]

use crate::board::{AllowedRows, Placement};

/// The solutions in lexicographic order.
#[derive(Clone, Debug)]
pub struct Solutions;

impl Solutions {
    /// The solutions whose queens are in these rows.
    pub fn new(allowed: impl Into<AllowedRows>) -> Self {
        todo!("solutions")
    }

    /// Begins with the first solution at or after `start`, which may be partial.
    #[must_use]
    pub fn from(self, start: Placement) -> Self {
        todo!("solutions")
    }

    /// Only fundamental solutions: the first of all their images.
    #[must_use]
    pub fn fundamental(self) -> Self {
        todo!("solutions")
    }
}

impl Iterator for Solutions {
    type Item = Placement;

    fn next(&mut self) -> Option<Placement> {
        todo!("solutions")
    }
}
