//! The threads of a run: how many there are, and how long they have worked.
//!
//! They are timed by processor time, which does not grow, as wall time does, when other programs keep the machine busy.

use std::time::Duration;

use super::CountError;

/// How many cores this process may use, considering affinity and control group; 1 if the system does not say.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// This many threads, or with 0 one for every core that the process may use.
///
/// ```
/// use queens::{available_threads, thread_count};
/// assert_eq!([thread_count(3), thread_count(0)], [3, available_threads()]);
/// ```
pub fn thread_count(threads: usize) -> usize {
    if threads == 0 { available_threads() } else { threads }
}

/// A pool of this many threads, or with 0 of one for every core.
pub(crate) fn pool(threads: usize) -> Result<rayon::ThreadPool, CountError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(thread_count(threads)).build();
    pool.map_err(|error| CountError::Threads(error.to_string()))
}

/// Seconds of processor time that the calling thread has used; only differences are meaningful. If the system does not
/// measure it finely enough (Windows counts in ticks of a sixty-fourth of a second), it is wall time.
pub(crate) fn thread_seconds() -> f64 {
    #[cfg(unix)]
    {
        time(rustix::time::ClockId::ThreadCPUTime).as_secs_f64()
    }
    #[cfg(not(unix))]
    {
        use std::sync::OnceLock;
        use std::time::Instant;
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_secs_f64()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_that_many_and_0_every_core() {
        assert_eq!([0, 1, 3].map(thread_count), [available_threads(), 1, 3]);
        assert_eq!([0, 3].map(|threads| pool(threads).unwrap().current_num_threads()), [available_threads(), 3]);
    }

    /// As the kernel tells it.
    #[cfg(target_os = "linux")]
    #[test]
    fn every_core_is_each_that_this_process_may_use() {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let masks = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed:")).unwrap();
        let cores: u32 = masks.trim().split(',').map(|mask| u32::from_str_radix(mask, 16).unwrap().count_ones()).sum();
        assert!((1..=cores as usize).contains(&available_threads()), "{cores}");
        // A control group may allow fewer.
        let all = [("/sys/fs/cgroup/cpu.max", "max"), ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1")];
        if all.iter().any(|&(file, all)| std::fs::read_to_string(file).is_ok_and(|most| most.starts_with(all))) {
            assert_eq!(available_threads(), cores as usize);
        }
    }

    #[cfg(unix)]
    #[test]
    fn sleep_is_not_work() {
        let (start, all) = (thread_seconds(), process_time().unwrap());
        std::thread::sleep(Duration::from_millis(50));
        assert!(thread_seconds() - start < 0.025);
        let mut number = 1u64;
        while thread_seconds() - start < 0.026 {
            number = std::hint::black_box(number.wrapping_mul(3));
        }
        assert!(
            process_time().unwrap().saturating_sub(all) >= Duration::from_millis(25),
            "the process has done what this thread has"
        );
    }
}
