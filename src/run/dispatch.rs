//! From the name of an engine to its type: the one place that pairs engines with their plans.

use crate::board::Size;
use crate::engine::backtrack::Backtrack;
use crate::engine::join::Join;
use crate::engine::lanes::{Lanes, Portable, WithLanes};
use crate::engine::naive::Naive;
use crate::engine::{Engine, EngineKind, Method};
use crate::placement::Placement;
use crate::plan::Plan;
use crate::plan::halves::HalvesPlan;
use crate::plan::rows::{Lines, RowsPlan};

/// Something to do with an engine and a plan that fits it, whatever their types.
pub(crate) trait Job {
    type Output;

    /// The engine `second` counts the same tasks by other means, for a double check.
    fn run<P, E, S>(self, plan: &P, engine: &E, second: &S) -> Self::Output
    where
        P: Plan,
        E: Engine<Task = P::Task>,
        S: Engine<Task = P::Task>;
}

/// Does `job` with this method and its plan for the completions of `prefix`.
///
/// The method must fit the prefix and the processor, as [`Method::choose`] makes sure.
pub(crate) fn dispatch<J: Job>(method: Method, prefix: &Placement, lines: Lines, job: J) -> J::Output {
    match method.engine {
        EngineKind::Backtrack => job.run(&RowsPlan::new(prefix, lines), &Backtrack, &Naive),
        EngineKind::Naive => job.run(&RowsPlan::new(prefix, lines), &Naive, &Backtrack),
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
        // No other engine counts these tasks. Portable lanes checked by themselves still show a machine that errs now
        // and then.
        let second = Join::new(self.size, Portable::new());
        self.job.run(&HalvesPlan::new(self.size), &Join::new(self.size, lanes), &second)
    }
}
