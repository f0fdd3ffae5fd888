//! Compares results with the published term or, without one, with the remainder that symmetry requires.

use queens::oeis::{self, Sequence};
use queens::symmetric::{SymmetricRequest, orbits};
use queens::{Rotation, Size};

use super::failure::{Failure, Result};
use super::output;
use super::work::run_watched;

/// The published term. In debug builds `QUEENS_TERMS` makes it wrong or unpublished, so that tests can check both.
pub(crate) fn published(sequence: &Sequence, n: usize) -> Option<u128> {
    let fault = if cfg!(debug_assertions) { std::env::var("QUEENS_TERMS").ok() } else { None };
    let term = sequence.term(n).filter(|_| fault.as_deref() != Some("unpublished"))?;
    Some(term + u128::from(fault.as_deref() == Some("wrong")))
}

/// Compares a count with its published term, and returns the agreement in words, or `None` if there is no such term.
pub(crate) fn compare(sequence: &Sequence, n: usize, count: u128) -> Result<Option<String>> {
    let id = sequence.id;
    match published(sequence, n) {
        Some(term) if term == count => Ok(Some(format!("agrees with OEIS {id}"))),
        Some(term) => Err(Failure::Wrong(format!("N = {n}: found {count}, but OEIS {id} has {term}"))),
        None => Ok(None),
    }
}

/// The number of solutions that a turn leaves unchanged.
fn turn_count(turn: Rotation, size: Size, threads: usize) -> Result<u128> {
    let request = SymmetricRequest::new(turn, size.get())?.threads(threads);
    Ok(run_watched("symmetric solutions", move |watch| request.count(watch))?.count)
}

/// The numbers of solutions that a half turn and a quarter turn leave unchanged.
pub(crate) fn turn_counts(size: Size, threads: usize) -> Result<[u128; 2]> {
    Ok([turn_count(Rotation::Half, size, threads)?, turn_count(Rotation::Quarter, size, threads)?])
}

/// The number of solutions up to symmetry, from the number of all and the two of [`turn_counts`].
pub(crate) fn unique_count(size: Size, all: u128, turns: [u128; 2]) -> Result<u128> {
    let contradiction =
        || Failure::Wrong(format!("{all} solutions contradict the symmetric counts (half, quarter turn): {turns:?}"));
    orbits(size, all, turns).ok_or_else(contradiction)
}

/// Compares the number of all solutions with the published term or, if unpublished, its remainder modulo 8.
///
/// An orbit has eight solutions, four if a half turn leaves them unchanged, or two if a quarter turn does too. So the
/// number of all solutions equals, modulo 8, the number that a half turn leaves unchanged.
pub(crate) fn compare_total(size: Size, count: u128, threads: usize) -> Result<Option<String>> {
    if let Some(words) = compare(&oeis::QUEENS, size.get(), count)? {
        return Ok(Some(words));
    }
    match turn_count(Rotation::Half, size, threads).map(|half| half % 8) {
        Ok(wanted) if count % 8 == wanted => Ok(Some("correct modulo 8; not in OEIS".to_owned())),
        Ok(wanted) => Err(Failure::Wrong(format!("N = {size}: found {count}; symmetry requires {wanted} modulo 8"))),
        // The count may have taken days, so it is printed even if a signal or an error ended its check.
        Err(Failure::Stopped) => Ok(None),
        Err(Failure::Run(error)) => {
            output::warning(&format!("the remainder modulo 8 was not checked: {error}"));
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}
