//! Listing: every cover of a set of items by the pieces of one side, as the set of keys that it holds.
//!
//! The highest free item is covered next. So each cover is found once, and covers with the same first pieces are
//! neighbours: they form the groups by which the lists are cut. The last pieces are not searched for. They depend only
//! on the remaining items, of which there are few different sets. So all *tails* of such a set are listed once, and
//! then each tail is kept or dropped by one comparison.

use std::ops::Range;

use super::{Piece, Pieces, word};
use crate::engine::lanes::{KEY_BITS, Lanes};
use crate::engine::split::{FirstPieces, Grouped, GroupedLists, MAX_DEPTH};

/// The largest number of pieces of a tail. A set of eight or ten items has some 20 to 200 tails.
const TAIL: usize = 5;

/// The largest number of items for tails: there is a table of all sets of these items.
const TAIL_ITEMS: usize = 16;

/// Whether there are enough marked items for every piece to have one.
fn can_cover(left: u64, marked: u64) -> bool {
    (left & !marked).count_ones() <= (left & marked).count_ones()
}

/// Buffers for listing one set of items at a time.
#[derive(Debug, Default)]
pub(super) struct CoverLister {
    /// The pieces within the set, by their highest item. Items are renumbered from 0.
    pieces: Vec<Vec<Piece>>,
    /// The marked items, renumbered.
    marked: u64,
    tails: Tails,
}

/// The tails of sets of the lowest items, listed when they are first needed.
#[derive(Debug, Default)]
struct Tails {
    patterns: Vec<u64>,
    /// The range of each set's patterns; see [`Tails::NONE`].
    of: Vec<(u32, u32)>,
}

impl CoverLister {
    /// Lists the covers of `items`. They are grouped by their first `depth` pieces, or by fewer if they have not as
    /// many.
    pub(super) fn list<L: Lanes>(
        &mut self,
        lanes: L,
        pieces: &Pieces,
        items: u64,
        depth: usize,
        list: &mut GroupedLists<1>,
    ) {
        let count = items.count_ones() as usize;
        self.number(pieces, items);
        // Every piece has two items. A tail begins when all higher items are covered, so its items are among the
        // lowest.
        let total = count / 2;
        let mut tail = total.min(TAIL);
        while tail > 0 && !self.fit(count - (total - tail)) {
            tail -= 1;
        }
        let heads = total - tail;
        self.tails.clear(if tail == 0 { 0 } else { count - heads });

        let GroupedLists { lists: [out], pieces: first } = list;
        out.clear();
        first.clear();
        let (depth, path) = (depth.min(heads), [0; MAX_DEPTH]);
        let Self { pieces, marked, tails } = self;
        CoverSearch { lanes, pieces, marked: *marked, tails, out, first, path, depth, heads }.heads(
            (1u64 << count) - 1,
            0,
            0,
        );
    }

    /// Renumbers the items of a set from 0, and finds the pieces within it.
    fn number(&mut self, pieces: &Pieces, items: u64) {
        let count = items.count_ones() as usize;
        self.pieces.resize_with(count.max(self.pieces.len()), Vec::new);
        let mut left = items;
        self.marked = 0;
        for (number, own) in self.pieces.iter_mut().take(count).enumerate() {
            own.clear();
            let item = left.trailing_zeros();
            left &= left - 1;
            self.marked |= (pieces.marked(items) >> item & 1) << number;
            for piece in pieces.of(item as usize).iter().filter(|piece| piece.items & !items == 0) {
                let mut own_items = 0;
                let mut rest = piece.items;
                while rest != 0 {
                    let below = (rest & rest.wrapping_neg()) - 1;
                    own_items |= 1 << (items & below).count_ones();
                    rest &= rest - 1;
                }
                own.push(Piece { items: own_items, keys: piece.keys });
            }
        }
    }

    /// Whether tails can be made of the lowest `items` items: their sets must fit in the table, and their keys in a
    /// word.
    fn fit(&self, items: usize) -> bool {
        let fits = |piece: &Piece| u128::from(word(piece.keys)) << 32 == piece.keys;
        items <= TAIL_ITEMS && self.pieces[..items].iter().flatten().all(fits)
    }
}

/// The search for the first pieces of covers.
struct CoverSearch<'a, L> {
    lanes: L,
    pieces: &'a [Vec<Piece>],
    marked: u64,
    tails: &'a mut Tails,
    out: &'a mut Grouped,
    /// The first pieces of each group, and below those of the current group.
    first: &'a mut Vec<FirstPieces>,
    path: FirstPieces,
    /// The number of first pieces that define a group.
    depth: usize,
    /// The number of pieces before the tail.
    heads: usize,
}

impl<L: Lanes> CoverSearch<'_, L> {
    fn heads(&mut self, left: u64, keys: u128, placed: usize) {
        if placed == self.heads {
            let tails = self.tails.list(self.pieces, self.marked, left as usize);
            let patterns = &mut self.out.patterns;
            let first = patterns.len();
            let keys = word(keys);
            let shared = keys & KEY_BITS;
            // `retain` appends only the shared keys of a pattern, so only the shared keys of the first pieces are added.
            self.lanes.retain(&self.tails.patterns[tails], keys, patterns);
            patterns[first..].iter_mut().for_each(|pattern| *pattern |= shared);
        } else {
            let pieces = self.pieces;
            for piece in &pieces[left.ilog2() as usize] {
                let rest = left & !piece.items;
                if piece.items & !left == 0 && piece.keys & keys == 0 && can_cover(rest, self.marked) {
                    if placed < self.depth {
                        self.path[placed] = word(piece.keys);
                    }
                    self.heads(rest, keys | piece.keys, placed + 1);
                }
            }
        }
        if placed == self.depth && !self.out.is_closed() {
            self.out.close(self.lanes);
            self.first.push(self.path);
        }
    }
}

impl Tails {
    /// The set has not been listed yet.
    const NONE: (u32, u32) = (u32::MAX, 0);

    /// Removes all tails, and makes room for sets of this many items.
    fn clear(&mut self, items: usize) {
        self.of.clear();
        self.of.resize(1 << items, Self::NONE);
        self.patterns.clear();
        self.patterns.push(0);
        // There is one way to cover the empty set.
        self.of[0] = (0, 1);
    }

    /// Every cover of this set.
    fn list(&mut self, pieces: &[Vec<Piece>], marked: u64, set: usize) -> Range<usize> {
        if self.of[set] == Self::NONE {
            let fits =
                |piece: &&Piece| piece.items & !(set as u64) == 0 && can_cover(set as u64 & !piece.items, marked);
            let within = pieces[set.ilog2() as usize].iter().filter(fits);
            // The covers of the rest are listed first, so that this list is contiguous.
            for piece in within.clone() {
                self.list(pieces, marked, set & !(piece.items as usize));
            }
            let first = self.patterns.len();
            for piece in within {
                let keys = word(piece.keys);
                let (start, end) = self.of[set & !(piece.items as usize)];
                for index in start as usize..end as usize {
                    let pattern = self.patterns[index];
                    if pattern & keys == 0 {
                        self.patterns.push(pattern | keys);
                    }
                }
            }
            self.of[set] = (first as u32, self.patterns.len() as u32);
        }
        let (start, end) = self.of[set];
        start as usize..end as usize
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use fastrand::Rng;

    use super::*;
    use crate::engine::lanes::Portable;

    /// The first pieces of covers, with the shared keys of the covers that begin with them, in order.
    type Covers = BTreeMap<FirstPieces, Vec<u64>>;

    /// Every cover of `left` by its definition, under its first `depth` pieces.
    fn search(pieces: &[Piece], left: u64, keys: u128, depth: usize, first: &[u64], covers: &mut Covers) {
        if left == 0 {
            let mut name = [0; MAX_DEPTH];
            name[..depth].copy_from_slice(&first[..depth]);
            return covers.entry(name).or_default().push(word(keys) & KEY_BITS);
        }
        for piece in pieces.iter().filter(|piece| piece.items.ilog2() == left.ilog2()) {
            if piece.items & !left == 0 && piece.keys & keys == 0 {
                let first = [first, &[word(piece.keys)]].concat();
                search(pieces, left & !piece.items, keys | piece.keys, depth, &first, covers);
            }
        }
    }

    /// A piece for each pair of twelve items. It holds two random keys, of which pieces of items from `from` on may hold
    /// some in `beyond`.
    fn pairs(from: u32, beyond: &Range<u32>, random: &mut Rng) -> Vec<Piece> {
        let mut key = |item| {
            let range = if item >= from && random.bool() { beyond.clone() } else { 40..88 };
            1u128 << random.u32(range)
        };
        let pair = |(high, low)| Piece { items: 1u64 << high | 1u64 << low, keys: key(high) | key(high) };
        (0..12u32).flat_map(|high| (0..high).map(move |low| (high, low))).map(pair).collect()
    }

    /// Keys beyond the middle word are compared too, whichever pieces hold them: no tail is made of such pieces.
    #[test]
    fn keys_beyond_the_word_are_kept_apart() {
        // Below the word, on its lower and on its upper edge, above it, and on both sides.
        for beyond in [20..32, 30..34, 94..98, 96..108, 20..108] {
            for from in [0, 1, 6, 9, 11, 12] {
                let mut random = Rng::with_seed(u64::from(from));
                let pieces = pairs(from, &beyond, &mut random);
                let (mut lister, mut list) = (CoverLister::default(), GroupedLists::default());
                lister.list(Portable::new(), &Pieces::new(u64::MAX, pieces.clone()), 0xfff, 2, &mut list);
                let mut covers = Covers::new();
                for (group, first) in list.pieces.iter().enumerate() {
                    let patterns = list.lists[0].of(&(group..group + 1));
                    covers.entry(*first).or_default().extend(patterns.iter().map(|pattern| pattern & KEY_BITS));
                }
                // Up to five pieces are the tail, as far as they are of items below `from`.
                let tail = from.saturating_sub(6).min(5) as usize;
                let mut expected = Covers::new();
                search(&pieces, 0xfff, 0, (6 - tail).min(2), &[], &mut expected);
                covers.values_mut().chain(expected.values_mut()).for_each(|patterns| patterns.sort_unstable());
                assert!(covers == expected, "keys {beyond:?} from item {from} on");
                assert!(expected.len() > 5, "{} first pieces", expected.len());
            }
        }
    }
}
