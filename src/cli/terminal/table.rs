//! Tables that fit the terminal: where it is narrow, whole columns are left out, the less important first.

use std::fmt;

use anstream::adapter::strip_str;
use anstyle::Style;
use console::{Alignment, measure_text_width, pad_str};

pub(crate) const HEAD: Style = Style::new().dimmed();
/// Between two columns.
const GAP: &str = "  ";

/// A column, and what it says in each line.
pub(crate) struct Column {
    head: String,
    /// Columns of a larger rank are left out sooner; 0 never is.
    rank: u8,
    alignment: Alignment,
    style: Style,
    pub(crate) cells: Vec<String>,
    width: usize,
}

impl Column {
    /// Words, which begin at the left.
    pub(crate) fn words(head: &str, rank: u8, cells: impl Iterator<Item = String>) -> Self {
        let cells: Vec<String> = cells.collect();
        let width = cells.iter().map(String::as_str).chain([head]).map(measure_text_width).max().unwrap_or(0);
        Self { head: head.to_owned(), rank, alignment: Alignment::Left, style: Style::new(), cells, width }
    }

    /// Numbers, which end at the right.
    pub(crate) fn numbers(head: &str, rank: u8, cells: impl Iterator<Item = String>) -> Self {
        Self { alignment: Alignment::Right, ..Self::words(head, rank, cells) }
    }

    /// Numbers that are not known yet, for a table that is printed line by line while they are found.
    pub(crate) fn as_wide_as(width: usize, head: &str, rank: u8) -> Self {
        Self { width: width.max(measure_text_width(head)), ..Self::numbers(head, rank, std::iter::empty()) }
    }

    pub(crate) fn style(self, style: Style) -> Self {
        Self { style, ..self }
    }
}

/// The columns that there is room for, and `None` for each that is left out.
pub(crate) struct Table(Vec<Option<Column>>);

impl Table {
    /// No wider than this, unless the columns that are never left out need more.
    pub(crate) fn new(columns: Vec<Column>, width: usize) -> Self {
        let needed = |most: u8| -> usize {
            let kept = columns.iter().filter(|column| column.rank <= most);
            kept.map(|column| column.width + GAP.len()).sum::<usize>() - GAP.len()
        };
        let ranks = columns.iter().map(|column| column.rank);
        let most = ranks.filter(|&most| needed(most) <= width).max().unwrap_or(0);
        Self(columns.into_iter().map(|column| (column.rank <= most).then_some(column)).collect())
    }

    pub(crate) fn head(&self) -> String {
        let heads = self.padded(|column| pad_str(&column.head, column.width, column.alignment, None).into_owned());
        format!("{HEAD}{heads}{HEAD:#}\n")
    }

    /// A line, from the cells of all columns.
    pub(crate) fn line(&self, cells: impl IntoIterator<Item = impl fmt::Display>) -> String {
        let mut cells =
            self.0.iter().zip(cells).filter(|(column, _)| column.is_some()).map(|(_, cell)| cell.to_string());
        let line = self.padded(|column| {
            let (style, cell) = (column.style, cells.next().unwrap_or_default());
            // A blank cell at the end of a line is to leave no escape codes there.
            let cell = if cell.is_empty() { cell } else { format!("{style}{cell}{style:#}") };
            pad_str(&cell, column.width, column.alignment, None).into_owned()
        });
        line + "\n"
    }

    fn padded(&self, cell: impl FnMut(&Column) -> String) -> String {
        self.0.iter().flatten().map(cell).collect::<Vec<_>>().join(GAP).trim_end().to_owned()
    }

    /// The whole table as Markdown, with all columns.
    pub(crate) fn markdown(columns: &[Column]) -> String {
        let line = |cell: &dyn Fn(&Column) -> String| {
            format!("| {} |\n", columns.iter().map(cell).collect::<Vec<_>>().join(" | "))
        };
        let side = |column: &Column| if column.alignment == Alignment::Right { "---:" } else { "---" }.to_owned();
        let plain = |cell: &str| markdown_escaped(&strip_str(cell).to_string());
        let lines = (0..columns.first().map_or(0, |column| column.cells.len()))
            .map(|index| line(&|column| plain(&column.cells[index])));
        line(&|column| column.head.clone()) + &line(&side) + &lines.collect::<String>()
    }

    /// The whole table. Lines are grouped by their first cell, with an empty line between the groups.
    pub(crate) fn text(&self) -> String {
        let mut text = self.head();
        let groups = self.0.iter().flatten().next().map_or(&[][..], |first| &first.cells);
        for index in 0..groups.len() {
            if index > 0 && groups[index] != groups[index - 1] {
                text.push('\n');
            }
            text += &self.line(self.0.iter().map(|column| column.as_ref().map_or("", |column| &column.cells[index])));
        }
        text
    }
}

/// A text as Markdown shows it: what would be read as a cell's end, code, a link or HTML is written out.
pub(crate) fn markdown_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '|' | '`' | '*' | '[' | ']' => escaped.extend(['\\', c]),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Lines no longer than this, broken after any of these characters.
pub(crate) fn wrapped(text: &str, width: usize, after: &[char]) -> Vec<String> {
    let mut lines = vec![String::new()];
    for part in text.split_inclusive(after) {
        let line = lines.last_mut().expect("there is always one");
        if !line.is_empty() && measure_text_width(line) + measure_text_width(part.trim_end()) > width {
            lines.push(part.to_owned());
        } else {
            line.push_str(part);
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_less_important_goes_first() {
        let columns = || {
            let cells = |texts: [&str; 3]| texts.map(str::to_owned).into_iter();
            vec![
                Column::numbers("N", 0, cells(["8", "12", "12"])),
                Column::words("engine", 1, cells(["join", "", "naive"])),
                Column::numbers("rate", 2, cells(["1,000", "2", ""])).style(Style::new().bold()),
            ]
        };
        let plain = |width| strip_str(&Table::new(columns(), width).text()).to_string();
        assert_eq!(plain(17), " N  engine   rate\n 8  join    1,000\n\n12              2\n12  naive\n");
        assert_eq!(plain(16), " N  engine\n 8  join\n\n12\n12  naive\n");
        assert_eq!([plain(9), plain(1)], [" N\n 8\n\n12\n12\n"; 2]);
        assert!(Table::new(columns(), 17).text().ends_with("12  naive\n"), "blanks or codes at the end");
    }

    #[test]
    fn lines_have_the_columns_that_fit() {
        let line = |width| {
            let columns = [(2, 0), (9, 0), (7, 1), (8, 2)].map(|(width, rank)| Column::as_wide_as(width, "", rank));
            Table::new(columns.into(), width).line(["8", "92", "agrees", "1 ms"])
        };
        let all = " 8         92   agrees      1 ms\n";
        assert_eq!([line(usize::MAX), line(32)], [all, all]);
        assert_eq!(
            [line(31), line(22), line(21), line(1)],
            [&all[..23], &all[..23], &all[..13], &all[..13]].map(|line| format!("{}\n", line.trim_end()))
        );
    }

    #[test]
    fn text_is_broken_where_it_may_be() {
        for width in 1..50 {
            for part in wrapped("1,3,5,18,20,32: rotation by 90° clockwise", width, &[',', ' ']) {
                assert!(part.chars().count() <= width.max("clockwise".len()), "{width}: {part}");
                assert!(!part.starts_with(','));
            }
        }
    }
}
