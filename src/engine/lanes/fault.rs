//! Deliberate faults, to test that the self-check catches them.
//!
//! Tests plant a fault by `with`. The program with debug assertions, as built by `cargo build`, also
//! [obeys](obey_environment) three variables; other users of the library do not:
//!
//! - `QUEENS_FAULT=NAME` plants a fault, `NAME@K` only on the K-th thread, from 0, of each pool.
//! - `QUEENS_HOUR=M`: threads repeat their self-check as if an hour had M milliseconds; the fault begins after the first.
//! - `QUEENS_WAIT=M`: a run waits M milliseconds before each task, so that tests of a live run use no processor time.
//!
//! Without debug assertions [`planted`] is the constant 0, so the release contains no trace of it.

use std::cell::Cell;
use std::env;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

const IS_ENABLED: bool = cfg!(any(test, debug_assertions));

/// The steps of kernels that can be broken.
pub(crate) const KERNEL_FAULTS: [&str; 17] = [
    "sums",              // The counts of matched pairs are one too large.
    "first-entries",     // The first entry of a table has the wrong lanes.
    "last-entries",      // The last entry has.
    "transposition",     // A key of a lane is flipped.
    "gathering",         // A query loses its first key.
    "pairs",             // Comparing pair by pair misses one.
    "retain",            // A pattern that should be retained is lost.
    "joined-quadrants",  // A pair of quadrants is lost.
    "union",             // A key of a list is missed.
    "expand",            // A child board is lost.
    "last-columns",      // The last three columns have one placement too many.
    "permuted-dealing",  // One side is partitioned by one key too few.
    "permuted-index",    // The windows lack a key.
    "permuted-classes",  // Some lanes of four buckets are skipped.
    "permuted-tables",   // A lane is attacked by queries without a key.
    "permuted-products", // A bucket has one pattern too many.
    "permuted-sums",     // Eight queries have one pair too many.
];

/// The steps that the self-check's boards take only when they are [forced](crate::engine::Method::forced).
pub(crate) const STEP_FAULTS: [&str; 4] = [
    "cut",   // The first branch of a split side is lost.
    "tile",  // A quadrant cached for a tile lacks some placements.
    "slice", // A slice of a quadrant lacks some.
    "batch", // One of two batches of the build side is lost.
];

thread_local! {
    /// The fault of this thread, or "".
    static PLANTED: Cell<&'static str> = Cell::new(in_environment(false));
}

const HOUR: &str = "QUEENS_HOUR";

static IS_OBEYED: AtomicBool = AtomicBool::new(false);

/// Obeys the variables above from now on. Relaxed, because the program calls this before it starts threads.
pub fn obey_environment() {
    IS_OBEYED.store(true, Ordering::Relaxed);
}

/// The value of a variable, if variables are obeyed.
fn variable(name: &str) -> Option<String> {
    if IS_ENABLED && IS_OBEYED.load(Ordering::Relaxed) { env::var(name).ok() } else { None }
}

/// The milliseconds in an environment variable, if set.
fn milliseconds(name: &str) -> Option<Duration> {
    let number = variable(name)?.parse();
    Some(Duration::from_millis(number.unwrap_or_else(|_| panic!("{name} is milliseconds"))))
}

/// The fault that the environment plants in this thread before or after its first self-check, or "".
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

/// The interval between self-checks: `time`, or less if the environment says so.
pub(crate) fn check_interval(time: Duration) -> Duration {
    milliseconds(HOUR).map_or(time, |hour| time.mul_f64(hour.as_secs_f64() / 3600.0))
}

pub(crate) fn wait() {
    milliseconds("QUEENS_WAIT").into_iter().for_each(sleep);
}

/// Activates a fault that starts only after the thread's first self-check.
pub(crate) fn activate_delayed() {
    if milliseconds(HOUR).is_some() {
        PLANTED.set(in_environment(true));
    }
}

/// A start handler that passes this thread's fault to the threads it starts.
pub(crate) fn inherit() -> impl Fn(usize) + Send + Sync + 'static {
    let fault = IS_ENABLED.then(|| PLANTED.get()).filter(|fault| !fault.is_empty());
    move |_| fault.into_iter().for_each(|fault| PLANTED.set(fault))
}

/// 1 if this fault is planted, 0 otherwise.
#[inline(always)]
pub(crate) fn planted(fault: &str) -> u64 {
    u64::from(IS_ENABLED && PLANTED.get() == fault)
}

/// The mask without its lowest bit if `planted` is 1.
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

    /// The kernel faults of this instruction set.
    pub(crate) fn of(isa: Isa) -> impl Iterator<Item = &'static str> {
        let permutes = isa.kernels().is_some_and(|kernels| kernels.cost().permuted.is_some());
        KERNEL_FAULTS.into_iter().filter(move |name| permutes || !name.starts_with("permuted-"))
    }

    /// Calls `work` with this fault on this thread and the threads that it starts.
    pub(crate) fn with<T>(fault: &'static str, work: impl FnOnce() -> T) -> T {
        PLANTED.set(fault);
        let done = work();
        PLANTED.set("");
        done
    }
}
