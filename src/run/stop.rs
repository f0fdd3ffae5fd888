//! A request to stop, shared between whoever asks and the threads that count.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Raised once and never lowered. Clones are the same flag.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks every thread to end after the task at hand.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    pub fn is_requested(&self) -> bool {
        // Relaxed: nothing else is published through the flag, and a task more or less does not matter.
        self.0.load(Ordering::Relaxed)
    }
}
