//! The second engine: plain search for the covers of a task, on the squares of the board.
//!
//! It shares with the join only the meaning of a task: which numbers, or which columns and rows, belong to which side.
//! Queens are coordinates from the centre, in half squares, and attacked diagonals are sets of sums and differences.
//! The line with the fewest free squares is filled next. The search takes much longer than the join, so it is for
//! double checks of a share of the units.

use crate::board::rotation::{Rotation, RotationalBoard};
use crate::engine::Engine;
use crate::engine::cover::Cut;

/// The engine for one board.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    rotation: Rotation,
    /// Distances of the columns from the centre, in half squares.
    distances: Vec<i32>,
    /// The first column of the right side (half turns), or the number of numbers that are not marked (quarter turns).
    border: usize,
}

/// The taken diagonals, by sum and by difference: one bit for each, with 0 in the middle.
#[derive(Clone, Copy, Default)]
pub(super) struct Diagonals {
    sums: [u64; 8],
    differences: [u64; 8],
}

impl Diagonals {
    /// Takes the diagonals of a queen; false if one is taken already.
    fn take(&mut self, x: i32, y: i32) -> bool {
        let take = |set: &mut [u64; 8], line: i32| {
            let (word, bit) = (((line + 256) / 64) as usize, 1u64 << ((line + 256) % 64));
            let free = set[word] & bit == 0;
            set[word] |= bit;
            free
        };
        take(&mut self.sums, x + y) & take(&mut self.differences, x - y)
    }
}

impl Search {
    pub(crate) fn new(board: RotationalBoard) -> Self {
        let n = board.n() as i32;
        // The centre is at 0; on an even board the columns next to it are half a square away.
        let distances = (0..n / 2).map(|i| 2 * i + 1 + n % 2).collect();
        let border = super::border(board);
        Self { rotation: board.rotation(), distances, border }
    }

    /// The diagonals with those of the orbit of (x, y); `None` if its queens attack each other or the queens on the
    /// board.
    pub(super) fn with(&self, mut diagonals: Diagonals, x: i32, y: i32) -> Option<Diagonals> {
        let images: &[(i32, i32)] = match self.rotation {
            Rotation::Half => &[(x, y), (-x, -y)],
            Rotation::Quarter => &[(x, y), (-y, x), (-x, -y), (y, -x)],
        };
        images.iter().all(|&(x, y)| diagonals.take(x, y)).then_some(diagonals)
    }

    /// The number of pairings of the remaining numbers. Both numbers of a pair are on the same side, and on the left at
    /// least one of them is marked.
    fn pairings(&self, left: u64, right: u64, diagonals: Diagonals) -> u64 {
        if left | right == 0 {
            return 1;
        }
        let marked = left >> self.border << self.border;
        let mut best: Option<Vec<(u64, Diagonals)>> = None;
        for (side, from) in [(left, marked), (right, right)] {
            for a in bits(from) {
                let partners = bits(side & !(1 << a)).filter_map(|b| {
                    let diagonals = self.with(diagonals, self.distances[a], self.distances[b])?;
                    Some((1u64 << a | 1 << b, diagonals))
                });
                let partners: Vec<_> = partners.collect();
                if best.as_ref().is_none_or(|best| partners.len() < best.len()) {
                    best = Some(partners);
                }
            }
        }
        // If no marked number and no number on the right is left, the numbers on the left have no partner.
        let best = best.unwrap_or_default();
        best.into_iter().map(|(pair, diagonals)| self.pairings(left & !pair, right & !pair, diagonals)).sum()
    }

    /// The number of ways to place the queens of the remaining columns in the rows of their side.
    fn halves(&self, columns: u64, rows: [u64; 2], diagonals: Diagonals) -> u64 {
        if columns == 0 {
            return 1;
        }
        let mut best: Option<Vec<(usize, usize, Diagonals)>> = None;
        for column in bits(columns) {
            let side = usize::from(column >= self.border);
            let mut free = Vec::new();
            for row in bits(rows[side]) {
                for sign in [1, -1] {
                    // The weight of the task covers the reflection that changes all signs.
                    if sign < 0 && column + 1 == self.distances.len() {
                        continue;
                    }
                    if let Some(diagonals) = self.with(diagonals, self.distances[column], sign * self.distances[row]) {
                        free.push((column, row, diagonals));
                    }
                }
            }
            if best.as_ref().is_none_or(|best| free.len() < best.len()) {
                best = Some(free);
            }
        }
        let set = |(column, row, diagonals): (usize, usize, Diagonals)| {
            self.halves(columns & !(1 << column), rows.map(|rows| rows & !(1 << row)), diagonals)
        };
        best.unwrap_or_default().into_iter().map(set).sum()
    }
}

fn bits(set: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |bit| set >> bit & 1 == 1)
}

impl Engine for Search {
    type Task = Cut;
    type Worker = ();

    fn worker(&self) {}

    fn count(&self, (): &mut (), task: &Cut) -> u64 {
        match self.rotation {
            Rotation::Quarter => self.pairings(task.left, task.right, Diagonals::default()),
            Rotation::Half => {
                let h = self.distances.len();
                let rows = [task.left, task.right].map(|items| items & ((1 << h) - 1));
                self.halves((1 << h) - 1, rows, Diagonals::default())
            }
        }
    }
}
