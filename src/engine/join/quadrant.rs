//! Quadrants: the ways to place queens in given rows of an h×h corner of the board.
//!
//! Rows and columns of a quadrant are numbered by their distance from the middle. A queen in row i, column j occupies
//!
//! - a *radial* diagonal j - i, which runs from the middle outward, and
//! - a *transverse* diagonal i + j, which crosses the corner and, if i + j is small, both neighbouring quadrants.
//!
//! ```text
//!        north-west | north-east        row distance i = 2   . . T      T  transverse: i + j = 2
//!        -----------+-----------                        1   . Q .       Q  the queen, i = j = 1
//!        south-west | south-east                        0   T . .  R    R  radial: j - i = 0
//!                                         column distance j = 0 1 2
//! ```
//!
//! A list holds the placements in one row set as patterns of [`Keys`], sorted into *runs*: by the rows of the queens in
//! the innermost columns (the *inner* queens, a *signature*), then by whether a queen is on the long diagonal, then by
//! the set of the other columns, in increasing order. North and south of a half use complementary column sets, and
//! complementing reverses their order. So the run of a placement's partners is as far from the end as its own is from
//! the start.

use super::keys::{Keys, NorthSouth};
use crate::engine::binomial;
use crate::engine::lanes::{PADDING, ranked};
use crate::plan::MAX_DEPTH;

/// The inner queens of a quadrant: per inner column, 0 for none, or 1 + the index of the queen's row in the row set.
pub(super) type InnerRows = [usize; MAX_DEPTH];

/// How the lists of one half are divided into runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The number of columns, and of rows, of the quadrant.
    pub(super) half: usize,
    /// The number of innermost columns whose queens form the signature, at most [`MAX_DEPTH`].
    pub(super) depth: usize,
    /// The column taken by the middle row's queen, if it is in this half.
    pub(super) occupied: Option<usize>,
    /// Whether placements with a queen on the long diagonal have runs of their own.
    pub(super) by_diagonal: bool,
}

impl Shape {
    fn outer_columns(self) -> usize {
        self.half - self.depth - usize::from(self.occupied.is_some_and(|column| column >= self.depth))
    }

    /// A column set reduced to the outer free columns.
    pub(super) fn outer_set(self, columns: u32) -> u32 {
        let set = columns >> self.depth;
        match self.occupied {
            Some(column) if column >= self.depth => {
                let low = (1 << (column - self.depth)) - 1;
                set & low | set >> 1 & !low
            }
            _ => set,
        }
    }

    /// The number of column sets of the outer queens.
    pub(super) fn sets(self, rows: usize, inner: InnerRows) -> usize {
        let inner = inner.iter().filter(|&&row| row > 0).count();
        rows.checked_sub(inner).map_or(0, |outer| binomial(self.outer_columns(), outer) as usize)
    }
}

/// The signature of these inner queens: a number with one digit per column, in base `rows + 1`.
pub(super) fn signature(rows: usize, inner: InnerRows) -> usize {
    inner.iter().rev().fold(0, |signature, &place| signature * (rows + 1) + place)
}

/// The inner queens of a signature.
fn inner_rows(rows: usize, mut signature: usize) -> InnerRows {
    std::array::from_fn(|_| {
        let place = signature % (rows + 1);
        signature /= rows + 1;
        place
    })
}

/// The most columns of a quadrant, rounded up to a power of two.
const MAX_COLUMNS: usize = 16;

/// Whether a quadrant has a queen on its arm of the long diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LongDiagonal {
    Free,
    Taken,
}

/// The placements of queens in one row set of a quadrant.
#[derive(Clone, Debug, Default)]
pub(super) struct Quadrant {
    pub(super) rows: u32,
    /// The row index of the innermost queen that all share, see [`QuadrantLister::list`].
    pub(super) innermost: Option<usize>,
    /// The keys of each placement, with the rank of its column set in its signature; then [`PADDING`] words.
    pub(super) patterns: Vec<u64>,
    /// The start of each run, and the end of the last.
    starts: Vec<u32>,
    /// The first run of each signature.
    bases: Vec<u32>,
}

/// Stands for the first run of a signature without placements.
const NO_RUN: u32 = u32::MAX;

impl Quadrant {
    /// The starts of a signature's `sets` runs with or without a queen on the long diagonal (`Free` for all runs where
    /// the shape does not distinguish them).
    pub(super) fn runs(&self, signature: usize, sets: usize, diagonal: LongDiagonal) -> &[u32] {
        let base = self.bases[signature] as usize + diagonal as usize * sets;
        &self.starts[base..=base + sets]
    }

    /// Appends placements of the next `runs` runs by a counting sort.
    fn append_by_run(&mut self, placed: &[Placed], runs: usize, next: &mut Vec<u32>) {
        next.clear();
        next.resize(runs, 0);
        for placed in placed {
            next[placed.run as usize] += 1;
        }
        let mut end = self.patterns.len() as u32;
        for next in next.iter_mut() {
            end += std::mem::replace(next, end);
            self.starts.push(end);
        }
        self.patterns.resize(end as usize, 0);
        for placed in placed {
            let next = &mut next[placed.run as usize];
            self.patterns[*next as usize] = placed.pattern;
            *next += 1;
        }
    }
}

/// Attacked diagonals: bit j - i + 32, and bit i + j.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Blocked {
    pub(super) radial: u64,
    pub(super) transverse: u64,
}

/// How the quadrants of a corner are listed for given middle queens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Recipe {
    pub(super) shape: Shape,
    pub(super) keys: Keys,
    pub(super) side: NorthSouth,
    /// The diagonals attacked by the middle queens.
    pub(super) blocked: Blocked,
}

/// Lists quadrants by one recipe.
#[derive(Debug)]
pub(super) struct QuadrantLister {
    pub(super) recipe: Recipe,
    /// The keys of a queen in each row and column.
    queens: Vec<[u64; MAX_COLUMNS]>,
    /// The rank of each set of outer columns among the sets of its size.
    ranks: Vec<u16>,
}

/// Buffers for listing quadrants of any shape.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    found: Vec<Placed>,
    next: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Placed {
    /// Its index among the runs of the signature.
    run: u32,
    pattern: u64,
}

impl QuadrantLister {
    pub(super) fn new(recipe: Recipe) -> Self {
        let Recipe { shape, keys, side, .. } = recipe;
        let outer = shape.outer_columns();
        let mut next = vec![0; outer + 1];
        let rank = |set: u32| {
            let next = &mut next[set.count_ones() as usize];
            *next += 1;
            *next - 1
        };
        let ranks = (0..1u32 << outer).map(rank).collect();
        let queen = |i, j| if j < shape.half { keys.queen(side, i, j) } else { 0 };
        let queens = (0..shape.half).map(|i| std::array::from_fn(|j| queen(i, j))).collect();
        Self { recipe, queens, ranks }
    }

    /// Fills `list` with the placements of queens in exactly the rows `rows`: all, or those whose innermost queen is in
    /// this row, numbered as in [`InnerRows`].
    ///
    /// Sorts one signature at a time: sorting a quadrant (26 million placements at h = 14) took three times its memory.
    pub(super) fn list(&self, rows: u32, innermost: Option<usize>, buffers: &mut Buffers, list: &mut Quadrant) {
        let Recipe { shape, blocked, .. } = self.recipe;
        let Buffers { found, next } = buffers;
        let count = rows.count_ones() as usize;
        (list.rows, list.innermost) = (rows, innermost);
        list.patterns.clear();
        list.bases.clear();
        list.starts.clear();
        list.starts.push(0);
        // All combinations, possible or not: each inner column is empty or has a queen in one of the rows.
        for signature in 0..(count + 1).pow(shape.depth as u32) {
            let inner = inner_rows(count, signature);
            let start =
                if innermost.is_none_or(|place| place == inner[0]) { self.inner_node(rows, inner) } else { None };
            let Some((rows, start)) = start else {
                list.bases.push(NO_RUN);
                continue;
            };
            let sets = shape.sets(count, inner) as u32;
            list.bases.push(list.starts.len() as u32 - 1);
            found.clear();
            // If a middle queen attacks an inner queen, the signature keeps its runs, all empty.
            let Blocked { radial, transverse } = start.blocked;
            if radial & blocked.radial | transverse & blocked.transverse == 0 {
                let blocked = Blocked { radial: radial | blocked.radial, transverse: transverse | blocked.transverse };
                let kinds = [0, if shape.by_diagonal { sets } else { 0 }];
                let search =
                    QuadrantSearch { shape, queens: &self.queens, ranks: &self.ranks, kinds, columns: start.free };
                search.row(rows, Node { blocked, ..start }, found);
            }
            list.append_by_run(found, (sets * (1 + u32::from(shape.by_diagonal))) as usize, next);
        }
        // Exact, because doubling would take hundreds of megabytes at h = 14.
        list.patterns.reserve_exact(PADDING);
        list.patterns.extend([0; PADDING]);
    }

    /// Places the inner queens. Returns the remaining rows and the node, or `None` if two share a row or a diagonal.
    fn inner_node(&self, rows: u32, inner: InnerRows) -> Option<(u32, Node)> {
        let shape = self.recipe.shape;
        let occupied = shape.occupied.map_or(0, |column| 1 << column);
        let outer = (1u32 << shape.half) - (1 << shape.depth);
        let mut node = Node { free: outer & !occupied, ..Node::default() };
        let mut left = rows;
        for (j, &place) in inner.iter().enumerate().filter(|(_, place)| **place > 0) {
            let i = (1..place).fold(rows, |rows, _| rows & (rows - 1)).trailing_zeros() as usize;
            if left >> i & 1 == 0 || node.attacked(i) >> j & 1 == 1 {
                return None;
            }
            left &= !(1 << i);
            node = node.and(i, j, self.queens[i][j]);
        }
        Some((left, node))
    }
}

/// Backtracking over the rows of a row set, in the outer columns.
struct QuadrantSearch<'a> {
    shape: Shape,
    queens: &'a [[u64; MAX_COLUMNS]],
    ranks: &'a [u16],
    /// The first run without and with a queen on the long diagonal.
    kinds: [u32; 2],
    /// The outer free columns.
    columns: u32,
}

/// The queens placed so far. Each field is one word, because a few nodes are copied per placement listed.
#[derive(Clone, Copy, Default)]
struct Node {
    free: u32,
    blocked: Blocked,
    on_diagonal: usize,
    pattern: u64,
}

impl Node {
    /// Adds a queen in row i and column j, which holds these keys.
    fn and(self, i: usize, j: usize, keys: u64) -> Self {
        Self {
            free: self.free & !(1 << j),
            blocked: Blocked {
                radial: self.blocked.radial | 1 << (32 + j - i),
                transverse: self.blocked.transverse | 1 << (i + j),
            },
            on_diagonal: self.on_diagonal | usize::from(i == j),
            pattern: self.pattern | keys,
        }
    }

    /// The columns of row i that are attacked.
    fn attacked(self, i: usize) -> u32 {
        (self.blocked.radial >> (32 - i)) as u32 | (self.blocked.transverse >> i) as u32
    }
}

impl QuadrantSearch<'_> {
    /// Places a queen in the first of `rows`, then in the others.
    fn row(&self, rows: u32, node: Node, found: &mut Vec<Placed>) {
        if rows == 0 {
            return self.found(node, found);
        }
        let i = rows.trailing_zeros() as usize;
        let later = rows & (rows - 1);
        let queens = &self.queens[i];
        let mut free = node.free & !node.attacked(i);
        while free != 0 {
            let j = free.trailing_zeros() as usize;
            free &= free - 1;
            // `j % MAX_COLUMNS` is `j`; it removes a bounds check.
            let next = node.and(i, j, queens[j % MAX_COLUMNS]);
            if later == 0 {
                self.found(next, found);
            } else {
                self.row(later, next, found);
            }
        }
    }

    #[inline(always)]
    fn found(&self, node: Node, found: &mut Vec<Placed>) {
        let rank = self.ranks[self.shape.outer_set(self.columns & !node.free) as usize];
        let run = self.kinds[node.on_diagonal] + u32::from(rank);
        found.push(Placed { run, pattern: ranked(node.pattern, rank) });
    }
}
