//! Lists the covers of a set of items by left or by right pieces, as the sets of keys that they hold.
//!
//! The search always covers the highest free item. So it finds each cover once, and covers with the same first pieces
//! are neighbours: they form the groups by which lists are split. The last pieces of a cover depend only on the
//! remaining items, and few sets of items remain. So the *tails* of each of these sets are listed once, and then a tail
//! is kept or dropped by one comparison.

use std::ops::Range;

use crate::engine::lanes::{KEY_BITS, Kernels};
use crate::engine::split::{FirstPieces, GroupedLists};
use crate::plan::MAX_DEPTH;

/// A piece of a cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The items that it covers, one bit each.
    pub(super) items: u64,
    /// The keys that it holds, one bit each; see [`word`].
    pub(super) keys: u128,
}

/// The middle word of a set of keys. Its bits 6 to 57 are the 52 keys that both left and right pieces may hold, where
/// [`disjoint`](crate::engine::lanes::disjoint) expects them. Only left or only right pieces may hold the others.
pub(super) fn word(keys: u128) -> u64 {
    (keys >> 32) as u64
}

/// The left or the right pieces.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    /// The pieces by their highest item.
    pub(super) by_item: Vec<Vec<Piece>>,
    /// Items of which every piece covers at least one.
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

    /// The same pieces with their keys in reverse order, as the probe list needs them.
    pub(super) fn reversed(mut self) -> Self {
        self.by_item.iter_mut().flatten().for_each(|piece| piece.keys = piece.keys.reverse_bits());
        self
    }
}

/// The most pieces of a tail. A set of eight or ten items has some 20 to 200 tails.
const MAX_TAIL: usize = 5;

/// The most items from which tails are made, because a table has an entry for each set of these items.
const MAX_TAIL_ITEMS: usize = 16;

/// Lists one set of items at a time, with buffers that are reused.
#[derive(Debug, Default)]
pub(super) struct CoverLister {
    /// The pieces within the set, by their highest item. The items of the set are renumbered from 0.
    pieces: Vec<Vec<Piece>>,
    tails: Tails,
}

impl CoverLister {
    /// Lists the covers of `items`, grouped by their first `depth` pieces, or by all that are before the tail.
    pub(super) fn list(
        &mut self,
        kernels: &dyn Kernels,
        pieces: &Pieces,
        items: u64,
        depth: usize,
        list: &mut GroupedLists<1>,
    ) {
        let numbered = |set: u64| members(set).map(|item| 1 << (items & ((1 << item) - 1)).count_ones()).sum();
        let (marked, count) = (numbered(pieces.marked & items), items.count_ones() as usize);
        self.pieces.resize_with(self.pieces.len().max(count), Vec::new);
        for (own, item) in self.pieces.iter_mut().zip(members(items)) {
            own.clear();
            let within = pieces.by_item[item].iter().filter(|piece| piece.items & !items == 0);
            own.extend(within.map(|piece| Piece { items: numbered(piece.items), keys: piece.keys }));
        }
        // Every piece covers two items, and each head the highest free one. So a tail has only the lowest
        // `count - heads` items. The sets of these items must fit in the table, and the keys of their pieces in a word.
        let total = count / 2;
        let fits = |piece: &Piece| u128::from(word(piece.keys)) << 32 == piece.keys;
        let fit = |items: usize| items <= MAX_TAIL_ITEMS && self.pieces[..items].iter().flatten().all(fits);
        let tail = (1..=total.min(MAX_TAIL)).rev().find(|tail| fit(count - (total - tail))).unwrap_or(0);
        let heads = total - tail;
        self.tails.clear(if tail == 0 { 0 } else { count - heads });
        list.clear();
        let (depth, path) = (depth.min(heads), [0; MAX_DEPTH]);
        let Self { pieces, tails } = self;
        let mut search = CoverSearch { kernels, pieces, marked, tails, list, path, depth, heads };
        search.heads((1u64 << count) - 1, 0, 0);
    }
}

fn members(set: u64) -> impl Iterator<Item = usize> {
    let without_lowest = |set: &u64| Some(set & set.wrapping_sub(1));
    let sets = std::iter::successors(Some(set), without_lowest).take_while(|&set| set != 0);
    sets.map(|set| set.trailing_zeros() as usize)
}

/// Whether there are enough marked items for every piece to have one.
fn can_cover(left: u64, marked: u64) -> bool {
    (left & !marked).count_ones() <= (left & marked).count_ones()
}

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
            // The other keys, which only these pieces can hold, no longer matter.
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

/// The tails of sets of the lowest items, listed at the first use of a set.
#[derive(Debug, Default)]
struct Tails {
    patterns: Vec<u64>,
    /// The range of patterns of each set; (0, 0) before it is listed.
    of: Vec<(u32, u32)>,
}

impl Tails {
    /// Removes all tails, and makes a table for sets of this many items.
    fn clear(&mut self, items: usize) {
        self.of.clear();
        self.of.resize(1 << items, (0, 0));
        self.patterns.clear();
        self.patterns.push(0);
        // The empty set has one cover, without keys. With it, no listed set has the range (0, 0).
        self.of[0] = (0, 1);
    }

    /// The covers of this set, as a range of `patterns`.
    fn list(&mut self, pieces: &[Vec<Piece>], marked: u64, set: u64) -> Range<usize> {
        if self.of[set as usize] == (0, 0) {
            let fits = |piece: &&Piece| piece.items & !set == 0 && can_cover(set & !piece.items, marked);
            let within = pieces[set.ilog2() as usize].iter().filter(fits);
            // Lists the smaller sets first, so that the patterns of this set are contiguous.
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
