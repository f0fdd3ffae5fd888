//! Faults on purpose, for tests of all that should see them: the self-check, the double checks, the audit.
//!
//! A test cannot hand an engine of its own to what chooses engines by name, and what is handed past that choice does not
//! show that the choice is wired to what checks it. So the engines themselves can be wrong, in two ways:
//!
//! - a [`Fault`] of a task, in the joins and covers that a test makes;
//! - a [`KernelFault`], in whatever kernels a thread runs. A program that is built with `--cfg planted_faults` has them
//!   too: it takes the name of one from the environment, as `scripts/faults kernels` shows.
//!
//! Without both [`planted`] is the constant 0, so that released code has no trace of it.

/// A step of a kernel that can be made wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KernelFault {
    /// The counts of matched pairs are one too large.
    Sums,
    /// An entry of a table of windows of this size has the wrong lanes.
    Table(usize),
    /// A key of a lane is flipped.
    Transposition,
    /// A query loses its first key.
    Gathering,
    /// A narrow block finds one pair too many.
    NarrowBlock,
    /// Comparing pair by pair finds one too many.
    Pairs,
    /// A pattern that is to be retained is lost.
    Retain,
    /// A pair of quadrants is lost.
    JoinedQuadrants,
    /// A key of a list is overlooked.
    Union,
    /// A board with a queen more is lost.
    Expand,
    /// The last three columns have a placement too many.
    LastColumns,
}

#[cfg(not(any(test, planted_faults)))]
mod switch {
    /// Whether this fault is planted: 1 or 0.
    #[inline(always)]
    pub(crate) const fn planted(_: super::KernelFault) -> u64 {
        0
    }

    /// Whether any fault is.
    pub(crate) const fn is_any_planted() -> bool {
        false
    }
}

#[cfg(any(test, planted_faults))]
mod switch {
    use std::cell::Cell;

    use super::KernelFault;

    /// Every kernel fault by its name.
    pub(crate) const KERNEL_FAULTS: [(&str, KernelFault); 13] = [
        ("sums", KernelFault::Sums),
        ("tables-of-5", KernelFault::Table(5)),
        ("tables-of-6", KernelFault::Table(6)),
        ("tables-of-7", KernelFault::Table(7)),
        ("transposition", KernelFault::Transposition),
        ("gathering", KernelFault::Gathering),
        ("narrow-blocks", KernelFault::NarrowBlock),
        ("pairs", KernelFault::Pairs),
        ("retain", KernelFault::Retain),
        ("joined-quadrants", KernelFault::JoinedQuadrants),
        ("union", KernelFault::Union),
        ("expand", KernelFault::Expand),
        ("last-columns", KernelFault::LastColumns),
    ];

    thread_local! {
        static PLANTED: Cell<Option<KernelFault>> = Cell::new(named());
    }

    /// The fault that the environment names.
    fn named() -> Option<KernelFault> {
        let name = std::env::var("QUEENS_FAULT").ok()?;
        let found = KERNEL_FAULTS.iter().find(|(fault, _)| *fault == name);
        Some(found.unwrap_or_else(|| panic!("no fault is named '{name}'")).1)
    }

    /// Whether this fault is planted: 1 or 0.
    pub(crate) fn planted(fault: KernelFault) -> u64 {
        u64::from(PLANTED.get() == Some(fault))
    }

    /// Whether any fault is.
    pub(crate) fn is_any_planted() -> bool {
        #[cfg(test)]
        let in_tasks = super::tasks::is_planted();
        #[cfg(not(test))]
        let in_tasks = false;
        in_tasks || PLANTED.get().is_some()
    }

    /// Does `work` with this fault in the kernels of this thread.
    #[cfg(test)]
    pub(crate) fn with_kernel<T>(fault: KernelFault, work: impl FnOnce() -> T) -> T {
        PLANTED.set(Some(fault));
        let done = work();
        PLANTED.set(None);
        done
    }
}

pub(crate) use switch::{is_any_planted, planted};

/// The mask without its first bit, if that fault is planted.
#[inline(always)]
pub(crate) const fn without_first(mask: u64, planted: u64) -> u64 {
    mask & mask.wrapping_sub(planted)
}

#[cfg(test)]
pub(crate) use switch::{KERNEL_FAULTS, with_kernel};
#[cfg(test)]
pub(crate) use tasks::{Fault, here, with};

#[cfg(test)]
mod tasks {
    use std::cell::Cell;

    /// How many solutions too many an engine finds in a task: on boards of N (for covers: of so many items), on lanes of
    /// this type, in the task with this number (east rows, north before south; for covers: items on the left).
    pub(crate) type Fault = fn(n: usize, lanes: &str, task: u64) -> u64;

    thread_local! {
        static FAULT: Cell<Option<Fault>> = const { Cell::new(None) };
    }

    /// Does `work`; whatever joins and covers this thread makes meanwhile have the fault, on whichever threads they count.
    pub(crate) fn with<T>(fault: Fault, work: impl FnOnce() -> T) -> T {
        FAULT.set(Some(fault));
        let done = work();
        FAULT.set(None);
        done
    }

    /// The fault of an engine that is made now.
    pub(crate) fn here() -> Fault {
        FAULT.get().unwrap_or(|_, _, _| 0)
    }

    /// Whether engines that are made now have one.
    pub(super) fn is_planted() -> bool {
        FAULT.get().is_some()
    }
}
