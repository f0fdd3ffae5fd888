//! The brute force: counts the solutions of a cut by placing whole orbits of queens on the board, without pieces and
//! keys.
//!
//! A solution that a rotation leaves unchanged has, with each queen, her images: two queens for the half turn, four for
//! the quarter turn, and one in the centre of an odd board.
//!
//! Distances are counted from the middle, from 0. A cut makes each distance *left* or *right*. A queen's column and row
//! are both left or both right.
//!
//! - Half turn: the queen of the outermost east column is in the north (weight 2).
//! - Quarter turn: at least one of a left column and row is in every cut. In each orbit, the east queen whose column is
//!   farther out than her row is in the north (weight 2 per orbit).

use super::*;

/// A square: column from the west and row from the north, both from 0.
type Square = (usize, usize);

/// The images of a square under the rotation, itself included.
fn orbit(rotation: Rotation, n: usize, square: Square) -> Vec<Square> {
    let quarter = |(column, row): Square| (n - 1 - row, column);
    let turn = |square| if rotation == Rotation::Half { quarter(quarter(square)) } else { quarter(square) };
    let mut orbit = vec![square];
    while orbit[0] != turn(orbit[orbit.len() - 1]) {
        orbit.push(turn(orbit[orbit.len() - 1]));
    }
    orbit
}

/// The items of this square's piece: the distances of its row and of its column. For half turns, items of columns come
/// after those of rows.
pub(super) fn items(rotation: Rotation, n: usize, (column, row): Square) -> u64 {
    let half = n / 2;
    let distance = |line: usize| if line < half { half - 1 - line } else { line - (n - half) };
    1 << distance(row) | 1 << (distance(column) + if rotation == Rotation::Half { half } else { 0 })
}

/// The squares of the orbits that a cut allows.
pub(super) fn allowed(rotation: Rotation, n: usize, problem: &Problem, left: u64) -> Vec<Square> {
    let half = n / 2;
    let always = problem.cuts.iter().fold(u64::MAX, |always, cut| always & cut);
    let is_left = |item: usize| left >> item & 1 == 1;
    let (east, south, north) =
        (|distance| n - half + distance, |distance| n - half + distance, |distance| half - 1 - distance);
    let mut squares = if n % 2 == 1 { vec![(half, half)] } else { vec![] };
    for (x, y) in (0..half).flat_map(|x| (0..half).map(move |y| (x, y))) {
        match rotation {
            Rotation::Half if is_left(half + x) == is_left(y) => {
                squares.push((east(x), north(y)));
                if x + 1 < half {
                    squares.push((east(x), south(y)));
                }
            }
            Rotation::Quarter
                if x > y && is_left(x) == is_left(y) && (!is_left(x) || always & (1 << x | 1 << y) != 0) =>
            {
                squares.push((east(x), north(y)));
            }
            _ => {}
        }
    }
    let orbits = squares.into_iter().map(|square| orbit(rotation, n, square));
    orbits.filter(|orbit| !attack_each_other(orbit)).flatten().collect()
}

/// Whether two of these queens share a column, row or diagonal.
fn attack_each_other(queens: &[Square]) -> bool {
    let attacks = |a: Square, b: Square| {
        let (columns, rows) = (a.0.abs_diff(b.0), a.1.abs_diff(b.1));
        columns == 0 || rows == 0 || columns == rows
    };
    queens.iter().enumerate().any(|(at, &queen)| queens[..at].iter().any(|&other| attacks(queen, other)))
}

/// The number of solutions on these squares, which form whole orbits; `None` if more than `most` orbits must be tried.
pub(super) fn solutions(
    rotation: Rotation,
    n: usize,
    allowed: impl IntoIterator<Item = Square>,
    most: u64,
) -> Option<u64> {
    let mut free = vec![0u128; n];
    for (column, row) in allowed {
        free[column] |= 1 << row;
    }
    let mut search = OrbitSearch { rotation, n, left: most };
    search.fill(&(0..n).collect::<Vec<_>>(), &free)
}

struct OrbitSearch {
    rotation: Rotation,
    n: usize,
    /// The number of orbits that may still be tried.
    left: u64,
}

impl OrbitSearch {
    /// The number of ways to fill the `open` columns with orbits on `free` squares. If a square is free, so are its
    /// images, because whole orbits are allowed and attacked.
    fn fill(&mut self, open: &[usize], free: &[u128]) -> Option<u64> {
        // The column with the fewest free squares leaves the least to try, or nothing if it has none.
        let Some(&column) = open.iter().min_by_key(|&&column| free[column].count_ones()) else { return Some(1) };
        let mut solutions = 0;
        for row in (0..self.n).filter(|row| free[column] >> row & 1 == 1) {
            self.left = self.left.checked_sub(1)?;
            let queens = orbit(self.rotation, self.n, (column, row));
            let open: Vec<_> =
                open.iter().copied().filter(|&column| queens.iter().all(|queen| queen.0 != column)).collect();
            let mut free = free.to_vec();
            for &other in &open {
                for &(column, row) in &queens {
                    let (row, distance) = (1u128 << row, column.abs_diff(other));
                    free[other] &= !(row | row << distance | row >> distance);
                }
            }
            solutions += self.fill(&open, &free)?;
        }
        Some(solutions)
    }
}
