//! A list as CSV: the number of each solution and the rows of its queens.

use std::fmt::Write;

use queens::Placement;

pub(crate) fn header(n: usize) -> String {
    let columns = (1..=n).map(|column| format!("column{column}"));
    std::iter::once("number".to_owned()).chain(columns).collect::<Vec<_>>().join(",") + "\n"
}

pub(crate) fn write(text: &mut String, number: u64, solution: &Placement) {
    // Writing to a string cannot fail.
    let _ = write!(text, "{number}");
    solution.rows().for_each(|row| write!(text, ",{row}").unwrap_or_default());
    text.push('\n');
}
