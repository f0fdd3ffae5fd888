//! The steps of the search, written once and expanded for every instruction set.
//!
//! A file that expands them has in scope two types, which may be one, and their methods:
//!
//! ```text
//! Words: Copy, of Words::COUNT words
//!     load(&[u32; COUNT]), store(self, &mut [u32; COUNT]), and(self, Words), or(self, Words), not(self)
//!     less_one(self), twice(self), half(self)        each word minus one, shifted left and right by one
//!     zeros(self) -> Mask                            the words that are 0
//!     replaced(self, Mask, from: &[u32; COUNT])      the words of the mask replaced by the first of `from`
//!     or_where(self, Mask, Words)                    the words of the mask ORed with another's
//!     packed(self, Mask, to: &mut [u32; COUNT])      the words of the mask stored first, then anything
//! Mask: Copy, a set of words
//!     and(self, Mask), or(self, Mask), not(self), count(self) -> usize
//! ```

/// Implements `LevelSearch` for each `$token`. `$features` is the attribute that every function gets.
macro_rules! search {
    ($features:meta, $($token:ty),+) => {
        use $crate::engine::lanes::fault::planted;
        use $crate::engine::lanes::search::{FRONTS, FULL, Level, LevelSearch, PAD, Waiting, words, words_mut};

        $(#[allow(unused_unsafe, reason = "portable code needs no proof")]
        impl LevelSearch for $token {
            fn expand(&self, from: &mut Level, to: &mut Level, drain: bool) {
                // SAFETY: `self` proves that the processor has the features.
                unsafe { expand(from, to, drain) }
            }

            fn last_three(&self, from: &mut Level, drain: bool) -> u64 {
                // SAFETY: as above.
                unsafe { last_three(from, drain) }
            }
        })+

        /// Boards, one per lane: the rows taken, and the next column's rows that diagonals attack.
        #[derive(Clone, Copy)]
        struct Boards {
            rows: Words,
            down: Words,
            up: Words,
        }

        impl Boards {
            compiled_for! { $features:
                fn free(self) -> Words { self.rows.or(self.down).or(self.up).not() }

                /// Appends the boards with a free square in each of the next two columns: the second test finds a sixth
                /// of all boards dead one queen earlier. A third would find a fourteenth more, but costs what it saves.
                fn append(self, to: &mut Level, end: &mut usize) {
                    let later = self.rows.or(self.down.twice()).or(self.up.half()).not();
                    let keep = self.free().zeros().or(later.zeros()).not();
                    self.rows.packed(keep, words_mut(&mut to.rows, *end));
                    self.down.packed(keep, words_mut(&mut to.down, *end));
                    self.up.packed(keep, words_mut(&mut to.up, *end));
                    *end += keep.count();
                }

                /// Counts the ways to place the last two queens. A lane without a board has no rows left, so no ways.
                fn last_two(self) -> usize {
                    let Self { rows, down, up } = self;
                    let open = rows.not();
                    let rest = open.less_one();
                    let (low, high) = (open.and(rest.not()), open.and(rest));
                    let (next, last) = (down.or(up), down.twice().or(up.half()));
                    let (low_next, high_next) = (low.and(next).zeros(), high.and(next).zeros());
                    let (low_last, high_last) = (low.and(last).zeros(), high.and(last).zeros());
                    // The two rows are adjacent, or both are missing.
                    let touch = high.and(low.twice().not()).zeros();
                    low_next.and(high_last).and(touch.not()).count() + high_next.and(low_last).and(touch.not()).count()
                }
            }
        }

        /// Boards with the rows of the next column where each has yet to place a queen.
        struct Front {
            boards: Boards,
            free: Words,
        }

        impl Front {
            compiled_for! { $features:
                fn load(from: &Waiting) -> Self {
                    let load = |from: &[u32]| Words::load(from.first_chunk().expect("no vector has more words"));
                    let [rows, down, up, free] = from.each_ref().map(|from| load(from));
                    Self { boards: Boards { rows, down, up }, free }
                }

                fn store(self, to: &mut Waiting) {
                    let Self { boards: Boards { rows, down, up }, free } = self;
                    for (words, to) in [rows, down, up, free].into_iter().zip(to) {
                        words.store(to.first_chunk_mut().expect("no vector has more words"));
                    }
                }

                /// Refills the lanes without a row left from the end of the list, or from the padding before its start.
                fn refill(&mut self, level: &Level, end: &mut usize) {
                    let (idle, boards) = (self.free.zeros(), &mut self.boards);
                    *end -= idle.count();
                    boards.rows = boards.rows.replaced(idle, words(&level.rows, *end));
                    boards.down = boards.down.replaced(idle, words(&level.down, *end));
                    boards.up = boards.up.replaced(idle, words(&level.up, *end));
                    self.free = self.free.or_where(idle, boards.free());
                }

                /// Places the lowest queen of each lane.
                fn children(&mut self) -> Boards {
                    let rest = self.free.less_one();
                    let queen = self.free.and(rest.not());
                    self.free = self.free.and(rest);
                    let Boards { rows, down, up } = self.boards;
                    Boards { rows: rows.or(queen), down: down.or(queen).twice(), up: up.or(queen).half() }
                }
            }
        }

        compiled_for! { $features:
            /// Gives every lane a board and passes the children of each front to `take`, which returns whether there is
            /// room for more. Ends when there is not, or when too few boards remain.
            fn work(level: &mut Level, drain: bool, mut take: impl FnMut(Boards) -> bool) {
                let mut fronts = level.front.each_ref().map(|front| Front::load(front));
                let (mut end, mut has_room) = (level.end, true);
                while has_room && (drain || end >= PAD + FRONTS * Words::COUNT) {
                    for front in &mut fronts {
                        front.refill(level, &mut end);
                    }
                    end = end.max(PAD);
                    for front in &mut fronts {
                        has_room = take(front.children());
                    }
                    let boards = |front: &Front| front.free.zeros().not().count();
                    // No boards are left, and every lane has placed its last queen.
                    if end == PAD && fronts.iter().map(boards).sum::<usize>() == 0 {
                        break;
                    }
                }
                for (front, to) in fronts.into_iter().zip(&mut level.front) {
                    front.store(to);
                }
                level.end = end;
            }

            /// See [`LevelSearch::expand`].
            fn expand(from: &mut Level, to: &mut Level, drain: bool) {
                let mut end = to.end;
                // A correct search never asks for this, but a faulty core must still reach its self-check.
                if end >= PAD + FULL {
                    return;
                }
                work(from, drain, |children| {
                    children.append(to, &mut end);
                    end < PAD + FULL
                });
                to.end = end - (end - to.end).min(planted("expand") as usize);
            }

            /// See [`LevelSearch::last_three`].
            fn last_three(from: &mut Level, drain: bool) -> u64 {
                let mut ways = planted("last-columns");
                work(from, drain, |children| {
                    ways += children.last_two() as u64;
                    true
                });
                ways
            }
        }
    };
}
pub(super) use search;

/// Expands a `Mask` with one bit per word, in `$bits`.
macro_rules! mask_of_bits {
    ($features:meta, $bits:ty) => {
        #[derive(Clone, Copy)]
        struct Mask($bits);

        impl Mask {
            compiled_for! { $features:
                fn and(self, other: Self) -> Self { Self(self.0 & other.0) }
                fn or(self, other: Self) -> Self { Self(self.0 | other.0) }
                fn not(self) -> Self { Self(!self.0) }
                fn count(self) -> usize { u32::from(self.0).count_ones() as usize }
            }
        }
    };
}
pub(super) use mask_of_bits;
