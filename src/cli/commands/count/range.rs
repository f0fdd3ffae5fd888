//! `queens count A-B`.

use queens::symmetric::SymmetricRequest;
use serde_json::json;

use super::{Args, Counted, count};
use crate::cli::answer::{Printer, is_for_people};
use crate::cli::failure::{Failure, Result};
use crate::cli::output::note;
use crate::cli::text::{self, Align};

/// Counts the boards of a range, and prints the line of each at once.
pub(super) fn run(args: &Args) -> Result {
    if args.prefix.is_some() || args.long.checkpoint.is_some() {
        return Err(Failure::Usage("--prefix and --checkpoint do not take a range; give one N".to_owned()));
    }
    // Otherwise a last board that cannot be counted would fail after hours.
    match args.symmetry {
        Some(turn) => drop(SymmetricRequest::new(turn, args.sizes.last)?),
        None => drop(args.request(args.sizes.last, None)?.method()?),
    }
    let sequence = args.sequence();
    let mut terms: Vec<Counted> = Vec::new();
    let printer = Printer::open(&args.json)?;
    let width = text::grouped(sequence.term(args.sizes.last).unwrap_or(u128::MAX >> 50)).len().max(5);
    let columns = [(Align::Right, 2), (Align::Right, width), (Align::Right, 11), (Align::Left, 24)];
    printer.table("count", columns, |rows| {
        if is_for_people() {
            rows.row(&["N", "count", "time", "check"])?;
        }
        for n in args.sizes.all() {
            let mut counted = count(args, n)?;
            let result = counted.result();
            let check = rows.compare(sequence, n, result);
            if is_for_people() {
                let words = match &check {
                    Ok(Some(words)) => words,
                    Ok(None) => "not in OEIS",
                    Err(_) => "differs from OEIS",
                };
                let time = text::seconds(counted.total_seconds);
                rows.row(&[n.to_string(), text::grouped(result), time, words.to_owned()])?;
            } else if check.is_ok() {
                // The b-file format of OEIS, without wrong numbers.
                rows.line(&format!("{n} {result}\n"))?;
            }
            if let Ok(words) = check {
                counted.check = words;
                terms.push(counted);
            }
        }
        let agreeing = terms.iter().filter(|term| term.check.is_some()).count() as u64;
        if agreeing > 0 && !is_for_people() && !rows.is_json_only {
            let agree = if agreeing == 1 { "agrees" } else { "agree" };
            note(&format!("{} {agree} with OEIS {}", text::count_of(agreeing, "term"), sequence.id));
        }
        Ok(json!({ "sequence": sequence.id, "terms": terms }))
    })
}
