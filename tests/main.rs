//! The tests of the program and of the library's public interface, in one program, to link only once. They run in
//! parallel, so no test may change the state of the process: its folder, its variables, its limits.
//!
//! The tests of the bar and of signals run on Linux, those that need a Unix shell on Unix, all others on every system.
//!
//! Start with `contract`. Most real faults are found by `engines`, `kills`, `wrong` and `forged`.
#![cfg(feature = "cli")]

mod arguments;
mod common;

#[cfg(target_os = "linux")]
mod bar;
mod contract;
mod engines;
#[cfg(unix)]
mod files;
mod forged;
#[cfg(unix)]
mod kills;
#[cfg(unix)]
mod shown;
#[cfg(target_os = "linux")]
mod signals;
mod stops;
mod texts;
mod wrong;
