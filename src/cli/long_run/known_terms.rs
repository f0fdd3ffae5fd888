//! Every result held against what is known of it: the published term, else the remainder that symmetry demands.

use queens::ledger::Ledger;
use queens::oeis::{self, Sequence};
use queens::{CountError, Residue, Subject};
use serde::Serialize;

use crate::cli::terminal::{Exit, Failure};

/// How a result agrees with what is known.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Agreement {
    /// The comparison with OEIS, where it has the term.
    pub(crate) oeis: Option<Oeis>,
    /// The comparison of the remainder, where OEIS has not.
    pub(crate) modulo: Option<Modulo>,
    /// What is wrong, in words.
    #[serde(skip)]
    pub(crate) wrong: Option<String>,
}

/// Beside the published term.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Oeis {
    sequence: &'static str,
    pub(crate) agrees: bool,
}

/// Beside the solutions that turns leave unchanged.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Modulo {
    modulus: u8,
    agrees: bool,
}

impl Agreement {
    /// Of the term of this index.
    pub(crate) fn with(sequence: &'static Sequence, index: usize, found: u128) -> Self {
        let Some(term) = sequence.term(index) else { return Self::default() };
        let (id, agrees) = (sequence.id, term == found);
        let wrong = (!agrees).then(|| format!("found {found}, but OEIS {id} has {term}"));
        Self { oeis: Some(Oeis { sequence: id, agrees }), wrong, ..Self::default() }
    }

    /// Of whatever is counted: of completions nothing is known, unless they are those of an empty board.
    pub(crate) fn of(subject: &Subject, found: u128, threads: usize) -> Result<Self, Failure> {
        let size = match subject {
            Subject::Completions(fixed) if fixed.is_empty() => fixed.size(),
            Subject::Rotational(board) => return Ok(Self::with(board.rotation().sequence(), board.n(), found)),
            _ => return Ok(Self::default()),
        };
        let published = Self::with(&oeis::QUEENS, size.get(), found);
        if published.oeis.is_some() {
            return Ok(published);
        }
        let Some(residue) = Residue::new(size, threads)? else { return Ok(published) };
        let (Residue { modulus, residue: wanted }, agrees) = (residue, residue.admits(found));
        let left = found % modulus;
        let wrong = (!agrees).then(|| {
            format!("found {found}, which leaves {left} modulo {modulus}, but the symmetric solutions demand {wanted}")
        });
        Ok(Self { modulo: Some(Modulo { modulus: modulus as u8, agrees }), wrong, ..Self::default() })
    }

    /// The sum of a complete ledger, and how it agrees, found out on so many threads.
    pub(crate) fn of_ledger(whole: &Ledger, threads: usize) -> Result<(u128, Self), Failure> {
        let total = whole.total().map_err(CountError::from)?.get();
        Ok((total, Self::of(&whole.fingerprint().subject, total, threads)?))
    }

    /// Of every level where the row is published, else of the last, which is the number of solutions.
    pub(crate) fn profile(placements: &[u128]) -> Self {
        let first = placements.len() * (placements.len() - 1) / 2;
        let levels = placements.iter().enumerate();
        let mut compared = levels.map(|(level, &found)| Self::with(&oeis::PROFILE, first + level, found));
        match compared.find(|agreement| agreement.oeis.is_none() || agreement.verdict().is_err()) {
            None => Self::with(&oeis::PROFILE, first, placements[0]),
            Some(wrong) if wrong.oeis.is_some() => wrong,
            Some(_) => Self::with(&oeis::QUEENS, placements.len() - 1, placements[placements.len() - 1]),
        }
    }

    /// What to tell people where all is well, and something was compared.
    pub(crate) fn words(&self) -> Option<String> {
        match (self.oeis, self.modulo) {
            (Some(Oeis { sequence, agrees: true }), _) => Some(format!("agrees with OEIS {sequence}")),
            (_, Some(Modulo { modulus, agrees: true })) => {
                Some(format!("agrees modulo {modulus} with the symmetric solutions; OEIS has no such term"))
            }
            _ => None,
        }
    }

    /// Fails where something is not as it is known to be.
    pub(crate) fn verdict(&self) -> Result<(), Failure> {
        self.wrong.as_ref().map_or(Ok(()), |wrong| Err(Failure::Run(Exit::Difference, wrong.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::{Placement, Size};

    #[test]
    fn every_level_of_a_profile_is_compared() {
        let right = [1, 4, 6, 4, 2];
        assert_eq!(Agreement::profile(&right).words().as_deref(), Some("agrees with OEIS A319284"));
        for level in 0..right.len() {
            let mut wrong = right;
            wrong[level] += 1;
            assert!(Agreement::profile(&wrong).verdict().is_err(), "level {level}");
        }
        // Beyond the published rows the last level is one of another sequence.
        let mut beyond = vec![1; 20];
        beyond.push(39_029_188_884);
        assert_eq!(Agreement::profile(&beyond).words().as_deref(), Some("agrees with OEIS A000170"));
        beyond[20] += 1;
        assert!(Agreement::profile(&beyond).verdict().is_err());
    }

    #[test]
    fn known_terms_agree_or_differ() {
        let right = Agreement::with(&oeis::QUEENS, 8, 92);
        assert_eq!(right.words().as_deref(), Some("agrees with OEIS A000170"));
        assert!(right.verdict().is_ok());
        let wrong = Agreement::with(&oeis::UNIQUE, 8, 13);
        assert_eq!((wrong.words(), wrong.oeis.unwrap().agrees), (None, false));
        let Err(Failure::Run(Exit::Difference, text)) = wrong.verdict() else { panic!("a wrong term passes") };
        assert_eq!(text, "found 13, but OEIS A002562 has 12");
        let unknown = Agreement::with(&oeis::UNIQUE, 0, 1);
        assert!(unknown.oeis.is_none() && unknown.words().is_none() && unknown.verdict().is_ok());
    }

    #[test]
    fn unknown_totals_are_checked_by_their_remainder() {
        let compared = |found| Agreement::of(&Size::new(29).unwrap().into(), found, 1).unwrap();
        let agreeing: Vec<u128> = (1000..1008).filter(|&found| compared(found).verdict().is_ok()).collect();
        assert_eq!(agreeing, [1000, 1004]);
        let words = compared(1000).words().unwrap();
        assert_eq!(words, "agrees modulo 4 with the symmetric solutions; OEIS has no such term");
        let Err(Failure::Run(Exit::Difference, text)) = compared(1002).verdict() else { panic!("it passes") };
        assert_eq!(text, "found 1002, which leaves 2 modulo 4, but the symmetric solutions demand 0");
    }

    #[test]
    fn completions_are_compared_with_nothing() {
        let prefix = Placement::parse("158", Size::new(8).unwrap()).unwrap();
        let agreement = Agreement::of(&prefix.into(), 7, 1).unwrap();
        assert!(agreement.words().is_none() && agreement.verdict().is_ok());
    }
}
