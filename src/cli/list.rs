//! The formats of a list of solutions, and those whose solutions are written as they are found.

use std::fmt::Write;
use std::iter;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use clap::ValueEnum;
use queens::Placement;

use super::draw;
use super::failure::Failure;
use super::output::Output;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One line each: 15863724, with commas from N = 10 on
    Lines,
    /// A matrix each, Q for a queen and . for an empty square
    Boards,
    /// A line of column names, then one line each
    Csv,
    /// Pictures of all boards, which print on pages
    Svg,
    /// A page to walk through them in a browser
    Html,
}

/// Writes solutions of a board of n columns as they come, after so many that were skipped; says how many there were.
pub(crate) fn stream(
    format: Format,
    (n, skipped): (usize, u64),
    mut solutions: impl Iterator<Item = Placement>,
    out: &mut Output,
) -> Result<u64, Failure> {
    /// Text is written out in pieces of this many bytes. However long the next solution takes, no text waits for longer
    /// than this: another thread looks after it.
    const PIECE: usize = 1 << 16;
    const WAIT: Duration = Duration::from_millis(10);
    let mut header = String::new();
    if format == Format::Csv {
        let columns = (1..=n).map(|column| format!("column{column}"));
        let names: Vec<String> = iter::once("number".to_owned()).chain(columns).collect();
        header = names.join(",") + "\n";
    }
    let state = Mutex::new((header, out));
    let flush = |(text, out): &mut (String, &mut Output)| out.write(text).map(|()| text.clear());
    let lock = || state.lock().expect("no thread panics");
    let is_done = AtomicBool::new(false);
    let mut number = skipped;
    thread::scope(|scope| {
        let clock = scope.spawn(|| {
            // The next piece meets the same error.
            while !is_done.load(Ordering::Relaxed) && flush(&mut lock()).is_ok() {
                thread::park_timeout(WAIT);
            }
        });
        let result = solutions.try_for_each(|solution| {
            let mut state = lock();
            number += 1;
            write(&mut state.0, format, number, &solution);
            if state.0.len() < PIECE { Ok(()) } else { flush(&mut state) }
        });
        is_done.store(true, Ordering::Relaxed);
        clock.thread().unpark();
        result
    })?;
    flush(&mut lock())?;
    Ok(number - skipped)
}

/// A solution with its number as text.
fn write(text: &mut String, format: Format, number: u64, solution: &Placement) {
    let n = solution.size().get();
    // Writing to a string cannot fail.
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

/// The rows, as a placement is written. Made for millions of lines.
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
