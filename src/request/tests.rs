//! Joins that are wrong on purpose, called through the public functions: which check finds each fault, and which only
//! one check finds.

use super::*;
use crate::engine::EngineKind;
use crate::engine::fault::{self, Fault};
use crate::ledger::{LedgerError, Partial};
use crate::oeis;
use crate::plan::{HalvesPlan, Units};

fn join(n: usize) -> Request {
    Request::solutions(Size::new(n).unwrap()).engine(EngineKind::Join).threads(2)
}

fn published(n: usize) -> u128 {
    oeis::QUEENS.term(n).unwrap()
}

/// East rows of a task of N = 12: two above the middle, four below.
const TASK: u64 = 0b11 << 32 | 0b1111;

/// Wrong on all lanes, so that two joins agree: an error of the method.
const METHOD: Fault = |n, _, task| u64::from(n == 12 && task == TASK);

/// Wrong on all lanes except the portable ones: an error of the machine, or of one version of the code.
const MACHINE: Fault = |n, lanes, task| if lanes.ends_with("::Portable") { 0 } else { METHOD(n, lanes, task) };

/// METHOD adds this to the total: a solution of weight 4 in a task of weight 2.
const ADDED: u128 = 8;

fn resumed(request: &Request, ledger: Ledger) -> (Result<Report, CountError>, Ledger) {
    let run = request.prepare().unwrap().resume(ledger).unwrap();
    (run.count(), run.ledger())
}

fn difference(result: Result<Report, CountError>) -> u128 {
    match result {
        Err(CountError::Differs { first, second, .. }) => first.get().abs_diff(second.get()),
        other => panic!("no difference: {other:?}"),
    }
}

/// The self-check runs the same join as the count, on the same lanes.
#[test]
fn a_wrong_join_counts_nothing() {
    for isa in Isa::available() {
        for (n, fault, is_seen) in [
            (10, (|n, _, _| u64::from(n == 8)) as Fault, true),
            (11, |n, _, _| u64::from(n == 8), true),
            (11, |n, _, _| u64::from(n == 9), true),
            (10, |n, _, _| u64::from(n == 9), false),
            (10, |n, lanes, _| u64::from(n == 8 && !lanes.ends_with("::Portable")), isa != Isa::Portable),
        ] {
            let result = fault::with(fault, || join(n).isa(isa).count());
            match result {
                Err(CountError::SelfCheck(_)) => assert!(is_seen, "{isa}, N = {n}"),
                other => assert!(!is_seen && other.unwrap().count == published(n), "{isa}, N = {n}"),
            }
        }
    }
}

#[test]
fn a_double_check_sees_lanes_that_err() {
    for isa in Isa::available() {
        let (checked, unchecked) = fault::with(MACHINE, || {
            (join(12).isa(isa).double_check(Share::ALL).count(), join(12).isa(isa).count().unwrap())
        });
        if isa == Isa::Portable {
            assert_eq!([checked.unwrap().count, unchecked.count], [published(12); 2]);
        } else {
            assert_eq!(difference(checked), ADDED, "{isa}");
            assert_eq!(unchecked.count, published(12) + ADDED, "{isa}");
        }
    }
}

/// Only the auditor finds an error that all joins make: in a plain count, in a count with a ledger, and in the units of
/// an earlier run.
#[test]
fn a_double_check_asks_the_auditor() {
    fault::with(METHOD, || {
        for isa in Isa::available() {
            let (checked, unchecked) = (join(12).isa(isa).double_check(Share::ALL), join(12).isa(isa));
            assert_eq!(difference(checked.count()), ADDED, "{isa}");
            assert_eq!(unchecked.count().unwrap().count, published(12) + ADDED, "{isa}: nobody else sees it");

            let empty = Ledger::new(checked.fingerprint().unwrap(), Shard::WHOLE);
            assert_eq!(difference(resumed(&checked, empty.clone()).0), ADDED, "{isa}");
            let (report, ledger) = resumed(&unchecked, empty);
            assert_eq!(report.unwrap().count, published(12) + ADDED, "{isa}");
            assert_eq!(difference(resumed(&checked, ledger).0), ADDED, "{isa}");
        }
    });
}

/// If a unit has several tasks, the auditor counts one of them.
#[test]
fn a_double_check_asks_the_auditor_once_a_unit() {
    let request = join(18).double_check(Share::ALL);
    let plan = HalvesPlan::new(Size::new(18).unwrap());
    let tasks = |&unit: &usize| plan.tasks(unit);
    let largest = (0..plan.units()).max_by_key(tasks).unwrap();
    assert!(tasks(&largest) > 1);
    // The shard that has only that unit.
    let shard = Shard::new(largest as u32 + 1, plan.units() as u32).unwrap();
    let ledger = || Ledger::new(request.fingerprint().unwrap(), shard);
    let right = resumed(&request, ledger()).0.unwrap();
    assert_eq!(right.double_checked, 1);
    // Which one is drawn when the count is made.
    let subject = request.subject();
    let wrong =
        fault::with(|n, _, _| u64::from(n == 18), || Counter::new(request.method().unwrap()).counting(&subject));
    let mut second = wrong.second();
    let again = (0..tasks(&largest)).map(|index| second(largest, index, &|| false).unwrap());
    let audited: Vec<_> = again.filter_map(|again| again.audited).collect();
    assert_eq!(audited.iter().map(|found| found.engine - found.auditor).collect::<Vec<_>>(), [4]);
}

/// An engine of one's own, of which a report has the type's name.
#[test]
fn a_report_names_whoever_counted() {
    struct Mine;
    impl Engine for Mine {
        type Task = Placement;
        type Worker = ();

        fn worker(&self) {}

        fn count(&self, (): &mut (), task: &Placement) -> u64 {
            crate::engine::naive::Naive.count(&mut (), task)
        }
    }
    let report = Request::solutions(Size::new(8).unwrap()).threads(1).prepare_by(&Mine).unwrap().count().unwrap();
    assert_eq!((report.count, report.engine, report.isa), (92, std::any::type_name::<Mine>(), Isa::Portable));
    assert!(report.engine.ends_with("::Mine"));
    assert_eq!(count(10).unwrap(), 724);
}

/// A ledger that has finished more tasks of a unit than there are was made by another plan.
#[test]
fn a_part_beyond_its_unit_is_not_gone_on_from() {
    let request = join(12);
    let mut ledger = Ledger::new(request.fingerprint().unwrap(), Shard::WHOLE);
    ledger.record_partial(0, Partial { tasks: 1_000_000, tally: 0.into() }).unwrap();
    let (result, _) = resumed(&request, ledger);
    assert!(
        matches!(result, Err(CountError::Ledger(LedgerError::Beyond { unit: 0, tasks: 1_000_000, .. }))),
        "{result:?}"
    );
}

/// A run that is stopped ends with what it has, and goes on from there.
#[test]
fn a_stopped_run_has_its_ledger() {
    let run = join(12).prepare().unwrap();
    run.watch().stop();
    assert_eq!(run.count().unwrap_err(), CountError::Stopped);
    assert_eq!(run.ledger().finished(), 0);
    let second = join(12).prepare().unwrap().resume(run.ledger()).unwrap();
    assert_eq!(second.count().unwrap().count, published(12));
    assert_eq!(second.watch().known().unwrap().finished(), second.ledger().units());
    assert_eq!(second.count().unwrap_err(), CountError::Used);
    let other = Ledger::new(join(14).fingerprint().unwrap(), Shard::WHOLE);
    assert!(matches!(join(12).prepare().unwrap().resume(other), Err(LedgerError::Foreign { .. })));
}

/// Numbers that a reader of JSON would round are strings.
#[cfg(feature = "serde")]
#[test]
fn reports_are_serialized() {
    let report = serde_json::to_value(Request::solutions(Size::new(8).unwrap()).isa(Isa::Portable).count().unwrap());
    let report = report.unwrap();
    assert_eq!(report["subject"], serde_json::json!({"n": 8, "prefix": null, "queens": null, "symmetry": null}));
    assert_eq!([&report["count"], &report["isa"]], ["92", "portable"]);
    let half = RotationalBoard::new(crate::Rotation::Half, 12).unwrap();
    let run = Request::rotational(half).prepare().unwrap();
    run.count().unwrap();
    let findings = run.audit(&run.ledger(), &AuditOptions::default(), &Watch::default()).unwrap();
    let json = serde_json::to_value(&findings).unwrap();
    assert_eq!(json["solutions"], findings.total.to_string());
    assert_eq!(json["drawn"][0]["tally"], findings.units[0].tally.to_string());
    let prediction = Request::rotational(half)
        .estimate(&Sampling { samples: 20, ..Sampling::default() }, &Watch::default())
        .unwrap();
    let json = serde_json::to_value(&prediction).unwrap();
    assert_eq!((&json["symmetry"], &json["count"]["mean"]), (&"half".into(), &prediction.count.mean.into()));
    assert_eq!(
        serde_json::to_value(crate::Profile::count(Size::new(3).unwrap(), None, 1, &Watch::default()).unwrap())
            .unwrap()["profile"],
        serde_json::json!(["1", "3", "2", "0"])
    );
}
