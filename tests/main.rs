//! The tests of the program and of the library's public interface, in one program, to link only once. They run in
//! parallel, so no test may change the state of the process: its folder, its variables, its limits.
//!
//! Tests of the bar and of signals run only on Linux, and tests with a shell only on Unix. All others run everywhere.
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
