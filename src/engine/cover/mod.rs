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

use std::ops::Range;

use self::list::CoverLister;
use crate::engine::lanes::{Cost, Lanes};
use crate::engine::split::{GroupedLists, Model, Splitter, branching};
use crate::engine::{Engine, binomial};
use crate::plan::{Plan, Units, Weighted};

/// One piece of a cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The items that it covers, one bit for each.
    pub(crate) items: u64,
    /// The keys that it holds, see [`word`].
    pub(crate) keys: u128,
}

/// The middle word of a set of keys. Bits 6 to 57 of it are the 52 keys that both sides of a join may hold, as
/// [`Lanes::disjoint`](crate::engine::lanes::Lanes::disjoint) takes them. The keys beyond may be held by one side only.
pub(crate) fn word(keys: u128) -> u64 {
    (keys >> 32) as u64
}

/// The pieces of one side, by the highest item that each covers. An item without pieces here is never the highest item
/// of a piece.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    by_item: Vec<Vec<Piece>>,
    /// The marked items: every piece covers at least one of them.
    marked: u64,
}

impl Pieces {
    /// Each piece must have its highest item among `marked`.
    pub(crate) fn new(marked: u64, pieces: impl IntoIterator<Item = Piece>) -> Self {
        let mut by_item = vec![Vec::new(); 64];
        for piece in pieces {
            by_item[piece.items.ilog2() as usize].push(piece);
        }
        Self { by_item, marked }
    }

    /// The same pieces with their keys in reverse order, as the probe side has them.
    pub(crate) fn mirrored(mut self) -> Self {
        let mirror = |piece: Piece| Piece { keys: piece.keys.reverse_bits(), ..piece };
        let by_item = std::mem::take(&mut self.by_item)
            .into_iter()
            .map(|pieces| pieces.into_iter().map(mirror).collect())
            .collect();
        Self { by_item, ..self }
    }

    /// Keeps only the pieces on these items.
    #[cfg(test)]
    fn retain(&mut self, keep: impl Fn(u64) -> bool) {
        self.by_item.iter_mut().for_each(|pieces| pieces.retain(|piece| keep(piece.items)));
    }

    /// The pieces whose highest item is `item`.
    pub(crate) fn of(&self, item: usize) -> &[Piece] {
        &self.by_item[item]
    }

    /// The marked items among these.
    fn marked(&self, items: u64) -> u64 {
        self.marked & items
    }
}

/// A task: all covers whose left pieces cover one set of items, and whose right pieces the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) left: u64,
    pub(crate) right: u64,
}

/// The tasks with equally many items of the pool on the left.
#[derive(Clone, Copy, Debug)]
struct Section {
    /// How many items.
    choose: usize,
    /// The number of tasks before these.
    before: u64,
    /// The work of a task.
    work: f64,
}

/// Every way to divide the items of a pool between two sides.
#[derive(Clone, Debug)]
pub(crate) struct CutPlan {
    name: String,
    /// Items 0 to pool-1 are divided between the sides.
    pool: usize,
    /// The items that are always on the left, and always on the right.
    fixed: Cut,
    weight: u64,
    sections: Vec<Section>,
    tasks: u64,
    per_unit: u64,
}

/// How many units a plan has, about, if it has as many tasks.
const UNITS: u64 = 8192;

impl CutPlan {
    /// `sections` says how many items of the pool may go to the left, and the work of each such task.
    pub(crate) fn new(name: String, pool: usize, fixed: Cut, weight: u64, sections: &[(usize, f64)]) -> Self {
        let mut plan = Self { name, pool, fixed, weight, sections: Vec::new(), tasks: 0, per_unit: 1 };
        for &(choose, work) in sections {
            let tasks = binomial(pool, choose);
            plan.sections.push(Section { choose, before: plan.tasks, work });
            plan.tasks += tasks;
        }
        plan.per_unit = (plan.tasks / UNITS).max(1);
        plan
    }

    /// The items that every task has on each side.
    pub(crate) fn always(&self) -> Cut {
        self.fixed
    }

    fn range(&self, unit: usize) -> Range<u64> {
        let first = unit as u64 * self.per_unit;
        first..(first + self.per_unit).min(self.tasks)
    }

    fn section(&self, task: u64) -> &Section {
        &self.sections[self.sections.partition_point(|section| section.before <= task) - 1]
    }
}

impl Units for CutPlan {
    fn fingerprint(&self) -> String {
        format!("cover 1 {}", self.name)
    }

    fn units(&self) -> usize {
        self.tasks.div_ceil(self.per_unit) as usize
    }

    fn tasks(&self, unit: usize) -> u64 {
        let range = self.range(unit);
        range.end - range.start
    }

    fn work(&self, unit: usize) -> f64 {
        self.range(unit).map(|task| self.section(task).work).sum()
    }
}

impl Plan for CutPlan {
    type Task = Cut;

    fn task(&self, unit: usize, index: u64) -> Weighted<Cut> {
        let task = self.range(unit).start + index;
        let section = self.section(task);
        let left = subset(section.choose, task - section.before);
        let pool = (1u64 << self.pool) - 1;
        let task = Cut { left: self.fixed.left | left, right: self.fixed.right | pool & !left };
        Weighted { task, weight: self.weight }
    }
}

/// The set with this rank, from 0, among the sets of its size in increasing order.
fn subset(size: usize, mut rank: u64) -> u64 {
    let mut set = 0;
    for left in (1..=size).rev() {
        // The highest member m is the largest with C(m, left) <= rank.
        let member = (left - 1..64).take_while(|&m| binomial(m, left) <= rank).last().expect("C(left - 1, left) = 0");
        set |= 1 << member;
        rank -= binomial(member, left);
    }
    set
}

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
    build: GroupedLists<1>,
    probe: GroupedLists<1>,
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
        let cost = Cost { permuted: None, ..L::COST };
        let model = Model { cost, survivors: SURVIVORS, branching };
        let [count] = splitter.count(self.lanes, &model, build, probe);
        count + too_many
    }
}
