//! The formats of a list of solutions, and those whose solutions are written as they are found.

use std::fmt::Write;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::time::Duration;
use std::{iter, mem};

use clap::ValueEnum;
use queens::Placement;

use super::failure::Failure;
use super::output::{self, Output};
use super::{draw, threads};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Lines,
    Boards,
    Csv,
    Svg,
    Html,
}

/// Text that one thread finds and another one writes. The finder waits while a piece of it is not written yet.
#[derive(Default)]
pub(crate) struct Text {
    /// What is not written yet, and whether that is the end.
    found: Mutex<(String, bool)>,
    /// A piece or the end is found, or what was found is written.
    turn: Condvar,
}

impl Text {
    const PIECE: usize = 1 << 16;

    /// Adds to it.
    pub(crate) fn add(&self, write: impl FnOnce(&mut String)) {
        let mut found = self.found.lock().expect("no thread panics");
        write(&mut found.0);
        while found.0.len() >= Self::PIECE {
            self.turn.notify_one();
            found = self.turn.wait(found).expect("no thread panics");
        }
    }

    /// What is found, as soon as it is a piece or the end; or else after a moment, for the next solution may take hours.
    fn take(&self) -> (String, bool) {
        const MOMENT: Duration = Duration::from_millis(10);
        let found = self.found.lock().expect("no thread panics");
        let is_little = |(text, is_end): &mut (String, bool)| text.len() < Self::PIECE && !*is_end;
        let (mut found, _) = self.turn.wait_timeout_while(found, MOMENT, is_little).expect("no thread panics");
        self.turn.notify_one();
        (mem::take(&mut found.0), found.1)
    }
}

/// Writes text while a thread finds it, and returns what that returns. Nobody waits for it when no more can be written.
pub(crate) fn stream<T: Send + 'static>(
    out: &mut Output,
    find: impl FnOnce(&Text) -> T + Send + 'static,
) -> Result<T, Failure> {
    output::IS_TABLE.store(matches!(out, Output::Stdout(_)), Ordering::Relaxed);
    let text = Arc::new(Text::default());
    let ((ending, ended), finding) = (mpsc::channel(), Arc::clone(&text));
    let find = move || {
        drop(ending.send(find(&finding)));
        finding.found.lock().expect("no thread panics").1 = true;
        finding.turn.notify_one();
    };
    threads::start("list", find).map_err(|error| Failure::Run(format!("cannot start a thread: {error}")))?;
    loop {
        let (text, is_end) = text.take();
        out.write(&text)?;
        if output::is_closed() {
            return Err(Failure::Closed);
        }
        if is_end {
            return Ok(ended.recv().expect("it was sent before the end"));
        }
    }
}

/// Adds solutions of a board of n columns as they come, after so many that were skipped; says how many there were.
pub(crate) fn add(
    text: &Text,
    format: Format,
    (n, skipped): (usize, u64),
    solutions: impl Iterator<Item = Placement>,
) -> u64 {
    if format == Format::Csv {
        let columns = (1..=n).map(|column| format!("column{column}"));
        let names: Vec<String> = iter::once("number".to_owned()).chain(columns).collect();
        text.add(|text| *text += &(names.join(",") + "\n"));
    }
    let mut number = skipped;
    for solution in solutions {
        number += 1;
        text.add(|text| write(text, format, number, &solution));
    }
    number - skipped
}

/// A solution with its number as text. Writing to a string cannot fail.
fn write(text: &mut String, format: Format, number: u64, solution: &Placement) {
    let n = solution.size().get();
    match format {
        Format::Boards => write!(text, "{number}: {solution}\n{}", draw::matrix(solution)).unwrap_or_default(),
        Format::Csv => {
            write!(text, "{number}{}", if n > 0 { "," } else { "" }).unwrap_or_default();
            rows(text, solution, true);
        }
        _ => rows(text, solution, n > 9),
    }
    text.push('\n');
}

/// The rows, as a placement is written. Made for millions of lines, which take a quarter longer by its `Display`.
fn rows(text: &mut String, solution: &Placement, has_commas: bool) {
    for (column, row) in solution.rows().enumerate() {
        if has_commas && column > 0 {
            text.push(',');
        }
        if row > 9 {
            text.push(char::from(b'0' + (row / 10) as u8));
        }
        text.push(char::from(b'0' + (row % 10) as u8));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_in_each_format() {
        let solution = Placement::parse_alone("2413").unwrap();
        let large = Placement::parse_alone("1,3,5,8,10,12,6,11,2,7,9,4").unwrap();
        let text = |format, solution| {
            let mut text = String::new();
            write(&mut text, format, 7, solution);
            text
        };
        assert_eq!(text(Format::Lines, &solution), "2413\n");
        assert_eq!(text(Format::Lines, &large), format!("{large}\n"));
        assert_eq!(text(Format::Csv, &solution), "7,2,4,1,3\n");
        assert_eq!(text(Format::Boards, &solution), "7: 2413\n. . Q .\nQ . . .\n. . . Q\n. Q . .\n\n");
    }
}
