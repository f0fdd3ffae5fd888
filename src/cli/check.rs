//! Results beside what is known of them: the published term, or else the remainder that symmetry demands.

use queens::oeis::{self, Sequence};
use queens::{CountError, Rotation, Size, Watch, symmetric};

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

/// The same of the number of all solutions. Beyond the published terms it is the remainder that must be right: the symmetries
/// of the square gather solutions in classes of eight, of four if a half turn leaves them unchanged, and of two if a quarter
/// turn does too. So modulo 8 there are as many solutions as a half turn leaves unchanged.
pub(crate) fn solutions(size: Size, found: u128, threads: usize) -> Result<Option<String>, Failure> {
    if let Some(words) = term(&oeis::QUEENS, size.get(), found)? {
        return Ok(Some(words));
    }
    let half = move |watch: &Watch| symmetric::count(Rotation::Half, size.get(), None, threads, watch);
    let half = match watched("symmetric solutions", &Watch::default(), half).map(|outcome| outcome.found) {
        // The count may have taken days: it is told, though a signal ended its check.
        Err(Failure::Stopped(_)) | Ok(Err(CountError::Stopped)) => return Ok(None),
        half => half??.count,
    };
    if found % 8 == half % 8 {
        return Ok(Some("the remainder modulo 8 is right; OEIS has no such term".to_owned()));
    }
    Err(Failure::Wrong(format!(
        "N = {size}: found {found}, but by the symmetric solutions it is {} modulo 8",
        half % 8
    )))
}
