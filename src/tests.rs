//! What unit tests share.

use fastrand::Rng;

/// Whether all is tested, and not only what is quick.
pub(crate) fn is_all() -> bool {
    std::env::var_os("QUEENS_TEST_ALL").is_some()
}

/// Random numbers for each case of a test: of 32, or of 256 where all is tested.
pub(crate) fn cases() -> impl Iterator<Item = Rng> {
    (0..if is_all() { 256 } else { 32 }).map(Rng::with_seed)
}
