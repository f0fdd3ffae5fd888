//! From the name of an engine to its type: the one place that pairs engines with their plans.

use crate::auditor::{Audited, Sampled};
use crate::board::Size;
use crate::engine::backtrack::Backtrack;
use crate::engine::join::Join;
use crate::engine::lanes::{Lanes, Portable, WithLanes};
use crate::engine::naive::Naive;
use crate::engine::{Engine, EngineKind, Method};
use crate::placement::Placement;
use crate::plan::Plan;
use crate::plan::halves::HalvesPlan;
use crate::plan::prefixes::{Columns, PrefixPlan};

/// Something to do with an engine and a plan that fits it, whatever their types.
pub(crate) trait Job {
    type Output;

    /// The engine `second` counts the same tasks by other means, for a double check.
    fn run<P, E, S>(self, plan: &P, engine: &E, second: &S) -> Self::Output
    where
        P: Plan<Task: Audited>,
        E: Engine<Task = P::Task>,
        S: Engine<Task = P::Task>;
}

/// Does `job` with this method and its plan for the completions of `prefix`.
///
/// The method must fit the prefix and the processor, as [`Method::choose`] makes sure.
pub(crate) fn dispatch<J: Job>(method: Method, prefix: &Placement, columns: Columns, job: J) -> J::Output {
    match method.engine {
        EngineKind::Backtrack => {
            let backtrack = Backtrack::new(method.isa).expect("the processor has the instruction set that was chosen");
            job.run(&PrefixPlan::new(prefix, columns), &backtrack, &Naive)
        }
        EngineKind::Naive => job.run(&PrefixPlan::new(prefix, columns), &Naive, &Backtrack::default()),
        EngineKind::Join => {
            let joining = Joining { size: prefix.size(), job };
            method.isa.with(joining).expect("the processor has the instruction set that was chosen")
        }
    }
}

/// A job for the join, on whichever lanes.
struct Joining<J> {
    size: Size,
    job: J,
}

impl<J: Job> WithLanes for Joining<J> {
    type Output = J::Output;

    fn with<L: Lanes>(self, lanes: L) -> J::Output {
        let plan = HalvesPlan::new(self.size);
        // No other engine counts these tasks in a time that a double check may take. Portable lanes show a machine that
        // errs now and then, even where they check themselves; for the method, the auditor counts one task of each unit.
        let most = (0..plan.units()).map(|unit| plan.tasks(unit)).max().unwrap_or(1);
        let second = Sampled::new(Join::new(self.size, Portable::new()), most);
        self.job.run(&plan, &Join::new(self.size, lanes), &second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Size;
    use crate::engine::Choice;
    use crate::engine::lanes::Isa;
    use std::any::type_name;

    /// The types of the engine and of the one that checks it.
    struct Names;

    impl Job for Names {
        type Output = [&'static str; 2];

        fn run<P, E, S>(self, _plan: &P, _engine: &E, _second: &S) -> Self::Output
        where
            P: Plan<Task: Audited>,
            E: Engine<Task = P::Task>,
            S: Engine<Task = P::Task>,
        {
            [type_name::<E>(), type_name::<S>()]
        }
    }

    fn names(engine: EngineKind, isa: Option<Isa>) -> [&'static str; 2] {
        let empty = Placement::empty(Size::new(9).unwrap());
        let method = Method::choose(Choice::Engine(engine), isa, &empty).unwrap();
        dispatch(method, &empty, Columns::Two, Names)
    }

    /// What is asked for is what runs, and what checks it is something else.
    #[test]
    fn engines_are_those_named_and_checked_by_others() {
        let [engine, second] = names(EngineKind::Backtrack, None);
        assert!(engine.ends_with("::Backtrack") && second.ends_with("::Naive"), "{engine}, {second}");
        let [engine, second] = names(EngineKind::Naive, None);
        assert!(engine.ends_with("::Naive") && second.ends_with("::Backtrack"), "{engine}, {second}");
        let mut joins = Vec::new();
        for isa in Isa::available() {
            let [engine, second] = names(EngineKind::Join, Some(isa));
            assert!(second.contains("::Sampled<") && second.contains("::Portable>"), "{second}");
            let lanes = format!("::{}>", isa.lanes());
            assert!(engine.contains("::Join<") && engine.ends_with(&lanes), "{engine} for {isa}");
            joins.push(engine);
        }
        joins.dedup();
        assert_eq!(joins.len(), Isa::available().count(), "each set has lanes of its own: {joins:?}");
    }
}
