//! Results beside what is known of them: the published term, or else the remainder that symmetry demands.

use queens::oeis::{self, Sequence};
use queens::symmetric::{SymmetricRequest, classes};
use queens::{Rotation, Size};

use super::failure::Failure;
use super::output;
use super::work::watched;

/// The published term. In a program of the tests it may be made wrong, or taken for unpublished, or no test could see what becomes
/// of that.
pub(crate) fn published(sequence: &Sequence, n: usize) -> Option<u128> {
    let made = if cfg!(debug_assertions) { std::env::var("QUEENS_TERMS").ok() } else { None };
    let term = sequence.term(n).filter(|_| made.as_deref() != Some("unpublished"))?;
    Some(term + u128::from(made.as_deref() == Some("wrong")))
}

/// What agrees, in words; nothing if the term is not published.
pub(crate) fn term(sequence: &Sequence, n: usize, found: u128) -> Result<Option<String>, Failure> {
    let id = sequence.id;
    match published(sequence, n) {
        Some(term) if term == found => Ok(Some(format!("agrees with OEIS {id}"))),
        Some(term) => Err(Failure::Wrong(format!("N = {n}: found {found}, but OEIS {id} has {term}"))),
        None => Ok(None),
    }
}

/// How many solutions a turn leaves unchanged.
fn unchanged(turn: Rotation, size: Size, threads: usize) -> Result<u128, Failure> {
    let request = SymmetricRequest::new(turn, size.get())?.threads(threads);
    Ok(watched("symmetric solutions", move |watch| request.count(watch))?.count)
}

/// How many solutions a half turn and a quarter turn leave unchanged.
pub(crate) fn turns(size: Size, threads: usize) -> Result<[u128; 2], Failure> {
    Ok([unchanged(Rotation::Half, size, threads)?, unchanged(Rotation::Quarter, size, threads)?])
}

/// The number of solutions up to symmetry, from that of all and those that turns leave unchanged.
pub(crate) fn unique(size: Size, all: u128, turns: [u128; 2]) -> Result<u128, Failure> {
    let contradiction = || Failure::Wrong(format!("{all} solutions contradict those unchanged by turns: {turns:?}"));
    classes(size, all, turns).ok_or_else(contradiction)
}

/// What agrees with the number of all solutions, in words. Beyond the published terms it is the remainder that must be right: the symmetries
/// of the square gather solutions in classes of eight, of four if a half turn leaves them unchanged, and of two if a quarter
/// turn does too. So modulo 8 there are as many solutions as a half turn leaves unchanged.
pub(crate) fn solutions(size: Size, found: u128, threads: usize) -> Result<Option<String>, Failure> {
    if let Some(words) = term(&oeis::QUEENS, size.get(), found)? {
        return Ok(Some(words));
    }
    match unchanged(Rotation::Half, size, threads).map(|half| half % 8) {
        Ok(wanted) if found % 8 == wanted => {
            Ok(Some("the remainder modulo 8 is right; OEIS has no such term".to_owned()))
        }
        Ok(wanted) => {
            let by = "but by the symmetric solutions it is";
            Err(Failure::Wrong(format!("N = {size}: found {found}, {by} {wanted} modulo 8")))
        }
        // The count may have taken days: it is told, though a signal or an error ended its check.
        Err(Failure::Stopped) => Ok(None),
        Err(Failure::Run(error)) => {
            output::warning(&format!("the remainder modulo 8 was not checked: {error}"));
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}
