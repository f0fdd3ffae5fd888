//! Pieces: what an exact cover is made of.

/// One piece of a cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The items it covers, a bit for each.
    pub(crate) items: u64,
    /// The keys it holds, see [`word`].
    pub(crate) keys: u128,
}

/// The keys that both sides of a join may hold are the middle 52 bits of the middle word: bit 6 to 57 of it, as
/// [`Lanes::disjoint`](crate::engine::lanes::Lanes::disjoint) takes them. Keys that only one side has may lie beyond.
pub(crate) fn word(keys: u128) -> u64 {
    (keys >> 32) as u64
}

/// The pieces of one side, by the highest item that each covers. An item without pieces cannot be covered last.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    by_item: Vec<Vec<Piece>>,
    /// Items of which every piece covers at least one.
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

    /// The same with the keys in reverse order, as the probe side has them.
    pub(crate) fn mirrored(mut self) -> Self {
        let mirror = |piece: Piece| Piece { keys: piece.keys.reverse_bits(), ..piece };
        let by_item = std::mem::take(&mut self.by_item)
            .into_iter()
            .map(|pieces| pieces.into_iter().map(mirror).collect())
            .collect();
        Self { by_item, ..self }
    }

    /// Without the pieces on other items than these.
    #[cfg(test)]
    pub(super) fn retain(&mut self, keep: impl Fn(u64) -> bool) {
        self.by_item.iter_mut().for_each(|pieces| pieces.retain(|piece| keep(piece.items)));
    }

    /// Those whose highest item is this.
    pub(crate) fn of(&self, item: usize) -> &[Piece] {
        &self.by_item[item]
    }

    /// Which of these items are marked.
    pub(super) fn marked(&self, items: u64) -> u64 {
        self.marked & items
    }
}
