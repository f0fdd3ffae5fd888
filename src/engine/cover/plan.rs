//! The tasks of the cover: which items of the pool the left side covers.

use crate::engine::binomial;
use crate::plan::{Plan, Units, Weighted};

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

    fn range(&self, unit: usize) -> std::ops::Range<u64> {
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
