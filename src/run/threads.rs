//! The threads of a run: how many there are, and how long they have worked.
//!
//! They are timed by processor time, which does not grow, as wall time does, when other programs keep the machine busy.

use std::time::Duration;

use crate::report::CountError;

/// How many cores this process may use, considering affinity and control group; 1 if the system does not say.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A pool of this many threads, or with 0 of one for every core. More than some for each core only take time to start: with
/// 2048 of them N = 14 took 13 s.
pub(crate) fn pool(threads: usize) -> Result<rayon::ThreadPool, CountError> {
    const MOST_PER_CORE: usize = 8;
    /// Whatever `RUST_MIN_STACK` says. With 32 KB, N = 16 overflowed, with 48 not.
    const STACK: usize = 2 << 20;
    let cores = available_threads();
    let threads = if threads == 0 { cores } else { threads.min(MOST_PER_CORE * cores) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    pool.map_err(|error| CountError::Threads(error.to_string()))
}

/// Seconds of processor time that the calling thread has used; only differences are meaningful. If the system does not
/// measure it finely enough (Windows counts in ticks of a sixty-fourth of a second), it is wall time.
pub(crate) fn thread_seconds() -> f64 {
    #[cfg(unix)]
    return time(rustix::time::ClockId::ThreadCPUTime).as_secs_f64();
    #[cfg(not(unix))]
    {
        static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
        START.elapsed().as_secs_f64()
    }
}

/// The processor time that all threads of this process have used since it began; `None` on Windows.
#[cfg_attr(unix, expect(clippy::unnecessary_wraps, reason = "elsewhere it cannot be told"))]
pub(crate) fn process_time() -> Option<Duration> {
    #[cfg(unix)]
    return Some(time(rustix::time::ClockId::ProcessCPUTime));
    #[cfg(not(unix))]
    None
}

#[cfg(unix)]
fn time(clock: rustix::time::ClockId) -> Duration {
    rustix::time::clock_gettime(clock).try_into().expect("no clock of processor time is negative")
}
