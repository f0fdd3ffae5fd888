//! The eight symmetries of the square: rotations and reflections of solutions.
//!
//! The images of a solution are solutions, and together they form an orbit. The first of them in lexicographic order is
//! called fundamental (OEIS A002562 counts the orbits). An orbit has 8, 4 or 2 members, because for N > 1 no solution
//! is its own reflection; for N ≤ 1 it has one.

use std::ops::RangeInclusive;

use super::placement::{Placement, Square};
use crate::names::named;
use crate::oeis::{self, Sequence};

/// One of the eight symmetries of the square; turns are clockwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symmetry {
    /// Nothing moves.
    Identity,
    /// A quarter turn.
    Rotation90,
    /// A half turn.
    Rotation180,
    /// Three quarter turns.
    Rotation270,
    /// Reflection that exchanges top and bottom: row r becomes N + 1 − r.
    TopToBottom,
    /// Reflection in the diagonal through column 1, row 1, which exchanges columns and rows.
    Diagonal,
    /// Reflection that exchanges left and right.
    LeftToRight,
    /// Reflection in the diagonal through column N, row 1.
    Antidiagonal,
}

named!(Symmetry {
    Identity: "identity",
    Rotation90: "rotation by 90° clockwise",
    Rotation180: "rotation by 180°",
    Rotation270: "rotation by 270° clockwise",
    TopToBottom: "reflection top to bottom",
    Diagonal: "reflection in the diagonal",
    LeftToRight: "reflection left to right",
    Antidiagonal: "reflection in the antidiagonal"
});

impl Symmetry {
    /// The image of a square on a board of n columns.
    fn moved(self, n: usize, Square { column, row }: Square) -> Square {
        let opposite = |line| n + 1 - line;
        let (column, row) = match self {
            Self::Identity => (column, row),
            Self::Rotation90 => (opposite(row), column),
            Self::Rotation180 => (opposite(column), opposite(row)),
            Self::Rotation270 => (row, opposite(column)),
            Self::TopToBottom => (column, opposite(row)),
            Self::Diagonal => (row, column),
            Self::LeftToRight => (opposite(column), row),
            Self::Antidiagonal => (opposite(row), opposite(column)),
        };
        Square { column, row }
    }
}

/// A rotation of the board about its centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Rotation {
    /// By 180 degrees.
    Half,
    /// By 90 degrees, in either direction: both leave the same solutions unchanged.
    Quarter,
}

impl Rotation {
    /// The board sizes that can be counted.
    pub const fn sizes(self) -> RangeInclusive<usize> {
        match self {
            Self::Half => 0..=34,
            Self::Quarter => 0..=69,
        }
    }

    /// The published terms: A032522 or A033148.
    pub fn sequence(self) -> &'static Sequence {
        match self {
            Self::Half => &oeis::HALF_TURN,
            Self::Quarter => &oeis::QUARTER_TURN,
        }
    }
}

named!(Rotation { Half: "half", Quarter: "quarter" });

/// A solution and its images.
///
/// ```
/// use queens::{Orbit, Placement, Size, Symmetry};
/// let solution = Placement::parse("15863724", Size::new(8)?)?;
/// let orbit = Orbit::of(&solution).expect("eight queens are a solution");
/// assert_eq!(orbit.image(Symmetry::Rotation90).to_string(), "36428571");
/// assert_eq!((orbit.images().len(), orbit.is_fundamental()), (8, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Orbit(Placement);

impl Orbit {
    /// The orbit of a solution; `None` if columns are still empty.
    pub fn of(solution: &Placement) -> Option<Self> {
        solution.is_solution().then_some(Self(*solution))
    }

    /// The solution's image under one symmetry.
    pub fn image(&self, symmetry: Symmetry) -> Placement {
        let mut image = Placement::empty(self.0.size());
        for queen in self.0.squares() {
            let Square { column, row } = symmetry.moved(self.0.size().get(), queen);
            image.set(column, row);
        }
        image
    }

    /// The distinct images in the order of [`Symmetry::ALL`], each with every symmetry that leads to it.
    pub fn images(&self) -> Vec<(Placement, Vec<Symmetry>)> {
        let mut images: Vec<(Placement, Vec<Symmetry>)> = Vec::new();
        for symmetry in Symmetry::ALL {
            let image = self.image(symmetry);
            match images.iter_mut().find(|(known, _)| *known == image) {
                Some((_, symmetries)) => symmetries.push(symmetry),
                None => images.push((image, vec![symmetry])),
            }
        }
        images
    }

    /// The first image in lexicographic order.
    pub fn canonical(&self) -> Placement {
        Symmetry::ALL.map(|symmetry| self.image(symmetry)).into_iter().min().expect("there are eight")
    }

    /// Whether no image comes before the solution itself.
    pub fn is_fundamental(&self) -> bool {
        Symmetry::ALL.iter().all(|&symmetry| self.image(symmetry) >= self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;
    use crate::solutions::Solutions;

    fn size(n: usize) -> Size {
        Size::new(n).unwrap()
    }

    /// Compares images with those in centred coordinates.
    #[test]
    fn symmetries_move_squares_as_their_names_say() {
        for solution in Solutions::new(size(6)).chain(Solutions::new(size(7))) {
            let n = solution.len() as i32;
            for symmetry in Symmetry::ALL {
                let mut squares: Vec<(i32, i32)> = solution
                    .squares()
                    .map(|square| {
                        // x to the right, y down, both from the centre in half squares.
                        let (x, y) = (2 * square.column as i32 - n - 1, 2 * square.row as i32 - n - 1);
                        match symmetry {
                            Symmetry::Identity => (x, y),
                            Symmetry::Rotation90 => (-y, x),
                            Symmetry::Rotation180 => (-x, -y),
                            Symmetry::Rotation270 => (y, -x),
                            Symmetry::TopToBottom => (x, -y),
                            Symmetry::Diagonal => (y, x),
                            Symmetry::LeftToRight => (-x, y),
                            Symmetry::Antidiagonal => (-y, -x),
                        }
                    })
                    .collect();
                squares.sort_unstable();
                let rows: Vec<usize> = squares.iter().map(|(_, y)| (y + n).div_euclid(2) as usize + 1).collect();
                let image = Orbit::of(&solution).unwrap().image(symmetry);
                assert_eq!(Placement::new(solution.size(), &rows), Ok(image), "{symmetry} of {solution}");
            }
        }
    }
}
