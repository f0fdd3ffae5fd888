//! From a subject and the name of an engine to types: the one place that pairs each plan with the engine that counts
//! its tasks, the engine that double-checks it, and the auditor.

use crate::auditor;
use crate::board::Size;
use crate::board::placement::Placement;
use crate::board::rotation::RotationalBoard;
use crate::engine::backtrack::Backtrack;
use crate::engine::cover::{Cover, Cut};
use crate::engine::join::Join;
use crate::engine::lanes::{Isa, Lanes, Portable, WithLanes};
use crate::engine::naive::Naive;
use crate::engine::{Engine, EngineKind, Method};
use crate::ledger::Fingerprint;
use crate::plan::Plan;
use crate::plan::halves::HalvesPlan;
use crate::plan::prefixes::PrefixPlan;
use crate::profile::Levels;
use crate::rotational;
use crate::run::audited::{Compared, Counted, once};
use crate::run::join_audit::{self, JoinWithAuditor};
use crate::run::prefix_audit;
use crate::subject::Subject;

/// A plan, and the engines that count its tasks.
pub(crate) trait Counter: Sync {
    type Plan: Plan;
    type Engine: Engine<Task = <Self::Plan as Plan>::Task>;
    type Second: Engine<Task = <Self::Plan as Plan>::Task>;

    fn plan(&self) -> &Self::Plan;

    fn engine(&self) -> &Self::Engine;

    /// The engine for double checks, which counts the same tasks by other means.
    fn second(&self) -> &Self::Second;

    /// Has the auditor count a task, or has both count a random part of it. `None` if it was stopped.
    fn audit(
        &self,
        worker: &mut <Self::Engine as Engine>::Worker,
        counted: Counted<'_, <Self::Plan as Plan>::Task>,
    ) -> Option<Compared>;
}

/// A job to do with a counter of any types.
pub(crate) trait Job {
    type Output;

    fn run<C: Counter>(self, counter: &C) -> Self::Output;
}

/// Finds the counter of a subject.
pub(crate) trait Dispatch {
    /// Does `job` with the counter for this subject.
    fn dispatch<J: Job>(&self, subject: &Subject, job: J) -> J::Output;

    /// The name of the engine in ledgers and results.
    fn name(&self, subject: &Subject) -> &'static str;

    fn isa(&self) -> Isa;

    /// The method, unless the engine is from outside the crate.
    fn method(&self) -> Option<Method>;

    /// The fingerprint of the subject's plan.
    fn fingerprint(&self, subject: &Subject) -> Fingerprint {
        let (plan, units) = self.dispatch(subject, Pinned);
        Fingerprint { subject: *subject, engine: self.name(subject).to_owned(), plan, units }
    }
}

/// Dispatch to the engines of this crate. The method must fit the subject and the processor; [`Method::choose`] makes
/// sure of that.
impl Dispatch for Method {
    fn dispatch<J: Job>(&self, subject: &Subject, job: J) -> J::Output {
        const CHOSEN: &str = "the processor has the instruction set that was chosen";
        let backtrack = || Backtrack::new(self.isa).expect(CHOSEN);
        match (self.engine, *subject) {
            (EngineKind::Backtrack, Subject::Completions(prefix)) => {
                job.run(&solutions(&prefix_plan(prefix), &backtrack(), &Naive))
            }
            (EngineKind::Naive, Subject::Completions(prefix)) => {
                job.run(&solutions(&prefix_plan(prefix), &Naive, &Backtrack::default()))
            }
            (EngineKind::Join, Subject::Completions(prefix)) => {
                self.isa.with(JoinJob { size: prefix.size(), job }).expect(CHOSEN)
            }
            (EngineKind::Backtrack, Subject::Profile(size)) => {
                job.run(&profile(&prefix_plan(Placement::empty(size)), &Levels(backtrack())))
            }
            (EngineKind::Cover, Subject::Rotational(board)) => self.isa.with(CoverJob { board, job }).expect(CHOSEN),
            (engine, subject) => unreachable!("{engine} is not chosen for {subject:?}"),
        }
    }

    fn name(&self, subject: &Subject) -> &'static str {
        match subject {
            Subject::Profile(_) => Fingerprint::PROFILE,
            Subject::Completions(_) | Subject::Rotational(_) => self.engine.info().name,
        }
    }

    fn isa(&self) -> Isa {
        self.isa
    }

    fn method(&self) -> Option<Method> {
        Some(*self)
    }
}

/// Dispatch to an engine from outside the crate, for subjects that are cut by the first columns.
pub(crate) struct OwnEngine<'a, E>(pub(crate) &'a E);

impl<E: Engine<Task = Placement>> Dispatch for OwnEngine<'_, E> {
    fn dispatch<J: Job>(&self, subject: &Subject, job: J) -> J::Output {
        match *subject {
            Subject::Completions(prefix) => job.run(&solutions(&prefix_plan(prefix), self.0, &Naive)),
            Subject::Profile(size) => job.run(&profile(&prefix_plan(Placement::empty(size)), self.0)),
            Subject::Rotational(_) => unreachable!("a request refuses this engine"),
        }
    }

    fn name(&self, _subject: &Subject) -> &'static str {
        std::any::type_name::<E>()
    }

    fn isa(&self) -> Isa {
        Isa::Portable
    }

    fn method(&self) -> Option<Method> {
        None
    }
}

/// Reads the plan's fingerprint and its number of units.
struct Pinned;

impl Job for Pinned {
    type Output = (String, usize);

    fn run<C: Counter>(self, counter: &C) -> (String, usize) {
        (counter.plan().fingerprint(), counter.plan().units())
    }
}

fn prefix_plan(prefix: Placement) -> PrefixPlan {
    PrefixPlan::new(&prefix)
}

/// A counter of solutions, whose tasks the auditor can count.
fn solutions<'a, E, S>(plan: &'a PrefixPlan, engine: &'a E, second: &'a S) -> impl Counter
where
    E: Engine<Task = Placement>,
    S: Engine<Task = Placement>,
{
    let auditor = |task: &Placement, stopped: &dyn Fn() -> bool| auditor::count(task, stopped).map(once);
    Parts::new(plan, engine, second, move |worker, counted| prefix_audit::audit((engine, worker), counted, auditor))
}

/// A counter of profiles: placements of fewer queens too.
fn profile<'a>(plan: &'a PrefixPlan, engine: &'a impl Engine<Task = Placement>) -> impl Counter {
    Parts::new(plan, engine, &Levels(Naive), move |worker, counted| {
        prefix_audit::audit((engine, worker), counted, auditor::levels)
    })
}

/// A job for the join, on any lanes.
struct JoinJob<J> {
    size: Size,
    job: J,
}

impl<J: Job> WithLanes for JoinJob<J> {
    type Output = J::Output;

    fn with<L: Lanes>(self, lanes: L) -> J::Output {
        let plan = &HalvesPlan::new(self.size);
        // Any other engine would take too long for these tasks. The join on portable lanes detects errors of the
        // machine, even if the run uses portable lanes too. To detect errors of the method, the auditor counts one task
        // of each of the largest units, and of smaller ones in proportion, or a part of every task.
        let most = (0..plan.units()).map(|unit| plan.tasks(unit)).max().unwrap_or(1);
        let second = &JoinWithAuditor::new(self.size, Portable::new(), most);
        let engine = &Join::new(self.size, lanes);
        self.job.run(&Parts::new(plan, engine, second, |worker, counted| join_audit::audit((engine, worker), counted)))
    }
}

/// A job for the cover, on any lanes.
struct CoverJob<J> {
    board: RotationalBoard,
    job: J,
}

impl<J: Job> WithLanes for CoverJob<J> {
    type Output = J::Output;

    fn with<L: Lanes>(self, lanes: L) -> J::Output {
        let engine = Cover::new(lanes, rotational::problem(self.board));
        let auditor = |task: &Cut, stopped: &dyn Fn() -> bool| {
            auditor::rotational::count(self.board, engine.plan(), task, stopped).map(once)
        };
        let second = rotational::Search::new(self.board);
        let audit = |_: &mut _, counted: Counted<'_, Cut>| counted.audit_whole(auditor);
        self.job.run(&Parts::new(engine.plan(), &engine, &second, audit))
    }
}

/// A plan, an engine, another engine and an auditor.
struct Parts<'a, P, E, S, A> {
    plan: &'a P,
    engine: &'a E,
    second: &'a S,
    auditor: A,
}

impl<'a, P, E, S, A> Parts<'a, P, E, S, A>
where
    E: Engine,
    A: Fn(&mut E::Worker, Counted<'_, E::Task>) -> Option<Compared>,
{
    /// The auditor is given a worker of the engine too, by which the engine can count a part of a task.
    fn new(plan: &'a P, engine: &'a E, second: &'a S, auditor: A) -> Self {
        Self { plan, engine, second, auditor }
    }
}

impl<P, E, S, A> Counter for Parts<'_, P, E, S, A>
where
    P: Plan,
    E: Engine<Task = P::Task>,
    S: Engine<Task = P::Task>,
    A: Fn(&mut E::Worker, Counted<'_, P::Task>) -> Option<Compared> + Sync,
{
    type Plan = P;
    type Engine = E;
    type Second = S;

    fn plan(&self) -> &P {
        self.plan
    }

    fn engine(&self) -> &E {
        self.engine
    }

    fn second(&self) -> &S {
        self.second
    }

    fn audit(&self, worker: &mut E::Worker, counted: Counted<'_, P::Task>) -> Option<Compared> {
        (self.auditor)(worker, counted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rotation;
    use crate::engine::Choice;
    use std::any::type_name;

    /// The types of the engine and of the engine that checks it.
    struct Names;

    impl Job for Names {
        type Output = [&'static str; 2];

        fn run<C: Counter>(self, _counter: &C) -> Self::Output {
            [type_name::<C::Engine>(), type_name::<C::Second>()]
        }
    }

    fn names(subject: impl Into<Subject>, engine: impl Into<Choice>, isa: Option<Isa>) -> [&'static str; 2] {
        let subject = subject.into();
        Method::choose(engine.into(), isa, subject).unwrap().dispatch(&subject, Names)
    }

    /// The requested engine runs, and another one checks it.
    #[test]
    fn engines_are_those_named_and_checked_by_others() {
        let size = Size::new(9).unwrap();
        let [engine, second] = names(size, EngineKind::Backtrack, None);
        assert!(engine.ends_with("::Backtrack") && second.ends_with("::Naive"), "{engine}, {second}");
        let [engine, second] = names(size, EngineKind::Naive, None);
        assert!(engine.ends_with("::Naive") && second.ends_with("::Backtrack"), "{engine}, {second}");
        let [engine, second] = names(Subject::Profile(size), Choice::Auto, None);
        assert!(engine.contains("::Levels<") && engine.ends_with("::Backtrack>"), "{engine}");
        assert!(second.contains("::Levels<") && second.ends_with("::Naive>"), "{second}");
        let half = RotationalBoard::new(Rotation::Half, 9).unwrap();
        let (mut joins, mut covers) = (Vec::new(), Vec::new());
        for isa in Isa::available() {
            let lanes = format!("::{}>", isa.lanes());
            let [engine, second] = names(size, EngineKind::Join, Some(isa));
            assert!(second.contains("::JoinWithAuditor<") && second.contains("::Portable>"), "{second}");
            assert!(engine.contains("::Join<") && engine.ends_with(&lanes), "{engine} for {isa}");
            joins.push(engine);
            let [engine, second] = names(half, Choice::Auto, Some(isa));
            assert!(second.ends_with("::rotational::search::Search"), "{second}");
            assert!(engine.contains("::Cover<") && engine.ends_with(&lanes), "{engine} for {isa}");
            covers.push(engine);
        }
        for mut engines in [joins, covers] {
            engines.dedup();
            assert_eq!(engines.len(), Isa::available().count(), "each set has lanes of its own: {engines:?}");
        }
    }
}
