//! A request to stop, shared with the threads that count.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that is raised once and never lowered. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks every thread to end after its current task.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was requested.
    pub fn is_requested(&self) -> bool {
        // Relaxed: the flag protects no other data, and one task more or less does not matter.
        self.0.load(Ordering::Relaxed)
    }
}
