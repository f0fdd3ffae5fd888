//! What is listed: every solution or the fundamental ones, numbered.

use queens::{Fundamental, Listed, Placement, Solutions};

/// A solution as the formats get it.
pub(super) struct NumberedSolution {
    /// Its number in the whole list, from 1, also where the list is not shown from its beginning; `None` where that is
    /// not known.
    pub(super) number: Option<u64>,
    pub(super) placement: Placement,
    /// The first column, from 0, that differs from the solution before.
    pub(super) changed: usize,
    /// How many images it has; only of fundamental ones.
    pub(super) class_size: Option<usize>,
}

/// Finds the solutions one by one.
pub(super) struct SolutionList {
    /// None where there is nothing to be found.
    solutions: Option<AllOrFundamental>,
    /// The number of the solution before.
    number: Option<u64>,
}

enum AllOrFundamental {
    All(Solutions),
    Fundamental(Fundamental),
}

impl SolutionList {
    /// From solutions that `before` others precede in the whole list.
    pub(super) fn new(solutions: Option<Solutions>, listed: Listed, before: Option<u64>) -> Self {
        let of = |solutions| match listed {
            Listed::All => AllOrFundamental::All(solutions),
            Listed::Fundamental => AllOrFundamental::Fundamental(Fundamental::among(solutions)),
        };
        Self { solutions: solutions.map(of), number: before }
    }

    /// Whether the next solution takes no search.
    pub(super) fn ready(&self) -> bool {
        matches!(&self.solutions, Some(AllOrFundamental::All(solutions)) if solutions.ready())
    }
}

impl Iterator for SolutionList {
    type Item = NumberedSolution;

    fn next(&mut self) -> Option<NumberedSolution> {
        self.number = self.number.map(|number| number.saturating_add(1));
        let number = self.number;
        Some(match self.solutions.as_mut()? {
            AllOrFundamental::All(solutions) => {
                let changed = solutions.advance()?;
                NumberedSolution { number, placement: *solutions.current(), changed, class_size: None }
            }
            AllOrFundamental::Fundamental(fundamental) => {
                let (placement, class_size) = fundamental.next()?;
                NumberedSolution { number, placement, changed: 0, class_size: Some(class_size) }
            }
        })
    }
}
