//! How much work the checks of `queens verify` are, and how much of it is done.

use std::sync::Arc;

use queens::run::state::RunState;
use queens::{EngineKind, Method, Size, oeis};

use crate::cli::long_run::activity::Step;
use crate::cli::terminal::messages;

/// The work in seconds of one core, roughly: see [`seconds`].
pub(super) struct Work {
    all: f64,
    done: f64,
    /// What is under way.
    now: f64,
    checks: usize,
    begun: usize,
}

impl Work {
    pub(super) fn new(sizes: &[Size], methods: &[Vec<Method>]) -> Self {
        let each =
            || sizes.iter().zip(methods).flat_map(|(&size, methods)| methods.iter().map(move |&of| seconds(size, of)));
        Self { all: each().sum(), done: 0.0, now: 0.0, checks: each().count(), begun: 0 }
    }

    /// The next check has begun: how far all of them are.
    pub(super) fn next(
        &mut self,
        size: Size,
        method: Method,
        run: Arc<RunState>,
    ) -> impl Fn() -> Step + Send + 'static {
        self.done += self.now;
        self.now = seconds(size, method);
        let (done, now, all) = (self.done, self.now, self.all);
        let title = format!("N = {size}, {}", method.engine);
        let checks = format!("{} of {} checks", self.begun, self.checks);
        self.begun += 1;
        move || Step {
            title: title.clone(),
            share: Some((done + now * run.progress().share) / all),
            fields: vec![checks.clone()],
            ..Step::default()
        }
    }
}

/// An engine takes about a second for its quick size, and grows with the number of solutions.
fn seconds(size: Size, method: Method) -> f64 {
    let term = |n: usize| oeis::QUEENS.term(n).unwrap_or(1).max(1) as f64;
    term(size.get()) / term(method.engine.info().quick)
}

/// Says what is left out because nobody has named an engine for it, and what takes longer than anybody waits for.
pub(super) fn tell_limits(sizes: &[Size], methods: &[Vec<Method>], named: &[EngineKind], cores: usize) {
    if let Some(text) = left_out(sizes, methods).filter(|_| named.is_empty()) {
        messages::note(&text);
    }
    if let Some(text) = very_long(sizes, methods, cores) {
        messages::warning(&text);
    }
}

fn left_out(sizes: &[Size], methods: &[Vec<Method>]) -> Option<String> {
    let mut idle = sizes.iter().zip(methods).filter(|(_, methods)| methods.is_empty()).map(|(size, _)| size);
    let first = idle.next()?;
    let last = idle.next_back().unwrap_or(first);
    Some(format!("N = {first} to {last}: every engine takes long; name the one to verify with --engine"))
}

fn very_long(sizes: &[Size], methods: &[Vec<Method>], cores: usize) -> Option<String> {
    /// Of so many seconds, which are about ten times too many for large boards.
    const LONG: f64 = 6000.0;
    let largest = sizes.iter().zip(methods).rev();
    let mut each = largest.flat_map(|(&size, methods)| methods.iter().map(move |&method| (size, method)));
    let (size, method) = each.find(|&(size, method)| seconds(size, method) > LONG * cores as f64)?;
    let engine = method.engine;
    Some(format!("N = {size} by {engine} takes very long; 'queens estimate {size}' tells how long"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::ledger::Ledger;
    use queens::verify::Engines;
    use queens::{Request, Shard};

    fn methods(sizes: &[Size], named: &[EngineKind]) -> Vec<Vec<Method>> {
        let engines = Engines { named: named.to_vec(), beyond: 3, isas: Vec::new() };
        sizes.iter().map(|size| engines.methods(*size).unwrap()).collect()
    }

    #[test]
    fn the_share_grows_check_by_check() {
        let sizes: Vec<Size> = Size::all().filter(|size| (8..=10).contains(&size.get())).collect();
        let methods = methods(&sizes, &[EngineKind::Naive, EngineKind::Backtrack]);
        let mut work = Work::new(&sizes, &methods);
        let mut shares = Vec::new();
        for (&size, methods) in sizes.iter().zip(&methods) {
            for &method in methods {
                let fingerprint = Request::solutions(size).engine(method.engine).fingerprint().unwrap();
                let mut ledger = Ledger::new(fingerprint, Shard::WHOLE);
                let begun = work.next(size, method, Arc::new(RunState::new(ledger.clone())))();
                for unit in ledger.todo() {
                    ledger.record(unit, 1.into()).unwrap();
                }
                shares.push(begun.share.unwrap());
                assert_eq!(begun.title, format!("N = {size}, {}", method.engine));
                assert_eq!(begun.fields, [format!("{} of 6 checks", shares.len() - 1)]);
            }
        }
        let all: Vec<f64> =
            sizes.iter().zip(&methods).flat_map(|(&size, of)| of.iter().map(move |&of| seconds(size, of))).collect();
        let sum: f64 = all.iter().sum();
        for (index, share) in shares.iter().enumerate() {
            assert!((share - all[..index].iter().sum::<f64>() / sum).abs() < 1e-12, "{shares:?}");
        }
    }

    #[test]
    fn what_takes_very_long_is_told_before() {
        let sizes: Vec<Size> = Size::all().filter(|size| (10..=27).contains(&size.get())).collect();
        let all = methods(&sizes, &[]);
        assert_eq!(
            left_out(&sizes, &all).unwrap(),
            "N = 21 to 27: every engine takes long; name the one to verify with --engine"
        );
        assert_eq!((left_out(&sizes[..8], &all[..8]), very_long(&sizes, &all, 2)), (None, None));
        let join = methods(&sizes, &[EngineKind::Join]);
        assert_eq!(
            very_long(&sizes, &join, 2).unwrap(),
            "N = 27 by join takes very long; 'queens estimate 27' tells how long"
        );
        // N = 20 takes seconds, N = 22 half an hour of one core.
        assert_eq!(very_long(&sizes[..11], &join[..11], 1), None);
        assert!(very_long(&sizes[..13], &join[..13], 1).is_some());
    }
}
