//! The number of a solution in the list, and the solution with a given number, without listing all before it.
//!
//! The list is divided into blocks by the next two queens, and the solutions of each block are counted. A number is
//! looked up among the sums of these counts, and only its block is listed: for N = 16, some 70,000 of 14,772,512
//! solutions.

use rayon::prelude::*;

use crate::board::placement::Placement;
use crate::engine::{Engine, backtrack::Backtrack};
use crate::solutions::Fundamental;
use crate::solutions::Solutions;

/// Which solutions are in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// Every solution.
    All,
    /// Only the least solution of each symmetry class.
    Fundamental,
}

/// The completions of a placement in lexicographic order, numbered from 1.
///
/// ```
/// use queens::{Listed, Placement, Ranking, Size};
/// let eight = Placement::empty(Size::new(8)?);
/// let ranking = Ranking::new(eight, Listed::All);
/// assert_eq!(ranking.total(), 92);
/// let solution = ranking.select(31).expect("there are 92");
/// assert_eq!((solution.to_string().as_str(), ranking.number(&solution)), ("42586137", 31));
/// # Ok::<(), queens::SizeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ranking {
    listed: Listed,
    /// The blocks in order, each with the number of listed solutions before it.
    blocks: Vec<(Placement, u64)>,
    total: u64,
}

impl Ranking {
    /// Counts the blocks on every core. That takes under a second for N = 16, ten times as long for each further N, and
    /// twice as long for fundamental solutions.
    pub fn new(prefix: Placement, listed: Listed) -> Self {
        let mut placements = vec![prefix];
        for _ in 0..2.min(prefix.size().get() - prefix.len()) {
            placements = placements.into_iter().flat_map(Placement::extensions).collect();
        }
        let mut counts: Vec<u64> = match listed {
            // Upside down the list is the same in reverse, and so are its blocks. So half of them need counting.
            Listed::All if prefix.is_empty() => counts_of_all(&placements[..placements.len().div_ceil(2)]),
            Listed::All => counts_of_all(&placements),
            Listed::Fundamental => placements
                .par_iter()
                .with_max_len(1)
                .map(|&block| Fundamental::among(Solutions::completions(block)).count() as u64)
                .collect(),
        };
        for index in counts.len()..placements.len() {
            counts.push(counts[placements.len() - 1 - index]);
        }
        let mut total = 0;
        let blocks = placements.into_iter().zip(counts).map(|(block, count)| {
            let before = total;
            total += count;
            (block, before)
        });
        Self { listed, blocks: blocks.collect(), total }
    }

    /// How many solutions are listed.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// The solution with this number, from 1; `None` if there are fewer. Lists one block.
    pub fn select(&self, number: u64) -> Option<Placement> {
        let before = number.checked_sub(1).filter(|&before| before < self.total)?;
        let (block, first) = self.blocks[self.blocks.partition_point(|&(_, first)| first <= before) - 1];
        self.walk(block).nth((before - first) as usize)
    }

    /// How many listed solutions come before `placement` or equal it. If it is listed, that is its number. Lists one
    /// block.
    pub fn number(&self, placement: &Placement) -> u64 {
        let Some(block) = self.blocks.partition_point(|(block, _)| block <= placement).checked_sub(1) else { return 0 };
        let (block, before) = self.blocks[block];
        before + self.walk(block).take_while(|solution| solution <= placement).count() as u64
    }

    fn walk(&self, block: Placement) -> Box<dyn Iterator<Item = Placement>> {
        let solutions = Solutions::completions(block);
        match self.listed {
            Listed::All => Box::new(solutions),
            Listed::Fundamental => Box::new(Fundamental::among(solutions).map(|(solution, _)| solution)),
        }
    }
}

fn counts_of_all(blocks: &[Placement]) -> Vec<u64> {
    let backtrack = Backtrack::default();
    let count = |worker: &mut _, block| backtrack.count(worker, block);
    blocks.par_iter().with_max_len(1).map_init(|| backtrack.worker(), count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Size;

    /// Every number of every list on small boards, against the list itself.
    #[test]
    fn numbers_and_solutions_belong_together() {
        for n in 0..=8 {
            let empty = Placement::empty(Size::new(n).unwrap());
            let prefixes: Vec<Placement> = std::iter::once(empty).chain(empty.extensions()).collect();
            for prefix in
                prefixes.into_iter().chain(empty.extensions().flat_map(|p| p.extensions().collect::<Vec<_>>()))
            {
                for listed in [Listed::All, Listed::Fundamental] {
                    let solutions = Solutions::completions(prefix);
                    let list: Vec<Placement> = match listed {
                        Listed::All => solutions.collect(),
                        Listed::Fundamental => Fundamental::among(solutions).map(|(solution, _)| solution).collect(),
                    };
                    let ranking = Ranking::new(prefix, listed);
                    assert_eq!(ranking.total(), list.len() as u64, "{prefix:?} {listed:?}");
                    for (before, solution) in (0..).zip(&list) {
                        assert_eq!(ranking.select(before + 1), Some(*solution));
                        assert_eq!(ranking.number(solution), before + 1);
                    }
                    assert_eq!((ranking.select(0), ranking.select(ranking.total() + 1)), (None, None));
                }
            }
        }
    }
}
