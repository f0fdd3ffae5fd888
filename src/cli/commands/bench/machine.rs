//! The machine that a benchmark ran on.

use std::fs;
use std::path::Path;

use queens::available_threads;
use serde::{Deserialize, Serialize};

use crate::cli::terminal::numbers::count_of;

/// What is known of a machine, for people to read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Machine {
    /// Cores, and threads that each runs at once.
    pub(super) cores: Option<usize>,
    pub(super) threads_per_core: Option<usize>,
    /// Threads that this process may use at once.
    pub(super) threads: usize,
    /// Those of the first core, as in `L1d 32 KiB`.
    pub(super) caches: Vec<String>,
    pub(super) system: String,
}

impl Machine {
    pub(super) fn here() -> Self {
        use sysinfo::{CpuRefreshKind, RefreshKind, System};
        let cores = System::physical_core_count().ok();
        let list = System::new_with_specifics(RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing()));
        let logical = list.map_or(0, |list| list.cpus().len());
        let version = System::long_os_version().unwrap_or_default();
        let kernel = System::kernel_version().map_or_else(|_| String::new(), |kernel| format!(", kernel {kernel}"));
        Self {
            cores,
            threads_per_core: cores.filter(|&cores| cores > 0 && logical >= cores).map(|cores| logical / cores),
            threads: available_threads(),
            caches: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
            system: format!("{version}{kernel}, {}", std::env::consts::ARCH).trim_start_matches(", ").to_owned(),
        }
    }

    /// `8 cores with 2 threads each, 4 threads for this program`
    pub(super) fn cores(&self) -> String {
        let used = format!("{} for this program", count_of(self.threads as u64, "thread"));
        let (Some(cores), Some(each)) = (self.cores, self.threads_per_core) else { return used };
        format!("{} with {} each, {used}", count_of(cores as u64, "core"), count_of(each as u64, "thread"))
    }
}

/// The caches that Linux lists in this folder.
fn caches(folder: &Path) -> Vec<String> {
    let cache = |index: usize| {
        let read = |name: &str| fs::read_to_string(folder.join(format!("index{index}")).join(name)).ok();
        let (level, size) = (read("level")?, read("size")?);
        let kind = match read("type")?.trim() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        let kilobytes: u64 = size.trim().trim_end_matches('K').parse().ok()?;
        let size = if kilobytes.is_multiple_of(1024) {
            format!("{} MiB", kilobytes / 1024)
        } else {
            format!("{kilobytes} KiB")
        };
        Some(format!("L{}{kind} {size}", level.trim()))
    };
    (0..).map_while(cache).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_read_as_linux_lists_them() {
        let folder = tempfile::tempdir().unwrap();
        for (index, [level, kind, size]) in
            [["1", "Data", "32K"], ["1", "Instruction", "48K"], ["2", "Unified", "1024K"]].into_iter().enumerate()
        {
            let entry = folder.path().join(format!("index{index}"));
            fs::create_dir(&entry).unwrap();
            for (name, text) in [("level", level), ("type", kind), ("size", size)] {
                fs::write(entry.join(name), format!("{text}\n")).unwrap();
            }
        }
        assert_eq!(caches(folder.path()), ["L1d 32 KiB", "L1i 48 KiB", "L2 1 MiB"]);
        assert!(caches(Path::new("/no such folder")).is_empty());
    }
}
