//! What a run of minutes to months needs beside the count itself, whatever it counts.

mod activity;
mod checkpoint;
pub(crate) mod forecast;
mod known_terms;
pub(crate) mod named_files;
mod options;
pub(crate) mod status;
mod supervision;
pub(crate) mod units;

pub(crate) use activity::Activity;
pub(crate) use known_terms::Agreement;
pub(crate) use options::{LongRun, When};
pub(crate) use status::Status;
pub(crate) use units::Outcome;

use queens::{EngineKind, Request};

/// Gives huge pages to the join of a large board, and to nothing else.
///
/// Mimalloc asks for them always. With thousands of short lists they fill every gap between them: 195 MB instead of 140 at
/// N = 20, for no less time (without them 0.97 to 1.02 of it at N = 18, 0.99 at 20). With long lists N = 28 takes 0.98 of
/// the time and N = 26 0.99, and each thread 30 or 40 MB more. Where the kernel refuses, it takes more memory or time.
#[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "only Linux is asked"))]
pub(crate) fn huge_pages_for(request: Option<&Request>) {
    /// The least N whose lists are long.
    const LARGE: usize = 26;
    let joins = |request: &Request| request.method().is_ok_and(|method| method.engine == EngineKind::Join);
    let is_large = request.is_some_and(|request| request.subject().n() >= LARGE && joins(request));
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(!is_large);
}
