//! Golden plans: the tasks of each unit, and their weights.
//!
//! This year's program resumes a ledger from last year if their fingerprints match. So a change to the tasks of a unit,
//! or to their order, must change the version in the fingerprint; otherwise old and new shards would merge to a wrong
//! total. `plans.txt` has hashes of small plans, and of some units of large plans, as version 1.0 made them. A new
//! version of a plan gets new lines; a line of a version that still exists never changes.

use std::fmt::Write;

use hmac_sha256::Hash;

use crate::audit::auditor::Definition;
use crate::plan::{HalvesPlan, Plan, Weighted, plan_of};
use crate::{EngineKind, Placement, Size};

/// The fewest hashed tasks of a large plan, in units at equal distances.
const TASKS: u64 = 10_000;

/// A task as the squares that it allows, in the words of version 1.0.
fn line(task: &Weighted) -> String {
    let Definition { n, rows, weighing } = Definition::of(&task.task);
    let rows = rows.map(|rows| format!("Rows({rows})")).join(", ");
    format!("Definition {{ n: {n}, rows: [{rows}], weighing: {weighing:?} }} {}\n", task.weight)
}

fn all_tasks(plan: &dyn Plan) -> u64 {
    (0..plan.units()).map(|unit| plan.tasks(unit)).sum()
}

/// The hash of the units of a plan.
fn hash(plan: &dyn Plan) -> String {
    let mut hash = Hash::new();
    let step = (all_tasks(plan) / TASKS).max(1) as usize;
    for unit in 0..plan.units() {
        hash.update(format!("unit {unit} {}\n", plan.tasks(unit)));
        if unit % step == 0 || unit + 1 == plan.units() {
            plan.unit(unit, 0).for_each(|task| hash.update(line(&task)));
        }
    }
    hexadecimal(hash)
}

/// The hash of the first and last tasks of at least a thousand units: N = 27 has 79 ways to place the middle queens,
/// and the four units that [`hash`] reads have only four.
fn hash_of_ends(plan: &dyn Plan) -> String {
    const FEW: u64 = 4;
    let mut hash = Hash::new();
    for unit in (0..plan.units()).step_by((plan.units() / 1000).max(1)).chain([plan.units() - 1]) {
        let tasks = plan.tasks(unit);
        let last = plan.unit(unit, tasks.saturating_sub(FEW));
        for task in plan.unit(unit, 0).take(FEW as usize).chain(last) {
            hash.update(format!("{unit} {}", line(&task)));
        }
    }
    hexadecimal(hash)
}

fn hexadecimal(hash: Hash) -> String {
    hash.finalize()[..8].iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes everything");
        text
    })
}

#[test]
fn plans_of_a_fingerprint_never_change() {
    let is_all = crate::tests::is_all();
    let empty = |n| Placement::empty(Size::new(n).unwrap());
    let prefix = |text, n| Placement::parse(text, Size::new(n).unwrap()).unwrap();
    let halves = HalvesPlan::SIZES.map(|n| plan_of(EngineKind::Join, &empty(n)));
    // The largest plans, which take seconds to make, only with slow cases.
    let prefixes = [0, 1, 2, 5, 8, 13, 16, 21, 22, 24, 27, 32].into_iter();
    let prefixes =
        prefixes.filter(|n| is_all || *n < 24).map(empty).chain([prefix("158", 8), prefix("7,1", 13), prefix("5", 9)]);
    let mut lines = Vec::new();
    for plan in halves.chain(prefixes.map(|prefix| plan_of(EngineKind::Backtrack, &prefix))) {
        let fingerprint = plan.fingerprint();
        lines.push(format!("{fingerprint} | units={} tasks={}", plan.units(), hash(&*plan)));
        if all_tasks(&*plan) > 2 * TASKS {
            lines.push(format!("{fingerprint} ends | tasks={}", hash_of_ends(&*plan)));
        }
    }
    let golden: Vec<&str> = include_str!("plans.txt").lines().collect();
    let other: Vec<&String> = lines.iter().filter(|line| !golden.contains(&line.as_str())).collect();
    assert!(other.is_empty() && (!is_all || lines.len() == golden.len()), "{other:?}");
}
