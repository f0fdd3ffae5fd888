//! A list that is written while it is found.

use std::mem;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::time::Duration;

use super::failure::Failure;
use super::output::{self, Output};
use super::threads;

/// Text that one thread finds and another one writes. The finder waits while a piece of it is not written yet.
#[derive(Default)]
pub(crate) struct Text {
    /// What is not written yet, and whether that is the end.
    found: Mutex<(String, bool)>,
    /// A piece or the end is found, or what was found is written.
    turn: Condvar,
}

impl Text {
    const PIECE: usize = 1 << 16;

    /// Adds to it.
    pub(crate) fn add(&self, write: impl FnOnce(&mut String)) {
        let mut found = self.found.lock().expect("no thread panics");
        write(&mut found.0);
        while found.0.len() >= Self::PIECE {
            self.turn.notify_one();
            found = self.turn.wait(found).expect("no thread panics");
        }
    }

    /// What is found, as soon as it is a piece or the end; or else after a moment, for the next solution may take hours.
    fn take(&self) -> (String, bool) {
        const MOMENT: Duration = Duration::from_millis(10);
        let found = self.found.lock().expect("no thread panics");
        let is_little = |(text, is_end): &mut (String, bool)| text.len() < Self::PIECE && !*is_end;
        let (mut found, _) = self.turn.wait_timeout_while(found, MOMENT, is_little).expect("no thread panics");
        self.turn.notify_one();
        (mem::take(&mut found.0), found.1)
    }
}

/// Writes text while a thread finds it, and returns what that returns. Nobody waits for it when no more can be written.
pub(crate) fn stream<T: Send + 'static>(
    out: &mut Output,
    find: impl FnOnce(&Text) -> T + Send + 'static,
) -> Result<T, Failure> {
    output::IS_TABLE.store(matches!(out, Output::Stdout(_)), Ordering::Relaxed);
    let text = Arc::new(Text::default());
    let ((ending, ended), finding) = (mpsc::channel(), Arc::clone(&text));
    let find = move || {
        drop(ending.send(find(&finding)));
        finding.found.lock().expect("no thread panics").1 = true;
        finding.turn.notify_one();
    };
    threads::start("list", find).map_err(|error| Failure::Run(format!("cannot start a thread: {error}")))?;
    loop {
        let (text, is_end) = text.take();
        out.write(&text)?;
        if output::is_closed() {
            return Err(Failure::Closed);
        }
        if is_end {
            return Ok(ended.recv().expect("it was sent before the end"));
        }
    }
}
