//! The solutions themselves, one after another in lexicographic order, in constant memory.
//!
//! The search is that of the engine `backtrack`, changed to keep the order. The boards with equally many queens wait in
//! a sorted list, a [`BoardList`]. The search takes the non-empty list whose boards have the most queens, and expands
//! its first boards into the list of the next column. With three columns left, masks decide the last two.
//!
//! Each board stores its parent. The rows of a solution are read by walking up through the parents until the path meets
//! that of the previous solution. So a solution costs only as many steps as it has new columns.

mod board_list;
mod constrained;
mod ranking;

use std::collections::VecDeque;

use board_list::{BoardList, Leaf, TAIL};

use constrained::Constrained;

use crate::board::{Board, FixedQueens, Orbit, Placement, Rotation, Size};
use crate::oeis::{self, Sequence};

pub use ranking::Ranking;

/// Which solutions are in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// Every solution.
    All,
    /// Only the least solution of each symmetry class.
    Fundamental,
    /// Only those that the turn leaves unchanged.
    Unchanged(Rotation),
}

impl Listed {
    /// The published numbers of such solutions on whole boards.
    pub fn sequence(self) -> &'static Sequence {
        match self {
            Self::All => &oeis::QUEENS,
            Self::Fundamental => &oeis::UNIQUE,
            Self::Unchanged(turn) => turn.sequence(),
        }
    }
}

/// The solutions on a board in lexicographic order: an iterator that finds them on demand.
///
/// It takes 5 kilobytes of memory for each column. Finding all solutions takes about as long as counting them on one
/// thread without symmetry. The first is found in well under a second for every N.
///
/// ```
/// use queens::{Listed, Placement, Size, Solutions};
/// let eight = Size::new(8)?;
/// assert_eq!(Solutions::new(eight).count(), 92);
/// assert_eq!(Solutions::new(eight).only(Listed::Fundamental).count(), 12);
/// assert_eq!(Solutions::new(eight).nth(30).unwrap().to_string(), "42586137");
/// let begun = Placement::parse("158", eight)?;
/// assert_eq!(Solutions::completions(begun).count(), 1);
/// let from = Solutions::within(Placement::empty(eight), begun).take(3).map(|solution| solution.to_string());
/// assert!(from.eq(["15863724", "16837425", "17468253"]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Solutions {
    listed: Listed,
    fixed: FixedQueens,
    start: Placement,
    /// What searches in place of the lists, if queens are fixed beyond the first columns or a turn is given.
    constrained: Option<Constrained>,
    /// One list for each number of queens from 0 to N − 3.
    levels: Vec<BoardList>,
    /// The last level that may have boards left.
    depth: usize,
    leaves: Vec<Leaf>,
    /// The solutions that were found together and not returned yet.
    found: VecDeque<Placement>,
    /// For each level, the index of the board on the way to `current`; `None` if the list has been replaced since.
    path: Vec<Option<u8>>,
    /// The solution that was read last.
    current: Placement,
}

impl Solutions {
    /// All solutions on a board of this size.
    pub fn new(size: Size) -> Self {
        Self::completions(Placement::empty(size))
    }

    /// The solutions that have these queens: a [`Placement`] with which they begin, or [`FixedQueens`] on any squares.
    pub fn completions(fixed: impl Into<FixedQueens>) -> Self {
        let fixed = fixed.into();
        Self::within(fixed, fixed.prefix())
    }

    /// The same from `start` on, a placement on the same board. A partial `start` comes before its completions.
    ///
    /// # Panics
    /// If the two boards differ in size.
    pub fn within(fixed: impl Into<FixedQueens>, start: Placement) -> Self {
        let fixed = fixed.into();
        assert_eq!(fixed.size(), start.size(), "both must be on the same board");
        let searched = (fixed.size().get() + 1).saturating_sub(TAIL);
        let mut solutions = Self {
            listed: Listed::All,
            fixed,
            start,
            constrained: None,
            levels: (0..searched).map(|_| BoardList::new()).collect(),
            depth: 0,
            leaves: Vec::new(),
            found: VecDeque::new(),
            path: vec![None; searched],
            current: start,
        };
        match fixed.as_placement() {
            None => solutions.constrained = Some(Constrained::new(fixed, None, start)),
            Some(prefix) if prefix.begins(&start) => solutions.seed(prefix.len(), &start),
            Some(prefix) if start < prefix => solutions.seed(prefix.len(), &prefix),
            // `start` comes after every completion of the prefix, and there is no solution to find.
            Some(_) => {}
        }
        solutions
    }

    /// Of these solutions only the ones in such a list.
    #[must_use]
    pub fn only(self, listed: Listed) -> Self {
        let constrained = match listed {
            Listed::Unchanged(turn) => Some(Constrained::new(self.fixed, Some(turn), self.start)),
            _ => self.constrained,
        };
        Self { listed, constrained, ..self }
    }

    /// Prepares a search for the completions of `begun` and all solutions after them that have the same first `fixed`
    /// queens.
    fn seed(&mut self, fixed: usize, begun: &Placement) {
        let mut board = Board::empty(begun.size());
        let mut stem = Placement::empty(begun.size());
        for row in begun.rows() {
            let column = stem.len();
            if column >= fixed.max(self.levels.len()) {
                break;
            }
            let queen = 1 << (row - 1);
            if let Some(level) = self.levels.get_mut(column) {
                // On this board, only the rows after that of `begun` are still to be tried.
                level.begin(&board, if column < fixed { 0 } else { !(queen | (queen - 1)) });
            }
            board = board.place(queen);
            stem.set(column, row as u32 - 1);
        }
        self.depth = stem.len().min(self.levels.len().saturating_sub(1));
        if let Some(level) = self.levels.get_mut(stem.len()) {
            level.begin(&board, u32::MAX);
        } else {
            // The last columns, one by one with the attack check of `Placement`.
            let mut found = vec![stem];
            for _ in stem.len()..stem.size().get() {
                found = found.into_iter().flat_map(Placement::extensions).collect();
            }
            self.found.extend(found.into_iter().filter(|solution| solution >= begun));
        }
    }

    /// Whether the next solution has already been found, so that returning it takes no time.
    pub fn ready(&self) -> bool {
        self.listed == Listed::All && !self.found.is_empty()
    }

    /// Expands the boards with the most queens until some of them are solutions, and reads these.
    fn search(&mut self) -> Option<()> {
        while self.leaves.is_empty() {
            let (upper, lower) = self.levels.split_at_mut_checked(self.depth + 1)?;
            let level = &mut upper[self.depth];
            if level.next == level.end {
                self.depth = self.depth.checked_sub(1)?;
            } else if let Some(children) = lower.first_mut() {
                children.fill(level);
                self.path[self.depth + 1] = None;
                self.depth += usize::from(children.end > 0);
            } else {
                level.finish(&mut self.leaves);
            }
        }
        for index in 0..self.leaves.len() {
            self.read(self.leaves[index]);
            self.found.push_back(self.current);
        }
        self.leaves.clear();
        Some(())
    }

    /// Reads the rows of a solution.
    fn read(&mut self, leaf: Leaf) {
        let mut column = self.levels.len() - 1;
        for (ahead, row) in leaf.rows.iter().enumerate() {
            self.current.set(column + ahead, row.trailing_zeros());
        }
        let mut index = leaf.parent;
        let mut open = self.levels[column].boards[usize::from(index)].open;
        while self.path[column].replace(index) != Some(index) {
            if column == 0 {
                break;
            }
            index = self.levels[column].parents[usize::from(index)];
            column -= 1;
            let above = self.levels[column].boards[usize::from(index)].open;
            self.current.set(column, (open ^ above).trailing_zeros());
            open = above;
        }
    }
}

impl Iterator for Solutions {
    type Item = Placement;

    fn next(&mut self) -> Option<Placement> {
        loop {
            let solution = if let Some(constrained) = &mut self.constrained {
                constrained.next()?
            } else {
                if self.found.is_empty() {
                    self.search()?;
                }
                self.found.pop_front()?
            };
            if self.listed != Listed::Fundamental {
                return Some(solution);
            }
            // Upside down, the first queen of this solution and of every later one would be in a smaller row.
            if solution.rows().next().is_some_and(|first| 2 * first > solution.size().get() + 1) {
                return None;
            }
            if Orbit::of(&solution).is_some_and(|orbit| orbit.is_fundamental()) {
                return Some(solution);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, naive::Naive};
    use std::collections::BTreeMap;

    fn board(n: usize) -> Placement {
        Placement::empty(Size::new(n).unwrap())
    }

    /// Every solution in order, by the attack check of [`Placement`] alone.
    fn all(begun: Placement) -> Vec<Placement> {
        if begun.is_solution() {
            return vec![begun];
        }
        begun.extensions().flat_map(all).collect()
    }

    #[test]
    fn every_solution_once_and_in_order() {
        for n in 0..=9 {
            assert!(Solutions::new(board(n).size()).eq(all(board(n))), "N = {n}");
        }
        let twelve = Solutions::new(board(12).size());
        assert!(twelve.clone().is_sorted_by(|a, b| a < b));
        assert_eq!(twelve.count() as u64, Naive.count(&mut (), &board(12)));
    }

    /// All pairs of placements with up to three queens and some complete ones, on boards with and without solutions.
    #[test]
    fn begins_and_ends_where_it_should() {
        for n in [1, 3, 4, 6] {
            let mut starts = vec![board(n)];
            for queens in 0..n {
                let longer: Vec<Placement> =
                    starts.iter().filter(|start| start.len() == queens).flat_map(|start| start.extensions()).collect();
                starts.extend(longer);
            }
            for &prefix in &starts {
                let completions = all(prefix);
                assert!(Solutions::completions(prefix).eq(completions.iter().copied()), "{prefix:?}");
                for &start in &starts {
                    let rows = |placement: &Placement| placement.rows().collect::<Vec<_>>();
                    let expected = completions.iter().filter(|solution| rows(solution) >= rows(&start));
                    assert!(Solutions::within(prefix, start).eq(expected.copied()), "{start:?} within {prefix:?}");
                }
            }
        }
    }

    #[test]
    fn large_boards_begin_at_once() {
        for n in 28..=32 {
            let first = Solutions::new(board(n).size()).next().unwrap();
            let rows: Vec<usize> = first.rows().collect();
            assert_eq!(Placement::new(first.size(), &rows), Ok(first));
        }
    }

    /// The four solutions of N = 6 are found together; completions of most queens are found at the beginning.
    #[test]
    fn what_is_found_takes_no_time() {
        let ready = |mut solutions: Solutions| {
            let mut next = || (solutions.ready(), solutions.next().is_some());
            [(); 5].map(|()| next())
        };
        let [found, first, none] = [(true, true), (false, true), (false, false)];
        assert_eq!(ready(Solutions::new(board(6).size())), [first, found, found, found, none]);
        let begun = Placement::new(board(6).size(), &[2, 4, 6, 1, 3]).unwrap();
        assert_eq!(ready(Solutions::completions(begun)), [found, none, none, none, none]);
    }

    #[test]
    fn nothing_follows_the_end() {
        let mut solutions = Solutions::new(board(6).size());
        assert_eq!(solutions.by_ref().count(), 4);
        assert_eq!((solutions.next(), solutions.next()), (None, None));
        assert_eq!(Solutions::new(board(0).size()).count(), 1);
    }

    /// Collects every solution under its canonical form: the fundamental solutions must be those of the classes.
    #[test]
    fn each_class_has_one_fundamental_solution() {
        for n in 0..=10 {
            let mut classes: BTreeMap<Placement, usize> = BTreeMap::new();
            for solution in Solutions::new(board(n).size()) {
                *classes.entry(Orbit::of(&solution).unwrap().canonical()).or_default() += 1;
            }
            let with_size = |solution| (solution, Orbit::of(&solution).unwrap().class_size());
            let fundamental = Solutions::new(board(n).size()).only(Listed::Fundamental);
            assert!(fundamental.map(with_size).eq(classes), "N = {n}");
        }
        let eight = Solutions::new(board(8).size()).only(Listed::Fundamental);
        let mut sizes: Vec<usize> = eight.map(|solution| Orbit::of(&solution).unwrap().class_size()).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8]);
    }
}
