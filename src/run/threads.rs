//! The number of threads.

use std::num::NonZero;

use super::CountError;

/// The number of threads that count: a given number, or one for every core that the process may use.
///
/// ```
/// use queens::{Threads, available_threads};
/// assert_eq!(Threads::from(3).get(), 3);
/// assert_eq!(Threads::from(0), Threads::ALL);
/// assert_eq!(Threads::ALL.get(), available_threads());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threads(Option<NonZero<usize>>);

impl Threads {
    /// One for every core that the process may use.
    pub const ALL: Self = Self(None);

    /// The number on this machine.
    pub fn get(self) -> usize {
        self.0.map_or_else(available_threads, usize::from)
    }

    pub(crate) fn pool(self) -> Result<rayon::ThreadPool, CountError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.get()).build();
        pool.map_err(|error| CountError::Threads(error.to_string()))
    }
}

/// 0 means every core, as on the command line.
impl From<usize> for Threads {
    fn from(threads: usize) -> Self {
        Self(NonZero::new(threads))
    }
}

/// How many cores this process may use, considering affinity and control group; 1 if the system does not say.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_that_many_and_0_every_core() {
        assert_eq!([1, 3].map(|threads| Threads::from(threads).get()), [1, 3]);
        assert_eq!((Threads::from(0), Threads::default()), (Threads::ALL, Threads::ALL));
        assert_eq!(Threads::from(3).pool().unwrap().current_num_threads(), 3);
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
}
