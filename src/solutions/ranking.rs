//! The number of a solution in the list, and the solution with a given number, without listing all before it.
//!
//! A block of the list is the solutions that begin with the same queens. Counting the solutions of a block takes a
//! tenth of the time that walking through them does, and less on several cores. So a [`Ranking`] goes through the list
//! block by block. It counts and passes a block that ends before the solution sought. It enters another block, which
//! has as many blocks of its own as its next column has free rows. Blocks of the last few columns are walked through.
//!
//! The first block is entered without being counted, as it may have many times the solutions that are to be passed.
//! Thus the blocks grow on the way: those that share all queens but the last few with the first solution, then those
//! that share fewer, and a small number is found at once on a large board too.
//!
//! Lists with queens fixed beyond the first columns, or unchanged by a turn, are short for their boards, and are walked through.
//!
//! The counts of the largest blocks are remembered. A second look-up in the same list costs little, and so does the
//! second half of the list of all: upside down, it is the first half in reverse.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use crate::board::{FixedQueens, Placement};
use crate::engine::lanes::Isa;
use crate::engine::{Engine, EngineKind, Method, backtrack::Backtrack};
use crate::run::counting::Counter;
use crate::run::{SelfCheckError, self_check};
use crate::solutions::{Listed, Solutions};
use crate::watch::{Steps, Watch, lock};

/// A block with no more columns left than this is walked through.
const WALKED: usize = 10;

/// A block with no more columns left than this is counted at once: between any two of them a search can be stopped.
const COUNTED: usize = 17;

/// A block with no more columns left than this is counted by one thread.
const COUNTED_ALONE: usize = 14;

/// The counts of blocks that have so many more queens than the list are remembered: at most 29,760 blocks.
const REMEMBERED: usize = 3;

/// The solutions that have given queens in lexicographic order, numbered from 1.
///
/// Between blocks, every search tells its watch how many solutions it has passed so far, and ends without a result if it is
/// stopped.
///
/// ```
/// use queens::{Listed, Placement, Ranking, Size, Watch};
/// let eight = Placement::empty(Size::new(8)?);
/// let ranking = Ranking::new(eight, Listed::All)?;
/// let watch = Watch::default();
/// assert_eq!(ranking.total(&watch), Some(92));
/// let solution = ranking.select(eight, 31, &watch).expect("there are 92");
/// assert_eq!((solution.to_string().as_str(), ranking.number(&solution, &watch)), ("42586137", Some(31)));
/// # Ok::<(), queens::CountError>(())
/// ```
#[derive(Debug)]
pub struct Ranking {
    fixed: FixedQueens,
    listed: Listed,
    counts: Mutex<HashMap<Placement, u64>>,
}

impl Ranking {
    /// Counts nothing yet, but the engine that counts blocks is put to its self-check.
    pub fn new(fixed: impl Into<FixedQueens>, listed: Listed) -> Result<Self, SelfCheckError> {
        let fixed = fixed.into();
        let backtrack = Method { engine: EngineKind::Backtrack, isa: Isa::best() };
        self_check::check(&Counter::new(backtrack), &fixed.prefix().into(), false)?;
        Ok(Self { fixed, listed, counts: Mutex::default() })
    }

    /// How many solutions are listed. Takes a fifth of a second for N = 16 on two cores, eight times as long for each
    /// further N, and twice as long for fundamental solutions.
    pub fn total(&self, watch: &Watch) -> Option<u64> {
        self.search(self.fixed.prefix(), u64::MAX, None, watch).continue_value()
    }

    /// The solution with this number, from 1, among those from `start` on; `None` where there are fewer. Counts the
    /// solutions before it.
    pub fn select(&self, start: Placement, number: u64, watch: &Watch) -> Option<Placement> {
        self.search(start, number, None, watch).break_value().flatten().filter(|_| number > 0)
    }

    /// How many listed solutions come before `placement` or equal it. If it is listed, that is its number.
    pub fn number(&self, placement: &Placement, watch: &Watch) -> Option<u64> {
        self.search(self.fixed.prefix(), u64::MAX, Some(*placement), watch).continue_value()
    }

    /// Passes the solutions from `start` on and not after `last`, and counts them. Breaks with the one that has this
    /// number among them, or with none where it was stopped.
    fn search(
        &self,
        start: Placement,
        number: u64,
        last: Option<Placement>,
        watch: &Watch,
    ) -> ControlFlow<Option<Placement>, u64> {
        let steps = Steps::begin(watch, "passing solutions", 0);
        let mut search = RankingSearch { ranking: self, start, number, last, passed: 0, watch, steps };
        search.within(self.fixed.prefix())?;
        ControlFlow::Continue(search.passed)
    }

    /// Whether the list is walked through from its start on.
    fn is_walked(&self) -> bool {
        matches!(self.listed, Listed::Unchanged(_)) || self.fixed.as_placement().is_none()
    }

    /// The solutions of a block, counted on every core; `None` if it is stopped.
    fn count(&self, block: Placement, watch: &Watch) -> Option<u64> {
        if let Some(count) = self.remembered(&block) {
            return Some(count);
        }
        if watch.is_stopped() {
            return None;
        }
        let count = match self.listed {
            _ if columns_left(&block) > COUNTED_ALONE => {
                let children: Vec<Placement> = block.extensions().collect();
                children.into_par_iter().with_max_len(1).map(|child| self.count(child, watch)).sum::<Option<u64>>()?
            }
            Listed::All => {
                let backtrack = Backtrack::default();
                backtrack.count(&mut backtrack.worker(), &block)
            }
            _ => Solutions::completions(block).only(self.listed).count() as u64,
        };
        self.remember(&block, count);
        Some(count)
    }

    fn remembered(&self, block: &Placement) -> Option<u64> {
        lock(&self.counts).get(&self.key(block)?).copied()
    }

    fn remember(&self, block: &Placement, count: u64) {
        if let Some(key) = self.key(block) {
            lock(&self.counts).insert(key, count);
        }
    }

    /// Under which block a count is remembered, if it is: a block and its image upside down have equally many
    /// solutions, but not equally many that are the least of their class.
    fn key(&self, block: &Placement) -> Option<Placement> {
        let key = match self.listed {
            Listed::All => block.upside_down().min(*block),
            _ => *block,
        };
        (block.len() <= self.fixed.prefix().len() + REMEMBERED).then_some(key)
    }
}

/// A search through the blocks of a list.
struct RankingSearch<'a> {
    ranking: &'a Ranking,
    start: Placement,
    number: u64,
    last: Option<Placement>,
    passed: u64,
    watch: &'a Watch,
    steps: Arc<Steps>,
}

impl RankingSearch<'_> {
    /// Passes a block, or breaks as [`Ranking::search`] does.
    fn within(&mut self, block: Placement) -> ControlFlow<Option<Placement>> {
        let (start, last) = (self.start, self.last);
        let is_after = |placement: &Placement| last.is_some_and(|last| *placement > last);
        let ranking = self.ranking;
        if columns_left(&block) <= WALKED || ranking.is_walked() {
            let within = if ranking.is_walked() { ranking.fixed } else { block.into() };
            let solutions = Solutions::within(within, start).only(ranking.listed);
            for solution in solutions.take_while(|solution| !is_after(solution)) {
                if self.watch.is_stopped() {
                    return ControlFlow::Break(None);
                }
                self.steps.done.store(self.passed, Ordering::Relaxed);
                if self.passed + 1 >= self.number {
                    return ControlFlow::Break(Some(solution));
                }
                self.passed += 1;
            }
            return ControlFlow::Continue(());
        }
        let children = block.extensions().filter(|child| *child >= start || child.begins(&start));
        let mut first = true;
        for child in children.take_while(|child| !is_after(child)) {
            let is_whole = child >= start && !last.is_some_and(|last| child.begins(&last));
            let is_cheap = !std::mem::take(&mut first) && columns_left(&child) <= COUNTED;
            let before = self.passed;
            if is_whole {
                self.steps.done.store(before, Ordering::Relaxed);
                if self.watch.is_stopped() {
                    return ControlFlow::Break(None);
                }
                let count = ranking.remembered(&child);
                let count = if is_cheap && count.is_none() {
                    let Some(count) = ranking.count(child, self.watch) else { return ControlFlow::Break(None) };
                    Some(count)
                } else {
                    count
                };
                if let Some(count) = count.filter(|&count| count < self.number - before) {
                    self.passed += count;
                    continue;
                }
            }
            self.within(child)?;
            if is_whole {
                ranking.remember(&child, self.passed - before);
            }
        }
        ControlFlow::Continue(())
    }
}

fn columns_left(block: &Placement) -> usize {
    block.size().get() - block.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Size;

    fn board(text: &str, n: usize) -> Placement {
        Placement::parse(text, Size::new(n).unwrap()).unwrap()
    }

    fn empty(n: usize) -> Placement {
        Placement::empty(Size::new(n).unwrap())
    }

    /// Asks for every so many numbers of a list from a start on, and compares with the list itself. Every other number
    /// is asked of a ranking that remembers nothing.
    fn agrees_with_the_list(prefix: Placement, start: Placement, step: usize) {
        for listed in [Listed::All, Listed::Fundamental] {
            let watch = &Watch::default();
            let old = Ranking::new(prefix, listed).unwrap();
            let whole: Vec<Placement> = Solutions::completions(prefix).only(listed).collect();
            let before = whole.iter().take_while(|solution| **solution < start).count();
            let list = &whole[before..];
            let numbers = (0..=list.len() + 1).step_by(step).chain([list.len(), list.len() + 1]);
            for (index, number) in numbers.enumerate() {
                let new = Ranking::new(prefix, listed).unwrap();
                let ranking = if index % 2 == 0 { &old } else { &new };
                let expected = number.checked_sub(1).and_then(|before| list.get(before)).copied();
                let told = format!("{number} from {start:?} in {listed:?} within {prefix:?}");
                assert_eq!(ranking.select(start, number as u64, watch), expected, "{told}");
                if let Some(solution) = expected {
                    assert_eq!(ranking.number(&solution, watch), Some((before + number) as u64), "{told}");
                }
            }
            assert_eq!(old.number(&start, watch), Some((before + usize::from(list.first() == Some(&start))) as u64));
            assert_eq!(old.total(watch), Some(whole.len() as u64), "{listed:?} within {prefix:?}");
        }
    }

    /// Every number of every list that begins with up to two queens, from every start with as many, on small boards.
    #[test]
    fn numbers_and_solutions_belong_together() {
        for n in 0..=6 {
            let mut begun = vec![empty(n)];
            for queens in 0..2.min(n) {
                let longer: Vec<_> = begun.iter().filter(|p| p.len() == queens).flat_map(|p| p.extensions()).collect();
                begun.extend(longer);
            }
            for &prefix in &begun {
                for &start in &begun {
                    agrees_with_the_list(prefix, start, 1);
                }
            }
        }
        for n in 7..=9 {
            for begun in [empty(n)].into_iter().chain(empty(n).extensions()) {
                agrees_with_the_list(begun, empty(n), 1);
                agrees_with_the_list(empty(n), begun, 1);
            }
        }
    }

    /// Every number where blocks are counted.
    #[test]
    fn numbers_beyond_what_is_walked_belong_together() {
        agrees_with_the_list(empty(11), empty(11), 1);
        agrees_with_the_list(board("3", 12), board("3", 12), 1);
    }

    /// From the beginning, from the middle and near the end; with as many columns as are counted at once, and more.
    #[test]
    fn a_number_is_found_from_any_beginning() {
        for (prefix, start) in [
            (empty(12), empty(12)),
            (empty(12), board("1,3", 12)),
            (empty(12), board("11,7", 12)),
            (board("2,4,1", 12), board("2,4,1,7", 12)),
            (board("2,4,1", 12), board("3", 12)),
            (board("2", 13), board("2", 13)),
            (empty(13), board("12,10,8,3,9", 13)),
            (board("1,3,5,2,4,9,11", 19), board("1,3,5,2,4,9,11", 19)),
        ] {
            agrees_with_the_list(prefix, start, 997);
        }
    }

    /// Where a block has so many columns left that several threads count it, and in the half that is remembered.
    #[test]
    fn blocks_are_counted_by_several_threads() {
        let watch = &Watch::default();
        let board = empty(16);
        let (old, total) = (Ranking::new(board, Listed::All).unwrap(), 14_772_512);
        assert_eq!(old.total(watch), Some(total));
        for number in [1, 1_000_000, total / 2, total / 2 + 1] {
            let new = Ranking::new(board, Listed::All).unwrap();
            let solution = new.select(board, number, watch).expect("there are more");
            assert_eq!(old.number(&solution, watch), Some(number));
            // Upside down the list is the same in reverse.
            assert_eq!(new.select(board, total + 1 - number, watch), Some(solution.upside_down()));
        }
    }

    /// The blocks of up to three queens, of which those that are each other's image upside down are one.
    #[test]
    fn counts_of_large_blocks_are_remembered() {
        for (listed, image) in [(Listed::All, 2), (Listed::Fundamental, 1)] {
            let ranking = Ranking::new(empty(12), listed).unwrap();
            ranking.total(&Watch::default());
            let counts = ranking.counts.lock().unwrap();
            let of = |queens| counts.keys().filter(|block| block.len() == queens).count();
            assert!(counts.len() > 10 && (0..=REMEMBERED).map(of).sum::<usize>() == counts.len(), "{}", counts.len());
            assert!(of(1) <= 12 / image);
        }
    }

    #[test]
    fn a_small_number_is_found_at_once_on_a_large_board() {
        let board = empty(20);
        let second = Ranking::new(board, Listed::All).unwrap().select(board, 2, &Watch::default());
        assert_eq!(second.expect("there are more").to_string(), "1,3,5,2,4,13,15,12,18,20,17,9,16,19,10,8,6,14,7,11");
    }

    #[test]
    fn a_search_can_be_stopped() {
        let board = empty(18);
        let ranking = Ranking::new(board, Listed::All).unwrap();
        let watch = Watch::default();
        std::thread::scope(|scope| {
            let search = scope.spawn(|| ranking.select(board, u64::MAX, &watch));
            while watch.progress().done < 1000 {
                std::thread::yield_now();
            }
            watch.stop();
            assert_eq!(search.join().unwrap(), None);
        });
        let last = board.extensions().last().expect("a board has rows");
        assert_eq!([ranking.total(&watch), ranking.number(&last, &watch)], [None; 2]);
        assert_eq!(ranking.select(board, 1, &watch), None);
    }

    /// Wherever a search is: while it walks through solutions, while it passes blocks whose counts are remembered, and while a
    /// block is counted. There a block that is not counted to its end must not pass for one without solutions.
    #[test]
    fn a_stop_is_seen_everywhere() {
        let (watch, stopped) = (Watch::default(), Watch::default());
        stopped.stop();
        let eight = FixedQueens::from(empty(8));
        let walked = Ranking::new(eight.with(crate::Square { column: 4, row: 2 }).unwrap(), Listed::All).unwrap();
        assert_eq!([walked.total(&watch), walked.total(&stopped)], [Some(8), None]);
        let remembered = Ranking::new(empty(12), Listed::All).unwrap();
        assert_eq!([remembered.total(&watch), remembered.total(&stopped)], [Some(14_200), None]);
        let [whole, last] = [board("2", 17), board("2,17", 17)];
        let total = |block| Ranking::new(block, Listed::All).unwrap().total(&watch).unwrap();
        let [all, in_last] = [whole, last].map(total);
        let ranking = Ranking::new(whole, Listed::All).unwrap();
        assert_eq!(ranking.count(last, &stopped), None);
        let watch = Watch::default();
        std::thread::scope(|scope| {
            let search = scope.spawn(|| ranking.total(&watch));
            while watch.progress().done < all - in_last {
                std::thread::yield_now();
            }
            watch.stop();
            // On a busy machine the last block may have been counted before the stop came.
            assert!(search.join().unwrap().is_none_or(|total| total == all));
        });
    }
}
