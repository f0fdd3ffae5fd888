//! The quadrants of a board: made once for all tasks while they fit in memory, else for each task.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::keys::{Keys, Side};
use super::quadrant::{Blocked, Buffers, InnerRows, Quadrant, QuadrantLister, Recipe, Shape};
use crate::engine::lanes::fault::planted;
use crate::engine::lanes::{Cost, KEY_BITS};
use crate::plan::halves::{GROUPED_UP_TO, tile_width};
use crate::plan::{Halves, Middle};

/// The quadrants of a corner, and for all threads those that are kept, each made when first asked for.
#[derive(Debug)]
struct CornerTable {
    lister: QuadrantLister,
    quadrants: Vec<OnceLock<Quadrant>>,
}

/// Which quadrants are cached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum CachePolicy {
    /// All, for all threads.
    #[default]
    All,
    /// By each thread those of its task, and so many south sets.
    Tile(usize),
    /// By each thread of its task a slice at a time: what goes with one queen of an innermost column.
    Slices,
}

impl CachePolicy {
    /// The one for boards of N = `n`.
    pub(super) fn of(n: usize) -> Self {
        match n {
            ..=GROUPED_UP_TO => Self::All,
            // A quadrant has up to 26 million placements, too many for each thread's memory.
            28.. => Self::Slices,
            _ => Self::Tile(tile_width(n).unwrap_or(1)),
        }
    }
}

/// The quadrants of all boards of one size, as far as they are kept.
#[derive(Debug)]
pub(super) struct QuadrantTables {
    half: usize,
    /// How many inner queens the build and the probe side are cut by.
    depths: [usize; 2],
    /// Whether there is room for all quadrants.
    keeps_all: bool,
    /// Those in use: of as many middle queens as there are threads at the most, and in practice of one or two.
    corners: Mutex<Vec<Arc<CornerTable>>>,
}

impl QuadrantTables {
    pub(super) fn new(half: usize, depths: [usize; 2], keeps_all: bool) -> Self {
        Self { half, depths, keeps_all, corners: Mutex::default() }
    }

    /// How the quadrants of a board with these middle queens are listed: north-east, south-east, north-west, south-west. West
    /// ones are listed as their mirror images in the east.
    fn recipes(&self, middle: Middle) -> [Recipe; 4] {
        let (half, [build, probe]) = (self.half, self.depths);
        let gap = if middle == Middle::None { 1 } else { 2 };
        let keys = Keys { half, gap, without_long: !matches!(middle, Middle::Crossed { .. }) };
        [(false, Side::North), (false, Side::South), (true, Side::North), (true, Side::South)].map(|(is_west, side)| {
            let taken = match middle {
                Middle::Crossed { row, .. } if is_west => Some(usize::from(row) - 1),
                _ => None,
            };
            let depth = if is_west == build_is_west(middle) { build } else { probe };
            let shape = Shape { half, depth, taken, by_diagonal: middle == Middle::None };
            Recipe { shape, keys, side, blocked: blocked(middle, side, is_west) }
        })
    }

    /// The quadrants by this recipe. As many are kept as there are for two queens of the middle column, so that threads
    /// that are still busy with one find theirs when others have begun with the next.
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

/// Whether the west halves are the build side, which is better the shorter one: on even boards that is the east, which has no
/// queen on the long diagonals, and with crossed middle queens the west, which has a column less.
pub(super) fn build_is_west(middle: Middle) -> bool {
    matches!(middle, Middle::Crossed { .. })
}

/// How many inner queens the build and the probe side of a board are cut by, with these costs. Short lists are cheaper
/// matched than cut, and one column too many costs 5 to 60 %, for then there are many tiny lists: at N = 16 one column made all
/// of it take twice as long.
pub(super) fn depths(n: usize, cost: &Cost) -> [usize; 2] {
    if let Some(permuted) = cost.permuted {
        // Short windows leave more to cuts: with AVX2 on a Zen 3 this takes 0.89 of the time.
        return if n == 21 && permuted.keys == 4 { [0, 1] } else { [inner_columns(n); 2] };
    }
    match n {
        // With narrow blocks it is the probe side that is cut first: portable code is 1.15 times as fast.
        18 if cost.block.lanes < 512 => [0, 1],
        ..=19 => [0, 0],
        20 | 21 => [1, 1],
        22..=24 => [2, 2],
        25 => [2, 3],
        26 | 27 => [3, 3],
        _ => [4, 4],
    }
}

/// The inner columns that both sides are cut by where bytes are permuted, and at the least on any lanes: a part of a task may
/// have so many held to some squares. Classes do what cuts do otherwise: at N = 20 one column takes 1.5 times as long, at 23
/// one 1.05 times.
pub(crate) fn inner_columns(n: usize) -> usize {
    match n {
        ..=21 | 23 => 0,
        22 | 24 | 25 => 1,
        26 | 27 => 2,
        _ => 3,
    }
}

/// The diagonals of a quadrant that the middle queens attack.
fn blocked(middle: Middle, side: Side, is_west: bool) -> Blocked {
    let (column, row) = match middle {
        Middle::None => return Blocked::default(),
        Middle::Centre => return Blocked { radial: 1 << 32, transverse: 0 },
        Middle::Crossed { column, row } => (i32::from(column), i32::from(row)),
    };
    // The queen (0, -column) looks north-east and north-west from the edge of both northern quadrants, and into the
    // southern ones from a distance. Likewise the queen (-row, 0) for west and east; but the east is listed for all
    // places of that queen.
    let is_north = side == Side::North;
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

/// The quadrants of a corner that one thread keeps.
#[derive(Debug)]
struct CornerCache {
    corner: Arc<CornerTable>,
    /// As many as are kept, and where the next one goes.
    quadrants: Vec<Quadrant>,
    next: usize,
}

impl CornerCache {
    /// The place of the quadrant with these rows and this innermost queen ([`QuadrantLister::list`]) among those kept, `most`
    /// at the most; the oldest makes room. Where west and east are listed alike they have complementary rows, which come and go
    /// in pairs: neither takes the other's place.
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

/// One half.
pub(super) struct Half<'a> {
    pub(super) shape: Shape,
    /// North and south.
    pub(super) quadrants: [&'a Quadrant; 2],
}

/// The four quadrants of one thread's task.
#[derive(Debug, Default)]
pub(super) struct Quadrants {
    /// The corners for the middle queens that this thread met last, with the same one in the middle column.
    middles: Vec<(Middle, [Arc<CornerTable>; 4])>,
    /// Which of them are those of the task.
    current: usize,
    rows: [u32; 4],
    policy: CachePolicy,
    /// Those of this thread alone.
    caches: Vec<CornerCache>,
    buffers: Buffers,
    /// What is to be kept for all threads grows here and is then copied, to take no more than it needs.
    scratch: Quadrant,
}

/// The queen of the middle column.
fn column(middle: Middle) -> Option<u8> {
    if let Middle::Crossed { column, .. } = middle { Some(column) } else { None }
}

impl Quadrants {
    /// Turns to another task.
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

    /// The keys of the west or of the east, how its lists are divided into runs, and its rows in north and south.
    pub(super) fn side(&self, is_west: bool) -> (Keys, Shape, [u32; 2]) {
        let north = 2 * usize::from(is_west);
        let Recipe { keys, shape, .. } = self.middles[self.current].1[north].lister.recipe;
        (keys, shape, [self.rows[north], self.rows[north + 1]])
    }

    /// The west or the east half, of which the quadrants are listed that are not there yet: at least what has the innermost of
    /// these inner queens of the north and the south.
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
                    // West and east share what is kept where they are listed alike. The tasks of a tile come north by north.
                    let sharing = corners.iter().filter(|other| Arc::ptr_eq(other, corner)).count();
                    (None, sharing * if at == north { 1 } else { width })
                }
                // While the innermost queen moves through one of the two, the other has none and stays.
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
