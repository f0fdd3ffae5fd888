//! Intervals that contain the truth, boards that are counted, and the tasks that are timed.

use super::growth::work;
use super::*;
use crate::board::{Placement, Size};
use crate::engine::Engine;
use crate::interval::Samples;
use crate::oeis;
use crate::plan::{HalvesPlan, Plan, Task, plan_of};

/// A sampler of a board, on one thread.
fn sampler<T>(engine: EngineKind, n: usize, seed: u64, then: impl FnOnce(Sampler) -> T) -> T {
    let watch = Watch::default();
    let threads = Threads::start(1, 1, &watch, &|| Ok(())).unwrap();
    let steps = Steps::begin(&watch, 0, None);
    let method = Method::choose(Some(engine), Some(Isa::Portable), &empty(n)).unwrap();
    let columns = part_columns(empty(n).size());
    then(Sampler::new(&threads, &steps, method, empty(n), columns, Rng::with_seed(seed).fork()))
}

/// Samples of the count and of the time.
fn drawn(engine: EngineKind, n: usize, seed: u64, samples: usize) -> [Samples; 2] {
    sampler(engine, n, seed, |mut sampler| {
        sampler.draw(samples, Duration::ZERO);
        [sampler.count, sampler.seconds]
    })
}

fn estimate(n: usize, time: Duration, seed: u64) -> Estimate {
    let request = Request::solutions(empty(n).size()).threads(1);
    Estimator::new(request).time(time).seed(seed).estimate(&Watch::default()).unwrap()
}

/// Nineteen of twenty should; the seeds are fixed.
#[test]
fn intervals_contain_the_count() {
    for (engine, n) in [(EngineKind::Backtrack, 13), (EngineKind::Join, 13), (EngineKind::Join, 12)] {
        let expected = oeis::QUEENS.term(n).unwrap() as f64;
        let held = (0..100).filter(|&seed| {
            let Interval { low, high, .. } = drawn(engine, n, seed, 200)[0].interval();
            low.is_finite() && (low..=high).contains(&expected)
        });
        let held = held.count();
        assert!(held >= 88, "{engine}, N = {n}: only {held} of 100");
    }
    let Estimate { count, counted, timed_n, .. } = estimate(20, Duration::from_millis(300), 1);
    assert!(counted.is_none() && (14..=20).contains(&timed_n) && count.factor() < 3.0, "{count:?}");
}

/// Within a factor of two, by the median of three, because other programs share the caches.
#[test]
fn sharing_groups_take_as_long_as_in_a_run() {
    let ratio = || {
        let (seconds, begun) = (drawn(EngineKind::Join, 15, 1, 400)[1].mean, crate::run::thread_seconds());
        let plan = HalvesPlan::new(empty(15).size());
        let method = Method::choose(Some(EngineKind::Join), Some(Isa::Portable), &empty(15)).unwrap();
        let mut engine = method.engines(empty(15).size())();
        for (task, _) in (0..plan.units()).flat_map(|unit| plan.row_sets(unit, 0)) {
            engine.count(&Task::Halves(task, crate::plan::ANYWHERE));
        }
        seconds / (crate::run::thread_seconds() - begun)
    };
    let mut ratios = [(); 3].map(|()| ratio());
    ratios.sort_by(f64::total_cmp);
    assert!((0.5..2.0).contains(&ratios[1]), "estimated over real: {ratios:?}");
}

/// A group is counted before it is timed, and the group before it in between, which leaves the lists that a run would
/// find.
#[test]
fn samples_are_timed_with_the_lists_of_a_run() {
    struct Record(Vec<Task>);
    impl Engine for Record {
        fn count(&mut self, task: &Task) -> u64 {
            self.0.push(*task);
            1
        }
    }
    let plan = plan_of(EngineKind::Join, &empty(21));
    let unit = plan.units() / 2;
    let tasks: Vec<Task> = plan.unit(unit, 0).map(|task| task.task).collect();
    let groups: Vec<&[Task]> = tasks.chunks(plan.tasks_sharing_lists() as usize).collect();
    assert!(groups.len() > 2);
    for (index, task) in tasks.iter().enumerate().step_by(29) {
        let mut engine = Record(Vec::new());
        let (stand_for, timed) = sampler(EngineKind::Join, 21, 1, |sampler| {
            sampler.part_of(unit, index as u64, &mut engine, &mut Rng::new())
        });
        let timed: Vec<Task> = timed.into_iter().map(|timed| timed.task).collect();
        let number = groups.iter().position(|group| group.contains(task)).expect("every task is in a group");
        assert_eq!(timed, groups[number]);
        assert_eq!(engine.0, [groups[number], groups[number.saturating_sub(1)]].concat());
        assert!((stand_for - timed.len() as f64).abs() < 1e-9);
    }
}

/// On average, a sample gives the whole count, although units have different numbers of tasks.
#[test]
fn samples_are_unbiased() {
    struct Even;
    impl Engine for Even {
        fn count(&mut self, task: &Task) -> u64 {
            u64::from(matches!(task, Task::Halves(halves, _) if halves.north.count_ones() == 3))
        }
    }
    let plan = plan_of(EngineKind::Join, &empty(12));
    let tasks = (0..plan.units()).flat_map(|unit| plan.unit(unit, 0));
    let expected: u64 = tasks.map(|task| task.weight * Even.count(&task.task)).sum();
    let mut sum = Samples::default();
    sampler(EngineKind::Join, 12, 1, |sampler| {
        (0..5000).for_each(|seed| sum.add(sampler.sample(&mut Even, &mut Rng::with_seed(seed).fork())[0]));
    });
    let Interval { mean, high, .. } = sum.interval();
    assert!((mean - expected as f64).abs() < 1.5 * (high - mean), "{mean}, not {expected}");
}

#[test]
fn times_of_the_join_have_the_cache_penalty() {
    struct Busy;
    impl Engine for Busy {
        fn count(&mut self, _: &Task) -> u64 {
            let begun = crate::run::thread_seconds();
            while crate::run::thread_seconds() < begun + 0.002 {}
            1
        }
    }
    for (engine, n, penalty) in [(EngineKind::Backtrack, 6, 1.0), (EngineKind::Join, 12, 1.1)] {
        let plan = plan_of(engine, &empty(n));
        let tasks: u64 = (0..plan.units()).map(|unit| plan.tasks(unit)).sum();
        let seconds = sampler(engine, n, 1, |sampler| sampler.sample(&mut Busy, &mut Rng::with_seed(1))[1]);
        let found = seconds / (0.002 * tasks as f64);
        assert!((found / penalty - 1.0).abs() < 0.05, "{engine}: {found}");
    }
}

#[test]
fn boards_that_take_less_than_the_time_are_counted() {
    let impossible = Request::completions(Placement::parse("13", Size::new(4).unwrap()).unwrap());
    let requests = [0, 2, 8, 13, 14].map(|n| Request::solutions(empty(n).size()));
    for (request, count) in requests.into_iter().chain([impossible]).zip([1, 0, 92, 73_712, 365_596, 0]) {
        let estimator = Estimator::new(request).time(Duration::from_secs(20));
        let estimate = estimator.estimate(&Watch::default()).unwrap();
        assert_eq!((estimate.counted, estimate.timed_n), (Some(count), estimate.n));
        assert_eq!(estimate.count, Interval::exactly(count as f64));
        let [core, wall] = [estimate.core_seconds, estimate.seconds];
        assert!(
            core.low.to_bits() == core.high.to_bits() && (core.mean > 0.0 || count == 0) && wall.high < 20.0,
            "{estimate:?}"
        );
    }
    let counted = estimate(16, Duration::MAX, 1);
    // A quarter of the processor time, which other programs hardly lengthen.
    let drawn = estimate(16, Duration::from_secs_f64(counted.core_seconds.mean / 4.0), 1);
    assert!(counted.counted.is_some() && drawn.counted.is_none(), "{counted:?} {drawn:?}");
}

/// The wall time is the processor time divided by the cores.
#[test]
fn times_of_large_boards_are_extrapolated_from_smaller_ones() {
    let request = Request::solutions(empty(28).size());
    for threads in [1, 100 * available_threads()] {
        let estimator = Estimator::new(request.threads(threads)).time(Duration::from_millis(100));
        let estimate = estimator.estimate(&Watch::default()).unwrap();
        let Estimate { core_seconds: core, seconds, timed_n, count, memory, .. } = estimate;
        assert!((14..28).contains(&timed_n) && core.mean > 1000.0 && count.high.is_finite());
        assert_eq!(
            (estimate.threads, Some(memory)),
            (threads, request.method().unwrap().memory(empty(28).size(), threads))
        );
        assert_eq!(seconds, core.times(1.0 / threads.min(available_threads()) as f64));
    }
    assert!((SMALLEST..28).all(|n| (1.5..16.0).contains(&(work(n + 1) / work(n)))));
    let [same, next, far] = [20, 21, 28].map(|n| extrapolate(Interval::exactly(2.0), 20, n));
    assert_eq!((same, next.mean), (Interval::exactly(2.0), 2.0 * work(21) / work(20)));
    assert!(next.factor() > 1.2 && far.factor() > 1.3 * next.factor(), "{next:?} {far:?}");
}

/// The run may come at another time than the samples, which are all alike here.
#[test]
fn intervals_are_never_narrow() {
    let core_seconds = sampler(EngineKind::Naive, 8, 1, |mut sampler| {
        (0..9).for_each(|_| sampler.seconds.add(2.0));
        intervals(&sampler, &sampler, None, 1)[1]
    });
    assert!((core_seconds.factor() - 1.2).abs() < 1e-9, "{core_seconds:?}");
}

/// While samples are drawn, or the board is counted.
#[test]
fn a_stopped_estimate_uses_the_samples_so_far() {
    let first_look = (MIN_PARTS + MIN_SAMPLES) as u64;
    for (n, time) in [(20, Duration::MAX), (28, Duration::from_mins(1))] {
        let watch = Watch::default();
        let estimator = Estimator::new(Request::solutions(empty(n).size()).threads(1)).time(time);
        let estimate = std::thread::scope(|scope| {
            let estimating = scope.spawn(|| estimator.estimate(&watch).unwrap());
            // Until the end of the first look, or until the run has begun, which alone has a ledger.
            let has_begun = || if n == 28 { watch.progress().done >= first_look } else { watch.ledger().is_some() };
            while !has_begun() && !estimating.is_finished() {
                std::thread::yield_now();
            }
            watch.stop();
            estimating.join().unwrap()
        });
        let (expected, Interval { low, high, .. }) =
            (oeis::QUEENS.term(n).unwrap_or(2_600_000_000_000_000_000) as f64, estimate.count);
        assert!(estimate.counted.is_none() && low < 2.0 * expected && expected < 2.0 * high, "{estimate:?}");
        assert!(high.is_finite() && estimate.core_seconds.high.is_finite(), "{estimate:?}");
        assert!(estimate.core_seconds.mean > 1.0, "{estimate:?}");
        let unbegun = estimator.estimate(&watch).unwrap();
        assert_eq!([unbegun.count, unbegun.core_seconds], [Interval::open(0.0); 2], "stopped before its first sample");
    }
}
