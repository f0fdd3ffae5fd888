//! Processor time. Unlike wall time, it does not grow when other programs keep the machine busy.

use std::time::Duration;

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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

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
