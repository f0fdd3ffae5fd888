//! `queens count A-B`: a line a board, printed when it is found.

use queens::CountError;
use serde::Serialize;

use super::{Args, Found, found};
use crate::cli::answer::{Answer, is_for_people, tell};
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::{check, text};

/// Counts each board of the range, and prints its line when it is found.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    if args.prefix.is_some() || args.checkpoint.is_some() {
        return Err(Failure::Usage("--prefix and --checkpoint need one board, not a range".to_owned()));
    }
    // A board at the end that cannot be counted is not to show after hours.
    match args.symmetry {
        Some(turn) if !turn.sizes().contains(&args.sizes.last) => {
            return Err(CountError::Symmetric { rotation: turn, n: args.sizes.last }.into());
        }
        Some(_) => {}
        None => drop(args.request(args.sizes.last, None)?.method()?),
    }
    let (sequence, mut terms, mut out) = (args.sequence(), Vec::new(), Output::open(None)?);
    let (mut wrong, mut ended) = (Ok(()), Ok(()));
    let width = text::grouped(sequence.term(args.sizes.last).unwrap_or(u128::MAX >> 30)).len();
    for n in args.sizes.all() {
        let mut found = match found(args, n) {
            Ok(found) => found,
            Err(failure) => {
                ended = Err(failure);
                break;
            }
        };
        let check = check::term(sequence, n, found.result());
        if !args.json.is_alone() {
            out.write(&found.line(&check, width))?;
        }
        (wrong, found.check) = (wrong.and(check.clone().map(drop)), check.unwrap_or_default());
        terms.push(found);
    }
    wrong.and(tell(&Terms { sequence: sequence.id, terms }, &args.json)).and(ended)
}

impl Found {
    /// The line of a range: in a table for people, or as in the b-files of OEIS, where a wrong number does not stand.
    fn line(&self, check: &Result<Option<String>, Failure>, width: usize) -> String {
        let (n, result) = (self.n, self.result());
        if !is_for_people() {
            return check.as_ref().map_or_else(|_| String::new(), |_| format!("{n} {result}\n"));
        }
        let words = match check {
            Ok(words) => words.as_deref().unwrap_or("OEIS has no such term"),
            Err(_) => "differs from OEIS",
        };
        format!("{n:>2}  {:>width$}  {:>10}  {words}\n", text::grouped(result), text::seconds(self.seconds))
    }
}

/// The boards of a range.
#[derive(Serialize)]
struct Terms {
    sequence: &'static str,
    terms: Vec<Found>,
}

impl Answer for Terms {
    const COMMAND: &'static str = "count";

    /// The lines are printed already.
    fn text(&self) -> String {
        String::new()
    }

    fn remark(&self) -> Option<String> {
        let agreeing = self.terms.iter().filter(|found| found.check.is_some()).count() as u64;
        (agreeing > 0).then(|| format!("{} agree with OEIS {}", text::count_of(agreeing, "term"), self.sequence))
    }
}
