//! The program `queens`: allocator, parse, run, exit code; nothing else.

mod cli;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    // Mimalloc asks for huge pages, which fill every gap between the thousands of lists of the join: 195 MB instead of 140
    // at N = 20, and no faster (without them 0.97 to 1.02 of the time at N = 18, 0.99 at 20). Where the kernel refuses, the program takes more.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    cli::run(std::env::args_os()).into()
}
