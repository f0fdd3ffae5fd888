//! What is listed: every solution or the fundamental ones, numbered.

use queens::{Fundamental, Placement, Solutions};

/// A solution as the formats get it.
pub(super) struct Entry<'a> {
    /// Its number in the list, from 1, whatever is left out before it; `None` where that is not known.
    pub(super) number: Option<u64>,
    pub(super) placement: &'a Placement,
    /// The first column, from 0, that differs from the entry before.
    pub(super) changed: usize,
    /// How many images it has; only of fundamental ones.
    pub(super) class_size: Option<usize>,
}

/// Finds the entries one by one.
pub(super) struct Source {
    found: Found,
    /// That of the entry before.
    number: Option<u64>,
}

enum Found {
    All(Solutions),
    Fundamental(Fundamental, Placement),
}

impl Source {
    /// From solutions that `before` others come before in the whole list.
    pub(super) fn new(solutions: Solutions, fundamental: bool, before: Option<u64>) -> Self {
        let found = if fundamental {
            let current = *solutions.current();
            Found::Fundamental(Fundamental::among(solutions), current)
        } else {
            Found::All(solutions)
        };
        Self { found, number: before }
    }

    /// Leaves out the next so many.
    pub(super) fn skip(&mut self, count: u64) {
        for _ in 0..count {
            if self.next().is_none() {
                return;
            }
        }
    }

    /// Whether the next entry takes no search.
    pub(super) fn ready(&self) -> bool {
        match &self.found {
            Found::All(solutions) => solutions.ready(),
            Found::Fundamental(..) => false,
        }
    }

    pub(super) fn next(&mut self) -> Option<Entry<'_>> {
        self.number = self.number.map(|number| number + 1);
        let number = self.number;
        match &mut self.found {
            Found::All(solutions) => {
                let changed = solutions.advance()?;
                // After a skip the formats have not seen the entry before.
                Some(Entry { number, placement: solutions.current(), changed, class_size: None })
            }
            Found::Fundamental(fundamental, current) => {
                let (placement, class_size) = fundamental.next()?;
                *current = placement;
                Some(Entry { number, placement: current, changed: 0, class_size: Some(class_size) })
            }
        }
    }
}
