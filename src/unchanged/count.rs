//! Counting what a turn leaves unchanged, in one call or as a long run.

use std::time::Instant;

use super::search::Search;
use super::{half_board, orbits, pairing};
use crate::board::Size;
use crate::count::{CountError, Sum, Watched, thread_pool};
use crate::engine::Engine;
use crate::engine::cover::{Cover, Problem};
use crate::engine::lanes::{Isa, Lanes, WithLanes};
use crate::ledger::{Fingerprint, Subject};
use crate::plan::Plan;
use crate::run::gate::GateError;
use crate::run::progress::Watch;
use crate::tally::Tally;
use crate::turn::{Turn, TurnBoard};

/// A count of the solutions that a turn leaves unchanged: on what board, on how many threads.
///
/// ```
/// use queens::{Turn, TurnBoard, TurnCount};
/// let board = TurnBoard::new(Turn::Quarter, 36)?;
/// assert_eq!(TurnCount::new(board).threads(1).run()?.count, 5_845_504);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TurnCount {
    board: TurnBoard,
    isa: Option<Isa>,
    threads: usize,
    double_check: f64,
}

/// A count that was made.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TurnReport {
    /// Of what.
    pub board: TurnBoard,
    /// The number of solutions.
    pub count: u128,
    /// On which instruction set.
    pub isa: Isa,
    /// On how many threads.
    pub threads: usize,
    /// Wall time in seconds.
    pub seconds: f64,
    /// Units counted a second time by another engine.
    pub double_checked: usize,
}

impl TurnCount {
    /// The name of the engine in ledgers and results.
    pub const ENGINE: &'static str = "cover";

    /// On the best instruction set and every core.
    pub fn new(board: TurnBoard) -> Self {
        Self { board, isa: None, threads: 0, double_check: 0.0 }
    }

    /// On this instruction set instead of the best that the processor has.
    #[must_use]
    pub fn isa(self, isa: impl Into<Option<Isa>>) -> Self {
        Self { isa: isa.into(), ..self }
    }

    /// On this many threads; 0, the default, is every core that the process may use.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Counts a random share of the units, 0 to 1, a second time by plain search; the first difference ends the run.
    #[must_use]
    pub fn double_check(self, share: f64) -> Self {
        Self { double_check: share, ..self }
    }

    /// What pins the units that [`TurnCount::run_watched`] enters in a ledger.
    pub fn fingerprint(&self) -> Fingerprint {
        let problem = problem(self.board);
        Fingerprint::new(Subject::Unchanged(self.board), Self::ENGINE, &problem.plan)
    }

    /// Counts.
    ///
    /// On one Zen 4 core with AVX-512 half turns take half a second for N = 26 and, from samples, 4 s for N = 28, 40 s for
    /// N = 30 and ten minutes for N = 32; quarter turns a third of a second for N = 45, five seconds for N = 53 and, from
    /// samples, 200 s for N = 61 and five hours for N = 68.
    ///
    /// # Errors
    /// Where the engine fails its check on a small board, a double check fails, or no threads can be had.
    pub fn run(&self) -> Result<TurnReport, CountError> {
        self.counted(None)
    }

    /// Counts what the ledger of `watch` lacks, and enters it there, as [`Count::run_watched`](crate::Count::run_watched)
    /// does.
    ///
    /// # Errors
    /// As for [`TurnCount::run`], and where the ledger belongs to another count or the run is stopped.
    pub fn run_watched(&self, watch: &Watch) -> Result<TurnReport, CountError> {
        self.counted(Some(watch))
    }

    /// Of what.
    pub fn board(&self) -> TurnBoard {
        self.board
    }

    /// Its threads.
    pub(crate) fn pool(&self) -> Result<rayon::ThreadPool, CountError> {
        Ok(thread_pool(self.threads)?)
    }

    /// Its instruction set.
    pub(crate) fn chosen_isa(&self) -> Isa {
        self.isa.unwrap_or_else(Isa::best)
    }

    fn counted(&self, watch: Option<&Watch>) -> Result<TurnReport, CountError> {
        let (pool, isa) = (self.pool()?, self.chosen_isa());
        let start = Instant::now();
        check(self.board.turn(), isa)?;
        let watch = watch.map(|watch| Watched { watch, subject: Subject::Unchanged(self.board), engine: Self::ENGINE });
        let sum = Sum { pool: &pool, double_check: self.double_check, watch };
        let (tally, double_checked) = dispatch(self.board, isa, sum)?;
        let (threads, seconds) = (pool.current_num_threads(), start.elapsed().as_secs_f64());
        Ok(TurnReport { board: self.board, count: tally.get(), isa, threads, seconds, double_checked })
    }
}

/// Something to do with the engine for a board, on whichever lanes.
pub(crate) trait TurnJob {
    type Output;

    /// The engine `second` counts the same tasks by other means.
    fn run<L: Lanes>(self, engine: &Cover<L>, second: &Search) -> Self::Output;
}

/// Does `job` with the engine for this board.
pub(crate) fn dispatch<J: TurnJob>(board: TurnBoard, isa: Isa, job: J) -> J::Output {
    isa.with(Joining { board, job }).expect("the processor has the instruction set that was chosen")
}

struct Joining<J> {
    board: TurnBoard,
    job: J,
}

impl<J: TurnJob> WithLanes for Joining<J> {
    type Output = J::Output;

    fn with<L: Lanes>(self, lanes: L) -> J::Output {
        self.job.run(&Cover::new(lanes, problem(self.board)), &Search::new(self.board))
    }
}

impl TurnJob for Sum<'_> {
    type Output = Result<(Tally, usize), CountError>;

    fn run<L: Lanes>(self, engine: &Cover<L>, second: &Search) -> Self::Output {
        self.of(engine.plan(), engine, second)
    }
}

pub(super) fn problem(board: TurnBoard) -> Problem {
    match board.turn() {
        Turn::Half => half_board::problem(board.n()),
        Turn::Quarter => pairing::problem(board.n()),
    }
}

/// Columns of the left side, or numbers that may be paired on the right side: what a task means besides its items.
pub(super) fn border(board: TurnBoard) -> usize {
    match board.turn() {
        Turn::Half => half_board::inner(board.n()),
        Turn::Quarter => pairing::small(board.n()),
    }
}

/// The gate: whatever is about to count must first agree with the search for orbits on a small board.
pub(crate) fn check(turn: Turn, isa: Isa) -> Result<(), GateError> {
    let n = match turn {
        Turn::Half => 15,
        Turn::Quarter => 21,
    };
    let board = TurnBoard::new(turn, n).expect("a small board");
    let found = dispatch(board, isa, Total);
    let size = Size::new(n).expect("a small board");
    let expected: u128 =
        orbits::boards(size, turn).iter().map(|board| u128::from(board.task.solutions() * board.weight)).sum();
    if found == expected { Ok(()) } else { Err(GateError::Turn { turn, n, found, expected }) }
}

/// All of a plan on this thread.
struct Total;

impl TurnJob for Total {
    type Output = u128;

    fn run<L: Lanes>(self, engine: &Cover<L>, _second: &Search) -> u128 {
        let mut worker = engine.worker();
        let tasks = (0..engine.plan().units()).flat_map(|unit| engine.plan().unit(unit));
        tasks.map(|task| u128::from(engine.count(&mut worker, &task.task)) * u128::from(task.weight)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shard;
    use crate::engine::fault::{self, Fault};
    use crate::ledger::Ledger;
    use crate::run::Halt;

    fn count(turn: Turn, n: usize) -> TurnCount {
        TurnCount::new(TurnBoard::new(turn, n).unwrap()).threads(2)
    }

    fn published(turn: Turn, n: usize) -> u128 {
        turn.sequence().term(n).unwrap()
    }

    /// Wrong in each task of the gate's boards: N = 15 has 14 items for a half turn, N = 21 has 10 for a quarter turn.
    const GATE: Fault = |items, _, _| u64::from(items == 14 || items == 10);

    /// Wrong in the tasks that have item 0 on the left, on boards that the gate does not see.
    const LARGE: Fault = |items, _, task| u64::from(items == 16 || items == 12) * (task & 1);

    #[test]
    fn a_wrong_cover_counts_nothing() {
        for (turn, n) in [(Turn::Half, 16), (Turn::Quarter, 24)] {
            for isa in Isa::available() {
                let right = count(turn, n).isa(isa).run().unwrap();
                assert_eq!((right.count, right.isa), (published(turn, n), isa));
                let wrong = fault::with(GATE, || count(turn, n).isa(isa).run());
                assert!(matches!(wrong, Err(CountError::Gate(GateError::Turn { .. }))), "{wrong:?}");
                // The gate runs on the lanes that are to count.
                let one: Fault =
                    |items, lanes, task| if lanes.ends_with("::Portable") { 0 } else { GATE(items, "", task) };
                let wrong = fault::with(one, || count(turn, n).isa(isa).run());
                assert_eq!(wrong.is_err(), isa != Isa::Portable, "{turn} on {isa}: {wrong:?}");
            }
        }
    }

    /// In a count of one go, in one that is watched, and in what an earlier run has left.
    #[test]
    fn a_double_check_asks_the_search() {
        let differs = |result: Result<TurnReport, CountError>| {
            assert!(matches!(result, Err(CountError::Halt(Halt::Differs { .. }))), "{result:?}");
        };
        for (turn, n) in [(Turn::Half, 16), (Turn::Quarter, 24)] {
            let (checked, unchecked) = (count(turn, n).double_check(1.0), count(turn, n));
            let empty = || Watch::new(Ledger::new(checked.fingerprint(), Shard::WHOLE));
            let right = checked.run().unwrap();
            assert_eq!((right.count, right.double_checked), (published(turn, n), checked.fingerprint().units));
            fault::with(LARGE, || {
                differs(checked.run());
                differs(checked.run_watched(&empty()));
                assert_ne!(unchecked.run().unwrap().count, published(turn, n), "nobody else sees it");
                let watch = empty();
                unchecked.run_watched(&watch).unwrap();
                differs(checked.run_watched(&Watch::new(watch.ledger())));
            });
        }
    }
}
