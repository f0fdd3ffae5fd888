//! The three ways to count: the completions of a placement, whole boards by the join, and the solutions that a turn leaves
//! unchanged.
//!
//! Each is a [`Count`], which pairs a plan with the engine that counts its tasks, with other code that counts them again, and with
//! the auditor. Runs, self-checks, estimates and audits are plain functions of [`Counting`], which hides the types of tasks.

use std::sync::Arc;
use std::time::Instant;

use fastrand::Rng;

use crate::auditor;
use crate::board::{Placement, RotationalBoard, Size};
use crate::engine::backtrack::Backtrack;
use crate::engine::cover::{self, Cover, Cut, CutPlan};
use crate::engine::join::{self, Join};
use crate::engine::lanes::{Isa, Lanes, Portable, WithLanes};
use crate::engine::naive::Naive;
use crate::engine::{Engine, EngineKind, Method};
use crate::ledger::Fingerprint;
use crate::plan::{Halves, HalvesPlan, Plan, PrefixPlan, Units, Weighted};
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

    /// The type of the count, which names those of the engine and of the one that checks it.
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
            let Subject::Completions(prefix) = subject else { unreachable!("a request refuses this engine") };
            Box::new(Completions::new(prefix, engine, Naive))
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
            (EngineKind::Backtrack, Subject::Completions(prefix)) => {
                Box::new(Completions::new(prefix, Backtrack::new(self.isa).expect(CHOSEN), Naive))
            }
            (EngineKind::Naive, Subject::Completions(prefix)) => {
                Box::new(Completions::new(prefix, Naive, Backtrack::default()))
            }
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
            Subject::Completions(prefix) => Box::new(Joined::new(prefix.size(), lanes)),
            Subject::Rotational(board) => Box::new(Covers::new(board, lanes)),
        }
    }
}

/// A way to count.
pub(crate) trait Count: Sized + Send + Sync {
    type Plan: Plan + 'static;
    type Engine: Engine<Task = Task<Self>>;
    /// The buffers with which a thread recounts.
    type Second: Send;

    fn plan(&self) -> &Arc<Self::Plan>;

    fn engine(&self) -> &Self::Engine;

    /// See [`Worker::audit`].
    fn audit(
        &self,
        buffers: &mut Buffers<Self>,
        task: (&Task<Self>, u64),
        random: &mut Rng,
        stopped: &dyn Fn() -> bool,
    ) -> Option<Compared>;

    fn second(&self) -> Self::Second;

    /// Counts a task by other code than the engine's, and says what the auditor finds if it is asked too. `None` if it was
    /// stopped.
    fn recount(
        &self,
        second: &mut Self::Second,
        task: &Task<Self>,
        stopped: &dyn Fn() -> bool,
    ) -> Option<(u64, Option<Compared>)>;
}

type Task<C> = <<C as Count>::Plan as Plan>::Task;
type Buffers<C> = <<C as Count>::Engine as Engine>::Worker;

/// The completions of a placement, cut by the next columns, by any engine that counts them.
struct Completions<E, S> {
    plan: Arc<PrefixPlan>,
    engine: E,
    second: S,
}

impl<E, S> Completions<E, S> {
    fn new(prefix: &Placement, engine: E, second: S) -> Self {
        Self { plan: PrefixPlan::new(prefix).into(), engine, second }
    }
}

impl<E, S> Count for Completions<E, S>
where
    E: Engine<Task = Placement> + Send,
    S: Engine<Task = Placement> + Send,
{
    type Plan = PrefixPlan;
    type Engine = E;
    type Second = S::Worker;

    fn plan(&self) -> &Arc<PrefixPlan> {
        &self.plan
    }

    fn engine(&self) -> &E {
        &self.engine
    }

    fn audit(
        &self,
        buffers: &mut E::Worker,
        task: (&Placement, u64),
        random: &mut Rng,
        stopped: &dyn Fn() -> bool,
    ) -> Option<Compared> {
        audits::of_prefix(&self.engine, buffers, task, random, stopped)
    }

    fn second(&self) -> S::Worker {
        self.second.worker()
    }

    fn recount(
        &self,
        second: &mut S::Worker,
        task: &Placement,
        _: &dyn Fn() -> bool,
    ) -> Option<(u64, Option<Compared>)> {
        Some((self.second.count(second, task), None))
    }
}

/// A whole board, cut in halves, by the join.
///
/// Any other engine would take too long to count its tasks again. The join on portable lanes detects errors of the machine, even
/// if the run uses portable lanes too. To detect errors of the method, the auditor counts some of the tasks, or parts of them.
struct Joined<L> {
    plan: Arc<HalvesPlan>,
    engine: Join<L>,
    second: Join<Portable>,
    audited: AuditDraw,
}

impl<L: Lanes> Joined<L> {
    fn new(size: Size, lanes: L) -> Self {
        let plan = Arc::new(HalvesPlan::new(size));
        // One task of each of the largest units is audited, and of smaller ones in proportion.
        let most = (0..plan.units()).map(|unit| plan.tasks(unit)).max().unwrap_or(1);
        let (engine, second) = (Join::new(size, lanes), Join::new(size, Portable::new()));
        Self { plan, engine, second, audited: AuditDraw::new(size, most) }
    }
}

impl<L: Lanes> Count for Joined<L> {
    type Plan = HalvesPlan;
    type Engine = Join<L>;
    type Second = join::Worker;

    fn plan(&self) -> &Arc<HalvesPlan> {
        &self.plan
    }

    fn engine(&self) -> &Join<L> {
        &self.engine
    }

    fn audit(
        &self,
        buffers: &mut join::Worker,
        task: (&Halves, u64),
        random: &mut Rng,
        stopped: &dyn Fn() -> bool,
    ) -> Option<Compared> {
        audits::of_join(&self.engine, buffers, task, random, stopped)
    }

    fn second(&self) -> join::Worker {
        self.second.worker()
    }

    fn recount(
        &self,
        second: &mut join::Worker,
        task: &Halves,
        stopped: &dyn Fn() -> bool,
    ) -> Option<(u64, Option<Compared>)> {
        let count = self.second.count(second, task);
        let Some(random) = &mut self.audited.draw() else { return Some((count, None)) };
        Some((count, Some(audits::of_join(&self.second, second, (task, count), random, stopped)?)))
    }
}

/// The solutions that a turn leaves unchanged, as exact covers. The auditor counts each task again.
struct Covers<L> {
    board: RotationalBoard,
    plan: Arc<CutPlan>,
    engine: Cover<L>,
}

impl<L: Lanes> Covers<L> {
    fn new(board: RotationalBoard, lanes: L) -> Self {
        let engine = Cover::new(lanes, rotational::problem(board));
        Self { board, plan: engine.plan().clone().into(), engine }
    }
}

impl<L: Lanes> Count for Covers<L> {
    type Plan = CutPlan;
    type Engine = Cover<L>;
    type Second = ();

    fn plan(&self) -> &Arc<CutPlan> {
        &self.plan
    }

    fn engine(&self) -> &Cover<L> {
        &self.engine
    }

    fn audit(
        &self,
        _: &mut cover::Worker,
        (task, engine): (&Cut, u64),
        _: &mut Rng,
        stopped: &dyn Fn() -> bool,
    ) -> Option<Compared> {
        let auditor = auditor::rotational::count(self.board, &self.plan, task, stopped)?;
        Some(Compared { engine, auditor, is_part: false })
    }

    fn second(&self) {}

    fn recount(&self, (): &mut (), task: &Cut, stopped: &dyn Fn() -> bool) -> Option<(u64, Option<Compared>)> {
        Some((auditor::rotational::count(self.board, &self.plan, task, stopped)?, None))
    }
}

impl<C: Count> Counting for C {
    fn plan(&self) -> Arc<dyn Units> {
        Arc::clone(Count::plan(self)) as _
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(EngineWorker { of: self, buffers: self.engine().worker() })
    }

    fn second(&self) -> Box<Second<'_>> {
        let mut second = Count::second(self);
        Box::new(move |unit, index, stopped| {
            let Weighted { task, weight } = Count::plan(self).task(unit, index);
            let (count, audited) = self.recount(&mut second, &task, stopped)?;
            Some(Recount { found: Found { count, weight }, audited })
        })
    }

    #[cfg(test)]
    fn name(&self) -> &'static str {
        std::any::type_name::<C>()
    }
}

struct EngineWorker<'a, C: Count> {
    of: &'a C,
    buffers: Buffers<C>,
}

impl<C: Count> Worker for EngineWorker<'_, C> {
    fn unit(
        &mut self,
        unit: usize,
        from: u64,
        each: &mut dyn FnMut(Found) -> Result<(), CountError>,
    ) -> Result<(), CountError> {
        for Weighted { task, weight } in self.of.plan().unit(unit).skip(from as usize) {
            each(Found { count: self.of.engine().count(&mut self.buffers, &task), weight })?;
        }
        Ok(())
    }

    fn sample(&mut self, unit: usize, random: &mut Rng) -> Sample {
        let (of, buffers) = (self.of, &mut self.buffers);
        sample(&**of.plan(), unit, random, &mut |task| of.engine().count(buffers, task))
    }

    fn audit(
        &mut self,
        (unit, index): (usize, u64),
        count: u64,
        random: &mut Rng,
        stopped: &dyn Fn() -> bool,
    ) -> Option<Compared> {
        let task = &self.of.plan().task(unit, index).task;
        self.of.audit(&mut self.buffers, (task, count), random, stopped)
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

    /// A count for tests, by any plan and engines.
    pub(crate) struct Planted<P, E, S> {
        pub(crate) plan: Arc<P>,
        pub(crate) engine: E,
        pub(crate) second: S,
        /// How many solutions more than the second engine the auditor finds in each task, if it is asked.
        pub(crate) audited: Option<u64>,
    }

    pub(crate) fn planted<P, E, S>(plan: P, engine: E, second: S) -> Planted<P, E, S> {
        Planted { plan: Arc::new(plan), engine, second, audited: None }
    }

    impl<P, E, S> Count for Planted<P, E, S>
    where
        P: Plan + 'static,
        E: Engine<Task = P::Task> + Send,
        S: Engine<Task = P::Task> + Send,
    {
        type Plan = P;
        type Engine = E;
        type Second = S::Worker;

        fn plan(&self) -> &Arc<P> {
            &self.plan
        }

        fn engine(&self) -> &E {
            &self.engine
        }

        fn audit(&self, _: &mut E::Worker, _: (&P::Task, u64), _: &mut Rng, _: &dyn Fn() -> bool) -> Option<Compared> {
            unreachable!("nothing is audited")
        }

        fn second(&self) -> S::Worker {
            self.second.worker()
        }

        fn recount(
            &self,
            second: &mut S::Worker,
            task: &P::Task,
            _: &dyn Fn() -> bool,
        ) -> Option<(u64, Option<Compared>)> {
            let engine = self.second.count(second, task);
            Some((engine, self.audited.map(|more| Compared { engine, auditor: engine + more, is_part: false })))
        }
    }

    fn name(subject: impl Into<Subject>, engine: Option<EngineKind>, isa: Option<Isa>) -> &'static str {
        let subject = subject.into();
        Method::choose(engine, isa, subject).unwrap().counting(&subject).name()
    }

    /// The requested engine runs, and another one checks it.
    #[test]
    fn engines_are_those_named_and_checked_by_others() {
        let short = |engine| {
            let name = name(Size::new(9).unwrap(), Some(engine), None);
            let words = name.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            words.filter(|word| word.starts_with(char::is_uppercase)).collect::<Vec<_>>()
        };
        assert_eq!(short(EngineKind::Backtrack), ["Completions", "Backtrack", "Naive"]);
        assert_eq!(short(EngineKind::Naive), ["Completions", "Naive", "Backtrack"]);
        let half = RotationalBoard::new(Rotation::Half, 9).unwrap();
        let (mut joins, mut covers) = (Vec::new(), Vec::new());
        for isa in Isa::available() {
            let lanes = format!("::{}>", isa.lanes());
            let (join, cover) =
                (name(Size::new(9).unwrap(), Some(EngineKind::Join), Some(isa)), name(half, None, Some(isa)));
            assert!(join.contains("::Joined<") && join.ends_with(&lanes), "{join} for {isa}");
            assert!(cover.contains("::Covers<") && cover.ends_with(&lanes), "{cover} for {isa}");
            joins.push(join);
            covers.push(cover);
        }
        for mut counts in [joins, covers] {
            counts.dedup();
            assert_eq!(counts.len(), Isa::available().count(), "each set has lanes of its own: {counts:?}");
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
