//! Pieces: what an exact cover is made of.

/// One piece of a cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The items that it covers, one bit for each.
    pub(crate) items: u64,
    /// The keys that it holds, see [`word`].
    pub(crate) keys: u128,
}

/// The middle word of a set of keys. Bits 6 to 57 of it are the 52 keys that both sides of a join may hold, as
/// [`Lanes::disjoint`](crate::engine::lanes::Lanes::disjoint) takes them. The keys beyond may be held by one side only.
pub(crate) fn word(keys: u128) -> u64 {
    (keys >> 32) as u64
}

/// The pieces of one side, by the highest item that each covers. An item without pieces here is never the highest item
/// of a piece.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    by_item: Vec<Vec<Piece>>,
    /// The marked items: every piece covers at least one of them.
    marked: u64,
}

impl Pieces {
    /// Each piece must have its highest item among `marked`.
    pub(crate) fn new(marked: u64, pieces: impl IntoIterator<Item = Piece>) -> Self {
        let mut by_item = vec![Vec::new(); 64];
        for piece in pieces {
            by_item[piece.items.ilog2() as usize].push(piece);
        }
        Self { by_item, marked }
    }

    /// The same pieces with their keys in reverse order, as the probe side has them.
    pub(crate) fn mirrored(mut self) -> Self {
        let mirror = |piece: Piece| Piece { keys: piece.keys.reverse_bits(), ..piece };
        let by_item = std::mem::take(&mut self.by_item)
            .into_iter()
            .map(|pieces| pieces.into_iter().map(mirror).collect())
            .collect();
        Self { by_item, ..self }
    }

    /// Keeps only the pieces on these items.
    #[cfg(test)]
    pub(super) fn retain(&mut self, keep: impl Fn(u64) -> bool) {
        self.by_item.iter_mut().for_each(|pieces| pieces.retain(|piece| keep(piece.items)));
    }

    /// The pieces whose highest item is `item`.
    pub(crate) fn of(&self, item: usize) -> &[Piece] {
        &self.by_item[item]
    }

    /// The marked items among these.
    pub(super) fn marked(&self, items: u64) -> u64 {
        self.marked & items
    }
}
