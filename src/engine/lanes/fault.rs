//! Faults of kernels on purpose, to see that the self-check sees them.
//!
//! A program with debug assertions, as `cargo build` makes it, takes the name of one from the environment, as
//! `scripts/faults kernels` shows, and tests plant them by [`with`]. `QUEENS_FAULT=NAME@K` is wrong on the K-th thread, from 0,
//! of each pool alone. With `QUEENS_HOUR=M` threads check themselves again after M milliseconds, and the fault begins after
//! their first check. With `QUEENS_WAIT=M` each task of a run waits M milliseconds before it is counted: what only needs a run
//! that lives needs no processor then. Else [`planted`] is the constant 0, so that released code has no trace of it.

use std::cell::Cell;
use std::env;
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

/// So many milliseconds the environment says, if it says any.
fn milliseconds(variable: &str) -> Option<Duration> {
    let number = env::var(variable).ok()?.parse();
    Some(Duration::from_millis(number.unwrap_or_else(|_| panic!("{variable} is milliseconds"))))
}

/// The fault that the environment plants in this thread, before or after its first self-check.
fn in_environment(has_passed: bool) -> &'static str {
    let Ok(named) = env::var("QUEENS_FAULT") else { return "" };
    let (name, thread) = named.split_once('@').map_or((&*named, None), |(name, thread)| (name, Some(thread)));
    let all = [&KERNEL_FAULTS[..], &STEP_FAULTS].concat();
    let found = all.iter().find(|fault| **fault == name);
    let found = found.unwrap_or_else(|| panic!("unknown fault '{name}'; choose one of {}", all.join(" ")));
    let this = rayon::current_thread_index().map(|thread| thread.to_string());
    let is_here = thread.is_none() || thread == this.as_deref();
    if is_here && has_passed == milliseconds(HOUR).is_some() { found } else { "" }
}

/// How long a thread works until its next self-check: so long, unless the environment says less.
pub(crate) fn sooner(time: Duration) -> Duration {
    if ARE_THERE { milliseconds(HOUR).map_or(time, |hour| time.min(hour)) } else { time }
}

/// Waits before a task is counted, if the environment says so.
pub(crate) fn wait() {
    if ARE_THERE && let Some(time) = milliseconds("QUEENS_WAIT") {
        sleep(time);
    }
}

/// A fault begins that is to do so once the thread has passed its first self-check.
pub(crate) fn begin_late() {
    if ARE_THERE && milliseconds(HOUR).is_some() {
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
