//! A part of a task of the join, for tasks that would take the auditor hours.

use fastrand::Rng;

use super::{Audited, Definition, Rows};
use crate::engine::join::{ANYWHERE, InnerSquares};
use crate::plan::{Halves, Middle};

/// The solutions of a task whose inner queens are on these squares. The weights of solutions are those of the task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaskPart {
    pub(crate) task: Halves,
    pub(crate) squares: InnerSquares,
}

impl TaskPart {
    /// A random part: in each of the `depths` inner columns of the west and the east, `rows` of the rows that the task
    /// has for that half.
    pub(crate) fn draw(task: Halves, depths: [usize; 2], rows: usize, random: &mut Rng) -> Self {
        let all = (1 << task.half) - 1;
        let mut west = [all & !task.north, all & !task.south];
        if let Middle::Crossed { column, .. } = task.middle {
            west[0] &= !(1 << (column - 1));
        }
        let mut squares = ANYWHERE;
        for (side, sets) in [west, [task.north, task.south]].into_iter().enumerate() {
            let of_side: Vec<(usize, u32)> = (0..2)
                .flat_map(|south| (0..32).map(move |distance| (south, distance)))
                .filter(|&(south, distance)| sets[south] >> distance & 1 == 1)
                .collect();
            // Where the middle row's queen is in an inner column, she stays: she is neither in the north nor in the south.
            for chosen in &mut squares[side][..depths[side]] {
                *chosen = [0; 2];
                for (south, distance) in random.choose_multiple(of_side.iter().copied(), rows) {
                    chosen[south] |= 1 << distance;
                }
            }
        }
        Self { task, squares }
    }
}

impl Audited for TaskPart {
    fn definition(&self) -> Definition {
        let mut definition = self.task.definition();
        let half = usize::from(self.task.half);
        let odd = definition.n % 2;
        let [west, east] = self.squares;
        let west = west.into_iter().enumerate().map(|(distance, rows)| (half - 1 - distance, rows));
        let east = east.into_iter().enumerate().map(|(distance, rows)| (half + odd + distance, rows));
        for (column, [north, south]) in west.chain(east) {
            let others = |rows: u32| (0..half).filter(move |distance| rows >> distance & 1 == 0);
            let north = others(north).map(|distance| half - 1 - distance);
            let south = others(south).map(|distance| half + odd + distance);
            definition.rows[column] = definition.rows[column].without(Rows::of(north.chain(south)));
        }
        definition
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Size;
    use crate::plan::{HalvesPlan, Plan, Units};

    /// A part allows as many rows as were asked for in each inner column, of those that the task allows there, and in all
    /// other columns what the task allows. Every row is drawn at some time.
    #[test]
    fn parts_have_some_rows_of_their_task() {
        const ROWS: usize = 2;
        let mut random = Rng::with_seed(1);
        for n in [8, 9, 11] {
            let plan = HalvesPlan::new(Size::new(n).unwrap());
            let (half, odd) = (n / 2, n % 2);
            let inner =
                |column: usize| (half - 2..half).contains(&column) || (half + odd..half + odd + 3).contains(&column);
            for unit in (0..plan.units()).step_by(7) {
                let task = plan.task(unit, 0).task;
                let whole = task.definition();
                let mut seen = [Rows::EMPTY; 32];
                for _ in 0..40 {
                    let part = TaskPart::draw(task, [2, 3], ROWS, &mut random).definition();
                    for (column, seen) in seen[..n].iter_mut().enumerate() {
                        let (rows, allowed) = (part.rows[column], whole.rows[column]);
                        assert_eq!(rows.without(allowed), Rows::EMPTY, "{task:?}, column {column}");
                        let most = if inner(column) { ROWS } else { n };
                        assert_eq!(rows.len() as usize, most.min(allowed.len() as usize), "{task:?}, column {column}");
                        *seen = Rows(seen.0 | rows.0);
                    }
                }
                assert_eq!(seen[..n], whole.rows[..n], "{task:?}");
            }
        }
    }
}
