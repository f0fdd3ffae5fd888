//! The machine: the name of its processor, and the size of its pages of memory.

/// Gives huge pages to the join of a large board, and to nothing else.
///
/// The allocator asks for them always. With thousands of short lists they fill every gap between them: 195 MB instead of 140
/// at N = 20, for no less time (without them 0.97 to 1.02 of it at N = 18, 0.99 at 20). With long lists N = 28 takes 0.98 of
/// the time and N = 26 0.99, and each thread 30 or 40 MB more.
pub(crate) fn huge_pages(are_used: bool) {
    // If the kernel refuses, it takes more memory or time.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(!are_used);
    #[cfg(not(target_os = "linux"))]
    let _ = are_used;
}

/// The processor's name, where the system tells it.
pub(crate) fn processor() -> Option<String> {
    let about = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let name = about.lines().find_map(|line| line.strip_prefix("model name"))?;
    Some(name.trim_start_matches([' ', '\t', ':']).trim().to_owned())
}
