//! `queens count A-B`: the terms of a sequence, one board after another.

use std::io::IsTerminal;
use std::ops::RangeInclusive;

use queens::Rotation;
use queens::oeis::{self, Sequence};
use serde::Serialize;

use super::{Args, counted, request, unique};
use crate::cli::long_run::activity::{Activity, Step};
use crate::cli::long_run::known_terms::Agreement;
use crate::cli::long_run::options::When;
use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::json::Object;
use crate::cli::terminal::value_parsers::Cores;
use crate::cli::terminal::{messages, numbers};

/// Counts each board of the range. On a pipe a term is a line "n a(n)", as in a b-file of OEIS; at a terminal it is one of
/// a table, beside what OEIS says of it.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let long = &args.long;
    if args.prefix.is_some() || long.shard.is_some() || long.checkpoint.is_some() {
        return Err(Failure::usage(
            &"a range of N is counted at once: --prefix, --shard and --checkpoint go with one N",
        ));
    }
    let sizes = args.sizes;
    // A board at the end that cannot be counted should not show after hours.
    request(args.symmetry, sizes.last, &args.cores)?;
    let table = !args.quiet && std::io::stdout().is_terminal();
    let line = |n, Term { value, .. }: Term, agreement: &Agreement| {
        if table {
            format!("{n:>3}  {:>32}  {}\n", numbers::grouped(value), word(agreement, n, args))
        } else {
            format!("{n} {value}\n")
        }
    };
    Comparison::new("count", sequence(args), args.json, &mut messages::deliver).run(
        sizes.all(),
        |n| term(args, n),
        line,
    )
}

/// A term that was found, and in how many seconds.
#[derive(Clone, Copy)]
struct Term {
    value: u128,
    seconds: f64,
}

/// Terms of a sequence held against the published ones, for a command.
struct Comparison<'a> {
    command: &'static str,
    sequence: &'static Sequence,
    json: bool,
    /// Where the lines or the object go.
    print: &'a mut dyn FnMut(&str) -> Result<(), Failure>,
}

impl<'a> Comparison<'a> {
    fn new(
        command: &'static str,
        sequence: &'static Sequence,
        json: bool,
        print: &'a mut dyn FnMut(&str) -> Result<(), Failure>,
    ) -> Self {
        Self { command, sequence, json, print }
    }

    /// Finds the term of each board and prints its line, or at the end the object of all. A wrong one does not keep the
    /// others from being found; the first such is what the command fails of.
    fn run(
        &mut self,
        boards: impl IntoIterator<Item = usize>,
        find: impl Fn(usize) -> Result<Term, Failure>,
        line: impl Fn(usize, Term, &Agreement) -> String,
    ) -> Result<(), Failure> {
        let mut terms = Vec::new();
        let mut wrong = None;
        for n in boards {
            let term = find(n)?;
            let agreement = Agreement::with(self.sequence, n, term.value);
            if !self.json {
                (self.print)(&line(n, term, &agreement))?;
            }
            let agrees = agreement.oeis.map(|oeis| oeis.agreed().is_some());
            terms.push(TermJson { n, value: term.value.to_string(), agrees });
            wrong = wrong.or(agreement.verdict().err());
        }
        if self.json {
            let object = Object::of(self.command).with("sequence", self.sequence.id).with("terms", terms);
            (self.print)(&object.line())?;
        }
        wrong.map_or(Ok(()), Err)
    }
}

/// What OEIS says of a term.
fn word(agreement: &Agreement, n: usize, args: &Args) -> String {
    let sequence = sequence(args);
    match agreement.words() {
        Some(words) => words,
        None if agreement.verdict().is_err() => format!("differs from OEIS {}", sequence.id),
        None if n < sequence.offset => String::new(),
        None => format!("beyond the terms of {} known here", sequence.id),
    }
}

fn sequence(args: &Args) -> &'static Sequence {
    match args.symmetry {
        Some(rotation) => rotation.sequence(),
        None if args.unique => &oeis::UNIQUE,
        None => &oeis::QUEENS,
    }
}

fn term(args: &Args, n: usize) -> Result<Term, Failure> {
    let report = counted(args, n)?.report;
    let value = if args.unique { unique::classes(&report)?.0 } else { report.count };
    Ok(Term { value, seconds: report.elapsed.as_secs_f64() })
}

/// Recomputes the published terms of what a turn leaves unchanged on these boards, and compares.
pub(crate) fn verify(
    rotation: Rotation,
    boards: RangeInclusive<usize>,
    cores: &Cores,
    json: bool,
    progress: When,
) -> Result<(), Failure> {
    let to = *boards.end();
    request(Some(rotation), to, cores)?.method().map_err(|error| Failure::usage(&error))?;
    let sequence = rotation.sequence();
    let boards: Vec<usize> = boards.filter(|&n| sequence.term(n).is_some()).collect();
    if boards.is_empty() {
        return Err(Failure::Run(Exit::Failure, format!("{} has no term up to N = {to}", sequence.id)));
    }
    let activity = Activity::start(progress, "verify");
    let find = |n| {
        let request = request(Some(rotation), n, cores)?;
        activity.at(Step { title: format!("N = {n}, {rotation} turn"), ..Step::default() });
        let report = request.count().map_err(|error| Failure::from(&error))?;
        Ok(Term { value: report.count, seconds: report.elapsed.as_secs_f64() })
    };
    let line = |n, Term { value, seconds }: Term, agreement: &Agreement| {
        let word = agreement.words().unwrap_or_else(|| format!("differs from OEIS {}", sequence.id));
        format!("{n:>3}  {:>26}  {word}  {:>8}\n", numbers::grouped(value), numbers::seconds(seconds))
    };
    let print = &mut |text: &str| activity.aside(|| messages::deliver(text));
    let compared = Comparison::new("verify", sequence, json, print).run(boards, find, line);
    activity.finish();
    compared
}

/// A term as a program reads it.
#[derive(Serialize)]
struct TermJson {
    n: usize,
    value: String,
    /// Whether OEIS has the same term; null where its term is not known.
    agrees: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Terms of 6 to 10, of which those of the boards named are one too many: what is printed, and how it ends.
    fn compared(wrong: &[usize], json: bool) -> (String, Result<(), Failure>) {
        let mut printed = String::new();
        let print = &mut |text: &str| {
            printed += text;
            Ok(())
        };
        let find = |n| {
            let value = oeis::QUEENS.term(n).unwrap() + u128::from(wrong.contains(&n));
            Ok(Term { value, seconds: 1.0 })
        };
        let line = |n, Term { value, .. }: Term, _: &Agreement| format!("{n} {value}\n");
        let ended = Comparison::new("count", &oeis::QUEENS, json, print).run(6..=10, find, line);
        (printed, ended)
    }

    #[test]
    fn a_wrong_term_fails_when_all_are_found() {
        let (printed, ended) = compared(&[], false);
        assert_eq!(printed, "6 4\n7 40\n8 92\n9 352\n10 724\n");
        assert!(ended.is_ok());
        for (wrong, first) in [(vec![6], 5), (vec![8], 93), (vec![10], 725), (vec![7, 8, 9], 41)] {
            for json in [false, true] {
                let (printed, ended) = compared(&wrong, json);
                let Err(Failure::Run(Exit::Difference, text)) = ended else { panic!("{wrong:?} passes: {ended:?}") };
                assert!(text.starts_with(&format!("found {first}, but OEIS A000170 has ")), "{text}");
                assert_eq!(printed.lines().count(), if json { 1 } else { 5 }, "{printed}");
                if json {
                    let object: serde_json::Value = serde_json::from_str(&printed).unwrap();
                    let terms = object["terms"].as_array().unwrap();
                    let differing = terms.iter().filter(|term| term["agrees"] == false);
                    assert!(differing.map(|term| term["n"].as_u64().unwrap() as usize).eq(wrong.iter().copied()));
                }
            }
        }
    }

    /// What cannot be counted ends the range.
    #[test]
    fn a_failure_ends_the_range() {
        let find =
            |n| if n < 8 { Ok(Term { value: 40, seconds: 1.0 }) } else { Err(Failure::AlreadyReported(Exit::Failure)) };
        let mut lines = 0;
        let print = &mut |_: &str| {
            lines += 1;
            Ok(())
        };
        let ended = Comparison::new("count", &oeis::QUEENS, false, print).run(7..=9, find, |_, _, _| String::new());
        assert!(matches!(ended, Err(Failure::AlreadyReported(Exit::Failure))) && lines == 1);
    }
}
