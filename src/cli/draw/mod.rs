//! Boards as text and as SVG, and their squares.

pub(crate) mod svg;
pub(crate) mod text;

use queens::Placement;

/// Whether a queen is on a square; columns and rows count from 1, here and below.
pub(crate) fn has_queen(placement: &Placement, column: usize, row: usize) -> bool {
    placement.rows().nth(column - 1) == Some(row)
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
    fn squares_know_who_attacks_them() {
        let placement = Placement::parse("24", Size::new(4).unwrap()).unwrap();
        let by = |column, row| attackers(&placement, column, row).collect::<Vec<_>>();
        assert!(has_queen(&placement, 1, 2) && !has_queen(&placement, 2, 1));
        assert_eq!([by(2, 1), by(4, 4), by(3, 1), by(3, 4)], [vec![1, 2], vec![2], vec![], vec![1, 2]]);
    }

    #[test]
    fn the_lower_left_square_is_dark() {
        assert!(is_dark(8, 1, 8) && is_dark(5, 1, 5));
        assert!(!is_dark(8, 8, 8) && !is_dark(8, 1, 1));
        assert!(is_dark(5, 1, 1));
    }
}
