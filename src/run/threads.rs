//! The threads of a run: how many there are, whether each computes rightly, and how long it has worked.
//!
//! A machine has dozens of cores, and one bad core is what a week is most likely to meet. So each thread checks itself before
//! its first unit, after each hour of work, and at the end. What a kill leaves unchecked only an audit finds.

use std::io;
use std::panic;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::engine::lanes::{IS_WRONG, fault};
use crate::report::CountError;
use crate::watch::{Watch, lock};

/// After so much work a thread checks itself again: of a check, which takes milliseconds, nothing is felt.
pub(crate) const HOUR: Duration = Duration::from_hours(1);

/// After so much work it does so before the result is told.
pub(crate) const MINUTE: Duration = Duration::from_mins(1);

/// How many cores this process may use, considering affinity and control group; 1 if the system does not say.
pub fn available_threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Threads, each of which has passed its self-check, and what they do until they are stopped.
pub(crate) struct Threads<'a> {
    pool: rayon::ThreadPool,
    watch: &'a Watch,
    /// The first error of one of them. It stops the others, and nothing else that the watch is given to.
    failed: OnceLock<CountError>,
    check: &'a (dyn Fn() -> Result<(), String> + Sync),
    /// When each of them has passed it last.
    passed: Vec<Mutex<Instant>>,
    /// How long they took to do so for the first time, side by side.
    pub(crate) checked: Duration,
}

impl<'a> Threads<'a> {
    /// Starts threads for work that has this many items, and has each do this check. If `threads` is 0, that is one on every
    /// core, but no more than items. The watch forgets the work before.
    pub(crate) fn start(
        threads: usize,
        items: usize,
        watch: &'a Watch,
        check: &'a (dyn Fn() -> Result<(), String> + Sync),
    ) -> Result<Self, CountError> {
        /// More than some for each core only take time to start: with 2048 of them N = 14 took 13 s.
        const MOST_PER_CORE: usize = 8;
        watch.clear();
        let cores = available_threads();
        let number = if threads == 0 { cores.min(items).max(1) } else { threads.min(MOST_PER_CORE * cores) };
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(number).stack_size(STACK).start_handler(fault::inherit());
        let pool = pool.build().map_err(|error| CountError::Threads(Arc::new(io::Error::other(error))))?;
        let begun = Instant::now();
        let passed = (0..number).map(|_| Mutex::new(begun)).collect();
        let mut started = Self { pool, watch, failed: OnceLock::new(), check, passed, checked: Duration::ZERO };
        started.check_all(Duration::ZERO)?;
        started.checked = begun.elapsed();
        Ok(started)
    }

    /// How many there are.
    pub(crate) fn number(&self) -> usize {
        self.passed.len()
    }

    /// Whether they are to end: they were asked to, or one of them has failed.
    pub(crate) fn is_stopped(&self) -> bool {
        self.watch.is_stopped() || self.failed.get().is_some()
    }

    /// Gives these items, one at a time and in order, to `each` on whichever thread is free, with the worker of that thread,
    /// which `worker` makes for its first item.
    ///
    /// The first error stops every thread at its next item, and is the result. A stop is an error only if it leaves an item
    /// out, and if there is no other.
    pub(crate) fn for_each<T: Send, W: Send>(
        &self,
        items: impl Iterator<Item = T> + Send,
        worker: impl Fn() -> W + Sync,
        each: impl Fn(&mut W, T) -> Result<(), CountError> + Sync,
    ) -> Result<(), CountError> {
        // Nothing that `each` does waits for the pool, or the thread might begin with another item meanwhile. So no lock waits.
        let workers: Vec<_> = (0..self.number()).map(|_| Mutex::new(None)).collect();
        let one = |item: T| {
            if self.is_stopped() {
                return Err(CountError::Stopped);
            }
            each(lock(&workers[this_thread()]).get_or_insert_with(&worker), item).inspect_err(|error| {
                if !matches!(error, CountError::Stopped) {
                    // Another may have been the first.
                    let _ = self.failed.set(error.clone());
                }
            })
        };
        let ended = self.pool.install(|| items.par_bridge().try_for_each(one));
        ended.map_err(|error| self.failed.get().cloned().unwrap_or(error))
    }

    /// Does `work` on each of them.
    pub(crate) fn each<T: Send>(&self, work: impl Fn() -> T + Sync) -> Vec<T> {
        self.pool.broadcast(|_| work())
    }

    /// Has each that has worked for so long since its last check do another.
    pub(crate) fn check_all(&self, after: Duration) -> Result<(), CountError> {
        self.each(|| self.check_again(after).map(drop)).into_iter().collect()
    }

    /// Does another check on this thread, if it has worked for so long since the last one, or has found what cannot be. Returns
    /// whether it did, and passed.
    pub(crate) fn check_again(&self, after: Duration) -> Result<bool, CountError> {
        let (mut passed, was_wrong) = (lock(&self.passed[this_thread()]), IS_WRONG.replace(false));
        if !was_wrong && passed.elapsed() < fault::check_interval(after) {
            return Ok(false);
        }
        let checked =
            if was_wrong { Err("more pairs were attacked than there are".to_owned()) } else { (self.check)() };
        checked.map_err(|found| CountError::SelfCheck { core: core(), found })?;
        fault::activate_delayed();
        *passed = Instant::now();
        Ok(true)
    }
}

/// The stack of a thread, whatever `RUST_MIN_STACK` says. With 32 KB, N = 16 overflowed, with 48 not.
const STACK: usize = 2 << 20;

/// Does work that waits for threads of its own.
///
/// A worker of a caller's rayon pool would steal that pool's jobs while it waits: a job that needs a lock that the caller
/// holds never ends, and jobs that count nest without end. So a worker has a plain thread wait.
pub(crate) fn waiting<T: Send>(work: impl FnOnce() -> Result<T, CountError> + Send) -> Result<T, CountError> {
    if rayon::current_thread_index().is_some() { alongside(work, || ()) } else { work() }
}

/// Does `work` on a plain thread, and `meanwhile` on the calling one.
pub(crate) fn alongside<T: Send>(
    work: impl FnOnce() -> Result<T, CountError> + Send,
    meanwhile: impl FnOnce(),
) -> Result<T, CountError> {
    let inherit = fault::inherit();
    let work = || {
        inherit(0);
        work()
    };
    thread::scope(|scope| {
        let thread = Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| CountError::Threads(Arc::new(error)))?;
        meanwhile();
        thread.join().unwrap_or_else(|payload| panic::resume_unwind(payload))
    })
}

/// The number of this thread in its pool.
pub(crate) fn this_thread() -> usize {
    rayon::current_thread_index().expect("this runs in the pool")
}

/// The core that this thread runs on, where the system tells it.
#[cfg_attr(target_os = "linux", expect(clippy::unnecessary_wraps, reason = "elsewhere it is not told"))]
fn core() -> Option<usize> {
    #[cfg(target_os = "linux")]
    return Some(rustix::thread::sched_getcpu());
    #[cfg(not(target_os = "linux"))]
    None
}

/// The processor time that the calling thread has used, which does not grow, as wall time does, when other programs keep the
/// machine busy. `None` on Windows, which counts in ticks of a sixty-fourth of a second.
#[cfg_attr(unix, expect(clippy::unnecessary_wraps, reason = "elsewhere it cannot be told"))]
pub(crate) fn thread_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Some(time.try_into().expect("no clock of processor time is negative"))
    }
    #[cfg(not(unix))]
    None
}

/// [`thread_time`] in seconds, or wall time where that is not told; only differences are meaningful.
pub(crate) fn thread_seconds() -> f64 {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    thread_time().unwrap_or_else(|| START.elapsed()).as_secs_f64()
}
