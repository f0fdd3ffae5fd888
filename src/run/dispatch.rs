//! From the name of an engine to its type: the one place that pairs engines with their plans.

use crate::engine::backtrack::Backtrack;
use crate::engine::join::Join;
use crate::engine::lanes::{Lanes, Portable};
use crate::engine::naive::Naive;
use crate::engine::{Engine, EngineKind};
use crate::placement::Placement;
use crate::plan::Plan;
use crate::plan::halves::HalvesPlan;
use crate::plan::rows::{Lines, RowsPlan};

/// Something to do with an engine and a plan that fits it, whatever their types.
pub(crate) trait Job {
    type Output;

    fn run<P: Plan, E: Engine<Task = P::Task>>(self, plan: &P, engine: &E) -> Self::Output;
}

/// Does `job` with the engine of this kind and its plan for the completions of `prefix`.
pub(crate) fn dispatch<J: Job>(kind: EngineKind, prefix: &Placement, lines: Lines, job: J) -> J::Output {
    match kind {
        EngineKind::Join => job.run(&HalvesPlan::new(prefix.size()), &Join::new(prefix.size(), Portable)),
        EngineKind::Backtrack => job.run(&RowsPlan::new(prefix, lines), &Backtrack),
        EngineKind::Naive => job.run(&RowsPlan::new(prefix, lines), &Naive),
    }
}
