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
use std::sync::atomic::{AtomicBool, Ordering};
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

/// After so much work threads check themselves again.
const HOUR: &str = "QUEENS_HOUR";

static IS_OBEYED: AtomicBool = AtomicBool::new(false);

/// Obeys the variables above from here on. The program begins with it. Relaxed: it has no other thread then.
pub fn obey_environment() {
    IS_OBEYED.store(true, Ordering::Relaxed);
}

/// The value of a variable, if it is to be obeyed.
fn variable(name: &str) -> Option<String> {
    if ARE_THERE && IS_OBEYED.load(Ordering::Relaxed) { env::var(name).ok() } else { None }
}

/// The milliseconds that a variable asks for.
fn milliseconds(name: &str) -> Option<Duration> {
    let number = variable(name)?.parse();
    Some(Duration::from_millis(number.unwrap_or_else(|_| panic!("{name} is milliseconds"))))
}

/// The fault that the environment plants in this thread, before or after its first self-check.
fn in_environment(has_passed: bool) -> &'static str {
    let Some(named) = variable("QUEENS_FAULT") else { return "" };
    let (name, thread) = named.split_once('@').map_or((&*named, None), |(name, thread)| (name, Some(thread)));
    let all = [&KERNEL_FAULTS[..], &STEP_FAULTS].concat();
    let found = all.iter().find(|fault| **fault == name);
    let found = found.unwrap_or_else(|| panic!("unknown fault '{name}'; choose one of {}", all.join(" ")));
    let this = rayon::current_thread_index().map(|thread| thread.to_string());
    let is_here = thread.is_none() || thread == this.as_deref();
    if is_here && has_passed == milliseconds(HOUR).is_some() { found } else { "" }
}

/// How long a thread works until its next self-check: this time, or less if the environment asks for it.
pub(crate) fn sooner(time: Duration) -> Duration {
    milliseconds(HOUR).map_or(time, |hour| time.min(hour))
}

/// Waits before a task is counted, if the environment asks for it.
pub(crate) fn wait() {
    milliseconds("QUEENS_WAIT").into_iter().for_each(sleep);
}

/// A fault begins that is to do so once the thread has passed its first self-check.
pub(crate) fn begin_late() {
    if milliseconds(HOUR).is_some() {
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
