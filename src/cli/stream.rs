//! A list that is written while it is found.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::sleep;
use std::time::Duration;

use super::failure::Failure;
use super::output::{self, Output};
use super::threads;

/// Writes what a thread finds, as text, and returns how many there are. Nobody waits for that thread when no more can be
/// written.
pub(crate) fn stream<T: Send + 'static>(
    out: &mut Output,
    found: impl Iterator<Item = T> + Send + 'static,
    mut write: impl FnMut(&mut String, T),
) -> Result<u64, Failure> {
    /// More than are found in the moment in which they gather: written one by one they take several times as long.
    const MOST: usize = 1 << 12;
    const MOMENT: Duration = Duration::from_millis(1);
    output::IS_TABLE.store(matches!(out, Output::Stdout(_)), Ordering::Relaxed);
    let (sender, receiver) = sync_channel(MOST);
    // It fails when no more can be written.
    let find = move || drop({ found }.try_for_each(|one| sender.send(one)));
    threads::start("list", find).map_err(|error| Failure::Run(format!("cannot start a thread: {error}")))?;
    let (mut text, mut count) = (String::new(), 0);
    loop {
        // Not for ever, to see that nobody reads any more.
        let first = receiver.recv_timeout(10 * MOMENT);
        if matches!(first, Err(RecvTimeoutError::Disconnected)) {
            return Ok(count);
        }
        sleep(MOMENT);
        for one in first.into_iter().chain(receiver.try_iter().take(MOST)) {
            write(&mut text, one);
            count += 1;
        }
        out.write(&text)?;
        text.clear();
        if output::is_closed() {
            return Err(Failure::Closed);
        }
    }
}
