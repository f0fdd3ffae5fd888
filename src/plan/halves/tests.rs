//! Weights and order of tasks, and the plans of large boards.

use super::*;

fn plan(n: usize) -> HalvesPlan {
    HalvesPlan::new(Size::new(n).unwrap())
}

/// A set of row sets, one bit each.
struct Covered(Vec<u64>);

impl Covered {
    fn nothing(rows: usize) -> Self {
        Self(vec![0; (1 << rows) / 64 + 1])
    }

    /// Covers the images of a row set. Whether exactly `weight` of them were new: then `weight` of them are distinct,
    /// and none was covered before, because images are covered together.
    fn cover(&mut self, images: &[u32], weight: u64) -> bool {
        let mut new = 0;
        for &image in images {
            let (word, bit) = (&mut self.0[image as usize / 64], 1 << (image % 64));
            new += u64::from(*word & bit == 0);
            *word |= bit;
        }
        new == weight
    }

    fn len(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

/// Checks symmetry by its definition: each row set and its images have exactly one task, whose weight is their number.
/// A row set has h rows, without the middle row and without the row of the middle column's queen; bit 0 is the
/// southernmost row.
fn check_cover(n: usize) {
    let (plan, half) = (plan(n), n / 2);
    let (rows, all) = (2 * half, (1 << (2 * half)) - 1);
    let choose = |n: usize, k: usize| (0..k as u64).fold(1, |product, i| product * (n as u64 - i) / (i + 1));
    let (units, mut middles) = ((0..plan.units()).collect::<Vec<_>>(), Vec::new());
    for units in units.chunk_by(|&a, &b| plan.units[a].section == plan.units[b].section) {
        // One per place of the middle row's queen, and one for solutions without queens on long diagonals.
        let mut covered: Vec<Option<(Middle, Covered)>> = (0..=half).map(|_| None).collect();
        let mut by_mirror = Covered::nothing(rows);
        for (task, weight) in units.iter().flat_map(|&unit| plan.row_sets(unit, 0)) {
            let set = task.south.reverse_bits() >> (32 - half) | task.north << half;
            let upside_down = set.reverse_bits() >> (32 - rows);
            let images = [set, upside_down, !set & all, !upside_down & all];
            let row = if let Middle::Crossed { row, .. } = task.middle { row.into() } else { 0 };
            let (middle, covered) = covered[row].get_or_insert_with(|| (task.middle, Covered::nothing(rows)));
            let is_right = match task.middle {
                Middle::None => {
                    let mirror = task.mirror();
                    let is_right = mirror == 0 || by_mirror.cover(&images, weight * mirror);
                    is_right && covered.cover(&images[..2], weight)
                }
                Middle::Centre => covered.cover(&images, weight),
                Middle::Crossed { column, .. } => {
                    let queen = half - 1 + usize::from(column);
                    weight == 8 && set >> queen & 1 == 0 && covered.cover(&[set], 1)
                }
            };
            let is_set = (set.count_ones(), task.half) == (half as u32, half as u8) && task.middle == *middle;
            assert!(is_right && is_set, "N = {n}: {task:?}, weight {weight}");
        }
        for (middle, covered) in covered.into_iter().flatten() {
            let sets = choose(rows - usize::from(matches!(middle, Middle::Crossed { .. })), half);
            assert_eq!(covered.len(), sets, "N = {n}, {middle:?}");
            assert!(middle != Middle::None || by_mirror.len() == sets, "N = {n}, by the mirror");
            middles.push(format!("{middle:?}"));
        }
    }
    middles.sort();
    let crossed = (1..=half as u8).flat_map(|row| (1..row).map(move |column| Middle::Crossed { column, row }));
    let odd = crossed.chain([Middle::Centre]);
    let mut expected: Vec<String> = if n.is_multiple_of(2) {
        vec![format!("{:?}", Middle::None)]
    } else {
        odd.map(|middle| format!("{middle:?}")).collect()
    };
    expected.sort();
    assert_eq!(middles, expected, "N = {n}");
}

/// N = 25 to 28, which have 600 million tasks, only with slow cases.
#[test]
fn every_row_set_has_one_task_with_its_weight() {
    let is_tested = |n: &usize| *n < 25 || crate::tests::is_all();
    HalvesPlan::SIZES.filter(is_tested).for_each(check_cover);
}

/// Also if a unit begins within a tile or a row set.
#[test]
fn a_unit_read_from_its_middle_has_the_same_tasks() {
    for n in [5, 8, 13, 16, 21, 23, 24] {
        let plan = plan(n);
        let step = (plan.units() / 40).max(1);
        for unit in (0..plan.units()).step_by(step).chain([plan.units() - 1]) {
            let tasks: Vec<_> = plan.row_sets(unit, 0).collect();
            assert_eq!(tasks.len() as u64, plan.tasks(unit), "N = {n}, unit {unit}");
            for index in [0, tasks.len() / 3, tasks.len() / 2, tasks.len() - 1] {
                assert!(plan.row_sets(unit, index as u64).eq(tasks[index..].iter().copied()), "N = {n}, unit {unit}");
            }
        }
    }
}

#[test]
fn tiles_keep_south_sets_together() {
    let plan = plan(22);
    let mut south: Vec<u32> =
        (500..502).flat_map(|unit| plan.row_sets(unit, 0)).map(|weighted| weighted.0.south).collect();
    let norths: Vec<u32> =
        (500..502).flat_map(|unit| plan.row_sets(unit, 0)).map(|weighted| weighted.0.north).collect();
    south.sort_unstable();
    south.dedup();
    assert!(south.len() <= 16, "{} south sets", south.len());
    assert_eq!(norths.chunk_by(|a, b| a == b).map(<[_]>::len).max(), Some(8));
}

/// They are one per south set of a tile and place of the middle row's queen, which is farther out than the column's
/// queen.
#[test]
fn tasks_that_share_lists_have_one_north() {
    let found = [12, 13, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27].map(|n| plan(n).tasks_sharing_lists());
    assert_eq!(found, [1, 5, 1, 8, 1, 9 * 32, 8, 10 * 8, 0, 11, 0, 0]);
}

/// Quickly, although N = 27 has 4e8 tasks and N = 28 has 2e7.
#[test]
fn large_plans_have_few_enough_units_for_a_ledger() {
    assert!([27, 28].iter().all(|&n| (4096..100_000).contains(&plan(n).units())));
}

/// A group has all tasks with the same middle column's queen, so even boards have no groups.
#[test]
fn units_are_grouped_while_quadrants_are_shared() {
    for (n, groups) in [(13, Some(6)), (18, None), (19, Some(9)), (20, None), (21, None), (27, None)] {
        let plan = plan(n);
        let last = plan.units() - 1;
        assert_eq!(plan.group(last) + 1, groups.unwrap_or(plan.units()), "N = {n}");
    }
}
