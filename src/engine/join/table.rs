//! The quadrants of a board: made once for all tasks while they fit in memory, else for each task.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::keys::{Keys, Side};
use super::listing::{Half, Inner};
use super::quadrant::{Blocked, Buffers, Quadrant, QuadrantLister, Shape};
use crate::board::Size;
use crate::plan::{Halves, Middle, halves::tile_width};

/// How many inner queens the build and the probe side are cut by at most, given the half and the middle.
pub(super) type Depths = fn(usize, Middle) -> (usize, usize);

/// Largest half whose quadrants are all kept: for h = 10 and even N they take 130 MB, for h = 11 they would take 1.1 GB.
/// For odd N there are some for each place of the middle row's queen: 70 MB for h = 9, ten times that for h = 10.
/// (Many row sets in one piece of memory took more of it, not less, and N = 18 was 4 % slower.)
const KEPT_HALF: [usize; 2] = [10, 9];

/// Largest half whose quadrants fit in each thread's memory whole. For h = 14 one has up to 26 million placements.
const WHOLE_HALF: usize = 13;

/// The quadrants: north or south, and whether in the west. West ones are listed as their mirror images in the east.
const CORNERS: [(Side, bool); 4] =
    [(Side::North, false), (Side::South, false), (Side::North, true), (Side::South, true)];

/// How the quadrants of a corner are listed, for certain middle queens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Recipe {
    shape: Shape,
    keys: Keys,
    side: Side,
    blocked: Blocked,
}

/// The quadrants of a corner, each made when first asked for.
#[derive(Debug)]
struct CornerTable {
    recipe: Recipe,
    quadrants: Vec<OnceLock<Quadrant>>,
}

/// What holds for all tasks with the same middle queens.
#[derive(Debug)]
struct MiddleTables {
    middle: Middle,
    keys: Keys,
    corners: [Arc<CornerTable>; 4],
}

/// Which quadrants are cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CachePolicy {
    /// All, for all threads.
    All,
    /// By each thread those of its task, and so many south sets.
    Tile(usize),
    /// By each thread of its task what goes with one queen of an innermost column.
    Parts,
}

/// The quadrants of all boards of one size, as far as they are kept.
#[derive(Debug)]
pub(super) struct QuadrantTables {
    half: usize,
    depths: Depths,
    cache: CachePolicy,
    /// The middle queens in use: as many as there are threads at the most, and in practice one or two.
    middles: Mutex<Vec<Arc<MiddleTables>>>,
}

impl QuadrantTables {
    /// For blocks of so many lanes.
    pub(super) fn new(size: Size, lanes: usize) -> Self {
        let (half, odd) = (size.get() / 2, size.get() % 2);
        let cache = if half <= KEPT_HALF[odd] {
            CachePolicy::All
        } else if half <= WHOLE_HALF {
            CachePolicy::Tile(tile_width(half, odd == 1).unwrap_or(1))
        } else {
            CachePolicy::Parts
        };
        let depths = if lanes < 512 { depths_of_narrow_blocks } else { depths };
        Self { half, depths, cache, middles: Mutex::default() }
    }

    /// Tables that are cut and kept as if for another size.
    #[cfg(test)]
    pub(super) fn otherwise(size: Size, depths: Depths, cache: CachePolicy) -> Self {
        Self { depths, cache, ..Self::new(size, 0) }
    }

    /// Inner columns of the west and of the east.
    pub(super) fn depths(&self, middle: Middle) -> [usize; 2] {
        let (build, probe) = (self.depths)(self.half, middle);
        if build_is_west(middle) { [build, probe] } else { [probe, build] }
    }

    /// The tables for these middle queens. Those of as many are kept as there are for two queens of the middle column,
    /// so that threads that are still busy with one find theirs when others have begun with the next.
    fn middle(&self, middle: Middle) -> Arc<MiddleTables> {
        let mut middles = self.middles.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = middles.iter().find(|tables| tables.middle == middle) {
            return found.clone();
        }
        while middles.len() >= 2 * self.half {
            middles.remove(0);
        }
        let made = Arc::new(MiddleTables::new(self, middle, &middles));
        middles.push(made.clone());
        made
    }
}

impl MiddleTables {
    /// East quadrants are the same for every place of the middle row's queen, so those of `others` are shared.
    fn new(tables: &QuadrantTables, middle: Middle, others: &[Arc<Self>]) -> Self {
        let half = tables.half;
        let (build, probe) = (tables.depths)(half, middle);
        let gap = if middle == Middle::None { 1 } else { 2 };
        let keys = Keys { half, gap, without_long: !matches!(middle, Middle::Crossed { .. }) };
        let mut corners: Vec<Arc<CornerTable>> = Vec::new();
        for (side, is_west) in CORNERS {
            let taken = match middle {
                Middle::Crossed { row, .. } if is_west => Some(usize::from(row) - 1),
                _ => None,
            };
            let depth = if is_west == build_is_west(middle) { build } else { probe };
            let shape = Shape { half, depth, taken, by_diagonal: middle == Middle::None };
            let recipe = Recipe { shape, keys, side, blocked: blocked(middle, side, is_west) };
            let there = corners.iter().chain(others.iter().flat_map(|other| &other.corners));
            let table = there.into_iter().find(|table| table.recipe == recipe).cloned();
            corners.push(table.unwrap_or_else(|| {
                let kept = if tables.cache == CachePolicy::All { 1 << half } else { 0 };
                Arc::new(CornerTable { recipe, quadrants: (0..kept).map(|_| OnceLock::new()).collect() })
            }));
        }
        Self { middle, keys, corners: corners.try_into().expect("four corners") }
    }
}

/// Whether the west halves are the build side, and the east ones the probe side. The build side is better the shorter one: on
/// even boards that is the east, which has no queen on the long diagonals, and with crossed middle queens the west, which
/// has a column less.
fn build_is_west(middle: Middle) -> bool {
    matches!(middle, Middle::Crossed { .. })
}

/// See [`Depths`]. Short lists are cheaper matched than cut, and one column too many costs 5 to 60 %, for then there are
/// many tiny lists: at N = 16 one column made all of it take twice as long.
fn depths(half: usize, middle: Middle) -> (usize, usize) {
    match (half, middle) {
        (9, Middle::None) => (1, 0),
        (0..=9, _) => (0, 0),
        (10, _) => (1, 1),
        (11, Middle::None) => (2, 1),
        (11, _) | (12, Middle::None) => (2, 2),
        (12, _) => (2, 3),
        (13, _) => (3, 3),
        _ => (4, 4),
    }
}

/// With blocks of 256 lanes it is the probe side that is cut first: portable code is 1.15 times as fast at N = 18.
fn depths_of_narrow_blocks(half: usize, middle: Middle) -> (usize, usize) {
    match (half, middle) {
        (9, Middle::None) => (0, 1),
        _ => depths(half, middle),
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
    recipe: Recipe,
    lister: QuadrantLister,
    /// As many as are kept, and where the next one goes.
    quadrants: Vec<Quadrant>,
    next: usize,
}

impl CornerCache {
    fn new(recipe: Recipe) -> Self {
        let lister = QuadrantLister::new(recipe.shape, recipe.keys, recipe.side);
        Self { recipe, lister, quadrants: Vec::new(), next: 0 }
    }

    /// The place of the quadrant with these rows among those kept, `most` at the most; the oldest that the task does not
    /// use makes room.
    fn prepare(&mut self, rows: u32, most: usize, in_use: &[usize], buffers: &mut Buffers) -> usize {
        if let Some(found) = self.quadrants.iter().position(|quadrant| quadrant.rows == rows) {
            return found;
        }
        while in_use.contains(&self.next) {
            self.next = (self.next + 1) % most;
        }
        let place = self.next;
        self.next = (place + 1) % most;
        if place == self.quadrants.len() {
            self.quadrants.push(Quadrant::default());
        }
        self.lister.list(rows, None, self.recipe.blocked, buffers, &mut self.quadrants[place]);
        place
    }
}

/// Of a quadrant the placements with its innermost queen in one place, or with none there ([`QuadrantLister::list`]).
#[derive(Debug, Default)]
struct QuadrantPart {
    of: Option<(Recipe, u32, usize)>,
    quadrant: Quadrant,
}

/// Which side of the join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Build,
    Probe,
}

/// The four quadrants of one thread's task.
#[derive(Debug, Default)]
pub(super) struct Quadrants {
    /// Those of the middle queens that this thread met last, with the same one in the middle column.
    middles: Vec<Arc<MiddleTables>>,
    /// Which of them is that of the task.
    current: usize,
    rows: [u32; 4],
    /// Where not all quadrants are kept: this thread's, and for each corner which of them is that of the task.
    caches: Vec<CornerCache>,
    places: [(usize, usize); 4],
    /// Where quadrants are kept in parts: what goes with an innermost queen in one quadrant and in the other.
    parts: [QuadrantPart; 2],
    buffers: Buffers,
    /// What is to be kept for all threads grows here and is then copied, to take no more than it needs.
    scratch: Quadrant,
}

/// The queen of the middle column.
fn column(middle: Middle) -> Option<u8> {
    if let Middle::Crossed { column, .. } = middle { Some(column) } else { None }
}

impl Quadrants {
    /// Makes the lists for a task, as far as they are not there yet, and returns the keys of their patterns.
    pub(super) fn prepare(&mut self, tables: &QuadrantTables, task: &Halves) -> Keys {
        let middle = task.middle;
        let all = (1 << tables.half) - 1;
        let north_free = column(middle).map_or(all, |column| all & !(1 << (column - 1)));
        self.rows = [task.north, task.south, north_free & !task.north, all & !task.south];
        self.choose(tables, middle);
        let current = &self.middles[self.current];
        let mut in_use = Vec::with_capacity(4);
        for (corner, (table, &rows)) in current.corners.iter().zip(&self.rows).enumerate() {
            let recipe = table.recipe;
            let kept = table.quadrants.get(rows as usize);
            if kept.is_some_and(|quadrant| quadrant.get().is_some()) {
                continue;
            }
            let cache = self.caches.iter().position(|cache| cache.recipe == recipe).unwrap_or_else(|| {
                self.caches.push(CornerCache::new(recipe));
                self.caches.len() - 1
            });
            match tables.cache {
                CachePolicy::All => {
                    table.quadrants[rows as usize].get_or_init(|| {
                        let blocked = recipe.blocked;
                        self.caches[cache].lister.list(rows, None, blocked, &mut self.buffers, &mut self.scratch);
                        self.scratch.clone()
                    });
                }
                CachePolicy::Tile(width) => {
                    // The tasks of a tile come north by north. Corners of one recipe share what is kept.
                    let sharing = current.corners.iter().filter(|table| table.recipe == recipe).count();
                    let most = if recipe.side == Side::South { sharing * width } else { sharing };
                    let others: Vec<usize> =
                        in_use.iter().filter(|(other, _)| *other == cache).map(|&(_, place)| place).collect();
                    let place = self.caches[cache].prepare(rows, most, &others, &mut self.buffers);
                    in_use.push((cache, place));
                    self.places[corner] = (cache, place);
                }
                CachePolicy::Parts => self.places[corner] = (cache, 0),
            }
        }
        current.keys
    }

    /// Finds the tables of these middle queens.
    fn choose(&mut self, tables: &QuadrantTables, middle: Middle) {
        if self.middles.first().is_some_and(|other| column(other.middle) != column(middle)) {
            self.middles.clear();
            self.caches.clear();
        }
        let found = self.middles.iter().position(|tables| tables.middle == middle);
        self.current = found.unwrap_or_else(|| {
            self.middles.push(tables.middle(middle));
            self.middles.len() - 1
        });
    }

    /// How the lists of that side are cut into runs, and their rows in north and south.
    pub(super) fn shape(&self, role: Role) -> (Shape, [u32; 2]) {
        let north = self.north(role);
        (self.middles[self.current].corners[north].recipe.shape, [self.rows[north], self.rows[north + 1]])
    }

    /// The half whose placements are that side: at least what has these innermost queens.
    pub(super) fn half(&mut self, tables: &QuadrantTables, role: Role, inner: &Inner) -> Half<'_> {
        let (north, (shape, _)) = (self.north(role), self.shape(role));
        let corners = [north, north + 1];
        if tables.cache == CachePolicy::Parts {
            // The innermost queen is in the north, in the south or, where its column is taken, in neither.
            let first = usize::from(inner.rows[0][0] > 0);
            for (side, part) in [first, 1 - first].into_iter().enumerate() {
                let cache = &self.caches[self.places[corners[side]].0];
                let of = Some((cache.recipe, self.rows[corners[side]], inner.rows[side][0]));
                let part = &mut self.parts[part];
                if part.of != of {
                    part.of = of;
                    let place = Some(inner.rows[side][0]);
                    let (rows, blocked) = (self.rows[corners[side]], cache.recipe.blocked);
                    cache.lister.list(rows, place, blocked, &mut self.buffers, &mut part.quadrant);
                }
            }
            let [north, south] = [first, 1 - first].map(|part| &self.parts[part].quadrant);
            return Half { shape, north, south };
        }
        let [north, south] = corners.map(|corner| self.whole(corner));
        Half { shape, north, south }
    }

    /// The corner north of the middle on that side.
    fn north(&self, role: Role) -> usize {
        if self.is_west(role) { 2 } else { 0 }
    }

    /// Whether these are the west halves.
    pub(super) fn is_west(&self, role: Role) -> bool {
        build_is_west(self.middles[self.current].middle) == (role == Role::Build)
    }

    /// A quadrant of the task.
    fn whole(&self, corner: usize) -> &Quadrant {
        let kept = self.middles[self.current].corners[corner].quadrants.get(self.rows[corner] as usize);
        kept.and_then(OnceLock::get).unwrap_or_else(|| {
            let (cache, place) = self.places[corner];
            &self.caches[cache].quadrants[place]
        })
    }
}
