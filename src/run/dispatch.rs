//! From the name of an engine to its type: the one place that pairs engines with their plans.

use crate::engine::backtrack::Backtrack;
use crate::engine::join::Join;
#[cfg(target_arch = "x86_64")]
use crate::engine::lanes::{Avx2, Avx512};
use crate::engine::lanes::{Isa, Lanes as _, Portable};
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
            let size = prefix.size();
            let plan = HalvesPlan::new(size);
            // No other engine counts these tasks. Portable lanes checked by themselves still show a machine that errs
            // now and then.
            let second = Join::new(size, Portable);
            match method.isa {
                Isa::Portable => job.run(&plan, &Join::new(size, Portable), &second),
                #[cfg(target_arch = "x86_64")]
                Isa::Avx2 => job.run(&plan, &Join::new(size, proven(Avx2::detect())), &second),
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => match Avx512::<true>::detect() {
                    Some(lanes) => job.run(&plan, &Join::new(size, lanes), &second),
                    None => job.run(&plan, &Join::new(size, proven(Avx512::<false>::detect())), &second),
                },
                #[cfg(not(target_arch = "x86_64"))]
                Isa::Avx2 | Isa::Avx512 => proven(None),
            }
        }
    }
}

/// The lanes of an instruction set that was found on this processor before.
fn proven<T>(lanes: Option<T>) -> T {
    lanes.expect("the processor has the instruction set that was chosen")
}
