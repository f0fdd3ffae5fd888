//! Tables for instruction sets that can permute words but not compress them.

/// For every mask of `LANES` lanes, where each word comes from (or, spread, goes to), in `BYTES` bytes to a lane.
pub(super) struct Packing<const MASKS: usize, const BYTES: usize> {
    /// The lanes of the mask in order, at the left.
    pub(super) packed: [[u8; BYTES]; MASKS],
    /// For each lane of the mask how many lanes of the mask are left of it.
    pub(super) spread: [[u8; BYTES]; MASKS],
}

impl<const MASKS: usize, const BYTES: usize> Packing<MASKS, BYTES> {
    /// For `log2(MASKS)` lanes: an entry holds for each lane either its lane's number, or the numbers of its bytes.
    pub(super) const fn new() -> Self {
        let mut tables = Self { packed: [[0; BYTES]; MASKS], spread: [[0; BYTES]; MASKS] };
        let lanes = MASKS.ilog2() as usize;
        let size = BYTES / lanes;
        let mut mask = 0;
        while mask < MASKS {
            let (mut lane, mut left) = (0, 0);
            while lane < lanes {
                if mask >> lane & 1 == 1 {
                    let mut byte = 0;
                    while byte < size {
                        tables.packed[mask][left * size + byte] = (lane * size + byte) as u8;
                        tables.spread[mask][lane * size + byte] = (left * size + byte) as u8;
                        byte += 1;
                    }
                    left += 1;
                }
                lane += 1;
            }
            mask += 1;
        }
        tables
    }
}
