//! A task that an engine has counted, and what the auditor finds.

use fastrand::Rng;

use crate::tally::Tally;

/// A task that an engine has counted, to be audited.
pub(crate) struct Counted<'a, T> {
    pub(crate) task: &'a T,
    /// What the engine has found, without the task's weight.
    pub(crate) tally: &'a Tally,
    /// For the part of the task that is audited, if not the whole.
    pub(crate) random: &'a mut Rng,
    /// Called now and then; when it returns true, the audit ends.
    pub(crate) stopped: &'a dyn Fn() -> bool,
}

impl<T> Counted<'_, T> {
    /// The tallies of the whole task; `None` if the auditor was stopped.
    pub(crate) fn audit_whole(self, auditor: impl FnOnce(&T, &dyn Fn() -> bool) -> Option<Tally>) -> Option<Compared> {
        let auditor = auditor(self.task, self.stopped)?;
        Some(Compared { engine: self.tally.clone(), auditor, is_part: false })
    }
}

/// The tallies of a task, without its weight, or of a part of it.
#[derive(Debug)]
pub(crate) struct Compared {
    pub(crate) engine: Tally,
    pub(crate) auditor: Tally,
    pub(crate) is_part: bool,
}

/// The tally of a task without its weight.
pub(crate) fn once(solutions: u64) -> Tally {
    u128::from(solutions).into()
}
