//! Verification: recompute a term by each engine and hold it against the published one.

use std::time::Instant;

use crate::board::Size;
use crate::count::{Count, CountError};
use crate::engine::{Choice, ENGINES, EngineKind};
use crate::oeis::{self, Sequence};
use crate::symmetric::{NotDivisible, Unique};

/// What is recomputed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    /// All solutions, OEIS A000170.
    All,
    /// Solutions up to symmetry, OEIS A002562.
    Unique,
}

/// What an engine found for one N.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The published term.
    Agrees,
    /// Another number.
    Differs(u128),
    /// The published number, but one that does not fit the symmetric solutions of the board.
    Asymmetric(NotDivisible),
    /// No number, for this reason.
    Failed(String),
}

/// One engine's result for one N.
#[derive(Clone, Debug)]
pub struct Check {
    /// Which engine.
    pub engine: EngineKind,
    /// What it found.
    pub verdict: Verdict,
    /// Wall time in seconds.
    pub seconds: f64,
}

impl Terms {
    /// The published terms.
    pub fn sequence(self) -> &'static Sequence {
        match self {
            Self::All => &oeis::QUEENS,
            Self::Unique => &oeis::UNIQUE,
        }
    }

    /// Recomputes one term by each of `engines` on this many threads (0 for every core) and compares it with
    /// `published`. Whatever is recomputed, the number of all solutions is also checked modulo 8 by Burnside's lemma.
    ///
    /// ```
    /// use queens::verify::{Terms, Verdict};
    /// use queens::{EngineKind, Size};
    /// let checks = Terms::All.check(Size::new(8)?, 93, &[EngineKind::Backtrack], 1)?;
    /// assert_eq!(checks[0].verdict, Verdict::Differs(92));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Where no threads can be had or a sum does not fit. A wrong engine is no error but a [`Verdict`].
    pub fn check(
        self,
        size: Size,
        published: u128,
        engines: &[EngineKind],
        threads: usize,
    ) -> Result<Vec<Check>, CountError> {
        let unique = Unique::new(size, threads)?;
        let check = |&engine: &EngineKind| {
            let start = Instant::now();
            let verdict = match Count::new(size).engine(Choice::Engine(engine)).threads(threads).run() {
                Ok(report) => self.verdict(report.count, published, &unique),
                Err(CountError::Gate(error)) => Verdict::Failed(error.to_string()),
                Err(error) => return Err(error),
            };
            Ok(Check { engine, verdict, seconds: start.elapsed().as_secs_f64() })
        };
        engines.iter().map(check).collect()
    }

    fn verdict(self, all: u128, published: u128, unique: &Unique) -> Verdict {
        match (self, unique.classes(all)) {
            (Self::All, _) if all != published => Verdict::Differs(all),
            (_, Err(error)) => Verdict::Asymmetric(error),
            (Self::Unique, Ok(classes)) if classes != published => Verdict::Differs(classes),
            _ => Verdict::Agrees,
        }
    }
}

/// The engines to verify and to time on a board of this size where none is named: all but those for which it is more
/// than `beyond` sizes past the one they count in about a second.
pub fn engines_for(size: Size, beyond: usize) -> Vec<EngineKind> {
    let engines = ENGINES.iter().filter(|engine| size.get() <= engine.quick + beyond);
    engines.map(|engine| engine.kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_terms_agree() {
        for n in 0..=10 {
            for terms in [Terms::All, Terms::Unique] {
                let size = Size::new(n).unwrap();
                let Some(published) = terms.sequence().term(n) else { continue };
                let checks = terms.check(size, published, &engines_for(size, 0), 2).unwrap();
                assert_eq!(checks.len(), ENGINES.len());
                assert!(checks.iter().all(|check| check.verdict == Verdict::Agrees), "{terms:?}, N = {n}");
            }
        }
    }

    #[test]
    fn wrong_counts_are_told_apart() {
        let unique = Unique::new(Size::new(8).unwrap(), 1).unwrap();
        assert_eq!(Terms::All.verdict(92, 92, &unique), Verdict::Agrees);
        assert_eq!(Terms::All.verdict(93, 92, &unique), Verdict::Differs(93));
        assert_eq!(Terms::All.verdict(100, 92, &unique), Verdict::Differs(100));
        // A wrong count beside an equally wrong published term still shows, modulo 8.
        assert!(matches!(Terms::All.verdict(93, 93, &unique), Verdict::Asymmetric(_)));
        assert_eq!(Terms::Unique.verdict(92, 12, &unique), Verdict::Agrees);
        assert_eq!(Terms::Unique.verdict(100, 12, &unique), Verdict::Differs(13));
        assert!(matches!(Terms::Unique.verdict(93, 12, &unique), Verdict::Asymmetric(_)));
    }
}
