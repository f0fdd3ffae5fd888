//! The threads of a run: how many there are, whether each computes rightly, and how long it has worked.
//!
//! A machine has dozens of cores, and one bad core is what a week is most likely to meet. So each thread checks itself before
//! its first unit, again after an hour of work, and once more at the end if it has worked for more than a minute. What a kill
//! leaves unchecked only an audit finds.

use std::io;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::engine::lanes::{fault, is_wrong};
use crate::report::{CountError, SelfCheckError};
use crate::watch::lock;

/// After so much work a thread checks itself again: of a check, which takes milliseconds, nothing is felt.
pub(crate) const HOUR: Duration = Duration::from_hours(1);

/// After so much work it does so before the result is told.
pub(crate) const MINUTE: Duration = Duration::from_mins(1);

/// How many cores this process may use, considering affinity and control group; 1 if the system does not say.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Threads, each of which has passed its self-check.
pub(crate) struct Threads<'a> {
    /// `None` where they are the caller's.
    pool: Option<rayon::ThreadPool>,
    check: &'a (dyn Fn() -> Result<(), SelfCheckError> + Sync),
    /// When each of them has passed it last.
    passed: Vec<Mutex<Instant>>,
    /// How long they took to do so for the first time, side by side.
    pub(crate) checked: Duration,
}

impl<'a> Threads<'a> {
    /// Starts so many threads, and has each do this check. With 0 there is one for every core, or, where that is called on a
    /// thread of a pool of rayon, they are those of the pool. More than some for each core only take time to start: with 2048 of
    /// them N = 14 took 13 s.
    pub(crate) fn start(
        threads: usize,
        check: &'a (dyn Fn() -> Result<(), SelfCheckError> + Sync),
    ) -> Result<Self, CountError> {
        const MOST_PER_CORE: usize = 8;
        /// Whatever `RUST_MIN_STACK` says. With 32 KB, N = 16 overflowed, with 48 not.
        const STACK: usize = 2 << 20;
        let cores = available_threads();
        let pool = if threads == 0 && rayon::current_thread_index().is_some() {
            None
        } else {
            let threads = if threads == 0 { cores } else { threads.min(MOST_PER_CORE * cores) };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
            Some(pool.map_err(|error| CountError::Threads(io::Error::other(error)))?)
        };
        let number = pool.as_ref().map_or_else(rayon::current_num_threads, rayon::ThreadPool::current_num_threads);
        let begun = Instant::now();
        let passed = (0..number).map(|_| Mutex::new(begun)).collect();
        let mut started = Self { pool, check, passed, checked: Duration::ZERO };
        started.check_all(Duration::ZERO)?;
        started.checked = begun.elapsed();
        Ok(started)
    }

    /// How many there are.
    pub(crate) fn number(&self) -> usize {
        self.passed.len()
    }

    /// Does `work` on one of them.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Does `work` on each of them.
    pub(crate) fn each<T: Send>(&self, work: impl Fn() -> T + Sync) -> Vec<T> {
        match &self.pool {
            Some(pool) => pool.broadcast(|_| work()),
            None => rayon::broadcast(|_| work()),
        }
    }

    /// Has each that has worked for so long since its last check do another.
    pub(crate) fn check_all(&self, after: Duration) -> Result<(), CountError> {
        self.each(|| self.check_again(after).map(drop)).into_iter().collect()
    }

    /// Does another check on this thread, if it has worked for so long since the last one, or has found what cannot be. Returns
    /// whether it did, and passed.
    pub(crate) fn check_again(&self, after: Duration) -> Result<bool, CountError> {
        let mut passed = lock(&self.passed[this_thread()]);
        if !is_wrong() && passed.elapsed() < fault::sooner(after) {
            return Ok(false);
        }
        let checked = if is_wrong() { Err(SelfCheckError::Impossible) } else { (self.check)() };
        checked.map_err(|error| CountError::SelfCheck { core: core(), error })?;
        fault::begin_late();
        *passed = Instant::now();
        Ok(true)
    }
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
