//! Tables that fit the terminal: where it is narrow, whole columns are left out, the less important first.

use std::fmt::Write;

use anstyle::Style;

/// A column, and what it says in each line.
pub(crate) struct Column {
    head: String,
    /// Columns of a larger rank go sooner; 0 never does.
    rank: u8,
    right: bool,
    style: Style,
    cells: Vec<String>,
}

impl Column {
    /// Words, which begin at the left.
    pub(crate) fn words(head: &str, rank: u8, cells: impl Iterator<Item = String>) -> Self {
        Self { head: head.to_owned(), rank, right: false, style: Style::new(), cells: cells.collect() }
    }

    /// Numbers, which end at the right.
    pub(crate) fn numbers(head: &str, rank: u8, cells: impl Iterator<Item = String>) -> Self {
        Self { right: true, ..Self::words(head, rank, cells) }
    }

    pub(crate) fn style(self, style: Style) -> Self {
        Self { style, ..self }
    }

    fn width(&self) -> usize {
        self.cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0).max(self.head.chars().count())
    }
}

/// Between two columns.
const GAP: usize = 2;

/// The table in at most so many columns of characters, unless even the columns that never go need more. Before the lines
/// in `breaks` there is an empty one.
pub(crate) fn table(mut columns: Vec<Column>, width: usize, breaks: &[usize]) -> String {
    const HEAD: Style = Style::new().dimmed();
    let needed = |columns: &[Column]| columns.iter().map(|column| column.width() + GAP).sum::<usize>() - GAP;
    while needed(&columns) > width {
        let Some(most) = columns.iter().map(|column| column.rank).max().filter(|&rank| rank > 0) else { break };
        columns.retain(|column| column.rank < most);
    }
    let mut text = String::new();
    let line = |text: &mut String, cell: &dyn Fn(&Column) -> String, styled: bool| {
        let mut gap = 0;
        for column in &columns {
            let (cell, width) = (cell(column), column.width());
            let room = width - cell.chars().count();
            let (before, after) = if column.right { (room, 0) } else { (0, room) };
            let (on, off) =
                if styled { (column.style.to_string(), format!("{:#}", column.style)) } else { Default::default() };
            // Blanks wait until something follows them, so that no line ends in them. Writing to a string cannot fail.
            if cell.is_empty() {
                gap += width + GAP;
                continue;
            }
            let _ = write!(text, "{:1$}{on}{cell}{off}", "", gap + before);
            gap = after + GAP;
        }
        text.push('\n');
    };
    let _ = write!(text, "{HEAD}");
    line(&mut text, &|column| column.head.clone(), false);
    text.pop();
    let _ = writeln!(text, "{HEAD:#}");
    for index in 0..columns_lines(&columns) {
        if breaks.contains(&index) {
            text.push('\n');
        }
        line(&mut text, &|column| column.cells[index].clone(), true);
    }
    text
}

fn columns_lines(columns: &[Column]) -> usize {
    columns.first().map_or(0, |column| column.cells.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_less_important_goes_first() {
        let columns = || {
            let cells = |texts: [&str; 2]| texts.map(str::to_owned).into_iter();
            vec![
                Column::numbers("N", 0, cells(["8", "12"])),
                Column::words("engine", 1, cells(["join", ""])),
                Column::numbers("rate", 2, cells(["1,000", "2"])),
            ]
        };
        let plain =
            |width, breaks: &[usize]| anstream::adapter::strip_str(&table(columns(), width, breaks)).to_string();
        assert_eq!(plain(17, &[]), " N  engine   rate\n 8  join    1,000\n12              2\n");
        assert_eq!(plain(16, &[1]), " N  engine\n 8  join\n\n12\n");
        assert_eq!(plain(9, &[]), " N\n 8\n12\n");
        assert_eq!(plain(1, &[]), " N\n 8\n12\n");
    }
}
