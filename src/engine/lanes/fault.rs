//! Faults of kernels on purpose, to see that the self-check sees them.
//!
//! Tests plant a fault by [`with`]. The program with debug assertions, as `cargo build` makes it, also
//! [obeys](obey_environment) three variables; no other program that uses the library does:
//!
//! - `QUEENS_FAULT=NAME` plants a fault, and `NAME@K` only on the K-th thread, from 0, of each pool.
//! - `QUEENS_HOUR=M`: threads check themselves again after M milliseconds, and the fault begins after their first check.
//! - `QUEENS_WAIT=M`: each task of a run waits M milliseconds, so that a run that must only last needs no processor.
//!
//! Without debug assertions [`planted`] is the constant 0, so that released code has no trace of it.

use std::cell::Cell;
use std::env;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::Duration;

/// Whether faults can be planted.
const ARE_THERE: bool = cfg!(any(test, debug_assertions));

/// Each step of a kernel that can be made wrong.
pub(crate) const KERNEL_FAULTS: [&str; 17] = [
    "sums",              // The counts of matched pairs are one too large.
    "first-entries",     // The first entry of a table has the wrong lanes.
    "last-entries",      // The last one has.
    "transposition",     // A key of a lane is flipped.
    "gathering",         // A query loses its first key.
    "pairs",             // Comparing pair by pair overlooks one.
    "retain",            // A pattern that is to be retained is lost.
    "joined-quadrants",  // A pair of quadrants is lost.
    "union",             // A key of a list is overlooked.
    "expand",            // A board with a queen more is lost.
    "last-columns",      // The last three columns have a placement too many.
    "permuted-dealing",  // One side is dealt out by a key less.
    "permuted-index",    // The windows lack a key.
    "permuted-classes",  // Of four classes some lanes are left out.
    "permuted-tables",   // A lane is attacked by queries without a key.
    "permuted-products", // A class has a pattern too many.
    "permuted-sums",     // Eight queries have a pair too many.
];

/// Each step that the boards of the self-check take only when they are [forced](crate::engine::Method::forced).
pub(crate) const STEP_FAULTS: [&str; 4] = [
    "cut",   // The first branch of a side that is cut is lost.
    "tile",  // A quadrant that is kept for a tile lacks some placements.
    "slice", // A slice of a quadrant lacks some.
    "batch", // Of two batches of the build side one is lost.
];

thread_local! {
    /// The fault of this thread.
    static PLANTED: Cell<&'static str> = Cell::new(in_environment(false));
}

/// What the environment asks for. In a process that does not obey it, nothing.
#[derive(Debug)]
struct Environment {
    fault: &'static str,
    /// The only thread that has the fault.
    thread: Option<usize>,
    hour: Option<Duration>,
    wait: Option<Duration>,
}

static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();

/// Obeys the variables of the environment from here on. The program calls it first of all.
pub fn obey_environment() {
    if !ARE_THERE {
        return;
    }
    let number = |name, text: &str| text.parse().unwrap_or_else(|_| panic!("{name}: {text} is not a whole number"));
    let time = |name| env::var(name).ok().map(|text| Duration::from_millis(number(name, &text)));
    let named = env::var("QUEENS_FAULT").unwrap_or_default();
    let (name, thread) = named.split_once('@').map_or((&*named, None), |(name, thread)| (name, Some(thread)));
    let all = [&KERNEL_FAULTS[..], &STEP_FAULTS].concat();
    let fault = all.iter().copied().find(|fault| *fault == name).or(name.is_empty().then_some(""));
    let fault = fault.unwrap_or_else(|| panic!("unknown fault '{name}'; choose one of {}", all.join(" ")));
    let thread = thread.map(|thread| number("QUEENS_FAULT", thread) as usize);
    let asked = Environment { fault, thread, hour: time("QUEENS_HOUR"), wait: time("QUEENS_WAIT") };
    ENVIRONMENT.set(asked).expect("it is called once");
}

fn environment() -> Option<&'static Environment> {
    if ARE_THERE { ENVIRONMENT.get() } else { None }
}

/// The fault that the environment plants in this thread, before or after its first self-check.
fn in_environment(has_passed: bool) -> &'static str {
    let here = environment().filter(|asked| asked.thread.is_none() || asked.thread == rayon::current_thread_index());
    here.filter(|asked| has_passed == asked.hour.is_some()).map_or("", |asked| asked.fault)
}

/// How long a thread works until its next self-check: this time, or less if the environment asks for it.
pub(crate) fn sooner(time: Duration) -> Duration {
    environment().and_then(|asked| asked.hour).map_or(time, |hour| time.min(hour))
}

/// Waits before a task is counted, if the environment asks for it.
pub(crate) fn wait() {
    if let Some(time) = environment().and_then(|asked| asked.wait) {
        sleep(time);
    }
}

/// A fault begins that is to do so once the thread has passed its first self-check.
pub(crate) fn begin_late() {
    if environment().is_some_and(|asked| asked.hour.is_some()) {
        PLANTED.set(in_environment(true));
    }
}

/// What a thread does first that this one starts: it has the same fault, if this one has one.
pub(crate) fn inherit() -> impl Fn(usize) + Send + Sync + 'static {
    let fault = ARE_THERE.then(|| PLANTED.get()).filter(|fault| !fault.is_empty());
    move |_| fault.into_iter().for_each(|fault| PLANTED.set(fault))
}

/// Whether this fault is planted: 1 or 0.
#[inline(always)]
pub(crate) fn planted(fault: &str) -> u64 {
    u64::from(ARE_THERE && PLANTED.get() == fault)
}

/// The mask without its first bit, if that fault is planted.
#[inline(always)]
pub(crate) const fn without_first(mask: u64, planted: u64) -> u64 {
    mask & mask.wrapping_sub(planted)
}

#[cfg(test)]
pub(crate) use tests::{of, with};

#[cfg(test)]
mod tests {
    use super::{KERNEL_FAULTS, PLANTED};
    use crate::engine::lanes::Isa;

    /// Those of the steps that this instruction set has.
    pub(crate) fn of(isa: Isa) -> impl Iterator<Item = &'static str> {
        let permutes = isa.lanes().is_some_and(|lanes| lanes.cost().permuted.is_some());
        KERNEL_FAULTS.into_iter().filter(move |name| permutes || !name.starts_with("permuted-"))
    }

    /// Does `work` with this fault in the kernels, of the threads too that it starts.
    pub(crate) fn with<T>(fault: &'static str, work: impl FnOnce() -> T) -> T {
        PLANTED.set(fault);
        let done = work();
        PLANTED.set("");
        done
    }
}
