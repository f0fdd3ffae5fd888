//! A list that is written while it is found.

use std::mem;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use super::failure::Failure;
use super::output::{self, Output};
use super::threads;

/// Text of solutions that one thread finds and another writes. The finder waits while a piece of it is not written yet.
#[derive(Default)]
pub(crate) struct Text {
    /// What is not written yet, and at the end the number of solutions.
    found: Mutex<(String, Option<u64>)>,
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
    fn take(&self) -> (String, Option<u64>) {
        const MOMENT: Duration = Duration::from_millis(10);
        let found = self.found.lock().expect("no thread panics");
        let is_little = |(text, count): &mut (String, Option<u64>)| text.len() < Self::PIECE && count.is_none();
        let (mut found, _) = self.turn.wait_timeout_while(found, MOMENT, is_little).expect("no thread panics");
        self.turn.notify_one();
        (mem::take(&mut found.0), found.1)
    }
}

/// Writes solutions while a thread finds and counts them. Nobody waits for it when no more can be written.
pub(crate) fn stream(out: &mut Output, find: impl FnOnce(&Text) -> u64 + Send + 'static) -> Result<u64, Failure> {
    output::IS_TABLE.store(matches!(out, Output::Stdout(_)), Ordering::Relaxed);
    let text = Arc::new(Text::default());
    let finding = Arc::clone(&text);
    let find = move || {
        let count = find(&finding);
        finding.found.lock().expect("no thread panics").1 = Some(count);
        finding.turn.notify_one();
    };
    threads::start("list", find).map_err(|error| Failure::Run(format!("cannot start a thread: {error}")))?;
    loop {
        let (text, count) = text.take();
        out.write(&text)?;
        if output::is_closed() {
            return Err(Failure::Closed);
        }
        if let Some(count) = count {
            return Ok(count);
        }
    }
}
