//! A count as one object: what is counted, cut into units of tasks, with the code that counts, recounts, samples and audits
//! them. Runs, self-checks, estimates and audits are plain functions of [`Counting`], which know nothing of the types beneath.
//!
//! [`By::counting`] is the one place that pairs each plan with the engine that counts its tasks, with another that counts
//! them again, and with the auditor.

use std::sync::Arc;
use std::time::Instant;

use fastrand::Rng;

use crate::auditor;
use crate::board::{Placement, RotationalBoard, Size};
use crate::engine::backtrack::Backtrack;
use crate::engine::cover::{Cover, Cut, CutPlan};
use crate::engine::join::Join;
use crate::engine::lanes::{Isa, Lanes, Portable, WithLanes};
use crate::engine::naive::Naive;
use crate::engine::{Engine, EngineKind, Method};
use crate::ledger::Fingerprint;
use crate::plan::{HalvesPlan, Plan, PrefixPlan, Units, Weighted};
use crate::rotational;
use crate::run::CountError;
use crate::run::audits::{self, JoinWithAuditor};
use crate::run::threads::thread_seconds;
use crate::subject::Subject;
use crate::tally::Tally;

/// A count: its plan, and the code that counts its tasks.
pub(crate) trait Counting: Send + Sync {
    /// Its units.
    fn plan(&self) -> Arc<dyn Units>;

    /// A thread's means to count by the engine.
    fn worker(&self) -> Box<dyn Worker + '_>;

    /// A thread's means to count a task again, for double checks. It takes as much memory as the worker.
    fn second(&self) -> Box<Second<'_>>;

    /// The types of the engine and of the one that checks it.
    #[cfg(test)]
    fn names(&self) -> [&'static str; 2];
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

/// Counts tasks by other code than the engine of a count.
pub(crate) trait SecondEngine: Send + Sync {
    type Task;
    type Worker: Send;

    fn recounter(&self) -> Self::Worker;

    /// The count, and what the auditor finds if it is asked too. `None` if it was stopped.
    fn recount(
        &self,
        worker: &mut Self::Worker,
        task: &Self::Task,
        stopped: &dyn Fn() -> bool,
    ) -> Option<(u64, Option<Compared>)>;
}

/// Any engine, whose tasks end soon.
impl<E: Engine + Send> SecondEngine for E {
    type Task = E::Task;
    type Worker = E::Worker;

    fn recounter(&self) -> E::Worker {
        self.worker()
    }

    fn recount(&self, worker: &mut E::Worker, task: &E::Task, _: &dyn Fn() -> bool) -> Option<(u64, Option<Compared>)> {
        Some((self.count(worker, task), None))
    }
}

/// The auditor for solutions that a turn leaves unchanged.
struct TurnAuditor {
    board: RotationalBoard,
    plan: Arc<CutPlan>,
}

impl SecondEngine for TurnAuditor {
    type Task = Cut;
    type Worker = ();

    fn recounter(&self) {}

    fn recount(&self, (): &mut (), task: &Cut, stopped: &dyn Fn() -> bool) -> Option<(u64, Option<Compared>)> {
        Some((auditor::rotational::count(self.board, &self.plan, task, stopped)?, None))
    }
}

/// Who counts: a method of this crate, or an engine from outside.
pub(crate) struct By<'a> {
    /// The engine's name in ledgers and results.
    pub(crate) name: &'static str,
    pub(crate) isa: Isa,
    /// The method, unless the engine is from outside the crate.
    pub(crate) method: Option<Method>,
    counting: Box<Count<'a>>,
}

/// Makes the count of a subject.
type Count<'a> = dyn Fn(&Subject) -> Box<dyn Counting + 'a> + Send + 'a;

impl<'a> By<'a> {
    /// An engine from outside the crate, for subjects that are cut by the first columns.
    pub(crate) fn own<E: Engine<Task = Placement>>(engine: &'a E) -> Self {
        let counting = move |subject: &Subject| -> Box<dyn Counting + 'a> {
            let Subject::Completions(prefix) = subject else { unreachable!("a request refuses this engine") };
            Box::new(completions(*prefix, engine, Naive))
        };
        Self { name: std::any::type_name::<E>(), isa: Isa::Portable, method: None, counting: Box::new(counting) }
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

impl From<Method> for By<'static> {
    fn from(method: Method) -> Self {
        let (name, isa) = (method.engine.info().name, method.isa);
        Self { name, isa, method: Some(method), counting: Box::new(move |subject| method.counting(subject)) }
    }
}

impl Method {
    /// The count of this subject. The method must fit the subject and the processor; [`Method::choose`] makes sure of that.
    pub(crate) fn counting(self, subject: &Subject) -> Box<dyn Counting> {
        const CHOSEN: &str = "the processor has the instruction set that was chosen";
        match (self.engine, *subject) {
            (EngineKind::Backtrack, Subject::Completions(prefix)) => {
                Box::new(completions(prefix, Backtrack::new(self.isa).expect(CHOSEN), Naive))
            }
            (EngineKind::Naive, Subject::Completions(prefix)) => {
                Box::new(completions(prefix, Naive, Backtrack::default()))
            }
            (EngineKind::Join, Subject::Completions(prefix)) => self.isa.with(Halved(prefix.size())).expect(CHOSEN),
            (EngineKind::Cover, Subject::Rotational(board)) => self.isa.with(Turned(board)).expect(CHOSEN),
            (engine, subject) => unreachable!("{engine} is not chosen for {subject:?}"),
        }
    }
}

/// The completions of a placement, cut by the next columns.
fn completions<E, S>(prefix: Placement, engine: E, second: S) -> impl Counting
where
    E: Engine<Task = Placement> + Send,
    S: Engine<Task = Placement> + Send,
{
    Typed { plan: PrefixPlan::new(&prefix).into(), engine, second, audit: audits::of_prefix }
}

/// A board cut in halves, on any lanes.
struct Halved(Size);

impl WithLanes for Halved {
    type Output = Box<dyn Counting>;

    fn with<L: Lanes>(self, lanes: L) -> Self::Output {
        let plan = HalvesPlan::new(self.0);
        // Any other engine would take too long for these tasks. The join on portable lanes detects errors of the
        // machine, even if the run uses portable lanes too. To detect errors of the method, the auditor counts one task
        // of each of the largest units, and of smaller ones in proportion, or a part of every task.
        let most = (0..plan.units()).map(|unit| plan.tasks(unit)).max().unwrap_or(1);
        let second = JoinWithAuditor::new(self.0, Portable::new(), most);
        Box::new(Typed { plan: plan.into(), engine: Join::new(self.0, lanes), second, audit: audits::of_join })
    }
}

/// A board that is turned, on any lanes.
struct Turned(RotationalBoard);

impl WithLanes for Turned {
    type Output = Box<dyn Counting>;

    fn with<L: Lanes>(self, lanes: L) -> Self::Output {
        let engine = Cover::new(lanes, rotational::problem(self.0));
        let plan = Arc::new(engine.plan().clone());
        let auditor = || TurnAuditor { board: self.0, plan: Arc::clone(&plan) };
        let (second, auditor) = (auditor(), auditor());
        let audit = move |_: &_, _: &mut _, (task, count): (&Cut, u64), _: &mut _, stopped: &dyn Fn() -> bool| {
            let (auditor, _) = auditor.recount(&mut (), task, stopped)?;
            Some(Compared { engine: count, auditor, is_part: false })
        };
        Box::new(Typed { plan, engine, second, audit })
    }
}

/// A plan with its engines and its auditor: the types that everything else does without.
struct Typed<P, E, S, A> {
    plan: Arc<P>,
    engine: E,
    second: S,
    /// Has the auditor count a task of which the engine has found so many solutions, or has both count a random part.
    audit: A,
}

impl<P, E, S, A> Counting for Typed<P, E, S, A>
where
    P: Plan + 'static,
    E: Engine<Task = P::Task> + Send,
    S: SecondEngine<Task = P::Task>,
    A: Fn(&E, &mut E::Worker, (&P::Task, u64), &mut Rng, &dyn Fn() -> bool) -> Option<Compared> + Send + Sync,
{
    fn plan(&self) -> Arc<dyn Units> {
        self.plan.clone()
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(TypedWorker { of: self, worker: self.engine.worker() })
    }

    fn second(&self) -> Box<Second<'_>> {
        let mut worker = self.second.recounter();
        Box::new(move |unit, index, stopped| {
            let Weighted { task, weight } = self.plan.task(unit, index);
            let (count, audited) = self.second.recount(&mut worker, &task, stopped)?;
            Some(Recount { found: Found { count, weight }, audited })
        })
    }

    #[cfg(test)]
    fn names(&self) -> [&'static str; 2] {
        [std::any::type_name::<E>(), std::any::type_name::<S>()]
    }
}

struct TypedWorker<'a, P, E: Engine, S, A> {
    of: &'a Typed<P, E, S, A>,
    worker: E::Worker,
}

impl<P, E, S, A> TypedWorker<'_, P, E, S, A>
where
    P: Plan,
    E: Engine<Task = P::Task>,
{
    fn count(&mut self, task: &P::Task) -> u64 {
        self.of.engine.count(&mut self.worker, task)
    }

    /// One of the groups of tasks of a unit that share lists, see [`Units::tasks_sharing_lists`].
    fn group(&self, unit: usize, number: u64) -> Vec<Weighted<P::Task>> {
        let (plan, length) = (&self.of.plan, self.of.plan.tasks_sharing_lists());
        let end = plan.tasks(unit).min((number + 1) * length);
        (number * length..end).map(|index| plan.task(unit, index)).collect()
    }
}

impl<P, E, S, A> Worker for TypedWorker<'_, P, E, S, A>
where
    P: Plan,
    E: Engine<Task = P::Task>,
    S: Sync,
    A: Fn(&E, &mut E::Worker, (&P::Task, u64), &mut Rng, &dyn Fn() -> bool) -> Option<Compared> + Sync,
{
    fn unit(
        &mut self,
        unit: usize,
        from: u64,
        each: &mut dyn FnMut(Found) -> Result<(), CountError>,
    ) -> Result<(), CountError> {
        for Weighted { task, weight } in self.of.plan.unit(unit).skip(from as usize) {
            each(Found { count: self.count(&task), weight })?;
        }
        Ok(())
    }

    fn sample(&mut self, unit: usize, random: &mut Rng) -> Sample {
        let (plan, begun) = (&self.of.plan, Instant::now());
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
                let _: u128 = self.group(unit, number).iter().map(|task| u128::from(self.count(&task.task))).sum();
            }
            (self.group(unit, drawn), groups as f64)
        };
        let (start, worked) = (Instant::now(), thread_seconds());
        let count = drawn.iter().map(|task| self.count(&task.task) as f64 * task.weight as f64).sum();
        let seconds = thread_seconds() - worked;
        let [wall_seconds, all_seconds] = [start, begun].map(|start| start.elapsed().as_secs_f64());
        Sample { count, stands_for, seconds, wall_seconds, all_seconds }
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Rotation;
    use crate::plan::Halves;
    use std::sync::Mutex;

    /// A count for tests, of which nothing is audited.
    pub(crate) fn unaudited<P, E, S>(plan: P, engine: E, second: S) -> impl Counting
    where
        P: Plan + 'static,
        E: Engine<Task = P::Task> + Send,
        S: SecondEngine<Task = P::Task>,
    {
        let audit = |_: &E, _: &mut _, _: (&_, u64), _: &mut _, _: &dyn Fn() -> bool| None;
        Typed { plan: Arc::new(plan), engine, second, audit }
    }

    fn names(subject: impl Into<Subject>, engine: Option<EngineKind>, isa: Option<Isa>) -> [&'static str; 2] {
        let subject = subject.into();
        Method::choose(engine, isa, subject).unwrap().counting(&subject).names()
    }

    /// The requested engine runs, and another one checks it.
    #[test]
    fn engines_are_those_named_and_checked_by_others() {
        let size = Size::new(9).unwrap();
        let [engine, second] = names(size, Some(EngineKind::Backtrack), None);
        assert!(engine.ends_with("::Backtrack") && second.ends_with("::Naive"), "{engine}, {second}");
        let [engine, second] = names(size, Some(EngineKind::Naive), None);
        assert!(engine.ends_with("::Naive") && second.ends_with("::Backtrack"), "{engine}, {second}");
        let half = RotationalBoard::new(Rotation::Half, 9).unwrap();
        let (mut joins, mut covers) = (Vec::new(), Vec::new());
        for isa in Isa::available() {
            let lanes = format!("::{}>", isa.lanes());
            let [engine, second] = names(size, Some(EngineKind::Join), Some(isa));
            assert!(second.contains("::JoinWithAuditor<") && second.contains("::Portable>"), "{second}");
            assert!(engine.contains("::Join<") && engine.ends_with(&lanes), "{engine} for {isa}");
            joins.push(engine);
            let [engine, second] = names(half, None, Some(isa));
            assert!(second.ends_with("::TurnAuditor"), "{second}");
            assert!(engine.contains("::Cover<") && engine.ends_with(&lanes), "{engine} for {isa}");
            covers.push(engine);
        }
        for mut engines in [joins, covers] {
            engines.dedup();
            assert_eq!(engines.len(), Isa::available().count(), "each set has lanes of its own: {engines:?}");
        }
    }

    /// Notes the tasks that it counts.
    struct Noting(Mutex<Vec<Halves>>);

    impl Engine for Noting {
        type Task = Halves;
        type Worker = ();

        fn worker(&self) {}

        fn count(&self, (): &mut (), task: &Halves) -> u64 {
            self.0.lock().unwrap().push(*task);
            1
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
        let of = &Typed { plan: plan.into(), engine: Noting(Mutex::default()), second: (), audit: of_nothing };
        for seed in 0..20 {
            TypedWorker { of, worker: () }.sample(unit, &mut Rng::with_seed(seed));
            let counted = std::mem::take(&mut *of.engine.0.lock().unwrap());
            let is_it = |drawn: &usize| {
                let order = [*drawn, drawn.saturating_sub(1), *drawn];
                counted == order.map(|number| groups[number].clone()).concat()
            };
            assert!((0..groups.len()).any(|drawn| is_it(&drawn)), "{seed}");
        }
    }

    fn of_nothing(_: &Noting, (): &mut (), _: (&Halves, u64), _: &mut Rng, _: &dyn Fn() -> bool) -> Option<Compared> {
        None
    }

    /// The groups of a unit are its tasks, each once.
    #[test]
    fn groups_cover_a_unit() {
        for n in [12, 13, 21, 22] {
            let size = Size::new(n).unwrap();
            let (plan, engine) = (Arc::new(HalvesPlan::new(size)), Join::new(size, Portable::new()));
            let of = &Typed { plan, engine, second: Naive, audit: () };
            for unit in [0, of.plan.units() / 2, of.plan.units() - 1] {
                let groups = 0..of.plan.tasks(unit).div_ceil(of.plan.tasks_sharing_lists());
                let worker = TypedWorker { of, worker: of.engine.worker() };
                let tasks: Vec<_> = groups.flat_map(|number| worker.group(unit, number)).collect();
                assert!(tasks.into_iter().eq(of.plan.unit(unit)), "N = {n}, unit {unit}");
            }
        }
    }
}
