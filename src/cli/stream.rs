//! A list that is written while it is found.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::sleep;
use std::time::Duration;

use super::failure::{Failure, Result};
use super::output::{self, Output};
use super::threads;

/// Writes the items that a thread finds, and returns their number. If writing fails, the thread is not waited for.
pub(crate) fn stream<T: Send + 'static>(
    out: &mut Output,
    items: impl Iterator<Item = T> + Send + 'static,
    mut write: impl FnMut(&mut String, T),
) -> Result<u64> {
    /// More items than are found in a moment. Writing them one by one takes several times as long as in batches.
    const MAX_BATCH: usize = 1 << 12;
    const MOMENT: Duration = Duration::from_millis(1);
    output::IS_TABLE.store(matches!(out, Output::Open(path, _) if output::is_stdout(path)), Ordering::Relaxed);
    let (sender, receiver) = sync_channel(MAX_BATCH);
    // Sending fails once writing has failed.
    let find = move || drop({ items }.try_for_each(|one| sender.send(one)));
    threads::start("list", find).map_err(|error| Failure::Run(format!("cannot start a thread: {error}")))?;
    let (mut text, mut count) = (String::new(), 0);
    loop {
        // With a timeout, to notice that the reader has closed stdout.
        let first = receiver.recv_timeout(10 * MOMENT);
        if matches!(first, Err(RecvTimeoutError::Disconnected)) {
            return Ok(count);
        }
        sleep(MOMENT);
        for one in first.into_iter().chain(receiver.try_iter().take(MAX_BATCH)) {
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
