//! Random tasks of every kind, at the sizes that the project is for (N = 20 to 28): counted by the join on every
//! instruction set and by the auditor.
//!
//! From N = 24 on a task takes the auditor minutes to hours. So both count a random *part* of a task: the solutions
//! whose queens of the innermost columns are on certain squares. The join cuts its lists by these columns. The rest of
//! its code runs as in a whole task: quadrants that are made and dropped, or listed by their innermost queen; lists in
//! pieces; the middle row's queen compared with lists that are shared (N <= 25) or not (N = 27); the deepest cuts. A
//! part cannot test the length of whole lists, or sums beyond 32 bits.
//!
//! ```sh
//! scripts/check-tasks --help
//! ```
//!
//! runs the test with other seeds, as often as you like, and with whole tasks; it uses the variables below.

use std::cell::Cell;
use std::env;
use std::ops::RangeInclusive;

use fastrand::Rng;

use super::*;
use crate::engine::join::{ANYWHERE, Worker};
use crate::engine::lanes::{Isa, Lanes, WithLanes, names};

const SIZES: RangeInclusive<usize> = 20..=28;

/// Ways to fill the middle, each with another way that may share its row sets. For every distance `column` of the
/// middle column's queen, the middle row's queen is at the next distance and at one farther out, so every `row` occurs
/// too.
fn kinds(half: u8, odd: bool, random: &mut Rng) -> Vec<Vec<Middle>> {
    if !odd {
        return vec![vec![Middle::None]; 4];
    }
    let crossed = (1..half).map(|column| {
        let far = (column + 2..=half).nth(random.usize(..usize::from(half - column)));
        [column + 1].into_iter().chain(far).map(|row| Middle::Crossed { column, row }).collect()
    });
    vec![vec![Middle::Centre]; 2].into_iter().chain(crossed).collect()
}

/// `count` random elements, or all if there are fewer.
fn some<T>(mut of: Vec<T>, count: usize, random: &mut Rng) -> Vec<T> {
    random.shuffle(&mut of);
    of.truncate(count);
    of
}

/// The rows as sets of distances from the middle, north and south.
fn sets(rows: &[(usize, u32)]) -> [u32; 2] {
    [0, 1].map(|side| rows.iter().filter(|row| row.0 == side).map(|row| 1 << row.1).sum())
}

/// The same random row set with each of these middles, and for each inner column the same random squares in `count`
/// rows.
fn draw(half: u8, middles: &[Middle], depths: [usize; 2], count: usize, random: &mut Rng) -> Vec<TaskPart> {
    let mut rows: Vec<(usize, u32)> =
        (0..2).flat_map(|side| (0..u32::from(half)).map(move |row| (side, row))).collect();
    let mut taken = Vec::new();
    for middle in middles {
        if let &Middle::Crossed { column, row } = middle {
            rows.retain(|&row| row != (0, u32::from(column) - 1));
            taken.push(usize::from(row) - 1);
        }
    }
    let east = some(rows.clone(), half.into(), random);
    rows.retain(|row| !east.contains(row));
    let [mut north, mut south] = sets(&east);
    // Of a row set and its upside-down image, the plan has the set with fewer rows in the north.
    let is_crossed = !taken.is_empty();
    let flipped = !is_crossed && (north.count_ones(), north) > (south.count_ones(), south);
    let mut squares = ANYWHERE;
    for ((side, rows), depth) in [rows, east].iter().enumerate().zip(depths) {
        for column in (0..depth).filter(|column| side == 1 || !taken.contains(column)) {
            squares[side][column] = sets(&some(rows.clone(), count, random));
            if flipped {
                squares[side][column].reverse();
            }
        }
    }
    if flipped {
        (north, south) = (south, north);
    }
    middles.iter().map(|&middle| TaskPart { task: Halves { half, middle, north, south }, squares }).collect()
}

/// Counts parts of tasks that share their row sets and squares, one after another.
struct Counted<'a> {
    size: Size,
    parts: &'a [TaskPart],
    pieces: bool,
    worker: &'a mut Worker,
}

impl WithLanes for Counted<'_> {
    type Output = Vec<u64>;

    fn with<L: Lanes>(self, lanes: L) -> Vec<u64> {
        let join = Join::new(self.size, lanes);
        let join = if self.pieces { join.in_pieces() } else { join };
        // Forgets the lists of the previous instruction set, but not its quadrants.
        self.worker.forget_east();
        self.parts.iter().map(|part| join.count_part(self.worker, &part.task, &part.squares)).collect()
    }
}

/// A number from the environment.
fn number<T: std::str::FromStr>(name: &str, otherwise: T) -> T {
    let text = env::var(name).ok();
    text.map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number, not {text:?}")))
}

/// The settings of the test, from the environment or as in CI.
struct Told {
    seed: u64,
    rounds: u64,
    sizes: RangeInclusive<usize>,
    whole: bool,
}

impl Told {
    fn new() -> Self {
        let sizes = number("QUEENS_FROM", *SIZES.start())..=number("QUEENS_TO", *SIZES.end());
        let known = SIZES.contains(sizes.start()) && SIZES.contains(sizes.end()) && !sizes.is_empty();
        assert!(known, "QUEENS_FROM and QUEENS_TO are 20 to 28, not {sizes:?}");
        let rounds = number("QUEENS_ROUNDS", 1);
        assert!(rounds > 0, "QUEENS_ROUNDS is at least 1");
        Self { seed: number("QUEENS_SEED", 28), rounds, sizes, whole: number("QUEENS_WHOLE", 0) > 0 }
    }
}

/// The number of rows of each inner column in the first part drawn, for even and odd N: some thousand solutions are
/// left.
const ROWS: [usize; 2] = [2, 3];

/// At most so many draws for a kind of task. One of them must have solutions; most do.
const DRAWS: usize = 50;

/// The auditor may try so many times 65,536 queens for a part. If it needs more, a smaller part is drawn.
const PATIENCE: usize = 20;

/// The auditor's counts; `None` if the parts take too long.
fn audited_parts(parts: &[TaskPart], patience: usize) -> Option<Vec<u64>> {
    let asked = Cell::new(0);
    let is_too_long = || asked.replace(asked.get() + 1) >= patience;
    parts.iter().map(|part| count(part, &is_too_long)).collect()
}

#[test]
fn the_join_counts_random_tasks_of_every_kind_as_defined() {
    let Told { seed, rounds, sizes, whole } = Told::new();
    let (mut compared, mut with_solutions) = (0, 0);
    for (round, n) in (0..rounds).flat_map(|round| sizes.clone().map(move |n| (round, n))) {
        // Each round repeats the first round of a run with its seed.
        let seed = seed.wrapping_add(round);
        println!("seed {seed}, N = {n}");
        let (size, half, mut random) = (Size::new(n).unwrap(), n as u8 / 2, Rng::with_seed(seed));
        let mut worker = Worker::default();
        for (kind, middles) in kinds(half, n % 2 == 1, &mut random).into_iter().enumerate() {
            let (mut rows, patience) = if whole { (n, usize::MAX) } else { (ROWS[n % 2], PATIENCE) };
            let depths = Join::new(size, Portable::new()).depths(middles[0]);
            let has_solutions = (0..DRAWS).any(|draws| {
                let parts = draw(half, &middles, depths, rows, &mut random);
                let Some(audited) = audited_parts(&parts, patience) else {
                    rows = (rows - 1).max(1);
                    return false;
                };
                for (index, isa) in Isa::available().enumerate() {
                    // Every other count has its lists in pieces, in alternation.
                    let pieces = (kind + draws + index) % 2 == 0;
                    let counted = Counted { size, parts: &parts, pieces, worker: &mut worker };
                    let counts = isa.with(counted).expect("the processor has it");
                    assert_eq!(counts, audited, "seed {seed}, N = {n}, {isa}, in pieces: {pieces}: {parts:?}");
                }
                compared += parts.len();
                with_solutions += audited.iter().filter(|&&count| count > 0).count();
                audited.iter().all(|&count| count > 0)
            });
            assert!(has_solutions, "seed {seed}, N = {n}, {middles:?}: no solutions in {DRAWS} draws");
        }
    }
    let sets = names(Isa::available());
    println!("{compared} tasks as the auditor has them, {with_solutions} of them with solutions, on {sets}");
}
