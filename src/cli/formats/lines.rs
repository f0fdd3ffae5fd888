//! A list as lines: the rows of each solution.

use queens::Placement;

/// Writes a placement. Avoids its `Display`, which takes a quarter longer for millions of lines.
pub(crate) fn write(text: &mut String, solution: &Placement) {
    for (column, row) in solution.rows().enumerate() {
        if solution.size().get() > 9 && column > 0 {
            text.push(',');
        }
        if row > 9 {
            text.push(char::from(b'0' + (row / 10) as u8));
        }
        text.push(char::from(b'0' + (row % 10) as u8));
    }
    text.push('\n');
}
