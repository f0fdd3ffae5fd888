//! Results beside what is known of them: the published term, or else the remainder that symmetry demands.

use queens::oeis::{self, Residue, Sequence};
use queens::{CountError, Size, Watch};

use super::failure::Failure;
use super::work::watched;

/// What agrees, in words; nothing if the term is not published.
pub(crate) fn term(sequence: &Sequence, n: usize, found: u128) -> Result<Option<String>, Failure> {
    let id = sequence.id;
    match sequence.term(n) {
        Some(term) if term == found => Ok(Some(format!("agrees with OEIS {id}"))),
        Some(term) => Err(Failure::Wrong(format!("N = {n}: found {found}, but OEIS {id} has {term}"))),
        None => Ok(None),
    }
}

/// The same of the number of all solutions. Beyond the published terms it is the remainder that must be right.
pub(crate) fn solutions(size: Size, found: u128, threads: usize) -> Result<Option<String>, Failure> {
    if let Some(words) = term(&oeis::QUEENS, size.get(), found)? {
        return Ok(Some(words));
    }
    let residue = watched("symmetric solutions", &Watch::default(), move |watch| Residue::count(size, threads, watch));
    let residue = match residue.map(|outcome| outcome.found) {
        // The count may have taken days: it is told, though a signal ended its check.
        Err(Failure::Stopped(_)) | Ok(Err(CountError::Stopped)) => None,
        residue => residue??,
    };
    let Some(Residue { modulus, residue: wanted }) = residue else { return Ok(None) };
    let left = found % modulus;
    if left == wanted {
        return Ok(Some(format!("the remainder modulo {modulus} is right; OEIS has no such term")));
    }
    let symmetric = "by the symmetric solutions";
    Err(Failure::Wrong(format!(
        "N = {size}: found {found}, which is {left} modulo {modulus}; {symmetric} it is {wanted}"
    )))
}
