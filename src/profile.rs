//! The profile of the search: placements of k queens on the first k columns, for each k.

use rayon::prelude::*;

use crate::board::Size;
use crate::count::{CountError, thread_pool};
use crate::engine::Engine;
use crate::engine::backtrack::Backtrack;
use crate::placement::Placement;
use crate::plan::rows::{Lines, RowsPlan};
use crate::plan::{Plan, Weighted};
use crate::tally::{Overflow, Tally};

/// The number of placements of k queens on the first k columns, none attacking another, for k = 0 to N: a row of OEIS
/// A319284, which ends with the number of solutions and adds up to the nodes of a plain backtracking search.
///
/// By the engine `backtrack` on this many threads, 0 for every core that the process may use; about twice the time
/// that it takes to count the solutions alone.
///
/// ```
/// use queens::{Size, profile};
/// assert_eq!(profile(Size::new(8)?, 0)?, [1, 8, 42, 140, 344, 568, 550, 312, 92]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where a sum does not fit or no threads can be had.
pub fn profile(size: Size, threads: usize) -> Result<Vec<u128>, CountError> {
    let pool = thread_pool(threads)?;
    let empty = Placement::empty(size);
    let plan = RowsPlan::new(&empty, Lines::for_threads(size, pool.current_num_threads()));
    let tasks: Vec<_> = (0..plan.units()).flat_map(|unit| plan.unit(unit)).collect();
    let levels = pool.install(|| {
        tasks
            .par_iter()
            .with_max_len(1)
            .map_init(|| Backtrack::default().worker(), |worker, task| below(size, worker, task))
            .try_reduce(|| vec![Tally::default(); size.get() + 1], join)
    })?;
    let mut profile: Vec<u128> = levels.into_iter().map(Tally::get).collect();
    // What the tasks have set already: nothing, and the first queen anywhere.
    profile[0] = 1;
    if let Some(first) = profile.get_mut(1) {
        *first = size.get() as u128;
    }
    Ok(profile)
}

/// The placements that contain `task`, by their number of queens, as often as its weight says.
fn below(
    size: Size,
    worker: &mut <Backtrack as Engine>::Worker,
    &Weighted { task, weight }: &Weighted<Placement>,
) -> Result<Vec<Tally>, Overflow> {
    let mut levels = vec![Tally::default(); size.get() + 1];
    levels[task.len()].add(1, weight)?;
    for (level, count) in levels[task.len() + 1..].iter_mut().zip(Backtrack::default().levels(worker, &task)) {
        level.add(count, weight)?;
    }
    Ok(levels)
}

fn join(left: Vec<Tally>, right: Vec<Tally>) -> Result<Vec<Tally>, Overflow> {
    left.into_iter().zip(right).map(|(left, right)| left.join(right)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oeis;

    #[test]
    fn the_published_triangle() {
        let mut published = oeis::PROFILE.terms;
        for n in 0..=12 {
            let row;
            (row, published) = published.split_at(n + 1);
            for threads in [1, 2, 3] {
                assert_eq!(profile(Size::new(n).unwrap(), threads).unwrap(), row, "N = {n} on {threads} threads");
            }
        }
        assert!(published.is_empty());
    }

    /// Boards beyond the published triangle: the solutions at its end, pairs of rows more than one apart at level two.
    #[test]
    fn larger_boards_end_in_the_count() {
        for n in [13, 14] {
            let profile = profile(Size::new(n).unwrap(), 2).unwrap();
            assert_eq!(profile[n], oeis::QUEENS.term(n).unwrap());
            assert_eq!(profile[2], ((n - 1) * (n - 2)) as u128);
        }
    }
}
