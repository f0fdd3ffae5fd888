//! A random share of the tasks of a run.

use super::Share;
use crate::plan::Units;

/// A random share of the tasks of some units, rounded up. It is drawn in blocks of tasks that share lists, since the
/// first of these tasks alone would take as long as all of them ([`Plan::tasks_sharing_lists`]).
///
/// The blocks, in the order of the plan, are divided evenly into as many runs as are to be drawn, and one block of each
/// run is drawn.
#[derive(Debug)]
pub(super) struct Drawn {
    /// Tasks of a block.
    length: u64,
    /// For each unit of the plan, the number of blocks in the units before it.
    before: Vec<u64>,
    blocks: u64,
    /// How many of these are drawn.
    chosen: u64,
    seed: u64,
}

impl Drawn {
    pub(super) fn new(plan: &dyn Units, units: &[usize], share: Share) -> Self {
        let length = plan.tasks_sharing_lists().max(1);
        let (mut before, mut blocks) = (vec![0; plan.units()], 0);
        for &unit in units {
            before[unit] = blocks;
            blocks += plan.tasks(unit).div_ceil(length);
        }
        Self { length, before, blocks, chosen: share.of(blocks as usize) as u64, seed: fastrand::u64(..) }
    }

    /// Whether this task is drawn. Its unit must be among the units.
    pub(super) fn has(&self, unit: usize, index: u64) -> bool {
        if self.chosen == 0 || self.chosen == self.blocks {
            return self.chosen > 0;
        }
        let block = self.before[unit] + index / self.length;
        let run = (u128::from(block) * u128::from(self.chosen) / u128::from(self.blocks)) as u64;
        let first = |run: u64| (u128::from(run) * u128::from(self.blocks)).div_ceil(u128::from(self.chosen)) as u64;
        block == fastrand::Rng::with_seed(self.seed.wrapping_add(run)).u64(first(run)..first(run + 1))
    }

    /// Whether all tasks of a unit are drawn.
    pub(super) fn has_all(&self, plan: &dyn Units, unit: usize) -> bool {
        (0..plan.tasks(unit)).all(|index| self.has(unit, index))
    }

    /// Whether another block begins after this task of a unit.
    pub(super) fn ends_block(&self, index: u64) -> bool {
        (index + 1).is_multiple_of(self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{HalvesPlan, PrefixPlan};
    use crate::{Placement, Size};

    fn size(n: usize) -> Size {
        Size::new(n).unwrap()
    }

    /// The numbers of the tasks that are drawn, in the order of the units.
    fn numbers(plan: &dyn Units, units: &[usize], share: f64) -> Vec<usize> {
        let drawn = Drawn::new(plan, units, share.try_into().unwrap());
        let tasks = units.iter().flat_map(|&unit| (0..plan.tasks(unit)).map(move |index| (unit, index)));
        (0..).zip(tasks).filter(|&(_, (unit, index))| drawn.has(unit, index)).map(|(number, _)| number).collect()
    }

    /// Tasks of backtracking share nothing: as many as the share says, rounded up, of which each may be drawn, and one of
    /// each run.
    #[test]
    fn a_share_is_drawn_evenly() {
        let plan = PrefixPlan::new(&Placement::empty(size(8)));
        let units: Vec<usize> = (0..10).rev().collect();
        let number = |share| numbers(&plan, &units, share).len();
        assert_eq!([0.0, 0.001, 0.1, 0.11, 0.35, 1.0].map(number), [0, 1, 1, 2, 4, 10]);
        let mut times = [0; 10];
        for _ in 0..200 {
            let drawn = numbers(&plan, &units, 0.4);
            assert!(drawn.iter().zip([0..=2, 3..=4, 5..=7, 8..=9]).all(|(at, run)| run.contains(at)), "{drawn:?}");
            for at in drawn {
                times[at] += 1;
            }
        }
        assert!(times.iter().all(|&times| (30..170).contains(&times)), "{times:?}");
    }

    /// Tasks that share lists are drawn together, up to the end of their unit.
    #[test]
    fn blocks_are_drawn_whole() {
        let plan = HalvesPlan::new(size(25));
        let length = plan.tasks_sharing_lists();
        let unit = plan.units() - 1;
        assert!(length > 1 && plan.tasks(unit) > 2 * length && !plan.tasks(unit).is_multiple_of(length));
        for _ in 0..20 {
            let drawn = Drawn::new(&plan, &[unit], 0.5.try_into().unwrap());
            let has: Vec<bool> = (0..plan.tasks(unit)).map(|index| drawn.has(unit, index)).collect();
            let blocks: Vec<&[bool]> = has.chunks(length as usize).collect();
            assert!(blocks.iter().all(|block| block.iter().all(|&has| has == block[0])), "{has:?}");
            assert_eq!(blocks.iter().filter(|block| block[0]).count(), blocks.len().div_ceil(2));
            assert!(!drawn.has_all(&plan, unit));
            let ends = (0..plan.tasks(unit)).filter(|&index| drawn.ends_block(index)).count() as u64;
            assert_eq!(ends, plan.tasks(unit) / length);
        }
        assert!(Drawn::new(&plan, &[unit], Share::ALL).has_all(&plan, unit));
    }
}
