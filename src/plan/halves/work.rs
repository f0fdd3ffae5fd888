//! The estimated work of a unit, from its shape alone.
//!
//! The model was fitted to the mean times of version 0.1.0 for N = 17 to 20, and agrees with them within a fifth. Only
//! the displayed progress and the time left depend on it.

use super::{HalvesPlan, Middle, Unit};

/// How much longer a task takes if the mirror makes it count all classes.
const MIRRORED: f64 = 0.6;
/// How much shorter a task is if north and south share the rows unevenly, for each row of difference, squared.
const UNEVEN: f64 = 0.12;
/// How much longer a task takes if the middle queens are farther out, where they attack fewer squares.
const OUTER: f64 = 0.8;

/// The work of a unit. One is a task that shares the rows evenly, with the middle queens, if any, next to the centre.
pub(super) fn of(plan: &HalvesPlan, unit: usize) -> f64 {
    let Unit { section, tasks, first } = plan.units[unit];
    let section = &plan.sections[section as usize];
    let half = plan.half() as f64;
    let middles = section.middles.len() as u64;
    let each = |&middle: &Middle| match middle {
        Middle::None | Middle::Centre => 1.0,
        Middle::Crossed { column, row } => 1.0 + OUTER * f64::from(column + row) / half,
    };
    let each = section.middles.iter().map(each).sum::<f64>();
    let crossed = matches!(section.middles[0], Middle::Crossed { .. });
    let rows = if crossed { half - 0.5 } else { half };
    let (first, end) = (first / middles, (first + u64::from(tasks)).div_ceil(middles));
    let mut left = (end - first) as usize;
    let mut work = 0.0;
    for (north, mut souths) in plan.spans(section, first) {
        souths.end = souths.end.min(souths.start + left);
        let uneven = f64::from(north.count_ones()) - rows / 2.0;
        let whole =
            if crossed { 0 } else { plan.souths_to_mirror(north).clamp(souths.start, souths.end) - souths.start };
        work += (souths.len() as f64 + MIRRORED * whole as f64) / (1.0 + UNEVEN * uneven * uneven);
        left -= souths.len();
        if left == 0 {
            break;
        }
    }
    // A unit may begin and end within the tasks of a row set.
    work * each * f64::from(tasks) / ((end - first) * middles) as f64
}
