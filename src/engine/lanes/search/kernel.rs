//! The steps of the search, written once and expanded for every instruction set.
//!
//! A file that expands them has in scope
//!
//! - `Words`, a `Copy` type of `Words::COUNT` words, with `load` and `store`, `and`, `or`, `not` and `without` (bits of
//!   the other cleared), `less_one`, `twice` and `half` (each word minus one, shifted left and right by one), `zeros`
//!   (a mask of the words that are 0), `replaced` (those in a mask by words from memory, in order) and `packed` (those
//!   in a mask stored at the left, whatever behind them);
//! - `Mask`, a choice of words, with `count`, `and`, `or` and `not`.
//!
//! Nothing here may be called that lacks the attribute, but for plain functions on slices, which need no features.

/// Implements `LevelSearch` for each `$token`. `$features` is the attribute that every function gets.
macro_rules! search {
    ($features:meta, $($token:ty),+) => {
        use $crate::engine::lanes::fault::planted;
        use $crate::engine::lanes::search::{FRONTS, FULL, Level, LevelSearch, PAD, Waiting, words, words_mut};

        $(#[allow(unused_unsafe, reason = "portable code needs no proof")]
        impl LevelSearch for $token {
            fn expand<const EVERY: bool>(self, from: &mut Level, to: &mut Level, drain: bool) -> u64 {
                // SAFETY: `self` proves that the processor has the features.
                unsafe { expand::<EVERY>(from, to, drain) }
            }

            fn last_three<const EVERY: bool>(self, from: &mut Level, drain: bool) -> [u64; 3] {
                // SAFETY: as above.
                unsafe { last_three::<EVERY>(from, drain) }
            }
        })+

        /// Boards, one to a lane, and the rows of the next column where each has yet to place a queen.
        #[derive(Clone, Copy)]
        struct Front {
            rows: Words,
            down: Words,
            up: Words,
            free: Words,
        }

        /// A queen further: the rows taken, and those of the next column on the diagonals.
        #[derive(Clone, Copy)]
        struct Child {
            rows: Words,
            down: Words,
            up: Words,
        }

        impl Front {
            compiled_for! { $features:
                fn load([rows, down, up, free]: &Waiting) -> Self {
                    let load = |from: &[u32]| Words::load(from.first_chunk().expect("no vector has more words"));
                    Self { rows: load(rows), down: load(down), up: load(up), free: load(free) }
                }

                fn store(self, to: &mut Waiting) {
                    for (words, to) in [self.rows, self.down, self.up, self.free].into_iter().zip(to) {
                        words.store(to.first_chunk_mut().expect("no vector has more words"));
                    }
                }

                /// Gives the lanes without a row left boards from the end of the list, or from before its beginning.
                fn refill(&mut self, level: &Level, end: &mut usize) {
                    let idle = self.free.zeros();
                    *end -= idle.count();
                    self.rows = self.rows.replaced(idle, words(&level.rows, *end));
                    self.down = self.down.replaced(idle, words(&level.down, *end));
                    self.up = self.up.replaced(idle, words(&level.up, *end));
                    self.free = self.free.or_where(idle, self.rows.or(self.down).or(self.up).not());
                }

                /// Places the lowest queen of each lane.
                fn child(&mut self) -> Child {
                    let rest = self.free.less_one();
                    let queen = self.free.without(rest);
                    self.free = self.free.and(rest);
                    Child { rows: self.rows.or(queen), down: self.down.or(queen).twice(), up: self.up.or(queen).half() }
                }
            }
        }

        impl Child {
            compiled_for! { $features:
                /// Those without a free square in the next column or, unless every queen is asked for, in the one after
                /// it: a sixth of all boards are seen to be dead ends a queen earlier. Looking one column further finds
                /// a fourteenth more, and takes as long as it saves.
                fn dead_ends<const EVERY: bool>(self) -> Mask {
                    let Self { rows, down, up } = self;
                    let next = rows.or(down).or(up).not().zeros();
                    if EVERY { next } else { next.or(rows.or(down.twice()).or(up.half()).not().zeros()) }
                }

                /// Appends those with a future.
                fn append<const EVERY: bool>(self, to: &mut Level, end: &mut usize) {
                    let keep = self.dead_ends::<EVERY>().not();
                    self.rows.packed(keep, words_mut(&mut to.rows, *end));
                    self.down.packed(keep, words_mut(&mut to.down, *end));
                    self.up.packed(keep, words_mut(&mut to.up, *end));
                    *end += keep.count();
                }

                /// With two columns, and so two rows, left: the ways to place one queen more, as far as every queen is
                /// asked for, and both. A lane without a board has no rows left, and so no ways.
                fn last_two<const EVERY: bool>(self) -> [usize; 2] {
                    let Self { rows, down, up } = self;
                    let open = rows.not();
                    let rest = open.less_one();
                    let (low, high) = (open.without(rest), open.and(rest));
                    let (next, last) = (down.or(up), down.twice().or(up.half()));
                    let (low_next, high_next) = (low.and(next).zeros(), high.and(next).zeros());
                    let (low_last, high_last) = (low.and(last).zeros(), high.and(last).zeros());
                    // The higher row is the one above the lower, or there is neither.
                    let touch = high.without(low.twice()).zeros();
                    let both = low_next.and(high_last).and(touch.not()).count() + high_next.and(low_last).and(touch.not()).count();
                    let board = low.zeros().not();
                    let one = if EVERY { low_next.and(board).count() + high_next.and(board).count() } else { 0 };
                    [one, both]
                }
            }
        }

        /// The fronts of a level and the end of its lists, while it is worked on.
        struct Work {
            fronts: [Front; FRONTS],
            end: usize,
        }

        impl Work {
            compiled_for! { $features:
                fn begin(level: &Level) -> Self {
                    Self { fronts: level.front.each_ref().map(|front| Front::load(front)), end: level.end }
                }

                fn pause(self, level: &mut Level) {
                    for (front, to) in self.fronts.into_iter().zip(&mut level.front) {
                        front.store(to);
                    }
                    level.end = self.end;
                }

                /// Whether every lane will have a board.
                fn has_enough(&self) -> bool {
                    self.end >= PAD + FRONTS * Words::COUNT
                }

                fn refill(&mut self, level: &Level) {
                    for front in &mut self.fronts {
                        front.refill(level, &mut self.end);
                    }
                    self.end = self.end.max(PAD);
                }

                /// The lanes with a board.
                fn boards(&self) -> u64 {
                    self.fronts.iter().map(|front| front.free.zeros().not().count() as u64).sum()
                }

                /// Whether there was no board left for some lanes, and the others have done theirs.
                fn is_drained(&self) -> bool {
                    self.end == PAD && self.boards() == 0
                }
            }
        }

        compiled_for! { $features:
            /// See [`LevelSearch::expand`].
            fn expand<const EVERY: bool>(from: &mut Level, to: &mut Level, drain: bool) -> u64 {
                let (mut work, mut end, mut queens) = (Work::begin(from), to.end, 0);
                while end < PAD + FULL && (drain || work.has_enough()) {
                    work.refill(from);
                    if EVERY {
                        queens += work.boards();
                    }
                    for front in &mut work.fronts {
                        front.child().append::<EVERY>(to, &mut end);
                    }
                    if work.is_drained() {
                        break;
                    }
                }
                work.pause(from);
                to.end = end - (end - to.end).min(planted("expand") as usize);
                queens
            }

            /// See [`LevelSearch::last_three`].
            fn last_three<const EVERY: bool>(from: &mut Level, drain: bool) -> [u64; 3] {
                let (mut work, mut ways) = (Work::begin(from), [0; 3]);
                while drain || work.has_enough() {
                    work.refill(from);
                    if EVERY {
                        ways[0] += work.boards();
                    }
                    for front in &mut work.fronts {
                        let [one, both] = front.child().last_two::<EVERY>();
                        ways[1] += one as u64;
                        ways[2] += both as u64;
                    }
                    if work.is_drained() {
                        break;
                    }
                }
                work.pause(from);
                ways[2] += planted("last-columns");
                ways
            }
        }
    };
}
pub(super) use search;
