//! Faults of kernels on purpose, to see that the self-check sees them.
//!
//! A program that is built with `--cfg planted_faults` takes the name of one from the environment, as
//! `scripts/faults kernels` shows, and tests plant them by [`with`]. Else [`planted`] is the constant 0, so that released
//! code has no trace of it.

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
    /// Comparing pair by pair overlooks one.
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
    pub(crate) const KERNEL_FAULTS: [(&str, KernelFault); 14] = [
        ("sums", KernelFault::Sums),
        ("tables-of-5", KernelFault::Table(5)),
        ("tables-of-6", KernelFault::Table(6)),
        ("tables-of-7", KernelFault::Table(7)),
        ("tables-of-8", KernelFault::Table(8)),
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
        let names = || KERNEL_FAULTS.map(|(fault, _)| fault).join(" ");
        Some(found.unwrap_or_else(|| panic!("no fault is named '{name}'; there are {}", names())).1)
    }

    /// Whether this fault is planted: 1 or 0.
    pub(crate) fn planted(fault: KernelFault) -> u64 {
        u64::from(PLANTED.get() == Some(fault))
    }

    /// Whether any fault is.
    pub(crate) fn is_any_planted() -> bool {
        PLANTED.get().is_some()
    }

    /// Does `work` with this fault in the kernels of this thread.
    #[cfg(test)]
    pub(crate) fn with<T>(fault: KernelFault, work: impl FnOnce() -> T) -> T {
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
pub(crate) use switch::{KERNEL_FAULTS, with};
