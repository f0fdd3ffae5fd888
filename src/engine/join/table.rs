//! The quadrants of a board: listed once for all tasks if they fit in memory, otherwise per task.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::keys::{Keys, NorthSouth};
use super::quadrant::{Blocked, Buffers, InnerRows, Quadrant, QuadrantLister, Recipe, Shape};
use crate::engine::lanes::fault::planted;
use crate::engine::lanes::{Cost, KEY_BITS};
use crate::plan::halves::{ALL_CACHED_UP_TO, tile_width};
use crate::plan::{Halves, Middle};

/// The quadrants of one corner: how to list them and, if kept for all threads, their cache, filled on demand.
#[derive(Debug)]
struct CornerTable {
    lister: QuadrantLister,
    quadrants: Vec<OnceLock<Quadrant>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum CachePolicy {
    /// All, for all threads.
    #[default]
    All,
    /// Each thread caches its task's quadrants and this many south sets.
    Tile(usize),
    /// Each thread caches one slice of its task's quadrants: the placements with one position of the innermost queen.
    Slices,
}

impl CachePolicy {
    /// The policy for boards of N = `n`.
    pub(super) fn of(n: usize) -> Self {
        match n {
            ..=ALL_CACHED_UP_TO => Self::All,
            // A quadrant has up to 26 million placements, too many for each thread.
            28.. => Self::Slices,
            _ => Self::Tile(tile_width(n).unwrap_or(1)),
        }
    }
}

/// The quadrants of all boards of one size, shared by all threads as far as they are cached.
#[derive(Debug)]
pub(super) struct QuadrantTables {
    half: usize,
    /// The number of inner queens by which the build and the probe side are split.
    depths: [usize; 2],
    keeps_all: bool,
    /// The corners in use: in practice for one or two positions of the middle queens, at most one per thread.
    corners: Mutex<Vec<Arc<CornerTable>>>,
}

impl QuadrantTables {
    pub(super) fn new(half: usize, depths: [usize; 2], keeps_all: bool) -> Self {
        Self { half, depths, keeps_all, corners: Mutex::default() }
    }

    /// How the quadrants of a board with these middle queens are listed: north-east, south-east, north-west,
    /// south-west. West quadrants are listed as their mirror images in the east.
    fn recipes(&self, middle: Middle) -> [Recipe; 4] {
        let (half, [build, probe]) = (self.half, self.depths);
        let gap = if middle == Middle::None { 1 } else { 2 };
        let keys = Keys { half, gap, without_long: !matches!(middle, Middle::Crossed { .. }) };
        [(false, NorthSouth::North), (false, NorthSouth::South), (true, NorthSouth::North), (true, NorthSouth::South)]
            .map(|(is_west, side)| {
                let occupied = match middle {
                    Middle::Crossed { row, .. } if is_west => Some(usize::from(row) - 1),
                    _ => None,
                };
                let depth = if is_west == build_is_west(middle) { build } else { probe };
                let shape = Shape { half, depth, occupied, by_diagonal: middle == Middle::None };
                Recipe { shape, keys, side, blocked: blocked(middle, side, is_west) }
            })
    }

    /// The quadrants listed by this recipe. Keeps enough for two positions of the middle column's queen, so that
    /// threads still working on one find theirs after others have moved on.
    fn corner(&self, recipe: Recipe) -> Arc<CornerTable> {
        let mut corners = self.corners.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = corners.iter().find(|corner| corner.lister.recipe == recipe) {
            return found.clone();
        }
        while corners.len() >= 4 * self.half {
            corners.remove(0);
        }
        let kept = if self.keeps_all { 1 << self.half } else { 0 };
        let quadrants = (0..kept).map(|_| OnceLock::new()).collect();
        let made = Arc::new(CornerTable { lister: QuadrantLister::new(recipe), quadrants });
        corners.push(made.clone());
        made
    }
}

/// Whether the west halves are the build side, which should be the shorter one: on even boards the east, which has no
/// queen on the long diagonals; with crossed middle queens the west, which has one column less.
pub(super) fn build_is_west(middle: Middle) -> bool {
    matches!(middle, Middle::Crossed { .. })
}

/// The number of inner queens by which the build and the probe side of a board are split, for these costs. Short lists
/// are cheaper to match than to split, and one column too many makes many tiny lists: 5 to 60 % slower, and 100 % at
/// 16.
pub(super) fn depths(n: usize, cost: &Cost) -> [usize; 2] {
    match n {
        // 11 % less time with AVX2 on a Zen 3, and 6 to 20 % less with AVX-512 on an Intel (family 6, model 207).
        21 if cost.permuted.is_some() => [0, 1],
        _ if cost.permuted.is_some() => [inner_columns(n); 2],
        // With narrow blocks the probe side is split first: portable code is then 1.15 times as fast.
        18 if cost.block.lanes < 512 => [0, 1],
        ..=19 => [0, 0],
        20 | 21 => [1, 1],
        22..=24 => [2, 2],
        25 => [2, 3],
        26 | 27 => [3, 3],
        _ => [4, 4],
    }
}

/// The inner columns by which both sides are split when permuting bytes, and the minimum for any instruction set:
/// audits may restrict the squares of this many. Buckets replace further splits: one more column takes 1.5 of the time
/// at N = 20, 1.05 at 23.
pub(crate) fn inner_columns(n: usize) -> usize {
    match n {
        ..=21 | 23 => 0,
        22 | 24 | 25 => 1,
        26 | 27 => 2,
        _ => 3,
    }
}

/// The diagonals of a quadrant that the middle queens attack.
fn blocked(middle: Middle, side: NorthSouth, is_west: bool) -> Blocked {
    let (column, row) = match middle {
        Middle::None => return Blocked::default(),
        Middle::Centre => return Blocked { radial: 1 << 32, transverse: 0 },
        Middle::Crossed { column, row } => (i32::from(column), i32::from(row)),
    };
    // The queen (0, -column) attacks a radial diagonal of each quadrant and, from distance 2, a transverse one of the
    // northern quadrants. Likewise the queen (-row, 0) in the western ones; the east is listed for all its positions.
    let is_north = side == NorthSouth::North;
    let mut blocked = Blocked { radial: 1 << (if is_north { 32 - column } else { 32 + column }), transverse: 0 };
    if is_west {
        blocked.radial |= 1 << (32 + row);
    }
    for (distance, _) in [(column, is_north), (row, is_west)].into_iter().filter(|&(distance, at)| at && distance >= 2)
    {
        blocked.transverse |= 1 << (distance - 2);
    }
    blocked
}

/// The quadrants of a corner that one thread caches.
#[derive(Debug)]
struct CornerCache {
    corner: Arc<CornerTable>,
    /// The cached quadrants, and the index that the next one replaces.
    quadrants: Vec<Quadrant>,
    next: usize,
}

impl CornerCache {
    /// The index of the quadrant with these rows and this innermost queen ([`QuadrantLister::list`]). A missing one is
    /// listed and, where `most` are cached, replaces the oldest. Where west and east are listed alike, their
    /// complementary rows come and go in pairs, so neither replaces the other.
    fn place(&mut self, rows: u32, innermost: Option<usize>, most: usize, buffers: &mut Buffers) -> usize {
        if let Some(found) = self.quadrants.iter().position(|kept| (kept.rows, kept.innermost) == (rows, innermost)) {
            return found;
        }
        let place = self.next;
        self.next = (place + 1) % most;
        if place == self.quadrants.len() {
            self.quadrants.push(Quadrant::default());
        }
        let quadrant = &mut self.quadrants[place];
        self.corner.lister.list(rows, innermost, buffers, quadrant);
        let fault = KEY_BITS * planted(if innermost.is_some() { "slice" } else { "tile" });
        quadrant.patterns.iter_mut().step_by(8).for_each(|pattern| *pattern |= fault);
        place
    }
}

/// The west or the east half.
pub(super) struct Half<'a> {
    pub(super) shape: Shape,
    pub(super) quadrants: [&'a Quadrant; 2],
}

/// The four quadrants of one thread's task.
#[derive(Debug, Default)]
pub(super) struct Quadrants {
    /// The corners for the latest middle queens of this thread, all with the same queen in the middle column.
    middles: Vec<(Middle, [Arc<CornerTable>; 4])>,
    /// The index of the current task's corners.
    current: usize,
    rows: [u32; 4],
    policy: CachePolicy,
    caches: Vec<CornerCache>,
    buffers: Buffers,
    /// A quadrant to be cached for all threads is built here and then copied, so that no spare capacity is kept.
    scratch: Quadrant,
}

/// The queen of the middle column.
fn column(middle: Middle) -> Option<u8> {
    if let Middle::Crossed { column, .. } = middle { Some(column) } else { None }
}

impl Quadrants {
    pub(super) fn prepare(&mut self, tables: &QuadrantTables, policy: CachePolicy, task: &Halves) {
        let (middle, all) = (task.middle, (1 << tables.half) - 1);
        self.policy = policy;
        let north_free = column(middle).map_or(all, |column| all & !(1 << (column - 1)));
        self.rows = [task.north, task.south, north_free & !task.north, all & !task.south];
        if self.middles.first().is_some_and(|(other, _)| column(*other) != column(middle)) {
            self.middles.clear();
            self.caches.clear();
        }
        let found = self.middles.iter().position(|(other, _)| *other == middle);
        self.current = found.unwrap_or_else(|| {
            self.middles.push((middle, tables.recipes(middle).map(|recipe| tables.corner(recipe))));
            self.middles.len() - 1
        });
    }

    /// The keys of the west or of the east, the division of its lists into runs, and its rows in north and south.
    pub(super) fn side(&self, is_west: bool) -> (Keys, Shape, [u32; 2]) {
        let north = 2 * usize::from(is_west);
        let Recipe { keys, shape, .. } = self.middles[self.current].1[north].lister.recipe;
        (keys, shape, [self.rows[north], self.rows[north + 1]])
    }

    /// The west or the east half. Lists missing quadrants, at least their slices for these innermost queens.
    pub(super) fn half(&mut self, is_west: bool, inner: [InnerRows; 2]) -> Half<'_> {
        let (north, (_, shape, _)) = (2 * usize::from(is_west), self.side(is_west));
        let (corners, rows) = (&self.middles[self.current].1, self.rows);
        let places = [north, north + 1].map(|at| {
            let (corner, rows) = (&corners[at], rows[at]);
            let (innermost, most) = match self.policy {
                CachePolicy::All => {
                    corner.quadrants[rows as usize].get_or_init(|| {
                        corner.lister.list(rows, None, &mut self.buffers, &mut self.scratch);
                        self.scratch.clone()
                    });
                    return None;
                }
                CachePolicy::Tile(width) => {
                    // West and east share a cache if listed alike. Tasks of a tile are ordered by north set.
                    let sharing = corners.iter().filter(|other| Arc::ptr_eq(other, corner)).count();
                    (None, sharing * if at == north { 1 } else { width })
                }
                // While the innermost queen of one quadrant moves, the other has none and keeps its slice.
                CachePolicy::Slices => (Some(inner[at - north][0]), 1),
            };
            let cache = self.caches.iter().position(|cache| Arc::ptr_eq(&cache.corner, corner)).unwrap_or_else(|| {
                self.caches.push(CornerCache { corner: corner.clone(), quadrants: Vec::new(), next: 0 });
                self.caches.len() - 1
            });
            Some((cache, self.caches[cache].place(rows, innermost, most, &mut self.buffers)))
        });
        let quadrants = [0, 1].map(|side| {
            let rows = rows[north + side];
            let quadrant = match places[side] {
                Some((cache, place)) => &self.caches[cache].quadrants[place],
                None => corners[north + side].quadrants[rows as usize].get().expect("it was listed"),
            };
            assert_eq!(quadrant.rows, rows, "another quadrant was kept in its place");
            quadrant
        });
        Half { shape, quadrants }
    }
}
