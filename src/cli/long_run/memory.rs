//! Whether a run will find the memory that it needs, told before it is taken.

use queens::{Request, Subject, thread_count};
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use crate::cli::terminal::{messages, numbers};

/// Says so where the run may need more than there is. It begins all the same, for the need is a guide.
pub(crate) fn look(request: &Request, threads: usize) {
    let (Subject::Completions(prefix), Ok(method)) = (request.subject(), request.method()) else { return };
    let need = |threads| method.memory(prefix.size(), threads);
    if let Some(text) = warning(need, thread_count(threads), available()) {
        messages::warning(&text);
    }
}

/// Bytes that this process may still take: the least of what the machine has, its control group and its own limit
/// allow; nothing where the system does not say.
fn available() -> u64 {
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(memory).ok();
    let group = system.as_ref().and_then(System::cgroup_limits).map(|limits| limits.free_memory);
    #[cfg(unix)]
    let own = rustix::process::getrlimit(rustix::process::Resource::As).current;
    #[cfg(not(unix))]
    let own = None;
    let machine = system.map(|system| system.available_memory()).filter(|&bytes| bytes > 0);
    [machine, group, own].into_iter().flatten().min().unwrap_or(u64::MAX)
}

/// What is to be said of so many threads, each number of which needs `need` bytes.
fn warning(need: impl Fn(usize) -> u64, threads: usize, available: u64) -> Option<String> {
    let needed = need(threads);
    if needed <= available {
        return None;
    }
    let advice = match (1..threads).rev().find(|&fewer| need(fewer) <= available) {
        Some(fewer) => format!("; --threads {fewer} would fit"),
        None => String::new(),
    };
    let megabytes = |bytes: u64| numbers::grouped(u128::from(bytes / 1_000_000));
    let s = if threads == 1 { "" } else { "s" };
    Some(format!(
        "{threads} thread{s} may take {} MB of memory, and {} MB are free{advice}",
        megabytes(needed),
        megabytes(available)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_memory_is_told() {
        let need = |threads: usize| (100 + 50 * (threads as u64 - 1)) * 1_000_000;
        assert_eq!(warning(need, 3, 200_000_000), None);
        assert_eq!(
            warning(need, 8, 200_000_000).unwrap(),
            "8 threads may take 450 MB of memory, and 200 MB are free; --threads 3 would fit"
        );
        assert_eq!(warning(need, 1, 1_000_000).unwrap(), "1 thread may take 100 MB of memory, and 1 MB are free");
    }
}
