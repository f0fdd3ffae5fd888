//! Engines for a profile. They count the placements of k queens on the first k columns, for each k.

use crate::board::placement::Placement;
use crate::engine::Engine;
use crate::engine::backtrack::Backtrack;
use crate::engine::naive::Naive;
use crate::plan::Weighted;
use crate::tally::{Overflow, Tally};

/// An engine that counts the placements of fewer queens too.
pub(crate) struct Levels<E>(pub(crate) E);

/// Counts the ways to place 1, 2, ... more queens on the columns after those of a placement.
pub(crate) trait EveryLevel: Engine<Task = Placement> {
    fn levels(&self, worker: &mut Self::Worker, task: &Placement) -> Vec<u64>;
}

impl EveryLevel for Backtrack {
    fn levels(&self, worker: &mut Self::Worker, task: &Placement) -> Vec<u64> {
        Self::levels(self, worker, task)
    }
}

impl EveryLevel for Naive {
    fn levels(&self, (): &mut (), task: &Placement) -> Vec<u64> {
        Self::levels(*self, task)
    }
}

impl<E: EveryLevel> Engine for Levels<E> {
    type Task = Placement;
    type Worker = E::Worker;

    fn worker(&self) -> E::Worker {
        self.0.worker()
    }

    fn count(&self, worker: &mut E::Worker, task: &Placement) -> u64 {
        self.0.levels(worker, task).last().copied().unwrap_or(1)
    }

    fn add_to(
        &self,
        tally: &mut Tally,
        worker: &mut E::Worker,
        &Weighted { task, weight }: &Weighted<Placement>,
    ) -> Result<(), Overflow> {
        // The task itself is one way to place its queens.
        let levels = std::iter::once(1).chain(self.0.levels(worker, &task));
        for (queens, count) in (task.len()..).zip(levels) {
            if queens < task.size().get() {
                tally.add_fewer(queens, count, weight)?;
            } else {
                tally.add(count, weight)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
