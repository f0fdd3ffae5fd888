//! One number for a machine, from the same work everywhere.

use std::fmt;

use queens::bench::Combination;
use queens::{Choice, Isa, Method, MethodError, Size, oeis};
use serde::{Deserialize, Serialize};

use super::results::Measurement;
use crate::cli::terminal::numbers::{count_of, rate};

/// Boards of the score, each with the seconds that the join takes for it on one core of an AMD EPYC (Zen 4, AVX-512), which
/// has 100 points. So the points of a small machine and of a large one, on boards of their own, can be compared.
const BOARDS: [(usize, f64); 5] = [(17, 0.26), (18, 0.86), (19, 5.7), (20, 28.1), (21, 367.0)];

/// Seconds that a run is to take on such cores, at least: then starting the threads does not matter.
const SHORTEST: f64 = 1.0;

/// How fast the engine is that `count` takes by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Score {
    n: usize,
    isa: String,
    /// The most threads timed.
    threads: usize,
    /// Million solutions a second of the board of `n` columns, on these and on one.
    value: f64,
    one_thread: Option<f64>,
    /// The score: 100 for one core of the machine that the boards were timed on. Version 0.2 wrote neither this nor the
    /// fields below.
    #[serde(default)]
    points: f64,
    /// Half the range of the runs over the median.
    #[serde(default)]
    spread: f64,
    /// On one thread, perhaps for another board.
    #[serde(default)]
    points_one_thread: Option<f64>,
}

/// The combinations timed for the score: the smallest board on one thread, and on all threads a board that takes long
/// enough, on each of these instruction sets, or on the best.
pub(super) fn combinations(isas: &[Isa], threads: usize) -> Result<Vec<Combination>, MethodError> {
    let size = |n| Size::new(n).expect("a board has up to 32 columns");
    let (one, all) = (size(BOARDS[0].0), size(board(threads)));
    let isas: Vec<Option<Isa>> = if isas.is_empty() { vec![None] } else { isas.iter().copied().map(Some).collect() };
    let mut timed = Vec::new();
    for isa in isas {
        for (size, threads) in [(one, 1), (all, threads)] {
            timed.push(Combination { size, method: Method::choose(Choice::Auto, isa, size)?, threads });
        }
    }
    Ok(timed)
}

/// The smallest board that takes this many threads long enough.
fn board(threads: usize) -> usize {
    let long = BOARDS.iter().find(|(_, seconds)| seconds / threads as f64 >= SHORTEST);
    long.unwrap_or(&BOARDS[BOARDS.len() - 1]).0
}

/// The points for this many million solutions a second.
fn points(n: usize, millions: f64) -> Option<f64> {
    let (_, seconds) = BOARDS.iter().find(|(board, _)| *board == n)?;
    Some(100.0 * seconds * millions * 1e6 / oeis::QUEENS.term(n)? as f64)
}

impl Score {
    /// From the results, where a board of the score is among them: the largest on the most threads.
    pub(super) fn of(results: &[Measurement]) -> Option<Self> {
        let size = Size::new(BOARDS[0].0).expect("as above");
        let engine = Method::choose(Choice::Auto, None, size).ok()?.engine.info().name;
        let is_board = |n| BOARDS.iter().any(|(board, _)| *board == n);
        let timed = || results.iter().filter(|timed| is_board(timed.n) && timed.engine == engine);
        let millions = |measurement: &Measurement| measurement.solutions_per_second / 1e6;
        // Where instruction sets were compared, that of the fastest.
        let key = |timed: &&Measurement| (timed.threads, timed.n);
        let most = timed().map(|timed| key(&timed)).max()?;
        let most = timed().filter(|timed| key(timed) == most).min_by(|a, b| a.median.total_cmp(&b.median))?;
        let one = || timed().filter(|timed| timed.threads == 1 && timed.isa == most.isa);
        Some(Self {
            n: most.n,
            isa: most.isa.clone(),
            threads: most.threads,
            value: millions(most),
            one_thread: one().find(|timed| timed.n == most.n).map(millions),
            points: points(most.n, millions(most))?,
            spread: most.spread(),
            points_one_thread: one().next().and_then(|timed| points(timed.n, millions(timed))),
        })
    }

    /// For results of version 0.2 they are worked out.
    pub(super) fn points(&self) -> f64 {
        if self.points > 0.0 { self.points } else { points(self.n, self.value).unwrap_or_default() }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", rate(self.points()))?;
        if self.spread > 0.0 {
            write!(f, " ± {:.0}%", 100.0 * self.spread)?;
        }
        write!(f, " on {}", count_of(self.threads as u64, "thread"))?;
        let one = self.points_one_thread.or_else(|| points(self.n, self.one_thread?));
        if let Some(one) = one.filter(|_| self.threads > 1) {
            write!(f, ", {} on one", rate(one))?;
        }
        write!(f, " (N = {}, {}; 100 is a core of an AMD EPYC, Zen 4)", self.n, self.isa)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::bench::tests::measurement;

    #[test]
    fn boards_grow_with_the_threads() {
        assert_eq!([1, 2, 5, 6, 28, 29, 64, 170, 1024].map(board), [19, 19, 19, 20, 20, 21, 21, 21, 21]);
        for window in BOARDS.windows(2) {
            assert!(window[0].0 + 1 == window[1].0 && window[0].1 < window[1].1);
        }
        let timed = combinations(&[], 64).unwrap();
        assert_eq!(timed.iter().map(|of| (of.size.get(), of.threads)).collect::<Vec<_>>(), [(17, 1), (21, 64)]);
    }

    /// A machine that is twice as fast has twice the points, whatever the board.
    #[test]
    fn points_are_of_the_work_and_not_of_the_board() {
        let timed = |n: usize, threads, median: f64| {
            let count = oeis::QUEENS.term(n).unwrap().to_string();
            measurement(n, &count, ("join", "avx512"), threads, [0.98 * median, median, 1.02 * median])
        };
        for (n, seconds) in BOARDS {
            let score = Score::of(&[timed(17, 1, 0.26), timed(n, 2, seconds / 2.0)]).unwrap();
            assert!((score.points() - 200.0).abs() < 1e-9 && (score.points_one_thread.unwrap() - 100.0).abs() < 1e-9);
            let told =
                format!("200 ± 2% on 2 threads, 100 on one (N = {n}, avx512; 100 is a core of an AMD EPYC, Zen 4)");
            assert_eq!(score.to_string(), told);
        }
        // What version 0.2 wrote.
        let old: Score = serde_json::from_str(
            r#"{"n": 17, "isa": "avx512", "threads": 2, "value": 737.0392615384616, "one_thread": 368.5196307692308}"#,
        )
        .unwrap();
        assert!(old.to_string().starts_with("200 on 2 threads, 100 on one (N = 17"), "{old}");
        assert_eq!(Score::of(&[timed(16, 2, 0.1)]), None);
    }
}
