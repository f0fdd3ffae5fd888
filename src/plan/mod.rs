//! Plans: the deterministic, ordered list of weighted tasks that a count is cut into.
//!
//! Whatever runs a count, samples it, saves it or spreads it over machines acts on a plan and never on the board.
//! The same problem always gives the same plan, on every machine.

pub mod rows;

/// A task and the number of times its count enters the total. Symmetry lives here and nowhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weighted<T> {
    /// What to count.
    pub task: T,
    /// How many symmetric tasks it stands for, itself included.
    pub weight: u64,
}

/// An ordered list of units, each a short list of weighted tasks that one worker solves in one go.
pub trait Plan: Sync {
    /// What an engine counts.
    type Task;

    /// How many units there are.
    fn units(&self) -> usize;

    /// The tasks of one unit, in order.
    fn unit(&self, unit: usize) -> impl Iterator<Item = Weighted<Self::Task>>;
}
