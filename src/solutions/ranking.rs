//! The number of a solution in the list, and the solution with a given number, without listing all before it.
//!
//! A block of the list is what begins with the same queens. Counting the solutions of a block takes a tenth of the time
//! that walking through them does, and less on several cores.
//!
//! A [`Ranking`] counts the blocks of the next two queens once. A number is then looked up among the sums of these counts,
//! and only its block is walked: for N = 16 some 70,000 of 14,772,512.
//!
//! [`Listed::select`] looks up a single number in lists of any length, by counting what comes before it and no more. The
//! blocks grow as it goes on: those that share all queens but the last few with the first solution, then those that
//! share fewer, so that a small number is found at once on a large board too.

use std::ops::ControlFlow;

use rayon::prelude::*;

use crate::board::placement::Placement;
use crate::engine::lanes::Isa;
use crate::engine::{Engine, EngineKind, Method, backtrack::Backtrack};
use crate::oeis::{self, Sequence};
use crate::run::{SelfCheckError, self_check};
use crate::solutions::Fundamental;
use crate::solutions::Solutions;

/// Which solutions are in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// Every solution.
    All,
    /// Only the least solution of each symmetry class.
    Fundamental,
}

/// A block with no more columns left than this is walked through.
const WALKED: usize = 10;

/// A block with no more columns left than this is counted at once: between any two of them a search can be stopped.
const COUNTED: usize = 17;

/// A block with no more columns left than this takes a thread less time than it takes to wake others.
const COUNTED_ALONE: usize = 13;

impl Listed {
    /// The published numbers of such solutions on whole boards.
    pub const fn sequence(self) -> &'static Sequence {
        match self {
            Self::All => &oeis::QUEENS,
            Self::Fundamental => &oeis::UNIQUE,
        }
    }

    /// The completions of `prefix` that are in the list, in order, from the first that is not before `start`.
    pub fn within(self, prefix: Placement, start: Placement) -> Box<dyn Iterator<Item = Placement>> {
        let solutions = Solutions::within(prefix, start);
        match self {
            Self::All => Box::new(solutions),
            Self::Fundamental => Box::new(Fundamental::among(solutions).map(|(solution, _)| solution)),
        }
    }

    /// The solution with this number, from 1, among [those](Self::within) from `start` on; `None` where there are not that
    /// many. Time is that of counting those before it. Between blocks `go_on` is told how many have been passed, and
    /// ends the search by `false`.
    ///
    /// ```
    /// use queens::{Listed, Placement, Size};
    /// let twenty = Placement::empty(Size::new(20)?);
    /// let second = Listed::All.select(twenty, twenty, 2, &mut |_| true)?.expect("there are more");
    /// assert_eq!(second.to_string(), "1,3,5,2,4,13,15,12,18,20,17,9,16,19,10,8,6,14,7,11");
    /// # Ok::<(), queens::CountError>(())
    /// ```
    ///
    /// # Errors
    /// If the engine that counts blocks fails its self-check.
    pub fn select(
        self,
        prefix: Placement,
        start: Placement,
        number: u64,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Option<Placement>, SelfCheckError> {
        check(prefix)?;
        let Some(left) = number.checked_sub(1) else { return Ok(None) };
        Ok(Selection { listed: self, start, passed: 0, left, go_on }.within(prefix).break_value().flatten())
    }

    /// How many of the completions of `prefix` that are in the list come before `solution` or are it: its number, where
    /// it is listed. Counts those before it.
    ///
    /// # Errors
    /// If the engine that counts blocks fails its self-check.
    pub fn number(self, prefix: Placement, solution: &Placement) -> Result<u64, SelfCheckError> {
        check(prefix)?;
        let (mut block, mut before) = (prefix, 0);
        while columns_left(&block) > WALKED {
            let (earlier, rest): (Vec<_>, Vec<_>) =
                block.extensions().partition(|child| !begins(child, solution) && child < solution);
            before += earlier.into_iter().map(|child| self.count(child)).sum::<u64>();
            match rest.first() {
                Some(child) if begins(child, solution) => block = *child,
                _ => return Ok(before),
            }
        }
        Ok(before + self.within(block, block).take_while(|other| other <= solution).count() as u64)
    }

    /// The solutions of a block.
    fn count(self, block: Placement) -> u64 {
        let many = columns_left(&block) > COUNTED_ALONE;
        let blocks: Vec<Placement> = if many { block.extensions().collect() } else { vec![block] };
        self.counts(&blocks).iter().sum()
    }

    /// The solutions of each block, counted on every core.
    fn counts(self, blocks: &[Placement]) -> Vec<u64> {
        let backtrack = Backtrack::default();
        let count = |worker: &mut _, &block: &Placement| match self {
            Self::All => backtrack.count(worker, &block),
            Self::Fundamental => self.within(block, block).count() as u64,
        };
        match blocks {
            [block] => vec![count(&mut backtrack.worker(), block)],
            _ => blocks.par_iter().with_max_len(1).map_init(|| backtrack.worker(), count).collect(),
        }
    }
}

/// The self-check of the engine that counts the blocks of this placement.
fn check(prefix: Placement) -> Result<(), SelfCheckError> {
    let backtrack = Method { engine: EngineKind::Backtrack, isa: Isa::best() };
    self_check::check(&backtrack, &prefix.into(), false)
}

/// A search for a solution by its number.
struct Selection<'a> {
    listed: Listed,
    start: Placement,
    passed: u64,
    /// How many are left to be passed.
    left: u64,
    go_on: &'a mut dyn FnMut(u64) -> bool,
}

impl Selection<'_> {
    /// Ends with the solution where it is in this block, with none where it was stopped; else the block is passed.
    fn within(&mut self, block: Placement) -> ControlFlow<Option<Placement>> {
        if columns_left(&block) <= WALKED {
            for solution in self.listed.within(block, self.start) {
                if self.left == 0 {
                    return ControlFlow::Break(Some(solution));
                }
                self.pass(1);
            }
            return ControlFlow::Continue(());
        }
        let (mut first, start) = (true, self.start);
        for child in block.extensions().filter(|child| begins(child, &start) || *child > start) {
            // The first may have many times what is sought, and is looked into; the next are about as large.
            if !std::mem::take(&mut first) && columns_left(&child) <= COUNTED {
                if !(self.go_on)(self.passed) {
                    return ControlFlow::Break(None);
                }
                let count = self.listed.count(child);
                if count <= self.left {
                    self.pass(count);
                    continue;
                }
            }
            self.within(child)?;
        }
        ControlFlow::Continue(())
    }

    fn pass(&mut self, count: u64) {
        self.passed += count;
        self.left -= count;
    }
}

fn columns_left(block: &Placement) -> usize {
    block.size().get() - block.len()
}

/// Whether a placement begins with these queens.
fn begins(block: &Placement, placement: &Placement) -> bool {
    block.len() <= placement.len() && block.rows().eq(placement.rows().take(block.len()))
}

/// The block cut by the next two queens.
fn two_queens_on(block: Placement) -> Vec<Placement> {
    let mut blocks = vec![block];
    for _ in 0..2.min(columns_left(&block)) {
        blocks = blocks.into_iter().flat_map(Placement::extensions).collect();
    }
    blocks
}

/// The completions of a placement in lexicographic order, numbered from 1.
///
/// ```
/// use queens::{Listed, Placement, Ranking, Size};
/// let eight = Placement::empty(Size::new(8)?);
/// let ranking = Ranking::new(eight, Listed::All)?;
/// assert_eq!(ranking.total(), 92);
/// let solution = ranking.select(31).expect("there are 92");
/// assert_eq!((solution.to_string().as_str(), ranking.number(&solution)), ("42586137", 31));
/// # Ok::<(), queens::CountError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ranking {
    listed: Listed,
    /// The blocks in order, each with the number of listed solutions before it.
    blocks: Vec<(Placement, u64)>,
    total: u64,
}

impl Ranking {
    /// Counts the blocks on every core. That takes under a second for N = 16, ten times as long for each further N, and
    /// twice as long for fundamental solutions.
    ///
    /// # Errors
    /// If the engine that counts blocks fails its self-check.
    pub fn new(prefix: Placement, listed: Listed) -> Result<Self, SelfCheckError> {
        check(prefix)?;
        let placements = two_queens_on(prefix);
        // Upside down the list of all is the same in reverse, and so are its blocks: half of them will do.
        let half = prefix.is_empty() && listed == Listed::All;
        let counted = if half { placements.len().div_ceil(2) } else { placements.len() };
        let mut counts = listed.counts(&placements[..counted]);
        for index in counts.len()..placements.len() {
            counts.push(counts[placements.len() - 1 - index]);
        }
        let mut total = 0;
        let blocks = placements.into_iter().zip(counts).map(|(block, count)| {
            let before = total;
            total += count;
            (block, before)
        });
        Ok(Self { listed, blocks: blocks.collect(), total })
    }

    /// How many solutions are listed.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// The solution with this number, from 1; `None` if there are fewer. Lists one block.
    pub fn select(&self, number: u64) -> Option<Placement> {
        let before = number.checked_sub(1).filter(|&before| before < self.total)?;
        let (block, first) = self.blocks[self.blocks.partition_point(|&(_, first)| first <= before) - 1];
        self.listed.within(block, block).nth((before - first) as usize)
    }

    /// How many listed solutions come before `placement` or equal it. If it is listed, that is its number. Lists one
    /// block.
    pub fn number(&self, placement: &Placement) -> u64 {
        let Some(block) = self.blocks.partition_point(|(block, _)| block <= placement).checked_sub(1) else { return 0 };
        let (block, before) = self.blocks[block];
        before + self.listed.within(block, block).take_while(|solution| solution <= placement).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Size;

    /// Every number of every list on small boards, against the list itself.
    #[test]
    fn numbers_and_solutions_belong_together() {
        for n in 0..=8 {
            let empty = Placement::empty(Size::new(n).unwrap());
            let prefixes: Vec<Placement> = std::iter::once(empty).chain(empty.extensions()).collect();
            for prefix in
                prefixes.into_iter().chain(empty.extensions().flat_map(|p| p.extensions().collect::<Vec<_>>()))
            {
                for listed in [Listed::All, Listed::Fundamental] {
                    let solutions = Solutions::completions(prefix);
                    let list: Vec<Placement> = match listed {
                        Listed::All => solutions.collect(),
                        Listed::Fundamental => Fundamental::among(solutions).map(|(solution, _)| solution).collect(),
                    };
                    let ranking = Ranking::new(prefix, listed).unwrap();
                    assert_eq!(ranking.total(), list.len() as u64, "{prefix:?} {listed:?}");
                    for (before, solution) in (0..).zip(&list) {
                        assert_eq!(ranking.select(before + 1), Some(*solution));
                        assert_eq!(ranking.number(solution), before + 1);
                        assert_eq!(listed.number(prefix, solution).unwrap(), before + 1);
                    }
                    assert_eq!((ranking.select(0), ranking.select(ranking.total() + 1)), (None, None));
                }
            }
        }
    }

    fn board(text: &str, n: usize) -> Placement {
        Placement::parse(text, Size::new(n).unwrap()).unwrap()
    }

    fn empty(n: usize) -> Placement {
        Placement::empty(Size::new(n).unwrap())
    }

    /// On boards with blocks that are counted.
    #[test]
    fn a_number_is_found_near_the_end() {
        numbers_are_found(&[
            (empty(12), board("11,7", 12)),
            (board("2,4,1", 12), board("2,4,1,7", 12)),
            (board("2,4,1", 12), board("3", 12)),
            (empty(11), board("9", 11)),
        ]);
    }

    /// And with more columns than are counted at once; from the beginning and from any placement on.
    #[test]
    fn a_number_is_found_from_any_beginning() {
        numbers_are_found(&[
            (empty(12), empty(12)),
            (empty(12), board("1,3", 12)),
            (board("2", 13), board("2", 13)),
            (empty(13), board("12,10,8,3,9", 13)),
            (board("1,3,5,2,4,9,11", 19), board("1,3,5,2,4,9,11", 19)),
        ]);
    }

    fn numbers_are_found(ways: &[(Placement, Placement)]) {
        for &(prefix, start) in ways {
            for listed in [Listed::All, Listed::Fundamental] {
                let list: Vec<Placement> = listed.within(prefix, start).collect();
                let select = |number| listed.select(prefix, start, number, &mut |_| true).unwrap();
                for number in (1..=list.len()).step_by(997).chain([list.len()]) {
                    let expected = number.checked_sub(1).map(|before| list[before]);
                    assert_eq!(select(number as u64), expected, "{prefix:?} {start:?} {listed:?} {number}");
                }
                assert_eq!(select(list.len() as u64 + 1), None);
                let before = listed.within(prefix, prefix).take_while(|other| *other < start).count();
                for (index, solution) in list.iter().enumerate().step_by(list.len() / 5 + 1) {
                    assert_eq!(listed.number(prefix, solution).unwrap(), (before + index + 1) as u64);
                }
            }
        }
    }

    #[test]
    fn a_search_can_be_stopped() {
        let board = Placement::empty(Size::new(18).unwrap());
        let mut told = Vec::new();
        let mut go_on = |passed| {
            told.push(passed);
            passed < 1000
        };
        assert_eq!(Listed::All.select(board, board, u64::MAX, &mut go_on), Ok(None));
        assert!(told.is_sorted() && told.iter().rposition(|&passed| passed < 1000) == Some(told.len() - 2), "{told:?}");
    }
}
