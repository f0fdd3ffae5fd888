//! Intervals that hold, boards that are counted, and what is timed.

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
    let steps = Steps::begin(&watch, "drawing samples", 0, None);
    let method = Method::choose(Some(engine), Some(Isa::Portable), &empty(n)).unwrap();
    let columns = part_columns(empty(n).size());
    then(Sampler::new(&threads, &steps, method, empty(n), columns, Rng::with_seed(seed).fork()))
}

/// So many samples of the count and of the time.
fn drawn(engine: EngineKind, n: usize, seed: u64, samples: usize) -> [Samples; 2] {
    sampler(engine, n, seed, |mut sampler| {
        sampler.draw(samples, Duration::ZERO);
        [sampler.count, sampler.seconds]
    })
}

fn of(n: usize, time: Duration, seed: u64) -> Estimate {
    let request = Request::solutions(empty(n).size()).threads(1);
    Estimator::new(request).time(time).seed(seed).estimate(&Watch::default()).unwrap()
}

/// By parts and by groups: the seeds are fixed, and nineteen of twenty should hold.
#[test]
fn intervals_hold_the_count() {
    for (engine, n) in [(EngineKind::Backtrack, 13), (EngineKind::Join, 13), (EngineKind::Join, 12)] {
        let expected = oeis::QUEENS.term(n).unwrap() as f64;
        let held = (0..100).filter(|&seed| {
            let Interval { low, high, .. } = drawn(engine, n, seed, 200)[0].interval();
            low.is_finite() && (low..=high).contains(&expected)
        });
        let held = held.count();
        assert!(held >= 88, "{engine}, N = {n}: only {held} of 100");
    }
    let Estimate { count, counted, timed_n, .. } = of(20, Duration::from_millis(300), 1);
    assert!(counted.is_none() && (14..=20).contains(&timed_n) && count.factor() < 3.0, "{count:?}");
}

/// Within a factor, at the middle one of three times, for other programs share the caches: a run of the same board does not
/// take much longer or shorter.
#[test]
fn groups_take_as_long_as_in_a_run() {
    let ratio = || {
        let (seconds, worked) = (drawn(EngineKind::Join, 15, 1, 400)[1].mean, crate::run::thread_seconds());
        let plan = HalvesPlan::new(empty(15).size());
        let method = Method::choose(Some(EngineKind::Join), Some(Isa::Portable), &empty(15)).unwrap();
        let mut engine = method.engines(empty(15).size())();
        for (task, _) in (0..plan.units()).flat_map(|unit| plan.row_sets(unit, 0)) {
            engine.count(&Task::Halves(task, crate::plan::ANYWHERE));
        }
        seconds / (crate::run::thread_seconds() - worked)
    };
    let mut ratios = [(); 3].map(|()| ratio());
    ratios.sort_by(f64::total_cmp);
    assert!((0.5..2.0).contains(&ratios[1]), "estimated over real: {ratios:?}");
}

/// A group is counted before it is timed, and the group before it in between, as in a run, which leaves the lists that a
/// run would find.
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
        let number = groups.iter().position(|group| group.contains(task)).expect("each is of a group");
        assert_eq!(timed, groups[number]);
        assert_eq!(engine.0, [groups[number], groups[number.saturating_sub(1)]].concat());
        assert!((stand_for - timed.len() as f64).abs() < 1e-9);
    }
}

/// On average a sample is worth the whole, though units have more tasks or fewer.
#[test]
fn samples_are_fair() {
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

/// Samples of the join find in caches what a run finds in memory. Backtracking has no lists.
#[test]
fn a_run_of_the_join_takes_longer_than_its_samples() {
    struct Busy;
    impl Engine for Busy {
        fn count(&mut self, _: &Task) -> u64 {
            let begun = crate::run::thread_seconds();
            while crate::run::thread_seconds() < begun + 0.002 {}
            1
        }
    }
    for (engine, n, longer) in [(EngineKind::Backtrack, 6, 1.0), (EngineKind::Join, 12, 1.1)] {
        let plan = plan_of(engine, &empty(n));
        let tasks: u64 = (0..plan.units()).map(|unit| plan.tasks(unit)).sum();
        let seconds = sampler(engine, n, 1, |sampler| sampler.sample(&mut Busy, &mut Rng::with_seed(1))[1]);
        let found = seconds / (0.002 * tasks as f64);
        assert!((found / longer - 1.0).abs() < 0.05, "{engine}: {found}");
    }
}

#[test]
fn what_takes_less_than_the_time_is_counted() {
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
    let counted = of(16, Duration::MAX, 1);
    // Its processor time, which other programs hardly lengthen.
    let drawn = of(16, Duration::from_secs_f64(counted.core_seconds.mean / 4.0), 1);
    assert!(counted.counted.is_some() && drawn.counted.is_none(), "{counted:?} {drawn:?}");
}

/// The time of a larger board comes from a smaller one, to within the growth; cores share it.
#[test]
fn long_tasks_are_those_of_a_smaller_board() {
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
    let [same, next, far] = [20, 21, 28].map(|n| grown(Interval::exactly(2.0), 20, n));
    assert_eq!((same, next.mean), (Interval::exactly(2.0), 2.0 * work(21) / work(20)));
    assert!(next.factor() > 1.2 && far.factor() > 1.3 * next.factor(), "{next:?} {far:?}");
}

#[test]
fn a_seed_decides_what_is_drawn() {
    let means = [7, 7, 8].map(|seed| drawn(EngineKind::Backtrack, 14, seed, FEWEST)[0].mean);
    assert!((means[0] - means[1]).abs() < 1e-3 && (means[0] - means[2]).abs() > 1.0, "{means:?}");
}

/// Who watches may end it at any time, while samples are drawn or the board is counted; then what was drawn is told.
#[test]
fn a_stop_ends_it() {
    for (n, time) in [(20, Duration::MAX), (28, Duration::from_mins(1))] {
        let watch = Watch::default();
        let estimator = Estimator::new(Request::solutions(empty(n).size()).threads(1)).time(time);
        let estimate = std::thread::scope(|scope| {
            let estimating = scope.spawn(|| estimator.estimate(&watch).unwrap());
            // The first look has been had.
            while watch.progress().done < (PARTS + FEWEST) as u64 && !estimating.is_finished() {
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
        assert_eq!([unbegun.count, unbegun.core_seconds], [Interval::open(0.0); 2], "it was stopped before");
    }
}
