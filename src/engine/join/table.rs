//! The quadrants of a board: made once for all tasks while they fit in memory, else for each task.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::half::Half;
use super::keys::{Keys, Side};
use super::quadrant::{Blocked, Lister, Quadrant, Shape};
use crate::plan::halves::{Halves, Middle};

/// How many inner queens the lists of lanes and of queries are cut by at most, given the half and the middle.
pub(super) type Depths = fn(usize, Middle) -> (usize, usize);

/// Largest half whose quadrants are all kept: for h = 10 they take 150 MB, for h = 11 they would take 1.2 GB.
const KEPT_HALF: usize = 10;

/// One of the four quadrants. West ones are listed as their mirror images in the east.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Corner {
    NorthEast,
    SouthEast,
    NorthWest,
    SouthWest,
}

const CORNERS: [Corner; 4] = [Corner::NorthEast, Corner::SouthEast, Corner::NorthWest, Corner::SouthWest];

impl Corner {
    fn side(self) -> Side {
        if matches!(self, Self::NorthEast | Self::NorthWest) { Side::North } else { Side::South }
    }

    fn is_west(self) -> bool {
        matches!(self, Self::NorthWest | Self::SouthWest)
    }
}

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
struct Table {
    recipe: Recipe,
    quadrants: Vec<OnceLock<Quadrant>>,
}

/// What holds for all tasks with the same middle queens.
#[derive(Debug)]
struct MiddleTables {
    middle: Middle,
    keys: Keys,
    corners: [Arc<Table>; 4],
}

/// The quadrants of all boards of one size, as far as they are kept.
#[derive(Debug)]
pub(super) struct Tables {
    half: usize,
    depths: Depths,
    /// Whether quadrants are kept.
    keep: bool,
    /// The middle queens in use: as many as there are threads at the most, and in practice one or two.
    middles: Mutex<Vec<Arc<MiddleTables>>>,
}

/// Middle queens whose tables are kept beside those in use.
const KEPT_MIDDLES: usize = 2;

impl Tables {
    pub(super) fn new(half: usize) -> Self {
        Self { half, depths, keep: half <= KEPT_HALF, middles: Mutex::default() }
    }

    /// Tables that are cut and kept as if for another size.
    #[cfg(test)]
    pub(super) fn otherwise(half: usize, depths: Depths, keep: bool) -> Self {
        Self { depths, keep, ..Self::new(half) }
    }

    /// The tables for these middle queens.
    fn middle(&self, middle: Middle) -> Arc<MiddleTables> {
        let mut middles = self.middles.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = middles.iter().find(|tables| tables.middle == middle) {
            return found.clone();
        }
        while middles.len() >= KEPT_MIDDLES {
            middles.remove(0);
        }
        let made = Arc::new(MiddleTables::new(self, middle));
        middles.push(made.clone());
        made
    }
}

impl MiddleTables {
    fn new(tables: &Tables, middle: Middle) -> Self {
        let half = tables.half;
        let (lanes, queries) = (tables.depths)(half, middle);
        let gap = if middle == Middle::None { 1 } else { 2 };
        let keys = Keys { half, gap, without_long: !matches!(middle, Middle::Crossed { .. }) };
        let mut corners: Vec<Arc<Table>> = Vec::new();
        for corner in CORNERS {
            let taken = match middle {
                Middle::Crossed { row, .. } if corner.is_west() => Some(usize::from(row) - 1),
                _ => None,
            };
            let depth = if corner.is_west() == lanes_in_west(middle) { lanes } else { queries };
            let shape = Shape { half, depth, taken, by_diagonal: middle == Middle::None };
            let recipe = Recipe { shape, keys, side: corner.side(), blocked: blocked(middle, corner) };
            let table = corners.iter().find(|table| table.recipe == recipe).cloned();
            corners.push(table.unwrap_or_else(|| {
                let kept = if tables.keep { 1 << half } else { 0 };
                Arc::new(Table { recipe, quadrants: (0..kept).map(|_| OnceLock::new()).collect() })
            }));
        }
        Self { middle, keys, corners: corners.try_into().expect("four corners") }
    }
}

/// Whether the west halves are the lanes, and the east ones the queries. The lanes are better the shorter list: on even
/// boards that is the east, which has no queen on the long diagonals, and with crossed middle queens the west, which
/// has a column less.
fn lanes_in_west(middle: Middle) -> bool {
    matches!(middle, Middle::Crossed { .. })
}

/// See [`Depths`]. Short lists are cheaper matched than cut, and one column too many costs 5 to 60 %, for then there are
/// many tiny lists.
fn depths(half: usize, middle: Middle) -> (usize, usize) {
    match (half, middle) {
        (0..=9, Middle::None) => (0, 1),
        (0..=9, _) => (0, 0),
        (10, _) => (1, 1),
        (11, _) => (2, 2),
        (12, _) => (2, 3),
        (13, _) => (3, 3),
        _ => (4, 4),
    }
}

/// The diagonals of a quadrant that the middle queens attack.
fn blocked(middle: Middle, corner: Corner) -> Blocked {
    let mut blocked = Blocked::default();
    match middle {
        Middle::None => {}
        Middle::Centre => blocked.radial = 1 << 32,
        Middle::Crossed { column, row } => {
            let (column, row) = (i32::from(column), i32::from(row));
            // The queen (0, -column) looks north-east and north-west from the edge of both northern quadrants, and
            // into the southern ones from a distance; likewise the queen (-row, 0) for west and east.
            let mut transverse = |distance: i32| {
                if distance >= 2 {
                    blocked.transverse |= 1 << (distance - 2);
                }
            };
            if corner.side() == Side::North {
                transverse(column);
            }
            if corner.is_west() {
                transverse(row);
            }
            let column = if corner.side() == Side::North { -column } else { column };
            let row = if corner.is_west() { row } else { -row };
            blocked.radial = 1 << (32 + column) | 1 << (32 + row);
        }
    }
    blocked
}

/// The four quadrants of one thread's task.
#[derive(Debug, Default)]
pub(super) struct Lists {
    tables: Option<Arc<MiddleTables>>,
    rows: [u32; 4],
    /// Where the quadrants are not kept: those of this task, and what lists them.
    own: [Option<(Lister, Quadrant)>; 4],
}

impl Lists {
    /// Makes the lists for a task, as far as they are not there yet, and returns the keys of their patterns.
    pub(super) fn prepare(&mut self, tables: &Tables, task: &Halves) -> Keys {
        let middle = task.middle;
        let all = (1 << tables.half) - 1;
        let north_free = match middle {
            Middle::Crossed { column, .. } => all & !(1 << (column - 1)),
            Middle::None | Middle::Centre => all,
        };
        let rows = [task.north, task.south, north_free & !task.north, all & !task.south];
        if self.tables.as_ref().is_none_or(|tables| tables.middle != middle) {
            self.tables = Some(tables.middle(middle));
            self.own = Default::default();
        }
        let tables = self.tables.as_ref().expect("just set");
        for (corner, &rows) in rows.iter().enumerate() {
            let table = &tables.corners[corner];
            let Recipe { shape, keys, side, blocked } = table.recipe;
            if let Some(kept) = table.quadrants.get(rows as usize) {
                kept.get_or_init(|| {
                    let (lister, _) =
                        self.own[corner].get_or_insert_with(|| (Lister::new(shape, keys, side), Quadrant::default()));
                    let mut quadrant = Quadrant::default();
                    lister.list(rows, blocked, &mut quadrant);
                    quadrant
                });
                continue;
            }
            let fresh = self.own[corner].is_none();
            let (lister, quadrant) =
                self.own[corner].get_or_insert_with(|| (Lister::new(shape, keys, side), Quadrant::default()));
            // Consecutive tasks share their north.
            if fresh || quadrant.rows != rows {
                lister.list(rows, blocked, quadrant);
            }
        }
        self.rows = rows;
        tables.keys
    }

    /// The half whose placements are the lanes, and the one whose placements are the queries.
    pub(super) fn halves(&self) -> [Half<'_>; 2] {
        let tables = self.tables.as_ref().expect("prepared");
        let (east, west) = (self.half(0), self.half(2));
        if lanes_in_west(tables.middle) { [west, east] } else { [east, west] }
    }

    fn half(&self, north: usize) -> Half<'_> {
        let tables = self.tables.as_ref().expect("prepared");
        let quadrant = |corner: usize| {
            let kept = tables.corners[corner].quadrants.get(self.rows[corner] as usize);
            let own = self.own[corner].as_ref().map(|(_, quadrant)| quadrant);
            kept.and_then(OnceLock::get).or(own).expect("prepared")
        };
        Half { shape: tables.corners[north].recipe.shape, north: quadrant(north), south: quadrant(north + 1) }
    }
}
