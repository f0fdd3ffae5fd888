//! Exact covers whose pieces hold distinct keys, counted by a join.
//!
//! Given are items and pieces; a piece covers two items and holds two keys. Counted are the sets of pieces that cover
//! every item once and hold no key twice. The solutions that a turn leaves unchanged are such covers: see
//! [`crate::rotational::pairing`] and [`crate::rotational::half_board`] for what their items and keys are.
//!
//! # The method
//!
//! Some of the items are marked so that whoever covers one of them belongs to the *left* side, and every other piece to
//! the *right*. Which of the other items, the *pool*, the left pieces cover as well is a task. Given that set P, the two
//! sides no longer meet in items, only in keys:
//!
//! ```text
//! covers  =  Σ  #{ (l, r) : l covers marked ∪ P, r covers the rest, keys(l) ∩ keys(r) = ∅ }
//!            P
//! ```
//!
//! So a task takes three steps: [`list`] the covers of either side as the sets of keys they hold, one word each; then, as
//! in the engine `join`, [split](super::split) the lists by their first pieces, each of which rules out most of the other
//! list, and match what is left, hundreds of pairs to an instruction ([`lanes`](crate::engine::lanes)). The left covers
//! are the build side.

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

/// What there is to cover and with what.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) left: Pieces,
    /// With mirrored keys.
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

    /// The engine for the pieces on these items alone: for tests of boards that are too large to be counted otherwise.
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

/// Share of a list that one piece of the other side leaves (0.44 to 0.53, N = 68 by quarter and 30 by half turns).
const SURVIVORS: f64 = 0.48;

/// By how many first pieces the covers of these items are grouped: groups of fewer than some fifty patterns cost more to
/// begin than to read.
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
