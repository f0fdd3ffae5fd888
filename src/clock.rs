//! Clocks: processor time, and the time that work has run.

use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use crate::watch::lock;

/// Whose processor time.
#[derive(Clone, Copy)]
pub(crate) enum Of {
    Thread,
    Process,
}

/// The processor time that the calling thread, or all of the process, has used. It does not grow, as wall time does, when other
/// programs keep the machine busy. `None` on Windows, which counts in ticks of a sixty-fourth of a second.
#[cfg_attr(unix, expect(clippy::unnecessary_wraps, reason = "elsewhere it cannot be told"))]
pub(crate) fn processor_time(of: Of) -> Option<Duration> {
    #[cfg(unix)]
    {
        use rustix::time::{ClockId, clock_gettime};
        let clock = match of {
            Of::Thread => ClockId::ThreadCPUTime,
            Of::Process => ClockId::ProcessCPUTime,
        };
        Some(clock_gettime(clock).try_into().expect("no clock of processor time is negative"))
    }
    #[cfg(not(unix))]
    {
        let _ = of;
        None
    }
}

/// The processor time of the calling thread in seconds, or wall time where that is not told; only differences are meaningful.
pub(crate) fn thread_seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    processor_time(Of::Thread).unwrap_or_else(|| START.elapsed()).as_secs_f64()
}

/// How long work has run: wall time without that in which the process was stopped, as by SIGSTOP or ^Z.
#[derive(Debug)]
pub(crate) struct RunningTime {
    threads: u32,
    looked: Mutex<Looked>,
}

/// What there was at the last look: when it was, the processor time that the process had used, and the time that it had run.
#[derive(Debug)]
struct Looked {
    at: Instant,
    used: Option<Duration>,
    running: Duration,
}

impl RunningTime {
    /// That of work by so many threads.
    pub(crate) fn begin(threads: usize) -> Self {
        let looked = Looked { at: Instant::now(), used: processor_time(Of::Process), running: Duration::ZERO };
        Self { threads: threads as u32, looked: Mutex::new(looked) }
    }

    /// The time left when this share is done.
    pub(crate) fn left(&self, share: f64) -> Option<Duration> {
        let (at, used) = (Instant::now(), processor_time(Of::Process));
        let looked = &mut *lock(&self.looked);
        let used_since = used.zip(looked.used).map(|(used, before)| (used - before) / self.threads);
        looked.running += running_in(at - looked.at, used_since);
        (looked.at, looked.used) = (at, used);
        Duration::try_from_secs_f64(looked.running.as_secs_f64() * (1.0 - share) / share).ok()
    }
}

/// How much of the time between two looks a process has run whose threads have used so much processor time each. Where other
/// programs keep the machine busy, that is little, but not next to nothing.
fn running_in(gap: Duration, used: Option<Duration>) -> Duration {
    let was_stopped = gap > Duration::from_secs(1) && used.is_some_and(|used| used < gap / 20);
    if was_stopped { Duration::ZERO } else { gap }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a look five times a second, and of one an hour, beside whatever else the machine does.
    #[test]
    fn what_stops_a_process_is_not_counted() {
        let [tick, seconds, hour] = [200, 15_200, 3_600_000].map(Duration::from_millis);
        for (gap, used, is_counted) in [
            (tick, Some(Duration::ZERO), true),
            (seconds, Some(tick), false),
            (seconds, Some(seconds / 10), true),
            (hour, Some(hour), true),
            (hour, Some(Duration::ZERO), false),
            (seconds, None, true),
        ] {
            assert_eq!(running_in(gap, used), if is_counted { gap } else { Duration::ZERO }, "{gap:?}, {used:?}");
        }
    }
}
