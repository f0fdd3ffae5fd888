//! How much work the checks of `queens verify` are, and how much of it is done.

use std::sync::Arc;
use std::time::{Duration, Instant};

use queens::run::TimeLeft;
use queens::run::state::RunState;
use queens::{EngineKind, Method, Size, oeis};

use crate::cli::long_run::activity::Step;
use crate::cli::terminal::messages;

/// The checks in their order.
pub(super) struct Work {
    checks: Vec<(Size, Method)>,
    /// The seconds that those before the present one took.
    times: Vec<f64>,
    begun: Option<Instant>,
}

/// The least and the most seconds that something is likely to take.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Forecast {
    low: f64,
    high: f64,
}

impl Work {
    pub(super) fn new(sizes: &[Size], methods: &[Vec<Method>]) -> Self {
        let each = sizes.iter().zip(methods).flat_map(|(&size, methods)| methods.iter().map(move |&of| (size, of)));
        Self { checks: each.collect(), times: Vec::new(), begun: None }
    }

    /// The next check has begun: how far all of them are.
    pub(super) fn next(&mut self, run: Arc<RunState>) -> impl Fn() -> Step + Send + 'static {
        self.times.extend(self.begun.replace(Instant::now()).map(|begun| begun.elapsed().as_secs_f64()));
        let number = self.times.len();
        let work =
            |checks: &[(Size, Method)]| -> f64 { checks.iter().map(|&(size, method)| seconds(size, method)).sum() };
        let (done, now, all) = (work(&self.checks[..number]), work(&self.checks[number..=number]), work(&self.checks));
        let (size, method) = self.checks[number];
        let title = format!("N = {size}, {}", method.engine);
        let checks = format!("{number} of {} checks", self.checks.len());
        let (present, begun) = (self.forecast(number), Instant::now());
        let later: Option<Vec<Forecast>> = (number + 1..self.checks.len()).map(|index| self.forecast(index)).collect();
        move || {
            let progress = run.progress();
            let measured =
                progress.left.map(|left| Forecast { low: left.low.as_secs_f64(), high: left.high.as_secs_f64() });
            let present = measured.or_else(|| present?.after(begun.elapsed().as_secs_f64()));
            Step {
                title: title.clone(),
                share: Some((done + now * progress.share) / all),
                left: present.zip(later.as_ref()).and_then(|(present, later)| left(present, later)),
                fields: vec![checks.clone()],
                ..Step::default()
            }
        }
    }

    /// How long a check will take, from the last one of the same engine.
    fn forecast(&self, index: usize) -> Option<Forecast> {
        /// A shorter time is mostly that of starting threads.
        const SHORTEST: f64 = 0.01;
        /// The time grows with so much of a power of the number of solutions: slower for the join, and a little faster
        /// for the others.
        const POWERS: [f64; 2] = [0.7, 1.15];
        let (size, method) = self.checks[index];
        let before = self.checks.iter().zip(&self.times).rev().find(|((_, of), _)| *of == method);
        let (&(smaller, _), &time) = before.filter(|(_, time)| **time >= SHORTEST)?;
        let growth = seconds(size, method) / seconds(smaller, method);
        let [low, high] = POWERS.map(|power| time * growth.powf(power));
        Some(Forecast { low, high })
    }
}

impl Forecast {
    /// What is left of it after some seconds; nothing is known of what should be over.
    fn after(self, seconds: f64) -> Option<Self> {
        (self.high > seconds).then(|| Self { low: (self.low - seconds).max(0.0), high: self.high - seconds })
    }
}

/// The time until the last check ends; none where it is not known to a factor of four.
fn left(present: Forecast, later: &[Forecast]) -> Option<TimeLeft> {
    const FACTOR: f64 = 4.0;
    let sum = |end: fn(&Forecast) -> f64| end(&present) + later.iter().map(end).sum::<f64>();
    let (low, high) = (sum(|of| of.low), sum(|of| of.high));
    let [low, expected, high] = [low, f64::midpoint(low, high), high]
        .map(|of| Duration::try_from_secs_f64(of).ok().filter(|_| high <= FACTOR * low));
    Some(TimeLeft { expected: expected?, low: low?, high: high? })
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
                let begun = work.next(Arc::new(RunState::new(ledger.clone())))();
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

    /// From the last check of the same engine, as far as that is known to a factor of four.
    #[test]
    fn the_time_left_is_told_from_what_was_measured() {
        let sizes: Vec<Size> = Size::all().filter(|size| (12..=14).contains(&size.get())).collect();
        let mut work = Work::new(&sizes, &methods(&sizes, &[EngineKind::Backtrack, EngineKind::Naive]));
        assert_eq!(work.forecast(0), None);
        // Backtracking took a second for N = 12, and naive counting no time to speak of.
        work.times = vec![1.0, 0.001];
        let Forecast { low, high } = work.forecast(2).unwrap();
        assert!((3.16..3.17).contains(&low) && (6.64..6.65).contains(&high), "5.19 times as many: {low} to {high}");
        assert_eq!(work.forecast(3), None);
        let between = |low, high| Forecast { low, high };
        assert_eq!(between(3.0, 7.0).after(4.0), Some(between(0.0, 3.0)));
        assert_eq!(between(3.0, 7.0).after(7.0), None);
        let seconds = |present, later: &[Forecast]| {
            left(present, later).map(|left| [left.low, left.expected, left.high].map(|time| time.as_secs_f64()))
        };
        assert_eq!(seconds(between(0.0, 1.0), &[between(2.0, 4.0), between(3.0, 5.0)]), Some([5.0, 7.5, 10.0]));
        assert_eq!(seconds(between(1.0, 4.1), &[]), None);
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
