//! The machine that a benchmark ran on.

use std::fs;
use std::path::Path;

use queens::{Isa, available_threads};
use serde::{Deserialize, Serialize};

use crate::cli::terminal::numbers::count_of;

/// A machine, for people to read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Machine {
    /// Of an x86-64 processor, whose name may leave them out; the microarchitecture where it is certain.
    pub(super) family: Option<u32>,
    pub(super) model: Option<u32>,
    pub(super) microarchitecture: Option<String>,
    /// Cores, and threads that each runs at once.
    pub(super) cores: Option<usize>,
    pub(super) threads_per_core: Option<usize>,
    /// Threads that this process may use at once.
    pub(super) threads: usize,
    /// The caches of the first core, as in `L1d 32 KiB`.
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
            ..cpuid().map_or_else(Self::default, |(family, model, is_amd)| {
                Self::of_processor(family, model, is_amd && Isa::Avx512f.is_available())
            })
        }
    }

    /// With the name of the microarchitecture, where it is certain. A virtual machine may have a model that its host made
    /// up, as some have of Intel's, but AVX-512 can only be hidden: of AMD's, Zen 4 was the first to have it.
    fn of_processor(family: u32, model: u32, is_amd_with_avx512: bool) -> Self {
        // Families and models as in Linux, arch/x86/kernel/cpu/amd.c.
        let name = match (family, model) {
            _ if !is_amd_with_avx512 => None,
            (0x19, 0x10..=0x1f | 0x60..=0xaf) => Some("Zen 4"),
            (0x1a, 0x00..=0x2f | 0x40..=0x4f | 0x60..=0x7f) => Some("Zen 5"),
            _ => None,
        };
        Self { family: Some(family), model: Some(model), microarchitecture: name.map(str::to_owned), ..Self::default() }
    }

    /// `, family 25, model 17 (Zen 4)`; empty where nothing is known
    pub(super) fn identity(&self) -> String {
        let (Some(family), Some(model)) = (self.family, self.model) else { return String::new() };
        let name = self.microarchitecture.as_ref().map_or_else(String::new, |name| format!(" ({name})"));
        format!(", family {family}, model {model}{name}")
    }

    /// `8 cores with 2 threads each, 4 threads for this program`
    pub(super) fn cores(&self) -> String {
        let used = format!("{} for this program", count_of(self.threads as u64, "thread"));
        let (Some(cores), Some(each)) = (self.cores, self.threads_per_core) else { return used };
        format!("{} with {} each, {used}", count_of(cores as u64, "core"), count_of(each as u64, "thread"))
    }
}

/// Family and model of an x86-64 processor, and whether it is AMD's, by the instruction CPUID.
#[cfg(target_arch = "x86_64")]
fn cpuid() -> Option<(u32, u32, bool)> {
    let [vendor, version] = [0, 1].map(std::arch::x86_64::__cpuid);
    let bits = |from: u32, count: u32| version.eax >> from & ((1 << count) - 1);
    // Numbers that do not fit into four bits have fields of their own.
    let family = if bits(8, 4) == 15 { 15 + bits(20, 8) } else { bits(8, 4) };
    let model = if family < 6 { bits(4, 4) } else { bits(16, 4) << 4 | bits(4, 4) };
    // The first answer has the number of the last that can be asked for.
    (vendor.eax >= 1).then_some((family, model, &vendor.ebx.to_le_bytes() == b"Auth"))
}

#[cfg(not(target_arch = "x86_64"))]
fn cpuid() -> Option<(u32, u32, bool)> {
    None
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
        let (size, unit) = if kilobytes.is_multiple_of(1024) { (kilobytes / 1024, "MiB") } else { (kilobytes, "KiB") };
        Some(format!("L{}{kind} {size} {unit}", level.trim()))
    };
    (0..).map_while(cache).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_named_where_it_is_certain() {
        let named =
            |family, model, is_amd_with_avx512| Machine::of_processor(family, model, is_amd_with_avx512).identity();
        assert_eq!(named(25, 17, true), ", family 25, model 17 (Zen 4)");
        assert_eq!(named(26, 2, true), ", family 26, model 2 (Zen 5)");
        assert_eq!(named(25, 17, false), ", family 25, model 17");
        assert_eq!(named(6, 167, true), ", family 6, model 167");
        assert_eq!(Machine::default().identity(), "");
    }

    /// The same numbers as the kernel tells.
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[test]
    fn family_and_model_are_those_of_the_system() {
        let text = fs::read_to_string("/proc/cpuinfo").unwrap();
        let field = |name: &str| text.lines().find(|line| line.split('\t').next() == Some(name)).unwrap();
        let number = |name| field(name).split(": ").nth(1).unwrap().parse().ok();
        let here = Machine::here();
        assert_eq!([here.family, here.model], ["cpu family", "model"].map(number));
    }

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
