//! The three ways to count: [completions] of given queens, whole boards by the [join](joined), and the solutions that a turn leaves
//! unchanged as exact [covers]. Each pairs a plan with the engine that counts its tasks, with other code that counts them again,
//! and with the auditor.
//!
//! Runs, self-checks, estimates and audits are plain functions of [`Counting`], which hides the types of tasks and engines.

use std::sync::Arc;
use std::time::Instant;

use fastrand::Rng;

use crate::auditor::{self, Audited};
use crate::board::{Placement, RotationalBoard, Size};
use crate::engine::backtrack::Backtrack;
use crate::engine::cover::{Cover, Cut, CutPlan};
use crate::engine::join::Join;
use crate::engine::lanes::{Isa, Lanes, Portable, WithLanes};
use crate::engine::naive::Naive;
use crate::engine::{Engine, EngineKind, Method, WithFixed};
use crate::ledger::Fingerprint;
use crate::plan::{Begun, Halves, HalvesPlan, Plan, PrefixPlan, Units, Weighted};
use crate::rotational;
use crate::run::CountError;
use crate::run::audits::{self, AuditDraw};
use crate::run::threads::thread_seconds;
use crate::subject::Subject;
use crate::tally::Tally;

/// A count: its plan, and the code that counts its tasks.
pub(crate) trait Counting: Send + Sync {
    /// Its units.
    fn plan(&self) -> Arc<dyn Units>;

    /// What a thread counts with.
    fn worker(&self) -> Box<dyn Worker + '_>;

    /// What a thread recounts with, for double checks. It takes as much memory as the worker.
    fn second(&self) -> Box<Second<'_>>;

    /// The type of the engine.
    #[cfg(test)]
    fn name(&self) -> &'static str;
}

/// Counts a task of a unit by other code than the engine's; `None` if it was stopped, as its last argument tells.
pub(crate) type Second<'a> = dyn FnMut(usize, u64, &dyn Fn() -> bool) -> Option<Recount> + Send + 'a;

/// An engine with the buffers of one thread.
pub(crate) trait Worker: Send {
    /// Counts the tasks of a unit in their order, from this one on, and hands over each, of which the first error ends it.
    fn unit(
        &mut self,
        unit: usize,
        from: u64,
        each: &mut dyn FnMut(Found) -> Result<(), CountError>,
    ) -> Result<(), CountError>;

    /// Counts a random part of a unit, as it would be counted in a run.
    fn sample(&mut self, unit: usize, random: &mut Rng) -> Sample;

    /// Has the auditor count a task of which the engine has found `count`, or has both count a random part of it. `None` if
    /// it was stopped.
    fn audit(
        &mut self,
        task: (usize, u64),
        count: u64,
        random: &mut Rng,
        stopped: &dyn Fn() -> bool,
    ) -> Option<Compared>;
}

/// The solutions of a task, and how many symmetric tasks it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) count: u64,
    pub(crate) weight: u64,
}

impl Found {
    pub(crate) fn tally(self) -> Tally {
        (u128::from(self.count) * u128::from(self.weight)).into()
    }
}

/// A task counted again.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Recount {
    pub(crate) found: Found,
    /// What the auditor finds of it, or of a part of it, if it was asked.
    pub(crate) audited: Option<Compared>,
}

/// Some tasks of a unit, or a part of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Their solutions, times their weights.
    pub(crate) count: f64,
    /// How many such samples make the unit.
    pub(crate) stands_for: f64,
    /// Processor time and wall time, without what was made before them.
    pub(crate) seconds: f64,
    pub(crate) wall_seconds: f64,
    /// Wall time with what was made before them.
    pub(crate) all_seconds: f64,
}

/// The solutions of a task, without its weight, or of a part of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Compared {
    pub(crate) engine: u64,
    pub(crate) auditor: u64,
    pub(crate) is_part: bool,
}

/// Who counts: a method of this crate, or an engine from outside.
pub(crate) struct Counter<'a> {
    /// The engine's name in ledgers and results.
    pub(crate) name: &'static str,
    /// The method, unless the engine is from outside the crate.
    pub(crate) method: Option<Method>,
    counting: Box<MakeCounting<'a>>,
}

/// Makes the count of a subject.
type MakeCounting<'a> = dyn Fn(&Subject) -> Box<dyn Counting + 'a> + Send + Sync + 'a;

impl<'a> Counter<'a> {
    /// A method that fits its subjects and the processor; [`Method::choose`] makes sure of that.
    pub(crate) fn new(method: Method) -> Self {
        let counting = Box::new(move |subject: &Subject| method.counting(subject) as _);
        Self { name: method.engine.info().name, method: Some(method), counting }
    }

    /// An engine from outside the crate, for subjects that are cut by the first columns.
    pub(crate) fn own<E: Engine<Task = Placement>>(engine: &'a E) -> Self {
        let counting = move |subject: &Subject| -> Box<dyn Counting + 'a> {
            let Subject::Completions(fixed) = subject else { unreachable!("a request refuses this engine") };
            let prefix = fixed.as_placement().expect("a request refuses this engine for other queens");
            Box::new(completions(&prefix, engine, || recounter(Naive)))
        };
        Self { name: std::any::type_name::<E>(), method: None, counting: Box::new(counting) }
    }

    pub(crate) fn isa(&self) -> Isa {
        self.method.map_or(Isa::Portable, |method| method.isa)
    }

    pub(crate) fn counting(&self, subject: &Subject) -> Box<dyn Counting + 'a> {
        (self.counting)(subject)
    }

    /// The fingerprint of the subject with this plan.
    pub(crate) fn fingerprint(&self, subject: &Subject, plan: &dyn Units) -> Fingerprint {
        let (engine, units) = (self.name.to_owned(), plan.units());
        Fingerprint { subject: *subject, engine, plan: plan.fingerprint(), units }
    }
}

impl Method {
    fn counting(self, subject: &Subject) -> Box<dyn Counting> {
        const CHOSEN: &str = "the processor has the instruction set that was chosen";
        match (self.engine, subject) {
            (EngineKind::Backtrack, Subject::Completions(fixed)) => {
                let backtrack = Backtrack::new(self.isa).expect(CHOSEN);
                // It searches in vectors only beyond the last of them: a queen in column 16 of 16 is counted in the time of one
                // in column 1, a twentieth.
                let fixed = fixed.earliest_image();
                match fixed.as_placement() {
                    Some(prefix) => Box::new(completions(&prefix, backtrack, || recounter(Naive))),
                    None => Box::new(completions(&fixed, WithFixed(backtrack), recounter_by_auditor)),
                }
            }
            (EngineKind::Naive, Subject::Completions(fixed)) => match fixed.as_placement() {
                Some(prefix) => Box::new(completions(&prefix, Naive, || recounter(Backtrack::default()))),
                None => Box::new(completions(fixed, WithFixed(Naive), recounter_by_auditor)),
            },
            _ => self.isa.with(OnLanes(*subject)).expect(CHOSEN),
        }
    }
}

/// A whole board, or one that is turned, on any lanes.
struct OnLanes(Subject);

impl WithLanes for OnLanes {
    type Output = Box<dyn Counting>;

    fn with<L: Lanes>(self, lanes: L) -> Self::Output {
        match self.0 {
            Subject::Completions(fixed) => Box::new(joined(fixed.size(), lanes)),
            Subject::Rotational(board) => Box::new(covers(board, lanes)),
        }
    }
}

/// A plan, the engine that counts its tasks, and what checks the engine.
struct Count<'a, P: Plan, E: Engine> {
    plan: Arc<P>,
    engine: E,
    /// Makes what a thread recounts tasks with.
    second: Box<dyn Fn() -> Box<Recounter<P::Task>> + Send + Sync>,
    /// See [`Worker::audit`].
    audit: Box<Audit<'a, P, E>>,
}

/// Counts a task by other code than the engine's, and says what the auditor finds if it is asked too. `None` if it was stopped.
type Recounter<T> = dyn FnMut(&T, &dyn Fn() -> bool) -> Option<(u64, Option<Compared>)> + Send;

type Audit<'a, P, E> =
    dyn Fn(&E, &mut Buffers<E>, (&Task<P>, u64), &mut Rng, &dyn Fn() -> bool) -> Option<Compared> + Send + Sync + 'a;
type Task<P> = <P as Plan>::Task;
type Buffers<E> = <E as Engine>::Worker;

/// The completions of given queens, cut by the next empty columns.
fn completions<'a, B, E>(
    prefix: &B,
    engine: E,
    second: impl Fn() -> Box<Recounter<B>> + Send + Sync + 'static,
) -> Count<'a, PrefixPlan<B>, E>
where
    B: Begun + Audited + 'static,
    E: Engine<Task = B> + 'a,
{
    let (plan, audit) = (PrefixPlan::new(prefix).into(), Box::new(audits::of_prefix::<E>));
    Count { plan, engine, second: Box::new(second), audit }
}

/// Another engine counts a task again.
fn recounter<E: Engine<Worker: 'static> + Send + 'static>(engine: E) -> Box<Recounter<E::Task>> {
    let mut worker = engine.worker();
    Box::new(move |task, _| Some((engine.count(&mut worker, task), None)))
}

/// The auditor counts it again.
fn recounter_by_auditor<B: Audited>() -> Box<Recounter<B>> {
    Box::new(|task, stopped| Some((auditor::count(task, stopped)?, None)))
}

/// A whole board, cut in halves.
///
/// Any other engine would take too long to count these tasks again. The join on portable lanes detects errors of the machine, even
/// if the run uses portable lanes too. To detect errors of the method, the auditor counts one task of each of the largest units,
/// and of smaller ones in proportion, or a part of every task.
fn joined<L: Lanes>(size: Size, lanes: L) -> Count<'static, HalvesPlan, Join<L>> {
    let plan = HalvesPlan::new(size);
    let most = (0..plan.units()).map(|unit| plan.tasks(unit)).max().unwrap_or(1);
    let portable = Arc::new((Join::new(size, Portable::new()), AuditDraw::new(size, most)));
    let second = move || -> Box<Recounter<Halves>> {
        let (portable, mut worker) = (Arc::clone(&portable), portable.0.worker());
        Box::new(move |task, stopped| {
            let (join, audited) = &*portable;
            let count = join.count(&mut worker, task);
            let Some(random) = &mut audited.draw() else { return Some((count, None)) };
            Some((count, Some(audits::of_join(join, &mut worker, (task, count), random, stopped)?)))
        })
    };
    let engine = Join::new(size, lanes);
    Count { plan: plan.into(), engine, second: Box::new(second), audit: Box::new(audits::of_join::<L>) }
}

/// The solutions that a turn leaves unchanged. The auditor counts each task again.
fn covers<L: Lanes>(board: RotationalBoard, lanes: L) -> Count<'static, CutPlan, Cover<L>> {
    let engine = Cover::new(lanes, rotational::problem(board));
    let plan = Arc::new(engine.plan().clone());
    let of_second = Arc::clone(&plan);
    let second = move || -> Box<Recounter<Cut>> {
        let plan = Arc::clone(&of_second);
        Box::new(move |task, stopped| Some((auditor::rotational::count(board, &plan, task, stopped)?, None)))
    };
    let of_audit = Arc::clone(&plan);
    let audit = move |_: &_, _: &mut _, (task, engine): (&Cut, u64), _: &mut _, stopped: &dyn Fn() -> bool| {
        let auditor = auditor::rotational::count(board, &of_audit, task, stopped)?;
        Some(Compared { engine, auditor, is_part: false })
    };
    Count { plan, engine, second: Box::new(second), audit: Box::new(audit) }
}

impl<P: Plan + 'static, E: Engine<Task = P::Task> + Send> Counting for Count<'_, P, E> {
    fn plan(&self) -> Arc<dyn Units> {
        self.plan.clone()
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(EngineWorker { of: self, worker: self.engine.worker() })
    }

    fn second(&self) -> Box<Second<'_>> {
        let mut recount = (self.second)();
        Box::new(move |unit, index, stopped| {
            let Weighted { task, weight } = self.plan.task(unit, index);
            let (count, audited) = recount(&task, stopped)?;
            Some(Recount { found: Found { count, weight }, audited })
        })
    }

    #[cfg(test)]
    fn name(&self) -> &'static str {
        std::any::type_name::<E>()
    }
}

struct EngineWorker<'a, P: Plan, E: Engine> {
    of: &'a Count<'a, P, E>,
    worker: E::Worker,
}

impl<P: Plan, E: Engine<Task = P::Task>> Worker for EngineWorker<'_, P, E> {
    fn unit(
        &mut self,
        unit: usize,
        from: u64,
        each: &mut dyn FnMut(Found) -> Result<(), CountError>,
    ) -> Result<(), CountError> {
        for Weighted { task, weight } in self.of.plan.unit(unit).skip(from as usize) {
            each(Found { count: self.of.engine.count(&mut self.worker, &task), weight })?;
        }
        Ok(())
    }

    fn sample(&mut self, unit: usize, random: &mut Rng) -> Sample {
        let Count { plan, engine, .. } = self.of;
        sample(&**plan, unit, random, &mut |task| engine.count(&mut self.worker, task))
    }

    fn audit(
        &mut self,
        (unit, index): (usize, u64),
        count: u64,
        random: &mut Rng,
        stopped: &dyn Fn() -> bool,
    ) -> Option<Compared> {
        let task = &self.of.plan.task(unit, index).task;
        (self.of.audit)(&self.of.engine, &mut self.worker, (task, count), random, stopped)
    }
}

/// Counts a random part of a unit, as it would be counted in a run.
fn sample<P: Plan>(plan: &P, unit: usize, random: &mut Rng, count: &mut dyn FnMut(&P::Task) -> u64) -> Sample {
    let begun = Instant::now();
    let (tasks, sharing) = (plan.tasks(unit), plan.tasks_sharing_lists());
    let (drawn, stands_for) = if sharing == 0 {
        let task = plan.task(unit, random.u64(0..tasks));
        let (part, parts) = plan.part(task.task, &mut |below| random.usize(0..below));
        (vec![Weighted { task: part, ..task }], tasks as f64 * parts)
    } else {
        let groups = tasks.div_ceil(sharing);
        let drawn = random.u64(0..groups);
        // The lists that a run would have kept are made first: those of the group, and by the group before it, as in a run.
        for number in [drawn, drawn.saturating_sub(1)] {
            let _: u128 = group(plan, unit, number).iter().map(|task| u128::from(count(&task.task))).sum();
        }
        (group(plan, unit, drawn), groups as f64)
    };
    let (start, worked) = (Instant::now(), thread_seconds());
    let count = drawn.iter().map(|task| count(&task.task) as f64 * task.weight as f64).sum();
    let seconds = thread_seconds() - worked;
    let [wall_seconds, all_seconds] = [start, begun].map(|start| start.elapsed().as_secs_f64());
    Sample { count, stands_for, seconds, wall_seconds, all_seconds }
}

/// One of the groups of tasks of a unit that share lists, see [`Units::tasks_sharing_lists`].
fn group<P: Plan>(plan: &P, unit: usize, number: u64) -> Vec<Weighted<P::Task>> {
    let length = plan.tasks_sharing_lists();
    let end = plan.tasks(unit).min((number + 1) * length);
    (number * length..end).map(|index| plan.task(unit, index)).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Rotation;
    use crate::engine::lanes::fault;

    /// A count for tests, by any plan and engines. The auditor is asked if it finds so many solutions more than the second.
    pub(crate) fn planted<P, E, S>(plan: P, engine: E, second: S, audited: Option<u64>) -> impl Counting
    where
        P: Plan + 'static,
        E: Engine<Task = P::Task> + Send,
        S: Engine<Task = P::Task> + Send + 'static,
    {
        let second = Arc::new(second);
        let second = move || -> Box<Recounter<P::Task>> {
            let (second, mut worker) = (Arc::clone(&second), second.worker());
            Box::new(move |task, _| {
                let engine = second.count(&mut worker, task);
                Some((engine, audited.map(|more| Compared { engine, auditor: engine + more, is_part: false })))
            })
        };
        Count { plan: plan.into(), engine, second: Box::new(second), audit: Box::new(|_, _, _, _, _| None) }
    }

    fn name(subject: impl Into<Subject>, engine: Option<EngineKind>, isa: Option<Isa>) -> &'static str {
        let subject = subject.into();
        Method::choose(engine, isa, subject).unwrap().counting(&subject).name()
    }

    /// The requested engine runs.
    #[test]
    fn engines_are_those_named() {
        let size = Size::new(9).unwrap();
        assert!(name(size, Some(EngineKind::Backtrack), None).ends_with("::Backtrack"));
        assert!(name(size, Some(EngineKind::Naive), None).ends_with("::Naive"));
        let half = RotationalBoard::new(Rotation::Half, 9).unwrap();
        let (mut joins, mut covers) = (Vec::new(), Vec::new());
        for isa in Isa::available() {
            let lanes = format!("::{}>", isa.lanes());
            let (join, cover) = (name(size, Some(EngineKind::Join), Some(isa)), name(half, None, Some(isa)));
            assert!(join.contains("::Join<") && join.ends_with(&lanes), "{join} for {isa}");
            assert!(cover.contains("::Cover<") && cover.ends_with(&lanes), "{cover} for {isa}");
            joins.push(join);
            covers.push(cover);
        }
        for mut counts in [joins, covers] {
            counts.dedup();
            assert_eq!(counts.len(), Isa::available().count(), "each set has lanes of its own: {counts:?}");
        }
    }

    /// Backtracking and the oracle check each other: a fault of one is not one of the other.
    #[test]
    fn what_counts_is_checked_by_other_code() {
        for engine in [EngineKind::Backtrack, EngineKind::Naive] {
            let board = Size::new(10).unwrap().into();
            let counting = Method::choose(Some(engine), None, board).unwrap().counting(&board);
            fault::with("last-columns", || {
                let (mut second, mut found) = (counting.second(), Vec::new());
                let each = &mut |task| {
                    found.push(task);
                    Ok(())
                };
                counting.worker().unit(0, 0, each).unwrap();
                assert_ne!(found[0], second(0, 0, &|| false).unwrap().found, "{engine}");
            });
        }
    }

    /// A group is counted before it is timed, and the group before it in between, as in a run, which leaves the lists that
    /// a run would find.
    #[test]
    fn samples_are_timed_with_the_lists_of_a_run() {
        let plan = HalvesPlan::new(Size::new(21).unwrap());
        let (unit, length) = (plan.units() / 2, plan.tasks_sharing_lists() as usize);
        let groups: Vec<Vec<Halves>> =
            plan.unit(unit).map(|task| task.task).collect::<Vec<_>>().chunks(length).map(<[_]>::to_vec).collect();
        assert!(groups.len() > 2);
        for seed in 0..20 {
            let mut counted = Vec::new();
            let mut count = |task: &Halves| {
                counted.push(*task);
                1
            };
            sample(&plan, unit, &mut Rng::with_seed(seed), &mut count);
            let is_it = |drawn: usize| {
                let order = [drawn, drawn.saturating_sub(1), drawn];
                counted == order.map(|number| groups[number].clone()).concat()
            };
            assert!((0..groups.len()).any(is_it), "{seed}");
        }
    }

    /// The groups of a unit are its tasks, each once.
    #[test]
    fn groups_cover_a_unit() {
        for n in [12, 13, 21, 22] {
            let plan = HalvesPlan::new(Size::new(n).unwrap());
            for unit in [0, plan.units() / 2, plan.units() - 1] {
                let groups = 0..plan.tasks(unit).div_ceil(plan.tasks_sharing_lists());
                let tasks: Vec<_> = groups.flat_map(|number| group(&plan, unit, number)).collect();
                assert!(tasks.into_iter().eq(plan.unit(unit)), "N = {n}, unit {unit}");
            }
        }
    }
}
