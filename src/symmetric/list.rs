//! Listing: every cover of a set of items by the pieces of one side, as the set of keys that it holds.
//!
//! The highest free item is covered next. So each cover is found once, and covers with the same first pieces are
//! neighbours: they form the groups by which the lists are cut. The last pieces are not searched for. They depend only
//! on the remaining items, of which there are few different sets. So all *tails* of such a set are listed once, and
//! then each tail is kept or dropped by one comparison.

use std::ops::Range;

use crate::engine::lanes::{KEY_BITS, Kernels};
use crate::engine::split::{FirstPieces, GroupedLists};
use crate::plan::MAX_DEPTH;

/// One piece of a cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The items that it covers, one bit for each.
    pub(super) items: u64,
    /// The keys that it holds, see [`word`].
    pub(super) keys: u128,
}

/// The middle word of a set of keys. Bits 6 to 57 of it are the 52 keys that both sides of a join may hold, as
/// [`disjoint`](crate::engine::lanes::disjoint) takes them. The keys beyond may be held by one side only.
pub(super) fn word(keys: u128) -> u64 {
    (keys >> 32) as u64
}

/// The pieces of one side.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    /// By the highest item that each covers.
    pub(super) by_item: Vec<Vec<Piece>>,
    /// Every piece covers at least one of these items.
    pub(super) marked: u64,
}

impl Pieces {
    pub(super) fn new(marked: u64, pieces: impl IntoIterator<Item = Piece>) -> Self {
        let mut by_item = vec![Vec::new(); 64];
        for piece in pieces {
            by_item[piece.items.ilog2() as usize].push(piece);
        }
        Self { by_item, marked }
    }

    /// The same pieces with their keys in reverse order, as the probe side has them.
    pub(super) fn reversed(mut self) -> Self {
        self.by_item.iter_mut().flatten().for_each(|piece| piece.keys = piece.keys.reverse_bits());
        self
    }
}

/// The largest number of pieces of a tail. A set of eight or ten items has some 20 to 200 tails.
const TAIL: usize = 5;

/// The largest number of items for tails: there is a table of all sets of these items.
const TAIL_ITEMS: usize = 16;

/// Buffers for listing one set of items at a time.
#[derive(Debug, Default)]
pub(super) struct CoverLister {
    /// The pieces within the set, by their highest item. Items are renumbered from 0.
    pieces: Vec<Vec<Piece>>,
    tails: Tails,
}

impl CoverLister {
    /// Lists the covers of `items`, grouped by their first `depth` pieces, or by fewer if they have not as many.
    pub(super) fn list(
        &mut self,
        kernels: &dyn Kernels,
        pieces: &Pieces,
        items: u64,
        depth: usize,
        list: &mut GroupedLists<1>,
    ) {
        // The items are renumbered from 0, and only the pieces within them are kept.
        let numbered = |set: u64| members(set).map(|item| 1 << (items & ((1 << item) - 1)).count_ones()).sum();
        let (marked, count) = (numbered(pieces.marked & items), items.count_ones() as usize);
        self.pieces.resize_with(self.pieces.len().max(count), Vec::new);
        for (own, item) in self.pieces.iter_mut().zip(members(items)) {
            own.clear();
            let within = pieces.by_item[item].iter().filter(|piece| piece.items & !items == 0);
            own.extend(within.map(|piece| Piece { items: numbered(piece.items), keys: piece.keys }));
        }
        // Every piece has two items. A tail begins when all higher items are covered, so it has the lowest ones.
        let total = count / 2;
        // Their sets must fit in the table, and their keys in a word.
        let fits = |piece: &Piece| u128::from(word(piece.keys)) << 32 == piece.keys;
        let fit = |items: usize| items <= TAIL_ITEMS && self.pieces[..items].iter().flatten().all(fits);
        let tail = (1..=total.min(TAIL)).rev().find(|tail| fit(count - (total - tail))).unwrap_or(0);
        let heads = total - tail;
        self.tails.clear(if tail == 0 { 0 } else { count - heads });
        list.clear();
        let (depth, path) = (depth.min(heads), [0; MAX_DEPTH]);
        let Self { pieces, tails } = self;
        let mut search = CoverSearch { kernels, pieces, marked, tails, list, path, depth, heads };
        search.heads((1u64 << count) - 1, 0, 0);
    }
}

/// The members of a set.
fn members(set: u64) -> impl Iterator<Item = usize> {
    let without_lowest = |set: &u64| Some(set & set.wrapping_sub(1));
    let sets = std::iter::successors(Some(set), without_lowest).take_while(|&set| set != 0);
    sets.map(|set| set.trailing_zeros() as usize)
}

/// Whether there are enough marked items for every piece to have one.
fn can_cover(left: u64, marked: u64) -> bool {
    (left & !marked).count_ones() <= (left & marked).count_ones()
}

/// The search for the first pieces of covers.
struct CoverSearch<'a> {
    kernels: &'a dyn Kernels,
    pieces: &'a [Vec<Piece>],
    marked: u64,
    tails: &'a mut Tails,
    list: &'a mut GroupedLists<1>,
    /// The first pieces of the current group.
    path: FirstPieces,
    /// The number of first pieces that define a group.
    depth: usize,
    /// The number of pieces before the tail.
    heads: usize,
}

impl CoverSearch<'_> {
    fn heads(&mut self, left: u64, keys: u128, placed: usize) {
        if placed == self.heads {
            let tails = self.tails.list(self.pieces, self.marked, left);
            let patterns = &mut self.list.lists[0].patterns;
            let first = patterns.len();
            let keys = word(keys);
            let shared = keys & KEY_BITS;
            // Keys that only this side can hold are of no use from here on.
            self.kernels.retain(&self.tails.patterns[tails], keys, patterns);
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
        let GroupedLists { lists: [group], pieces } = &mut *self.list;
        if placed == self.depth && !group.is_closed() {
            group.close(self.kernels);
            pieces.push(self.path);
        }
    }
}

/// The tails of sets of the lowest items, listed when they are first needed.
#[derive(Debug, Default)]
struct Tails {
    patterns: Vec<u64>,
    /// Where the patterns of each set begin and end; 0 and 0 if it has not been listed yet.
    of: Vec<(u32, u32)>,
}

impl Tails {
    /// Removes all tails, and makes room for sets of this many items.
    fn clear(&mut self, items: usize) {
        self.of.clear();
        self.of.resize(1 << items, (0, 0));
        self.patterns.clear();
        self.patterns.push(0);
        // There is one way to cover the empty set.
        self.of[0] = (0, 1);
    }

    /// Every cover of this set.
    fn list(&mut self, pieces: &[Vec<Piece>], marked: u64, set: u64) -> Range<usize> {
        if self.of[set as usize] == (0, 0) {
            let fits = |piece: &&Piece| piece.items & !set == 0 && can_cover(set & !piece.items, marked);
            let within = pieces[set.ilog2() as usize].iter().filter(fits);
            // The covers of the rest are listed first, so that this list is contiguous.
            for piece in within.clone() {
                self.list(pieces, marked, set & !piece.items);
            }
            let first = self.patterns.len();
            for piece in within {
                let keys = word(piece.keys);
                for index in self.list(pieces, marked, set & !piece.items) {
                    let pattern = self.patterns[index];
                    if pattern & keys == 0 {
                        self.patterns.push(pattern | keys);
                    }
                }
            }
            self.of[set as usize] = (first as u32, self.patterns.len() as u32);
        }
        let (start, end) = self.of[set as usize];
        start as usize..end as usize
    }
}
