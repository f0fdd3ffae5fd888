//! Boards as text and as SVG, and what is on each of their squares.

pub(crate) mod svg;
pub(crate) mod text;

use queens::Placement;

/// What is on a square; columns and rows count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SquareState {
    Queen,
    /// Attacked by the queen of this column, the first that does.
    Attacked(usize),
    Free,
}

impl SquareState {
    pub(crate) fn of(placement: &Placement, column: usize, row: usize) -> Self {
        if placement.rows().nth(column - 1) == Some(row) {
            return Self::Queen;
        }
        // With all queens placed every square is attacked, and there is nothing left to decide.
        if placement.is_solution() {
            return Self::Free;
        }
        attackers(placement, column, row).next().map_or(Self::Free, Self::Attacked)
    }
}

/// The columns of the queens that attack a square without a queen.
pub(crate) fn attackers(placement: &Placement, column: usize, row: usize) -> impl Iterator<Item = usize> + '_ {
    placement.squares().filter_map(move |queen| {
        let (across, down) = (queen.column.abs_diff(column), queen.row.abs_diff(row));
        (across == 0 || down == 0 || across == down).then_some(queen.column)
    })
}

/// Whether a square is a dark one; as on a chessboard the lower left one is.
pub(crate) const fn is_dark(n: usize, column: usize, row: usize) -> bool {
    (column + n - row) % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::Size;

    #[test]
    fn squares_know_who_attacks_them_first() {
        let placement = Placement::parse("24", Size::new(4).unwrap()).unwrap();
        let on = |column, row| SquareState::of(&placement, column, row);
        assert_eq!(on(1, 2), SquareState::Queen);
        assert_eq!(on(2, 1), SquareState::Attacked(1));
        assert_eq!(on(4, 4), SquareState::Attacked(2));
        assert_eq!(on(3, 1), SquareState::Free);
        assert_eq!(attackers(&placement, 3, 4).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn the_lower_left_square_is_dark() {
        assert!(is_dark(8, 1, 8) && is_dark(5, 1, 5));
        assert!(!is_dark(8, 8, 8) && !is_dark(8, 1, 1));
        assert!(is_dark(5, 1, 1));
    }
}
