//! Random tasks of every kind, at the sizes that the project is for (N = 20 to 28): the join on every instruction set
//! and the auditor must agree.
//!
//! A whole task takes the auditor minutes to days from N = 24. So both count a random *part* of a task: the solutions
//! whose queens of the innermost columns, by which lists are split, are on certain squares. The rest of the join's code
//! runs as in a whole task: quadrants that are made and dropped, or listed by their innermost queen; the middle row's
//! queen compared with lists that are shared (N <= 25) or not (N = 27); the deepest splits. A part cannot test the
//! length of whole lists, or sums beyond 32 bits.
//!
//! With slow cases, `QUEENS_SEED=7` draws other tasks. By default, only a fifth of the kinds is drawn, on one board per
//! way to keep lists. The default seeds draw the fewest parts that are too long or have no solutions.

use std::cell::Cell;
use std::env;

use super::*;
use crate::audit::draws::Draws;
use crate::audit::parts::part_of_halves;

/// Ways to fill the centre lines, each with another way that may share its row sets. For every distance `column` of the
/// middle column's queen, the middle row's queen is at the next distance and at a random one farther out, so every
/// `row` occurs too.
fn kinds(half: u8, odd: bool, random: &mut Draws) -> Vec<Vec<Middle>> {
    if !odd {
        return vec![vec![Middle::None]; 4];
    }
    let crossed = (1..half).map(|column| {
        let far = (column + 2..=half).nth(random.below(usize::from(half - column)));
        [column + 1].into_iter().chain(far).map(|row| Middle::Crossed { column, row }).collect()
    });
    vec![vec![Middle::Centre]; 2].into_iter().chain(crossed).collect()
}

/// The same random row set with each of these middles, and the same `count` random rows in each inner column.
fn draw(half: u8, middles: &[Middle], count: usize, random: &mut Draws) -> Vec<Task> {
    let mut rows: Vec<(usize, u32)> = (0..2).flat_map(|side| (0..half.into()).map(move |row| (side, row))).collect();
    let is_crossed = if let Middle::Crossed { column, .. } = middles[0] {
        rows.retain(|&row| row != (0, u32::from(column) - 1));
        true
    } else {
        false
    };
    random.shuffle(&mut rows);
    let east = &rows[..half.into()];
    let [mut north, mut south] = [0, 1].map(|side| east.iter().filter(|row| row.0 == side).map(|row| 1 << row.1).sum());
    // A row set and its upside-down image have one task, with fewer rows in the north than in the south.
    let fewer_first = |north: u32, south: u32| (north.count_ones(), north) <= (south.count_ones(), south);
    if !is_crossed && !fewer_first(north, south) {
        (north, south) = (south, north);
    }
    let [first, ..] = middles else { unreachable!("each kind has a middle") };
    let first = Halves { half, middle: *first, north, south };
    let Task::Halves(_, squares) = part_of_halves(&first, count, random) else { unreachable!("a part has halves") };
    middles.iter().map(|&middle| Task::Halves(Halves { middle, ..first }, squares)).collect()
}

/// The allowed rows of each inner column in the first part that is drawn, for even and odd N. They leave some thousand
/// solutions.
const ROWS: [usize; 2] = [2, 3];

/// The most draws for a kind of task. One of them must have solutions; most do.
const MAX_DRAWS: usize = 50;

/// The most calls of `stopped` by the auditor, one per 65,536 queens tried. Then a smaller part is drawn.
const MAX_AUDITOR_STEPS: usize = 20;

/// The auditor's counts; `None` if the parts take too long.
fn audited_parts(parts: &[Task]) -> Option<Vec<u64>> {
    let steps = Cell::new(0);
    let is_too_long = || steps.replace(steps.get() + 1) >= MAX_AUDITOR_STEPS;
    parts.iter().map(|part| count(part, &is_too_long)).collect()
}

#[test]
fn the_join_counts_random_tasks_of_every_kind_as_defined() {
    let seed = env::var("QUEENS_SEED").map_or(28, |seed| seed.parse().expect("QUEENS_SEED is a number"));
    let is_all = crate::tests::is_all();
    let all = [20, 21, 23, 24, 26, 27, 28].map(|n| (n, seed));
    let (boards, one_of) = if is_all { (&all[..], 1) } else { (&[(21, 26), (23, 55), (24, 48), (27, 21)][..], 5) };
    for &(n, seed) in boards {
        let (mut joins, mut random) = (joins(n), Draws::by(&format!("seed {seed}")));
        for middles in kinds(n as u8 / 2, n % 2 == 1, &mut random).into_iter().step_by(one_of) {
            let mut rows = ROWS[n % 2];
            let has_solutions = (0..MAX_DRAWS).any(|_| {
                let parts = draw(n as u8 / 2, &middles, rows, &mut random);
                let Some(audited) = audited_parts(&parts) else {
                    rows = (rows - 1).max(1);
                    return false;
                };
                for (isa, join) in &mut joins {
                    let counts: Vec<u64> = parts.iter().map(|part| join.count(part)).collect();
                    assert_eq!(counts, audited, "seed {seed}, N = {n}, {isa}: {parts:?}");
                }
                audited.iter().all(|&count| count > 0)
            });
            assert!(has_solutions, "seed {seed}, N = {n}, {middles:?}: no solutions in {MAX_DRAWS} draws");
        }
    }
}
