//! Quadrants: the ways to set queens in given rows of an h×h corner of the board, by the columns they take.
//!
//! Rows and columns of a quadrant are numbered by their distance from the middle. A queen in row i, column j occupies
//!
//! - a *radial* diagonal j - i, which runs from the middle outward, and
//! - a *transverse* diagonal i + j, which cuts the corner off and, while i + j is small, leaves the quadrant for both
//!   of its neighbours.
//!
//! ```text
//!        north-west | north-east        row distance i = 2   . . T      T  transverse: i + j = 2
//!        -----------+-----------                        1   . Q .       Q  the queen, i = j = 1
//!        south-west | south-east                        0   T . .  R    R  radial: j - i = 0
//!                                         column distance j = 0 1 2
//! ```
//!
//! A list holds the placements in one row set as patterns of [`Keys`], sorted into *runs*: by the rows of the queens
//! in the innermost columns (the *inner* queens, a *signature*), then by whether a queen stands on the long diagonal,
//! then by the set of the other columns, in increasing order. North and south of a half take complementary column
//! sets, and complementing turns increasing order into decreasing order: so the partners of a placement are the run
//! as far from the end as its own is from the beginning.
//!
//! The placements for all row sets together are 1.2e5 at h = 8, and about eight times as many for each h more.

use super::keys::{Keys, Side};
use crate::engine::lanes::ranked;

/// Innermost columns that lists may be cut by.
pub(super) const MAX_DEPTH: usize = 4;

/// Where the inner queens of a side stand: for each inner column 0 for none, or 1 + the place of the queen's row in the
/// row set.
pub(super) type InnerRows = [usize; MAX_DEPTH];

/// How the lists of one half are cut into runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Columns, and rows, of the quadrant.
    pub(super) half: usize,
    /// Innermost columns whose queens are told apart, up to [`MAX_DEPTH`].
    pub(super) depth: usize,
    /// A column that a middle queen has taken.
    pub(super) taken: Option<usize>,
    /// Whether placements with a queen on the long diagonal are kept apart.
    pub(super) by_diagonal: bool,
}

impl Shape {
    /// Free columns beyond the inner ones.
    fn outer_columns(self) -> usize {
        self.half - self.depth - usize::from(self.taken.is_some_and(|column| column >= self.depth))
    }

    /// A set of columns without the inner and the taken ones.
    pub(super) fn outer_set(self, columns: u32) -> u32 {
        let set = columns >> self.depth;
        match self.taken {
            Some(column) if column >= self.depth => {
                let low = (1 << (column - self.depth)) - 1;
                set & low | set >> 1 & !low
            }
            _ => set,
        }
    }

    /// Ways to name the inner queens, possible or not: for each inner column no queen or one of `rows`.
    fn signatures(self, rows: usize) -> usize {
        (rows + 1).pow(self.depth as u32)
    }

    /// How many column sets there are beside so many inner queens.
    pub(super) fn sets(self, rows: usize, inner: InnerRows) -> usize {
        let inner = inner.iter().filter(|&&row| row > 0).count();
        rows.checked_sub(inner).map_or(0, |outer| choose(self.outer_columns(), outer))
    }

    fn kinds(self) -> u32 {
        1 + u32::from(self.by_diagonal)
    }
}

/// The signature of these inner queens: a number with a digit for each column, to the base of one more than the rows.
pub(super) fn signature(rows: usize, inner: InnerRows) -> usize {
    inner.iter().rev().fold(0, |signature, &place| signature * (rows + 1) + place)
}

/// The inner queens of a signature.
fn inner(rows: usize, mut signature: usize) -> InnerRows {
    std::array::from_fn(|_| {
        let place = signature % (rows + 1);
        signature /= rows + 1;
        place
    })
}

/// The number of subsets of size `k` of a set of size `n`.
fn choose(n: usize, k: usize) -> usize {
    if k > n { 0 } else { (0..k).fold(1, |product, i| product * (n - i) / (i + 1)) }
}

/// The placements of queens in one row set of a quadrant.
#[derive(Debug, Default)]
pub(super) struct Quadrant {
    pub(super) rows: u32,
    /// Keys of each placement, with the rank of its column set in its signature.
    pub(super) patterns: Vec<u64>,
    /// Where each run begins, and the end.
    pub(super) starts: Vec<u32>,
    /// The first run of each signature.
    bases: Vec<u32>,
}

impl Quadrant {
    /// The starts of the runs of a signature with `sets` column sets: those without a queen on the long diagonal
    /// (kind 0, or both kinds where they are not kept apart), or with one (kind 1).
    pub(super) fn runs(&self, signature: usize, sets: usize, kind: usize) -> &[u32] {
        let base = self.bases[signature] as usize + kind * sets;
        &self.starts[base..=base + sets]
    }
}

/// Diagonals that the middle queens attack: bit j - i + 32, and bit i + j.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Blocked {
    pub(super) radial: u64,
    pub(super) transverse: u64,
}

/// Lists quadrants of one shape.
#[derive(Debug)]
pub(super) struct Lister {
    shape: Shape,
    /// Keys of a queen in each row and column.
    queens: Vec<[u64; 16]>,
    /// Rank of each set of outer columns among those of its size.
    ranks: Vec<u16>,
}

/// Buffers for listing, whatever the shape.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    found: Vec<Found>,
    kinds: Vec<[u32; 2]>,
    next: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Found {
    run: u32,
    pattern: u64,
}

impl Lister {
    pub(super) fn new(shape: Shape, keys: Keys, side: Side) -> Self {
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
        Self { shape, queens, ranks }
    }

    /// Fills `list` with all placements of queens in exactly the rows `rows`, off the blocked diagonals.
    pub(super) fn list(&self, rows: u32, blocked: Blocked, buffers: &mut Buffers, list: &mut Quadrant) {
        let shape = self.shape;
        let Buffers { found, kinds, next } = buffers;
        let count = rows.count_ones() as usize;
        list.rows = rows;
        list.bases.clear();
        kinds.clear();
        let mut runs = 0;
        for signature in 0..shape.signatures(count) {
            let sets = shape.sets(count, inner(count, signature)) as u32;
            list.bases.push(runs);
            kinds.push([runs, runs + if shape.by_diagonal { sets } else { 0 }]);
            runs += sets * shape.kinds();
        }
        let runs = runs as usize;
        found.clear();
        let taken = shape.taken.map_or(0, |column| 1 << column);
        let start = Node { free: !taken & ((1 << shape.half) - 1), blocked, ..Node::default() };
        if rows == 0 {
            found.push(Found { run: 0, pattern: 0 });
        } else {
            let search = Search {
                shape,
                queens: &self.queens,
                ranks: &self.ranks,
                kinds,
                columns: start.free,
                step: std::array::from_fn(|column| (count as u32 + 1).pow(column as u32)),
            };
            search.row(rows, 1, start, found);
        }

        // A counting sort by run.
        list.starts.clear();
        list.starts.resize(runs + 1, 0);
        for found in found.iter() {
            list.starts[found.run as usize + 1] += 1;
        }
        for run in 0..runs {
            list.starts[run + 1] += list.starts[run];
        }
        next.clear();
        next.extend_from_slice(&list.starts);
        list.patterns.clear();
        list.patterns.resize(found.len(), 0);
        for found in found.iter() {
            let next = &mut next[found.run as usize];
            list.patterns[*next as usize] = found.pattern;
            *next += 1;
        }
    }
}

/// Backtracking over the rows of a row set.
struct Search<'a> {
    shape: Shape,
    queens: &'a [[u64; 16]],
    ranks: &'a [u16],
    /// For each signature the first run without and with a queen on the long diagonal.
    kinds: &'a [[u32; 2]],
    /// Columns that may take a queen.
    columns: u32,
    /// What the n-th queen adds to the signature for each n, by the inner column it stands in.
    step: [u32; MAX_DEPTH],
}

/// Queens set so far. One word each, for a few nodes are visited for every placement listed.
#[derive(Clone, Copy, Default)]
struct Node {
    /// Columns without a queen.
    free: u32,
    signature: u32,
    blocked: Blocked,
    on_diagonal: usize,
    pattern: u64,
}

impl Search<'_> {
    /// Sets the `nth` queen in the first of `rows`, then the others.
    fn row(&self, rows: u32, nth: u32, node: Node, found: &mut Vec<Found>) {
        let i = rows.trailing_zeros() as usize;
        let later = rows & (rows - 1);
        let queens = &self.queens[i];
        let attacked = (node.blocked.radial >> (32 - i)) as u32 | (node.blocked.transverse >> i) as u32;
        let mut free = node.free & !attacked;
        while free != 0 {
            let j = free.trailing_zeros() as usize;
            free &= free - 1;
            let step = if j < self.shape.depth { nth * self.step[j] } else { 0 };
            let next = Node {
                free: node.free & !(1 << j),
                signature: node.signature + step,
                blocked: Blocked {
                    radial: node.blocked.radial | 1 << (32 + j - i),
                    transverse: node.blocked.transverse | 1 << (i + j),
                },
                on_diagonal: node.on_diagonal | usize::from(i == j),
                pattern: node.pattern | queens[j % 16],
            };
            if later == 0 {
                let rank = self.ranks[self.shape.outer_set(self.columns & !next.free) as usize];
                let run = self.kinds[next.signature as usize][next.on_diagonal] + u32::from(rank);
                found.push(Found { run, pattern: ranked(next.pattern, rank) });
            } else {
                self.row(later, nth + 1, next, found);
            }
        }
    }
}
