//! The threads of a run: their number, their self-checks and their processor time.
//!
//! One faulty core of dozens is the most likely failure in a week of counting. So each thread checks itself before its
//! first unit, every hour, and at the end. If the program is killed, only an audit finds errors since the last check.

use std::io;
use std::panic;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::engine::lanes::{IS_WRONG, fault};
use crate::report::CountError;
use crate::watch::{Watch, lock};

/// The time between two self-checks. A check takes milliseconds, so it costs nothing noticeable.
pub(crate) const HOUR: Duration = Duration::from_hours(1);

/// At the end, a thread checks itself again if its last check is older than this.
pub(crate) const MINUTE: Duration = Duration::from_mins(1);

/// The number of cores available to this process, considering affinity and control groups; 1 if unknown.
pub fn available_threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Threads that have passed their self-checks, for work on items until it is stopped.
pub(crate) struct Threads<'a> {
    pool: rayon::ThreadPool,
    watch: &'a Watch,
    /// The first error of any thread. It stops the other threads, but not other work under the same watch.
    failed: OnceLock<CountError>,
    check: &'a (dyn Fn() -> Result<(), String> + Sync),
    /// When each thread last passed its check.
    passed: Vec<Mutex<Instant>>,
    /// Wall time of the initial checks, which run in parallel.
    pub(crate) checked: Duration,
}

impl<'a> Threads<'a> {
    /// Starts threads for this number of items, and runs `check` on each. If `threads` is 0, starts one per core, but
    /// no more than items. `watch` no longer shows its previous work.
    pub(crate) fn start(
        threads: usize,
        items: usize,
        watch: &'a Watch,
        check: &'a (dyn Fn() -> Result<(), String> + Sync),
    ) -> Result<Self, CountError> {
        /// More threads only add start-up time: with 2048 threads N = 14 took 13 s.
        const MAX_PER_CORE: usize = 8;
        watch.clear();
        let cores = available_threads();
        let number = if threads == 0 { cores.min(items).max(1) } else { threads.min(MAX_PER_CORE * cores) };
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

    pub(crate) fn number(&self) -> usize {
        self.passed.len()
    }

    /// Whether the threads are to end, because of a stop request or the failure of one of them.
    pub(crate) fn is_stopped(&self) -> bool {
        self.watch.is_stopped() || self.failed.get().is_some()
    }

    /// Calls `each` once per item. Items are handed out in order, one at a time, to any free thread. `each` also gets
    /// that thread's worker, which `worker` makes at the thread's first item.
    ///
    /// The first error stops every thread at its next item and is returned. [`CountError::Stopped`] is returned only if
    /// an item was skipped and there is no other error.
    pub(crate) fn for_each<T: Send, W: Send>(
        &self,
        items: impl Iterator<Item = T> + Send,
        worker: impl Fn() -> W + Sync,
        each: impl Fn(&mut W, T) -> Result<(), CountError> + Sync,
    ) -> Result<(), CountError> {
        // If `each` waited for the pool, rayon could run another item here, which would wait for this lock.
        let workers: Vec<_> = (0..self.number()).map(|_| Mutex::new(None)).collect();
        let one = |item: T| {
            if self.is_stopped() {
                return Err(CountError::Stopped);
            }
            each(lock(&workers[this_thread()]).get_or_insert_with(&worker), item).inspect_err(|error| {
                if !matches!(error, CountError::Stopped) {
                    // Ignored, because another thread may have failed first.
                    let _ = self.failed.set(error.clone());
                }
            })
        };
        let ended = self.pool.install(|| items.par_bridge().try_for_each(one));
        ended.map_err(|error| self.failed.get().cloned().unwrap_or(error))
    }

    /// Runs `work` once on every thread.
    pub(crate) fn broadcast<T: Send>(&self, work: impl Fn() -> T + Sync) -> Vec<T> {
        self.pool.broadcast(|_| work())
    }

    /// Runs a check on every thread whose last one is older than `after`.
    pub(crate) fn check_all(&self, after: Duration) -> Result<(), CountError> {
        self.broadcast(|| self.check_again(after).map(drop)).into_iter().collect()
    }

    /// Runs a check on this thread if the last one is older than `after`, and fails after an impossible result. Returns
    /// whether a check was made and passed.
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

/// The stack of a thread, whatever `RUST_MIN_STACK` is. At N = 16, 32 KB overflowed and 48 KB did not.
const STACK: usize = 2 << 20;

/// Runs `work`, which waits for a pool of its own: on the calling thread or, if that is a rayon worker, on a plain one.
///
/// While a rayon worker waits, it steals jobs of its own pool. A job that needs a lock of the caller would never end,
/// and jobs that count would nest without end.
pub(crate) fn run_off_pool<T: Send>(work: impl FnOnce() -> Result<T, CountError> + Send) -> Result<T, CountError> {
    if rayon::current_thread_index().is_some() { run_alongside(work, || ()) } else { work() }
}

/// Runs `work` on a plain thread and `meanwhile` on the calling thread.
pub(crate) fn run_alongside<T: Send>(
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

pub(crate) fn this_thread() -> usize {
    rayon::current_thread_index().expect("this runs in the pool")
}

/// The core that this thread runs on, or `None` if unknown.
#[cfg_attr(target_os = "linux", expect(clippy::unnecessary_wraps, reason = "it is `None` elsewhere"))]
fn core() -> Option<usize> {
    #[cfg(target_os = "linux")]
    return Some(rustix::thread::sched_getcpu());
    #[cfg(not(target_os = "linux"))]
    None
}

/// The calling thread's processor time, which, unlike wall time, does not grow while other programs run. `None` on
/// Windows, which counts in ticks of 1/64 s.
#[cfg_attr(unix, expect(clippy::unnecessary_wraps, reason = "it is `None` elsewhere"))]
pub(crate) fn thread_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Some(time.try_into().expect("no clock of processor time is negative"))
    }
    #[cfg(not(unix))]
    None
}

/// [`thread_time`] in seconds, or wall time on Windows; only differences are meaningful.
pub(crate) fn thread_seconds() -> f64 {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    thread_time().unwrap_or_else(|| START.elapsed()).as_secs_f64()
}
