//! Exact covers whose pieces hold distinct keys, counted by a join.
//!
//! Given are items and pieces. A piece covers two items and holds two keys. The engine counts the sets of pieces that
//! cover every item once and hold no key twice. The solutions that a turn leaves unchanged are such covers;
//! [`crate::rotational`] defines their items and keys.
//!
//! # The method
//!
//! Some of the items are marked. A piece that covers a marked item belongs to the *left* side, every other piece to the
//! *right* side. The other items are the *pool*. A task is a set P of items of the pool that the left pieces cover.
//! Given P, the two sides have no items in common, only keys:
//!
//! ```text
//! covers  =  Σ  #{ (l, r) : l covers marked ∪ P, r covers the rest, keys(l) ∩ keys(r) = ∅ }
//!            P
//! ```
//!
//! So a task takes three steps:
//!
//! 1. [`list`] the covers of each side as the sets of keys that they hold, one word each.
//! 2. As in the engine `join`, [split](super::split) the lists by their first pieces, each of which rules out most of
//!    the other list.
//! 3. Match the remaining lists, hundreds of pairs in one instruction ([`lanes`](crate::engine::lanes)). The left
//!    covers are the build side.

mod list;
mod pieces;
mod plan;

use self::list::CoverLister;
#[cfg(test)]
pub(crate) use self::pieces::word;
pub(crate) use self::pieces::{Piece, Pieces};
pub(crate) use self::plan::{Cut, CutPlan};
use crate::engine::Engine;
use crate::engine::lanes::Lanes;
use crate::engine::split::{Listed, Model, Splitter, branching};

/// The pieces of both sides, and the plan.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) left: Pieces,
    /// Its keys are mirrored.
    pub(crate) right: Pieces,
    pub(crate) plan: CutPlan,
}

/// The engine for one problem and one instruction set.
#[derive(Debug)]
pub(crate) struct Cover<L> {
    lanes: L,
    problem: Problem,
    #[cfg(test)]
    fault: crate::engine::fault::Fault,
}

impl<L: Lanes> Cover<L> {
    pub(crate) fn new(lanes: L, problem: Problem) -> Self {
        Self {
            lanes,
            problem,
            #[cfg(test)]
            fault: crate::engine::fault::here(),
        }
    }

    pub(crate) fn plan(&self) -> &CutPlan {
        &self.problem.plan
    }

    /// The engine with only the pieces on these items, for tests of boards that are too large to count otherwise.
    #[cfg(test)]
    pub(crate) fn within(&self, keep: impl Fn(u64) -> bool) -> Self {
        let mut problem = self.problem.clone();
        problem.left.retain(&keep);
        problem.right.retain(&keep);
        Self { lanes: self.lanes, problem, fault: self.fault }
    }
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub(crate) struct Worker {
    lister: CoverLister,
    build: Listed<1>,
    probe: Listed<1>,
    splitter: Splitter<1>,
}

/// The share of a list that one piece of the other side leaves (0.44 to 0.53 for N = 68 by quarter and 30 by half
/// turns).
const SURVIVORS: f64 = 0.48;

/// By how many first pieces the covers of these items are grouped. For groups of fewer than some fifty patterns,
/// beginning a group costs more than reading it.
fn depth(items: u64) -> usize {
    match items.count_ones() / 2 {
        0..=4 => 0,
        5..=6 => 1,
        7 => 2,
        8..=9 => 3,
        _ => 4,
    }
}

impl<L: Lanes> Engine for Cover<L> {
    type Task = Cut;
    type Worker = Worker;

    fn worker(&self) -> Worker {
        Worker::default()
    }

    fn count(&self, worker: &mut Worker, task: &Cut) -> u64 {
        let Worker { lister, build, probe, splitter } = worker;
        let Problem { left, right, .. } = &self.problem;
        lister.list(self.lanes, left, task.left, depth(task.left), build);
        if build.pieces.is_empty() {
            return 0;
        }
        lister.list(self.lanes, right, task.right, depth(task.right), probe);
        #[cfg(test)]
        let too_many =
            (self.fault)((task.left | task.right).count_ones() as usize, std::any::type_name::<L>(), task.left);
        #[cfg(not(test))]
        let too_many = 0;
        let branching = [branching(&build.pieces), branching(&probe.pieces)];
        let model = Model { cost: L::COST, survivors: SURVIVORS, branching };
        let [count] = splitter.count(self.lanes, &model, build, probe);
        count + too_many
    }
}
