//! Plans: the deterministic, ordered list of weighted tasks that a count is cut into.
//!
//! The code that runs a count, samples it, saves it or spreads it over machines works on a plan and never on the board.
//! The same problem always gives the same plan, on every machine.

pub mod halves;
pub mod prefixes;

pub(crate) use halves::{Halves, HalvesPlan, Middle, SHARED_EAST};
pub(crate) use prefixes::{Begun, PrefixPlan};

/// A task and its weight: how many times its count enters the total. The weight covers symmetry between tasks. Symmetry
/// within a task is up to the engine: for even N, for example, the join gives weights to the half boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weighted<T> {
    /// What to count.
    pub task: T,
    /// How many symmetric tasks this one stands for, itself included.
    pub weight: u64,
}

/// What a count is cut into, without the tasks themselves: an ordered list of units, each an ordered list of weighted
/// tasks that one worker solves in one go.
///
/// Units are saved, dealt to shards and recounted. Tasks are the smallest parts that can be counted or sampled.
pub trait Units: Send + Sync {
    /// A line with everything that determines the meaning of a unit: the kind of plan and its version, N, the prefix.
    /// Two plans with the same line have the same units with the same tasks.
    fn fingerprint(&self) -> String;

    /// How many units there are.
    fn units(&self) -> usize;

    /// How many tasks a unit has.
    fn tasks(&self, unit: usize) -> u64;

    /// The work of a unit relative to the others, estimated from its shape alone.
    fn work(&self, unit: usize) -> f64;

    /// The group of a unit. A worker can keep lists from one unit to the next unit of the same group, so these are best
    /// solved one after another.
    fn group(&self, unit: usize) -> usize {
        unit
    }

    /// After how many consecutive tasks a worker reuses the lists that it keeps as much as in a whole run, so that
    /// their mean time is the mean time of the run. 0 if the time of a task does not depend on the tasks before it.
    /// Estimates of the time need this number.
    fn tasks_sharing_lists(&self) -> u64 {
        0
    }

    /// A unit's name for people.
    fn name(&self, unit: usize) -> String {
        format!("unit {unit}")
    }
}

/// The units of a count with their tasks.
pub trait Plan: Units {
    /// What an engine counts.
    type Task;

    /// One task of a unit, without generating the tasks before it.
    fn task(&self, unit: usize, index: u64) -> Weighted<Self::Task>;

    /// A random part of a task and a factor. The part is small enough to be counted in milliseconds, if the plan has a
    /// way to cut one out. On average over the random choices, the number of solutions of the part times the factor is
    /// the number of solutions of the task. `choose(k)` picks each number below k with the same chance.
    fn part(&self, task: Self::Task, _choose: &mut dyn FnMut(usize) -> usize) -> (Self::Task, f64) {
        (task, 1.0)
    }

    /// The tasks of one unit, in order.
    fn unit(&self, unit: usize) -> impl Iterator<Item = Weighted<Self::Task>> {
        (0..self.tasks(unit)).map(move |index| self.task(unit, index))
    }
}
