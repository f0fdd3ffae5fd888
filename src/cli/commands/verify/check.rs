//! A term, recomputed by each engine and compared with the published one.

use std::time::{Duration, Instant};

use queens::engine::EngineInfo;
use queens::ledger::Ledger;
use queens::oeis::{self, Sequence};
use queens::{
    CountError, ENGINES, EngineKind, Isa, IsaError, Method, NotDivisible, Request, Size, Unique, Watch, thread_count,
};

/// The terms to recompute: all solutions, or those up to symmetry.
#[derive(Clone, Copy, Debug)]
pub(super) enum Terms {
    All,
    Unique,
}

/// The comparison of one engine's result with the published term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Agrees,
    /// The engine found this other number.
    Differs(u128),
    /// The number does not fit the number of symmetric solutions of the board: a remainder is wrong.
    Asymmetric(NotDivisible),
    /// It found no number, for this reason.
    Failed(String),
}

/// One engine's result for one N.
#[derive(Clone, Debug)]
pub(super) struct Check {
    pub(super) method: Method,
    pub(super) threads: usize,
    pub(super) verdict: Verdict,
    pub(super) elapsed: Duration,
}

impl Terms {
    pub(super) fn sequence(self) -> &'static Sequence {
        match self {
            Self::All => &oeis::QUEENS,
            Self::Unique => &oeis::UNIQUE,
        }
    }

    /// Recomputes one term by each of `methods` on this many threads and compares it with `published`. For both kinds
    /// of terms the number of all solutions is also checked modulo 8 by Burnside's lemma.
    /// Before each count, `watch` is told what is to be counted, and what shows its progress and can stop it.
    /// A wrong result is not an error but a [`Verdict`].
    pub(super) fn check(
        self,
        size: Size,
        published: u128,
        methods: &[Method],
        threads: usize,
        mut watch: impl FnMut(&Method, Watch<Ledger>),
    ) -> Result<Vec<Check>, CountError> {
        let unique = Unique::new(size, threads)?;
        let mut check = |&method: &Method| {
            let request = Request::solutions(size).engine(method.engine).isa(method.isa).threads(threads);
            let start = Instant::now();
            let run = request.prepare()?;
            watch(&method, run.watch());
            let verdict = match run.count() {
                Ok(report) => self.verdict(report.count, published, &unique),
                Err(error @ (CountError::Stopped | CountError::SelfCheck(_))) => Verdict::Failed(error.to_string()),
                Err(error) => return Err(error),
            };
            Ok(Check { method, threads: thread_count(threads), verdict, elapsed: start.elapsed() })
        };
        methods.iter().map(&mut check).collect()
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

/// The methods to compare on a whole board of this size, in the order of [`ENGINES`]: the `named` engines that count it or,
/// if none is named, every engine, up to as many sizes `beyond` the largest that it counts in about a second; on each of
/// these instruction sets that an engine has a version for, or on the best of the processor.
pub(crate) fn methods(size: Size, named: &[EngineKind], beyond: usize, isas: &[Isa]) -> Result<Vec<Method>, IsaError> {
    if let Some(&missing) = isas.iter().find(|isa| !isa.is_available()) {
        return Err(IsaError::Missing(missing));
    }
    let wanted = ENGINES.iter().filter(|engine| match named {
        [] => size.get() <= engine.quick + beyond,
        named => named.contains(&engine.kind),
    });
    let methods = |engine: &EngineInfo| {
        let choose = |isa| Method::choose(Some(engine.kind), isa, size).ok();
        let mut methods: Vec<Method> = isas.iter().filter_map(|&isa| choose(Some(isa))).collect();
        if methods.is_empty() {
            // An engine with only one version is included, whatever instruction sets are listed.
            methods.extend(choose(None));
        }
        methods
    };
    Ok(wanted.flat_map(methods).collect())
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
                let (methods, mut watched) = (methods(size, &[], 0, &[]).unwrap(), Vec::new());
                let checks = terms.check(size, published, &methods, 2, |&method, _| watched.push(method)).unwrap();
                assert_eq!(watched, methods);
                // The join does not count boards smaller than N = 5.
                assert_eq!(checks.len(), if n < 5 { ENGINES.len() - 1 } else { ENGINES.len() }, "N = {n}");
                assert!(checks.iter().all(|check| check.verdict == Verdict::Agrees), "{terms:?}, N = {n}");
            }
        }
    }

    /// Each set that is named, where an engine has it; of an engine that has one version only, that.
    #[test]
    fn named_sets_are_compared() {
        let methods = |isas: &[Isa]| {
            let methods = methods(Size::new(8).unwrap(), &[EngineKind::Join, EngineKind::Naive], 0, isas)?;
            Ok::<_, IsaError>(methods.iter().map(|method| (method.engine, method.isa)).collect::<Vec<_>>())
        };
        let mut expected = vec![(EngineKind::Naive, Isa::Portable), (EngineKind::Join, Isa::Portable)];
        expected.sort_by_key(|&(kind, _)| ENGINES.iter().position(|engine| engine.kind == kind));
        assert_eq!(methods(&[Isa::Portable]), Ok(expected));
        let best = methods(&[Isa::best()]).unwrap();
        assert!(best.contains(&(EngineKind::Naive, Isa::Portable)) && best.contains(&(EngineKind::Join, Isa::best())));
        let missing = Isa::ALL.into_iter().find(|isa| !isa.is_available()).expect("no processor has both families");
        assert_eq!(methods(&[Isa::Portable, missing]), Err(IsaError::Missing(missing)));
    }

    #[test]
    fn wrong_counts_are_told_apart() {
        let unique = Unique::new(Size::new(8).unwrap(), 1).unwrap();
        assert_eq!(Terms::All.verdict(92, 92, &unique), Verdict::Agrees);
        assert_eq!(Terms::All.verdict(93, 92, &unique), Verdict::Differs(93));
        assert_eq!(Terms::All.verdict(100, 92, &unique), Verdict::Differs(100));
        // A wrong count that equals a wrong published term is still detected, modulo 8.
        assert!(matches!(Terms::All.verdict(93, 93, &unique), Verdict::Asymmetric(_)));
        assert_eq!(Terms::Unique.verdict(92, 12, &unique), Verdict::Agrees);
        assert_eq!(Terms::Unique.verdict(100, 12, &unique), Verdict::Differs(13));
        assert!(matches!(Terms::Unique.verdict(93, 12, &unique), Verdict::Asymmetric(_)));
    }
}
