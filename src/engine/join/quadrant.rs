//! Quadrants: the ways to set queens in given rows of an h×h corner of the board, by the columns they take.
//!
//! All four quadrants look alike when rows and columns are numbered by their distance from the middle, so one table
//! serves them. A queen in row i, column j of a quadrant occupies
//!
//! - a *radial* diagonal j - i, which runs from the middle outward, and
//! - a *transverse* diagonal i + j, which cuts the corner off and leaves the quadrant for both neighbours while
//!   i + j is small.
//!
//! ```text
//!        north-west | north-east        row distance i = 2   . . T      T  transverse: i + j
//!        -----------+-----------                        1   . Q .       Q  the queen, i = j = 1
//!        south-west | south-east                        0   R . .  T    R  radial: j - i
//!                                         column distance j = 0 1 2
//! ```
//!
//! A placement is kept as a pattern of 2h-1 radial and h-1 transverse bits. The list for a row set is sorted into
//! runs: by the rows of the queens in the innermost columns (the *inner* queens), then by the set of the other
//! columns in increasing order, then by whether a queen stands on the long diagonal j = i. North and south of a half
//! take complementary column sets, and complementing turns increasing order into decreasing order, so two lists are
//! joined by walking one forward and the other backward.
//!
//! The number of placements for all row sets together grows from 9.4e5 at h = 9 to 7.7e6 at h = 10 and 7e7 at h = 11.

use super::choose;

/// The placements of queens in one row set of a quadrant, sorted into runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Quadrant {
    /// Radial bits (j - i + h - 1), then from bit 2h-1 transverse bits (i + j).
    pub(super) patterns: Vec<u64>,
    /// Where each run begins, and the end: run 2k has no queen on the long diagonal, run 2k+1 one.
    pub(super) starts: Vec<u32>,
}

/// How lists of a quadrant are cut by their inner queens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Columns, and rows, of the quadrant.
    pub(super) half: usize,
    /// Innermost columns whose queens are told apart: 1 or 2.
    pub(super) depth: usize,
}

impl Shape {
    /// Ways to name the inner queens, possible or not: for each inner column no queen or one of `rows`.
    pub(super) fn signatures(self, rows: usize) -> usize {
        (rows + 1).pow(self.depth as u32)
    }

    /// Inner queens of a signature: for each inner column 0 for none, or 1 + the index of its row in the row set.
    pub(super) fn inner(self, rows: usize, signature: usize) -> [usize; 2] {
        if self.depth == 1 { [signature, 0] } else { [signature % (rows + 1), signature / (rows + 1)] }
    }

    /// The signature of these inner queens.
    pub(super) fn signature(self, rows: usize, inner: [usize; 2]) -> usize {
        inner[0] + inner[1] * (rows + 1)
    }

    /// How many queens stand in the outer columns beside the inner queens of a signature, where that is possible.
    pub(super) fn outer(self, rows: usize, signature: usize) -> Option<usize> {
        rows.checked_sub(self.inner(rows, signature).iter().filter(|&&row| row > 0).count())
    }

    /// How many column sets there are beside the inner queens of a signature.
    pub(super) fn column_sets(self, rows: usize, signature: usize) -> usize {
        self.outer(rows, signature).map_or(0, |outer| choose(self.half - self.depth, outer))
    }

    /// The bits of a queen in row i, column j.
    pub(super) fn pattern(self, i: usize, j: usize) -> u64 {
        let h = self.half;
        let transverse = if i + j + 2 <= h { 1 << (2 * h - 1 + i + j) } else { 0 };
        1 << (j + h - 1 - i) | transverse
    }
}

/// Lists quadrants; keeps its buffers.
#[derive(Debug)]
pub(super) struct Lister {
    shape: Shape,
    /// Rank of each column set among those of its size.
    ranks: Vec<u32>,
    found: Vec<(u32, u64)>,
    counts: Vec<u32>,
}

impl Lister {
    pub(super) fn new(shape: Shape) -> Self {
        let outer = shape.half - shape.depth;
        let mut next = vec![0; outer + 1];
        let ranks = (0..1u32 << outer)
            .map(|set| {
                let next = &mut next[set.count_ones() as usize];
                *next += 1;
                *next - 1
            })
            .collect();
        Self { shape, ranks, found: Vec::new(), counts: Vec::new() }
    }

    /// Fills `list` with all placements of queens in exactly the rows `rows`.
    pub(super) fn list(&mut self, rows: u32, list: &mut Quadrant) {
        let shape = self.shape;
        let count = rows.count_ones() as usize;
        let signatures = shape.signatures(count);
        let mut bases = Vec::with_capacity(signatures);
        let mut runs = 0;
        for signature in 0..signatures {
            bases.push(runs as u32);
            runs += 2 * shape.column_sets(count, signature);
        }
        self.found.clear();
        let search = Search { shape, ranks: &self.ranks, bases: &bases, count };
        search.row(rows, State { index: 1, ..State::default() }, &mut self.found);

        // A counting sort by run.
        list.starts.clear();
        list.starts.resize(runs + 1, 0);
        for &(run, _) in &self.found {
            list.starts[run as usize + 1] += 1;
        }
        for run in 0..runs {
            list.starts[run + 1] += list.starts[run];
        }
        self.counts.clear();
        self.counts.extend_from_slice(&list.starts);
        list.patterns.clear();
        list.patterns.resize(self.found.len(), 0);
        for &(run, pattern) in &self.found {
            let at = &mut self.counts[run as usize];
            list.patterns[*at as usize] = pattern;
            *at += 1;
        }
    }
}

/// Backtracking over the rows of a row set.
struct Search<'a> {
    shape: Shape,
    ranks: &'a [u32],
    bases: &'a [u32],
    count: usize,
}

/// Queens set so far.
#[derive(Clone, Copy, Default)]
struct State {
    /// 1 + how many.
    index: usize,
    columns: u32,
    /// Columns attacked in row 0 of an unbounded board, by diagonals of each kind: bit j - i + 32 and bit i + j.
    radial: u64,
    transverse: u64,
    pattern: u64,
    inner: [usize; 2],
}

impl Search<'_> {
    fn row(&self, rows: u32, state: State, found: &mut Vec<(u32, u64)>) {
        let Shape { half, depth } = self.shape;
        if rows == 0 {
            let signature = self.shape.signature(self.count, state.inner);
            let rank = self.ranks[(state.columns >> depth) as usize];
            let diagonal = (state.pattern >> (half - 1) & 1) as u32;
            found.push((self.bases[signature] + 2 * rank + diagonal, state.pattern));
            return;
        }
        let i = rows.trailing_zeros() as usize;
        let attacked = state.columns | (state.radial >> (32 - i)) as u32 | (state.transverse >> i) as u32;
        let mut free = !attacked & ((1 << half) - 1);
        while free != 0 {
            let j = free.trailing_zeros() as usize;
            free &= free - 1;
            let mut inner = state.inner;
            if j < depth {
                inner[j] = state.index;
            }
            let next = State {
                index: state.index + 1,
                columns: state.columns | 1 << j,
                radial: state.radial | 1 << (32 + j - i),
                transverse: state.transverse | 1 << (i + j),
                pattern: state.pattern | self.shape.pattern(i, j),
                inner,
            };
            self.row(rows & (rows - 1), next, found);
        }
    }
}
