//! Backtracking on many boards at once: the boards of a level in the lanes of a register, always all of them.
//!
//! A [`Level`] holds boards with equally many columns left, three words to a board: the rows that are taken, and the
//! rows of the next column that the diagonals of earlier queens reach going down and going up. A few boards more, the
//! *front*, are in registers while the level is worked on, one to a lane, each with the rows of the next column where
//! it has yet to place a queen. A step places the lowest such queen in every lane. The children that have a future are
//! packed to the left and stored behind those of the next level; a lane that has no row left is given a board from the
//! end of its own level.
//!
//! ```text
//! level, k columns left      front: 4 lanes                     level, k - 1 columns left
//! [ a b c d e f ]            g   h   i   j                      [ ... ]
//!                            place the lowest free queen
//!                            g'  h'  i'  j'   h' is a dead end  [ ... g' i' j' ]
//! [ a b c d ]                g   e   i   f    h and j used up
//! ```
//!
//! So every lane does something in every step, and nothing is left to guess: a step has no branch. The levels are
//! bounded ([`Level::is_full`]): whoever fills one goes on with it before it comes back, so the deepest levels stay in
//! the first-level cache. The front waits in memory meanwhile, as it is. All is checked code ([`kernel`]) but for the loads and
//! stores of whole vectors, whose length is in their type.

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

/// Vectors in a front. They overlap: while one waits for its boards, another places its queens. Two take up to a tenth
/// longer than three, one a third.
const FRONTS: usize = 3;

/// Words at the beginning of each list that hold no board, for a front that finds fewer boards than it wants.
const PAD: usize = FRONTS * LANES;

/// Boards in a level from which on it is full. With 128 a search takes a tenth longer, for fronts change more often;
/// with 1024 no less.
const FULL: usize = 512;

/// Room for the padding, a level that was full but for one board before a step, and a vector that is read beyond that.
const ROOM: usize = PAD + FULL + (FRONTS + 1) * LANES;

/// One word for each board of a level.
type BoardWords = [u32; ROOM];

/// A vector of the front as it waits in memory: rows, down, up and free, one word to a lane.
type Waiting = [[u32; LANES]; 4];

/// Boards with equally many columns left, of which some wait for their turn in the lanes. About eight kilobytes.
#[derive(Clone, Debug)]
pub struct Level {
    front: [Waiting; FRONTS],
    /// Rows that are taken, and those that the board does not have.
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
        // With every row taken a lane has nothing to do, and its child neither.
        let nothing = [[!0; LANES], [0; LANES], [0; LANES], [0; LANES]];
        Self { front: [nothing; FRONTS], rows: [!0; ROOM], down: [0; ROOM], up: [0; ROOM], end: PAD }
    }
}

impl Level {
    /// Adds a board, if it has a free square in the next column: a lane must have a queen to place. There must be room.
    pub fn push(&mut self, rows: u32, down: u32, up: u32) {
        (self.rows[self.end], self.down[self.end], self.up[self.end]) = (rows, down, up);
        self.end += usize::from(rows | down | up != !0);
    }

    /// Whether it takes no more boards before some are worked on.
    pub fn is_full(&self) -> bool {
        self.end >= PAD + FULL
    }
}

/// The steps of backtracking, by some instruction set.
///
/// A level is worked on until there are too few boards to fill every lane, or to the last board where it is to be
/// *drained*. What is not drained waits for more.
pub trait LevelSearch {
    /// Places the next queen in boards of `from` and stores the children with a free square in each of the next two
    /// columns in `to`, until that is full or `from` has no more boards. Nothing is done where `to` is full from the start.
    fn expand(&self, from: &mut Level, to: &mut Level, drain: bool);

    /// The ways to place the queens of the last three columns.
    fn last_three(&self, from: &mut Level, drain: bool) -> u64;
}

/// The words of a vector that begins at `at`.
#[inline]
fn words<const COUNT: usize>(list: &BoardWords, at: usize) -> &[u32; COUNT] {
    list[at..].first_chunk().expect("there is room for a vector beyond the end")
}

/// The same, to be written.
#[inline]
fn words_mut<const COUNT: usize>(list: &mut BoardWords, at: usize) -> &mut [u32; COUNT] {
    list[at..].first_chunk_mut().expect("there is room for a vector beyond the end")
}

/// For instruction sets that can permute words but not compress them: for every mask of lanes, where each word comes
/// from (or, spread, goes to), in `BYTES` bytes to a lane.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) struct Packing<const MASKS: usize, const BYTES: usize> {
    /// The lanes of the mask in order, at the left.
    pub(super) packed: [[u8; BYTES]; MASKS],
    /// For each lane of the mask how many lanes of the mask are left of it.
    spread: [[u8; BYTES]; MASKS],
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl<const MASKS: usize, const BYTES: usize> Packing<MASKS, BYTES> {
    /// For `log2(MASKS)` lanes: an entry holds for each lane either its lane's number, or the numbers of its bytes.
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
