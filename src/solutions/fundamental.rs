//! One solution of each symmetry class.

use crate::board::{Orbit, Placement};
use crate::solutions::Solutions;

/// The fundamental solutions that an iterator finds, each with the size of its class.
///
/// ```
/// use queens::{Fundamental, Size, Solutions};
/// let sizes: Vec<usize> = Fundamental::among(Solutions::new(Size::new(8)?)).map(|(_, size)| size).collect();
/// assert_eq!((sizes.len(), sizes.iter().sum::<usize>()), (12, 92));
/// # Ok::<(), queens::SizeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fundamental(Solutions);

impl Fundamental {
    /// Keeps the solutions that are the least of their class.
    pub const fn among(solutions: Solutions) -> Self {
        Self(solutions)
    }
}

impl Iterator for Fundamental {
    type Item = (Placement, usize);

    fn next(&mut self) -> Option<(Placement, usize)> {
        for solution in self.0.by_ref() {
            // Upside down, the first queen of this solution and of every later one would be in a smaller row.
            let first = solution.rows().next().unwrap_or(0);
            if 2 * first > solution.size().get() + 1 {
                return None;
            }
            let orbit = Orbit::of(&solution).expect("a solution has a queen in every column");
            if orbit.is_fundamental() {
                return Some((solution, orbit.class_size()));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;
    use std::collections::BTreeMap;

    fn size(n: usize) -> Size {
        Size::new(n).unwrap()
    }

    /// Collects every solution under its canonical form: the classes must have the sizes that the iterator gives.
    #[test]
    fn classes_are_what_the_fundamental_ones_say() {
        for n in 0..=10 {
            let mut classes: BTreeMap<Placement, usize> = BTreeMap::new();
            for solution in Solutions::new(size(n)) {
                *classes.entry(Orbit::of(&solution).unwrap().canonical()).or_default() += 1;
            }
            assert!(Fundamental::among(Solutions::new(size(n))).eq(classes), "N = {n}");
        }
    }

    #[test]
    fn eight_has_twelve_classes() {
        let mut sizes: Vec<usize> = Fundamental::among(Solutions::new(size(8))).map(|(_, size)| size).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8]);
    }
}
