//! Plans: the deterministic, ordered list of weighted tasks that a count is cut into.
//!
//! Whatever runs a count, samples it, saves it or spreads it over machines acts on a plan and never on the board.
//! The same problem always gives the same plan, on every machine.

pub mod halves;
pub mod prefixes;

/// A task and the number of times its count enters the total: symmetry between tasks. What symmetry leaves within a task is
/// its engine's; for even N the join weighs the halves themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weighted<T> {
    /// What to count.
    pub task: T,
    /// How many symmetric tasks it stands for, itself included.
    pub weight: u64,
}

/// An ordered list of units, each an ordered list of weighted tasks that one worker solves in one go.
///
/// A unit is what gets saved, dealt to a shard or recounted; a task is the least that can be counted or sampled.
pub trait Plan: Sync {
    /// What an engine counts.
    type Task;

    /// A line that pins everything that changes what a unit means: the kind of plan and its version, N, the prefix.
    /// Two plans with the same line have the same units with the same tasks.
    fn fingerprint(&self) -> String;

    /// How many units there are.
    fn units(&self) -> usize;

    /// How many tasks a unit has.
    fn tasks(&self, unit: usize) -> u64;

    /// One task of a unit, without making those before it.
    fn task(&self, unit: usize, index: u64) -> Weighted<Self::Task>;

    /// The work of a unit relative to the others, estimated from its shape alone.
    fn work(&self, unit: usize) -> f64;

    /// Neighbours of the same group share what a worker may keep from one to the next, and are best solved in a row.
    fn group(&self, unit: usize) -> usize {
        unit
    }

    /// After how many consecutive tasks a worker has met again what it keeps from one to the next, and takes as long as
    /// it does on average in a run; 0 where a task takes as long whatever came before it. Samples of the time need it.
    fn tasks_sharing_lists(&self) -> u64 {
        0
    }

    /// A unit's name for people.
    fn name(&self, unit: usize) -> String {
        format!("unit {unit}")
    }

    /// A random part of a task that is small enough to be counted in milliseconds where the plan has a way to cut one
    /// out, and how many such parts the task stands for: over the random choices, the number of solutions of the part
    /// times that number is on average the number of solutions of the task. `choose` picks a number below the one it
    /// is given, each as likely.
    fn part(&self, task: Self::Task, _choose: &mut dyn FnMut(usize) -> usize) -> (Self::Task, f64) {
        (task, 1.0)
    }

    /// The tasks of one unit, in order.
    fn unit(&self, unit: usize) -> impl Iterator<Item = Weighted<Self::Task>> {
        (0..self.tasks(unit)).map(move |index| self.task(unit, index))
    }
}
