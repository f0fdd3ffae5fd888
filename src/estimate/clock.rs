//! Processor time of a thread, which other programs on a busy machine do not lengthen as they do wall time.

/// Seconds of processor time that the calling thread has used, for differences. Where the system does not tell them
/// finely enough (Windows counts in ticks of a sixty-fourth of a second), wall time.
pub(super) fn thread_seconds() -> f64 {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    }
    #[cfg(not(unix))]
    {
        use std::sync::OnceLock;
        use std::time::Instant;
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_secs_f64()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn sleep_is_not_work() {
        let start = thread_seconds();
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(thread_seconds() - start < 0.025);
        let mut number = 1u64;
        while thread_seconds() - start < 0.026 {
            number = std::hint::black_box(number.wrapping_mul(3));
        }
    }
}
