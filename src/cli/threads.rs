//! The threads of the program that do not count.

use std::io;
use std::thread::Builder;

/// Starts a thread that is never joined, with a stack of the default size whatever `RUST_MIN_STACK` says.
pub(crate) fn start(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    const STACK: usize = 2 << 20;
    // Boxed, so that spawning is compiled once, not per closure.
    let work: Box<dyn FnOnce() + Send> = Box::new(work);
    Builder::new().name(name.to_owned()).stack_size(STACK).spawn(work).map(drop)
}
