//! Backtracking on many boards at once: the boards of a level in the lanes of a register, always all of them.
//!
//! A [`Level`] holds boards with equally many columns left, three words per board: the taken rows, and the next
//! column's rows on falling and on rising diagonals of queens. While a level is processed, a few more boards, the
//! *front*, are in registers, one per lane, each with the free rows of the next column that it has yet to try. A step
//! places the lowest such queen in every lane. Children that are no dead ends are packed to the left and stored in the
//! next level; a lane without a row left gets a board from the end of its own level.
//!
//! ```text
//! level, k columns left      front: 4 lanes                     level, k - 1 columns left
//! [ a b c d e f ]            g   h   i   j                      [ ... ]
//!                            place the lowest free queen
//!                            g'  h'  i'  j'   h' is a dead end  [ ... g' i' j' ]
//! [ a b c d ]                g   e   i   f    h and j used up
//! ```
//!
//! So every lane works in every step, and a step has no branch to mispredict. Levels are bounded ([`Level::is_full`]),
//! so the deepest ones stay in the L1 cache: a full level is processed first, while the front of the previous one waits
//! in memory. Only loads and stores of whole vectors are unchecked, and their type has the length.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod kernel;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(test)]
mod tests;

/// The most lanes of any instruction set.
const LANES: usize = 16;

/// Vectors in a front. They overlap: while one waits for its boards, another places its queens. Two are up to 10 %
/// slower than three, one is a third slower.
const FRONTS: usize = 3;

/// Padding words at the start of each list, which hold no board, for a front that needs more boards than are left.
const PAD: usize = FRONTS * LANES;

/// A level with this many boards is full. 128 is 10 % slower, because fronts change more often; 1024 is no faster.
const FULL: usize = 512;

/// Capacity for the padding, a level one board short of full before a step, and a vector read beyond that.
const CAPACITY: usize = PAD + FULL + (FRONTS + 1) * LANES;

type BoardWords = [u32; CAPACITY];

/// A vector of the front while it waits in memory: rows, down, up and free, one word per lane.
type Waiting = [[u32; LANES]; 4];

/// Boards with equally many columns left, some of them waiting in the front. About eight kilobytes.
#[derive(Clone, Debug)]
pub struct Level {
    front: [Waiting; FRONTS],
    /// Rows that are taken, or outside the board.
    rows: BoardWords,
    /// Rows of the next column on the falling diagonals of the queens.
    down: BoardWords,
    /// Rows of the next column on the rising diagonals of the queens.
    up: BoardWords,
    /// Where the lists end.
    end: usize,
}

impl Default for Level {
    fn default() -> Self {
        // With every row taken, a lane has nothing to do, and neither has its child.
        let nothing = [[!0; LANES], [0; LANES], [0; LANES], [0; LANES]];
        Self { front: [nothing; FRONTS], rows: [!0; CAPACITY], down: [0; CAPACITY], up: [0; CAPACITY], end: PAD }
    }
}

impl Level {
    /// Adds a board, if it has a free square in the next column: a lane must have a queen to place. There must be room.
    pub fn push(&mut self, rows: u32, down: u32, up: u32) {
        (self.rows[self.end], self.down[self.end], self.up[self.end]) = (rows, down, up);
        self.end += usize::from(rows | down | up != !0);
    }

    /// Whether boards must be processed before more are added.
    pub fn is_full(&self) -> bool {
        self.end >= PAD + FULL
    }
}

/// The steps of backtracking on one instruction set.
///
/// A level is processed until too few boards remain to fill every lane, or, when *draining*, to its last board.
pub trait LevelSearch {
    /// Places the next queen in boards of `from` and stores the children with a free square in each of the next two
    /// columns in `to`, until that is full or `from` runs out. Does nothing if `to` is full from the start.
    fn expand(&self, from: &mut Level, to: &mut Level, drain: bool);

    /// Counts the ways to place the queens of the last three columns.
    fn last_three(&self, from: &mut Level, drain: bool) -> u64;
}

/// The words of a vector that begins at `at`.
#[inline]
fn words<const COUNT: usize>(list: &BoardWords, at: usize) -> &[u32; COUNT] {
    list[at..].first_chunk().expect("there is room for a vector beyond the end")
}

#[inline]
fn words_mut<const COUNT: usize>(list: &mut BoardWords, at: usize) -> &mut [u32; COUNT] {
    list[at..].first_chunk_mut().expect("there is room for a vector beyond the end")
}

/// For instruction sets that can permute words but not compress them: the source (packed) or destination (spread) of
/// each word, for every mask of lanes, in `BYTES` bytes per lane.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) struct Packing<const MASKS: usize, const BYTES: usize> {
    /// The lanes of the mask in order, at the left.
    pub(super) packed: [[u8; BYTES]; MASKS],
    /// For each lane of the mask, the number of the mask's lanes to its left.
    spread: [[u8; BYTES]; MASKS],
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl<const MASKS: usize, const BYTES: usize> Packing<MASKS, BYTES> {
    /// For `log2(MASKS)` lanes. Entries number lanes or, with several `BYTES` per lane, bytes.
    pub(super) const fn new() -> Self {
        let mut tables = Self { packed: [[0; BYTES]; MASKS], spread: [[0; BYTES]; MASKS] };
        let size = BYTES / MASKS.ilog2() as usize;
        let mut mask = 0;
        while mask < MASKS {
            let (mut byte, mut left) = (0, 0);
            while byte < BYTES {
                if mask >> (byte / size) & 1 == 1 {
                    tables.packed[mask][left] = byte as u8;
                    tables.spread[mask][byte] = left as u8;
                    left += 1;
                }
                byte += 1;
            }
            mask += 1;
        }
        tables
    }
}
