//! Halves: north and south quadrants joined, in the keys by which east and west attack each other.
//!
//! Let x be a square's distance east of the middle and y its distance south of it. East and west queens attack each
//! other along diagonals that cross the middle column: those with |x + y| < h or |y - x| < h. Each is a *key*, and a
//! half is the set of keys its queens hold: [`Keys`] turns a quadrant's radial and transverse diagonals into them.
//! Keys also tell whether a north and a south quadrant of the same half fit together, since whatever they share is a
//! crossing diagonal. So one AND joins quadrants into halves, and the same AND halves into boards.

use super::quadrant::{Quadrant, Shape};
use crate::engine::lanes::{Lanes, Runs};

/// One of the four quadrants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Corner {
    NorthEast,
    SouthEast,
    NorthWest,
    SouthWest,
}

/// How diagonals become keys: bits 0.. of a pattern for x + y, bits 32.. for y - x, both from -(h-1) to h-1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys {
    pub(super) shape: Shape,
    /// Distance in x + y from a radial diagonal's 0 to the innermost transverse one: 1 for even N, 2 for odd N, where
    /// the middle lines lie between.
    pub(super) gap: usize,
    /// Whether the long diagonals, key 0 of both kinds, are left out because no east queen may stand there.
    pub(super) without_long: bool,
}

impl Keys {
    /// Bits of each kind.
    pub(super) fn width(&self) -> usize {
        2 * self.shape.half - 1 - usize::from(self.without_long)
    }

    /// The keys of a quadrant pattern.
    #[inline(always)]
    pub(super) fn of(&self, corner: Corner, pattern: u64) -> u64 {
        let h = self.shape.half;
        let radial = (pattern & ((1 << (2 * h - 1)) - 1)) as u32;
        let transverse = (pattern >> (2 * h - 1)) as u32 & ((1 << (h - self.gap)) - 1);
        // The transverse diagonals leave to the far side of the middle: keys -(gap + i + j) or gap + i + j.
        let minus = transverse.reverse_bits() >> (32 - (h - self.gap));
        let plus = transverse << (h - 1 + self.gap);
        let flipped = radial.reverse_bits() >> (32 - (2 * h - 1));
        let (sum, difference) = match corner {
            Corner::NorthEast => (radial, minus),
            Corner::SouthEast => (plus, flipped),
            Corner::NorthWest => (minus, radial),
            Corner::SouthWest => (flipped, plus),
        };
        u64::from(self.squeeze(sum)) | u64::from(self.squeeze(difference)) << 32
    }

    /// Takes the bit of the long diagonal out, if it is to be left out.
    #[inline(always)]
    fn squeeze(&self, keys: u32) -> u32 {
        let centre = self.shape.half - 1;
        let low = (1 << centre) - 1;
        if self.without_long { keys & low | keys >> 1 & !low } else { keys }
    }

    /// The keys of one queen.
    pub(super) fn queen(&self, corner: Corner, i: usize, j: usize) -> u64 {
        self.of(corner, self.shape.pattern(i, j))
    }
}

/// A quadrant's list for one task: in keys, without what the middle queens attack.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) rows: u32,
    patterns: Vec<u64>,
    starts: Vec<u32>,
    /// Where the runs of each signature begin.
    bases: Vec<u32>,
}

/// What the middle queens forbid in a quadrant.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Blocked {
    /// Radial and transverse bits of a quadrant pattern.
    pub(super) pattern: u64,
    /// A column, as a bit.
    pub(super) column: u32,
}

impl Part {
    /// Takes over a quadrant's list. `subsets` holds the sets of outer columns by size.
    pub(super) fn fill(
        &mut self,
        keys: &Keys,
        corner: Corner,
        rows: u32,
        list: &Quadrant,
        blocked: Blocked,
        subsets: &[Vec<u32>],
    ) {
        self.rows = rows;
        self.bases.clear();
        self.patterns.clear();
        self.starts.clear();
        let (shape, count) = (keys.shape, rows.count_ones() as usize);
        if blocked.pattern == 0 && blocked.column == 0 {
            let mut base = 0;
            for signature in 0..shape.signatures(count) {
                self.bases.push(base);
                base += 2 * shape.column_sets(count, signature) as u32;
            }
            self.starts.extend_from_slice(&list.starts);
            self.patterns.extend(list.patterns.iter().map(|&pattern| keys.of(corner, pattern)));
            return;
        }
        let outer_blocked = blocked.column >> shape.depth;
        let mut run = 0;
        for signature in 0..shape.signatures(count) {
            self.bases.push(self.starts.len() as u32);
            let Some(outer) = shape.outer(count, signature).and_then(|outer| subsets.get(outer)) else { continue };
            for &set in outer {
                for _ in 0..2 {
                    let patterns = &list.patterns[list.starts[run] as usize..list.starts[run + 1] as usize];
                    run += 1;
                    if set & outer_blocked == 0 {
                        self.starts.push(self.patterns.len() as u32);
                        let kept = patterns.iter().filter(|&pattern| pattern & blocked.pattern == 0);
                        self.patterns.extend(kept.map(|&pattern| keys.of(corner, pattern)));
                    }
                }
            }
        }
        self.starts.push(self.patterns.len() as u32);
    }

    /// The runs of a signature; `kind` picks those with or without a queen on the long diagonal.
    fn runs(&self, signature: usize, sets: usize, kind: LongQueens) -> Runs<'_> {
        let base = self.bases[signature] as usize;
        Runs { patterns: &self.patterns, starts: &self.starts[base..=base + 2 * sets], pick: kind.pick() }
    }
}

/// Which placements of a quadrant to take, by the queens on its long diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LongQueens {
    None,
    One,
    Any,
}

impl LongQueens {
    fn pick(self) -> (usize, usize) {
        match self {
            Self::None => (0, 1),
            Self::One => (1, 2),
            Self::Any => (0, 2),
        }
    }
}

/// The inner queens of a half: for each inner column the quadrant and the place in its row set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inner {
    /// Signatures of the north and the south quadrant.
    pub(super) north: usize,
    pub(super) south: usize,
    /// The keys of the queen in the innermost column, and in the next.
    pub(super) keys: [u64; 2],
}

/// All ways to set the inner queens of a half, ordered by the innermost.
pub(super) fn inner_queens(
    keys: &Keys,
    corners: [Corner; 2],
    rows: [u32; 2],
    blocked_column: u32,
    out: &mut Vec<Inner>,
) {
    let shape = keys.shape;
    let counts = rows.map(|set| set.count_ones() as usize);
    out.clear();
    let nobody = Choice { queen: None };
    let choices = |column: usize| -> Vec<Choice> {
        if column >= shape.depth || blocked_column >> column & 1 == 1 {
            return vec![nobody];
        }
        (0..2)
            .flat_map(|side| bits(rows[side]).enumerate().map(move |(index, i)| (side, index, i)))
            .map(|queen| Choice { queen: Some(queen) })
            .collect()
    };
    let (first, second) = (choices(0), choices(1));
    for a in &first {
        for b in &second {
            if let (Some((side, index, _)), Some((other_side, other, _))) = (a.queen, b.queen)
                && side == other_side
                && index == other
            {
                continue;
            }
            let mut inner = [[0; 2]; 2];
            let mut held = [0; 2];
            for (column, choice) in [a, b].into_iter().enumerate() {
                if let Some((side, index, i)) = choice.queen {
                    inner[side][column] = index + 1;
                    held[column] = keys.queen(corners[side], i, column);
                }
            }
            let [north, south] = [0, 1].map(|side| shape.signature(counts[side], inner[side]));
            out.push(Inner { north, south, keys: held });
        }
    }
}

#[derive(Clone, Copy)]
struct Choice {
    /// Side (0 north, 1 south), index in the row set, row.
    queen: Option<(usize, usize, usize)>,
}

fn bits(set: u32) -> impl Iterator<Item = usize> + Clone {
    (0..32).filter(move |i| set >> i & 1 == 1)
}

/// Joins the runs of a north and a south part that leave each other's columns free, and appends the halves to `out`.
///
/// `sets` is the number of column sets the north may take, and `ranks` those of them wanted.
#[expect(clippy::too_many_arguments)]
pub(super) fn join<L: Lanes>(
    lanes: L,
    north: &Part,
    south: &Part,
    inner: &Inner,
    sets: usize,
    kinds: [LongQueens; 2],
    ranks: std::ops::Range<usize>,
    out: &mut Vec<u64>,
) {
    if ranks.is_empty() {
        return;
    }
    lanes.pairs(north.runs(inner.north, sets, kinds[0]), south.runs(inner.south, sets, kinds[1]), ranks, out);
}
