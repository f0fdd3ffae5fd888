//! Faults on purpose, for tests of all that should see them: the self-check, the double checks, the audit.
//!
//! A test cannot hand an engine of its own to what chooses engines by name, and what is handed past that choice does not
//! show that the choice is wired to what checks it. So the joins and covers that a test makes can be wrong themselves.

use std::cell::Cell;

/// How many solutions too many an engine finds in a task: on boards of N (for covers: of so many items), on lanes of
/// this type, in the task with this number (east rows, north before south; for covers: items on the left).
pub(crate) type Fault = fn(n: usize, lanes: &str, task: u64) -> u64;

thread_local! {
    static FAULT: Cell<Fault> = const { Cell::new(NONE) };
}

const NONE: Fault = |_, _, _| 0;

/// Does `work`; whatever joins and covers this thread makes meanwhile have the fault, on whichever threads they count.
pub(crate) fn with<T>(fault: Fault, work: impl FnOnce() -> T) -> T {
    FAULT.set(fault);
    let done = work();
    FAULT.set(NONE);
    done
}

/// The fault of an engine that is made now.
pub(crate) fn here() -> Fault {
    FAULT.get()
}
