//! The solutions themselves, one after another in lexicographic order, in constant memory.
//!
//! The search is that of the engine `backtrack`, changed to keep the order. The boards with equally many queens wait in
//! a sorted list, a [`Level`]. The search takes the non-empty list whose boards have the most queens, and expands its
//! first boards into the list of the next column. With three columns left, masks decide the last two.
//!
//! Each board stores its parent. The rows of a solution are read by walking up through the parents until the path meets
//! that of the previous solution. So a solution costs only as many steps as it has new columns.

mod fundamental;
mod level;
pub(crate) mod ranking;

pub use fundamental::Fundamental;

use level::{Leaf, Level, TAIL};

use crate::board::{Board, Placement, Size};

/// The solutions on a board in lexicographic order: an iterator that finds them on demand.
///
/// It takes 5 kilobytes of memory for each column. Finding all solutions takes about as long as counting them on one
/// thread without symmetry. The first is found in well under a second for every N.
///
/// ```
/// use queens::{Placement, Size, Solutions};
/// let eight = Size::new(8)?;
/// assert_eq!(Solutions::new(eight).count(), 92);
/// assert_eq!(Solutions::new(eight).nth(30).unwrap().to_string(), "42586137");
/// let begun = Placement::parse("158", eight)?;
/// assert_eq!(Solutions::completions(begun).count(), 1);
/// let from: Vec<String> = Solutions::starting_at(begun).take(3).map(|p| p.to_string()).collect();
/// assert_eq!(from, ["15863724", "16837425", "17468253"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Solutions {
    /// The solutions of a search that begins with so many queens that no level is needed.
    first: std::vec::IntoIter<Placement>,
    /// One list for each number of queens from 0 to N − 3.
    levels: Vec<Level>,
    /// The last level that may have boards left.
    depth: usize,
    leaves: Vec<Leaf>,
    /// The first leaf that has not been returned yet.
    next: usize,
    /// For each level, the index of the board on the way to `current`; [`NOWHERE`] if the list has been replaced since.
    path: Vec<u16>,
    current: Placement,
}

const NOWHERE: u16 = u16::MAX;

impl Solutions {
    /// All solutions on a board of this size.
    pub fn new(size: Size) -> Self {
        Self::completions(Placement::empty(size))
    }

    /// The solutions that begin with the queens of `prefix`.
    pub fn completions(prefix: Placement) -> Self {
        Self::within(prefix, prefix)
    }

    /// The solutions from `start` on. A partial `start` comes before its completions.
    pub fn starting_at(start: Placement) -> Self {
        Self::within(Placement::empty(start.size()), start)
    }

    /// The completions of `prefix` from `start` on, a placement on the same board.
    ///
    /// # Panics
    /// If the two boards differ in size.
    pub fn within(prefix: Placement, start: Placement) -> Self {
        assert_eq!(prefix.size(), start.size(), "both placements must be on the same board");
        let searched = (prefix.size().get() + 1).saturating_sub(TAIL);
        let mut solutions = Self {
            first: Vec::new().into_iter(),
            levels: (0..searched).map(|_| Level::new()).collect(),
            depth: 0,
            leaves: Vec::new(),
            next: 0,
            path: vec![NOWHERE; searched],
            current: prefix,
        };
        let common = prefix.rows().zip(start.rows()).take_while(|(a, b)| a == b).count();
        if common == prefix.len() {
            solutions.seed(prefix.len(), &start);
        } else if common == start.len() || start < prefix {
            solutions.seed(prefix.len(), &prefix);
        }
        // Otherwise `start` comes after every completion of `prefix`, and there is no solution to find.
        solutions
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
        match self.levels.get_mut(stem.len()) {
            Some(level) => level.begin(&board, u32::MAX),
            None => self.first = completions_from(stem, begun).into_iter(),
        }
    }

    /// Finds the next solution, which is then [`Solutions::current`]. Returns a column, counted from 0: all columns
    /// before it are the same as in the previous solution. It is 0 for the first solution. `None` after the last.
    ///
    /// This is for printing: unchanged columns need not be printed again.
    pub fn advance(&mut self) -> Option<usize> {
        if let Some(solution) = self.first.next() {
            self.current = solution;
            return Some(0);
        }
        if self.next == self.leaves.len() {
            self.search()?;
        }
        let leaf = self.leaves[self.next];
        self.next += 1;
        Some(self.read(&leaf))
    }

    /// The solution found last, or the prefix before the first is found.
    pub fn current(&self) -> &Placement {
        &self.current
    }

    /// Expands the boards with the most queens until some of them are solutions.
    fn search(&mut self) -> Option<()> {
        self.next = 0;
        self.leaves.clear();
        loop {
            let (upper, lower) = self.levels.split_at_mut_checked(self.depth + 1)?;
            let level = &mut upper[self.depth];
            if level.next == level.end {
                self.depth = self.depth.checked_sub(1)?;
            } else if let Some(children) = lower.first_mut() {
                children.fill(level);
                self.path[self.depth + 1] = NOWHERE;
                self.depth += usize::from(children.end > 0);
            } else {
                level.finish(&mut self.leaves);
                if !self.leaves.is_empty() {
                    return Some(());
                }
            }
        }
    }

    /// Reads the rows of a solution. Returns the first column that may have changed.
    fn read(&mut self, leaf: &Leaf) -> usize {
        let mut column = self.levels.len() - 1;
        for (ahead, row) in leaf.rows.iter().enumerate() {
            self.current.set(column + ahead, row.trailing_zeros());
        }
        let mut index = leaf.parent;
        let mut open = self.levels[column].nodes[usize::from(index)].open;
        while self.path[column] != u16::from(index) {
            self.path[column] = u16::from(index);
            if column == 0 {
                break;
            }
            index = self.levels[column].parents[usize::from(index)];
            column -= 1;
            let above = self.levels[column].nodes[usize::from(index)].open;
            self.current.set(column, (open ^ above).trailing_zeros());
            open = above;
        }
        column
    }
}

/// The completions of `stem` from `begun` on, column by column with the attack check of [`Placement`].
fn completions_from(stem: Placement, begun: &Placement) -> Vec<Placement> {
    let mut found = vec![stem];
    for _ in stem.len()..stem.size().get() {
        found = found.into_iter().flat_map(Placement::extensions).collect();
    }
    found.retain(|solution| solution >= begun);
    found
}

impl Iterator for Solutions {
    type Item = Placement;

    fn next(&mut self) -> Option<Placement> {
        self.advance()?;
        Some(self.current)
    }

    /// At least as many as have been found already: to return these takes no time.
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.leaves.len() - self.next + self.first.len(), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, naive::Naive};

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
    fn no_column_before_the_first_changed_one_has_changed() {
        for begun in [board(8), board(10), board(7).with(2).unwrap()] {
            let mut solutions = Solutions::starting_at(begun);
            let mut before: Option<Placement> = None;
            while let Some(changed) = solutions.advance() {
                let now = *solutions.current();
                let same = before.map_or(0, |before| before.rows().zip(now.rows()).take_while(|(a, b)| a == b).count());
                assert!(changed <= same && same <= changed.max(now.len() - 2), "{before:?} then {now:?}: {changed}");
                before = Some(now);
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
            let mut next = || (solutions.size_hint().0 > 0, solutions.next().is_some());
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
}
