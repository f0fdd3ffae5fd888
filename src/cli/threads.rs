//! The threads of the program, beside those that count.

use std::io;
use std::thread::Builder;

/// Starts a thread. It is never joined: the end of the process ends it.
///
/// It gets the stack that threads have by default, whatever `RUST_MIN_STACK` makes of that.
pub(crate) fn start(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    const STACK: usize = 2 << 20;
    // Boxed, or all that starts a thread would be compiled for each kind of work.
    let work: Box<dyn FnOnce() + Send> = Box::new(work);
    Builder::new().name(name.to_owned()).stack_size(STACK).spawn(work).map(drop)
}
