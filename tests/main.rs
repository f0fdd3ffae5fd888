//! Every test of the program, and those of the library as its users see it, in one program: each more would be linked
//! anew. They run side by side in it, so that none may change what belongs to the process: its folder, its variables,
//! its limits.
//!
//! They run on every system, but those of the bar and of signals, which are for Linux, and those for a Unix shell.
//!
//! Start with `contract`. `engines`, `kills`, `wrong` and `forged` are the four families that find real faults.
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
