//! Golden plans: which tasks each unit has, and what they weigh.
//!
//! A ledger from last year is gone on with by this year's program if the fingerprints match. So whatever changes the
//! tasks of a unit, were it their order, must change the version in the fingerprint: else old and new shards merge to a
//! wrong total. This test holds a hash of every unit of small plans, and of units here and there of large ones. A plan of
//! a new version gets new lines; a line of a version that still exists never changes. To write the lines of this program:
//!
//! ```sh
//! QUEENS_GOLDEN=write cargo test plans::
//! ```
//!
//! which adds lines for fingerprints that have none, drops those of versions that are gone, and refuses to change any.
//!
//! Lines of `rows/1` beyond N = 20 were written anew once: version 0.3 cuts their units into finer tasks. The units are the
//! same, which a test of `plan/rows.rs` holds, and ledgers of earlier versions have nothing but whole units.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use queens::auditor::Audited;
use queens::plan::halves::HalvesPlan;
use queens::plan::prefixes::PrefixPlan;
use queens::plan::{Plan, Weighted};
use queens::{FixedQueens, Placement, Size, Square};
use sha2::{Digest, Sha256};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/plans.txt");

/// Tasks that are hashed of a large plan, at least: in units at equal distances.
const TASKS: u64 = 10_000;

fn all_tasks(plan: &impl Plan) -> u64 {
    (0..plan.units()).map(|unit| plan.tasks(unit)).sum()
}

/// The hash of all that a plan says of its units. A task is taken by what it means, the squares that it allows, so that
/// other names or types for the same change nothing.
fn hash<P: Plan<Task: Audited>>(plan: &P) -> String {
    let mut hash = Sha256::new();
    let step = (all_tasks(plan) / TASKS).max(1) as usize;
    for unit in 0..plan.units() {
        hash.update(format!("unit {unit} {}\n", plan.tasks(unit)));
        if unit % step != 0 && unit + 1 != plan.units() {
            continue;
        }
        for weighted in plan.unit(unit) {
            hash.update(line(&weighted));
        }
    }
    hexadecimal(hash)
}

/// The hash of the first and the last tasks of a thousand units or more: N = 27 has 79 ways to set the middle queens, of
/// which the four units that [`hash`] looks into have four.
fn hash_of_ends<P: Plan<Task: Audited>>(plan: &P) -> String {
    const UNITS: usize = 1000;
    const FEW: u64 = 4;
    let mut hash = Sha256::new();
    for unit in (0..plan.units()).step_by((plan.units() / UNITS).max(1)).chain([plan.units() - 1]) {
        let tasks = plan.tasks(unit);
        let last = tasks.saturating_sub(FEW)..tasks;
        for weighted in plan.unit(unit).take(FEW as usize).chain(last.map(|index| plan.task(unit, index))) {
            hash.update(format!("{unit} {}", line(&weighted)));
        }
    }
    hexadecimal(hash)
}

fn line<T: Audited>(weighted: &Weighted<T>) -> String {
    format!("{:?} {}\n", weighted.task.definition(), weighted.weight)
}

fn hexadecimal(hash: Sha256) -> String {
    hash.finalize()[..8].iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes everything");
        text
    })
}

/// Fingerprint, number of units, and hash of each plan.
fn plans() -> BTreeMap<String, String> {
    fn add<P: Plan<Task: Audited>>(plans: &mut BTreeMap<String, String>, plan: &P) {
        let told = plans.insert(plan.fingerprint(), format!("units={} tasks={}", plan.units(), hash(plan)));
        assert_eq!(told, None, "two plans with one fingerprint");
        if all_tasks(plan) > 2 * TASKS {
            plans.insert(format!("{} ends", plan.fingerprint()), format!("tasks={}", hash_of_ends(plan)));
        }
    }
    let mut plans = BTreeMap::new();
    for n in HalvesPlan::SIZES {
        add(&mut plans, &HalvesPlan::new(Size::new(n).unwrap()));
    }
    for n in [0, 1, 2, 5, 8, 13, 16, 21, 22, 24, 27, 32] {
        add(&mut plans, &PrefixPlan::new(&Placement::empty(Size::new(n).unwrap())));
    }
    for (prefix, n) in [("158", 8), ("7,1", 13), ("5", 9)] {
        let prefix = Placement::parse(prefix, Size::new(n).unwrap()).unwrap();
        add(&mut plans, &PrefixPlan::new(&prefix));
    }
    for (squares, n) in [("4,2", 8), ("2,5 5,3 9,9", 9), ("7,7", 13), ("12,3 20,20", 24)] {
        let size = Size::new(n).unwrap();
        let squares = squares.split(' ').map(|square| Square::parse(square, size).unwrap());
        let none = FixedQueens::from(Placement::empty(size));
        add(&mut plans, &PrefixPlan::new(&squares.fold(none, |fixed, queen| fixed.with(queen).unwrap())));
    }
    plans
}

/// `rows/1` of `rows/1 N=5 prefix= lines=2`.
fn version(fingerprint: &str) -> &str {
    fingerprint.split(' ').next().unwrap_or_default()
}

#[test]
fn a_fingerprint_has_one_plan_for_ever() {
    let plans = plans();
    let text = fs::read_to_string(GOLDEN).unwrap_or_default();
    let golden: BTreeMap<String, String> =
        text.lines().filter_map(|line| line.split_once(" | ")).map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
    for (fingerprint, plan) in &plans {
        let Some(held) = golden.get(fingerprint) else { continue };
        assert_eq!(plan, held, "{fingerprint}: its tasks, their weights or their order changed; raise the version");
    }
    if std::env::var_os("QUEENS_GOLDEN").is_some_and(|value| value == "write") {
        let lines: Vec<String> = plans.iter().map(|(fingerprint, plan)| format!("{fingerprint} | {plan}\n")).collect();
        fs::write(GOLDEN, lines.concat()).unwrap();
        return;
    }
    let versions = |plans: &BTreeMap<String, String>| -> Vec<String> {
        let mut versions: Vec<String> = plans.keys().map(|fingerprint| version(fingerprint).to_owned()).collect();
        versions.dedup();
        versions
    };
    assert_eq!(versions(&plans), versions(&golden), "a new version? QUEENS_GOLDEN=write cargo test plans::");
    assert_eq!(plans.keys().collect::<Vec<_>>(), golden.keys().collect::<Vec<_>>(), "the list in this file changed?");
}
