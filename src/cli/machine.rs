//! The machine: the name of its processor, and huge pages.

/// Enables or disables huge pages. Only joins of large boards gain from them.
///
/// The allocator always requests them. Thousands of short lists then waste memory (195 instead of 140 MB at N = 20) and
/// save no time: without huge pages, runs take 0.97 to 1.02 of it at N = 18, and 0.99 at 20. Long lists save 2 % at
/// N = 28 and 1 % at N = 26, for 30 to 40 MB more per thread.
pub(crate) fn huge_pages(is_enabled: bool) {
    // If the kernel refuses, the run takes more memory or time.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(!is_enabled);
    #[cfg(not(target_os = "linux"))]
    let _ = is_enabled;
}

/// The processor's name, if the system reports it.
pub(crate) fn processor() -> Option<String> {
    let about = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let name = about.lines().find_map(|line| line.strip_prefix("model name"))?;
    Some(name.trim_start_matches([' ', '\t', ':']).trim().to_owned())
}
