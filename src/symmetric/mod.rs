//! Solutions that a turn of the board leaves unchanged, and with them the number of solutions up to symmetry.
//!
//! A solution unchanged by a turn is made of whole orbits: a queen comes with its 1 or 3 images, and the search sets
//! them all in one step. The tree has a half or a quarter of the full search's levels, so N = 24 by half turns takes
//! less than a second and N = 32 by quarter turns a hundredth of one, where the full count takes months.
//!
//! By Burnside's lemma the number of classes is the mean, over the eight symmetries of the square, of the solutions
//! each leaves unchanged. For N > 1 no reflection leaves any: its own image in a mirror would put two queens in one
//! row or column, or on one diagonal. What remains is
//! `(all + unchanged by the half turn + 2 × unchanged by the quarter turn) / 8`, and that the division has no
//! remainder is a check of the full count modulo 8.

mod orbits;
mod residue;
mod unique;

use rayon::prelude::*;

use crate::board::Size;
use crate::count::{CountError, thread_pool};
use crate::plan::Weighted;
use crate::tally::Tally;

use orbits::OrbitBoard;
pub use residue::Residue;
pub use unique::{NotDivisible, Unique};

/// A turn of the board about its centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// By 180 degrees.
    Half,
    /// By 90 degrees, either way: what one leaves unchanged, the other does too.
    Quarter,
}

impl Turn {
    /// The number of solutions that this turn leaves unchanged: OEIS A032522 and A033148.
    ///
    /// Time grows about threefold with each step of N by half turns (N = 24 takes less than a second on one core), and
    /// about tenfold with each fourth step by quarter turns (N = 32 a hundredth of a second). Memory is negligible.
    ///
    /// ```
    /// use queens::{Size, Turn};
    /// assert_eq!(Turn::Half.count(Size::new(12)?, 1)?, 80);
    /// assert_eq!(Turn::Quarter.count(Size::new(12)?, 1)?, 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// On this many threads; 0 is every core that the process may use.
    ///
    /// # Errors
    /// Where the sum does not fit or no threads can be had.
    pub fn count(self, size: Size, threads: usize) -> Result<u128, CountError> {
        let count = |board: &Weighted<OrbitBoard>| {
            let mut tally = Tally::default();
            tally.add(board.task.solutions(), board.weight).map(|()| tally)
        };
        let boards = orbits::boards(size, self);
        let sum = thread_pool(threads)?
            .install(|| boards.par_iter().with_max_len(1).map(count).try_reduce(Tally::default, |a, b| a.join(&b)));
        Ok(sum?.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oeis;

    fn count(turn: Turn, n: usize) -> u128 {
        turn.count(Size::new(n).unwrap(), 2).unwrap()
    }

    /// Solutions equal to their own image, by arrays and plain recursion over every solution.
    fn filtered(n: usize, image: fn(usize, usize, usize) -> (usize, usize)) -> u128 {
        fn extend(n: usize, rows: &mut Vec<usize>, is_own_image: &dyn Fn(&[usize]) -> bool) -> u128 {
            let column = rows.len();
            if column == n {
                return u128::from(is_own_image(rows));
            }
            let mut solutions = 0;
            for row in 0..n {
                if rows.iter().enumerate().all(|(c, &r)| r != row && r.abs_diff(row) != column - c) {
                    rows.push(row);
                    solutions += extend(n, rows, is_own_image);
                    rows.pop();
                }
            }
            solutions
        }
        let is_own_image = |rows: &[usize]| {
            rows.iter().enumerate().all(|(column, &row)| {
                let (column, row) = image(n, column, row);
                rows[column] == row
            })
        };
        extend(n, &mut Vec::new(), &is_own_image)
    }

    #[test]
    fn agrees_with_filtering_every_solution() {
        for n in 0..=11 {
            assert_eq!(count(Turn::Half, n), filtered(n, |n, c, r| (n - 1 - c, n - 1 - r)), "half turn, N = {n}");
            assert_eq!(count(Turn::Quarter, n), filtered(n, |n, c, r| (r, n - 1 - c)), "quarter turn, N = {n}");
        }
        assert_eq!((count(Turn::Half, 0), count(Turn::Quarter, 0)), (1, 1));
    }

    #[test]
    fn finds_the_published_terms() {
        for n in 1..=20 {
            assert_eq!(count(Turn::Half, n), oeis::HALF_TURN.term(n).unwrap(), "half turn, N = {n}");
        }
        for n in 1..=29 {
            assert_eq!(count(Turn::Quarter, n), oeis::QUARTER_TURN.term(n).unwrap(), "quarter turn, N = {n}");
        }
    }
}
