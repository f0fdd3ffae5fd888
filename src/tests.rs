//! Helpers of unit tests.

use fastrand::Rng;

/// Whether slow cases are tested too.
pub(crate) fn is_all() -> bool {
    std::env::var_os("QUEENS_TEST_ALL").is_some()
}

/// A random generator per case of a test: 32 cases, or 256 with slow ones.
pub(crate) fn cases() -> impl Iterator<Item = Rng> {
    (0..if is_all() { 256 } else { 32 }).map(Rng::with_seed)
}
