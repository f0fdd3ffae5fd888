//! Terms of a sequence, found one after another and each held against the published one: for ranges of `count` and
//! `profile`, and for `verify`.

use std::time::Duration;

use queens::oeis::Sequence;
use queens::{Isa, Report};

use crate::cli::long_run::{Agreement, OutputForm};
use crate::cli::terminal::{Column, Facts, Failure, Table, numbers, stdout};

/// A term, and what found it.
#[derive(Clone, Copy)]
pub(crate) struct Term {
    pub(crate) value: u128,
    pub(crate) engine: &'static str,
    pub(crate) isa: Isa,
    pub(crate) threads: usize,
    pub(crate) elapsed: Duration,
    pub(crate) double_checked_tasks: u64,
}

impl Term {
    pub(crate) fn by(report: &Report, value: u128) -> Self {
        let Report { engine, isa, threads, elapsed, double_checked_tasks, .. } = *report;
        Self { value, engine, isa, threads, elapsed, double_checked_tasks }
    }
}

/// A table with room for the terms up to this index.
pub(crate) fn table(sequence: &Sequence, last: usize) -> Table {
    /// As long as `4 min 23 s` is.
    const TIME: usize = 10;
    /// Of a term that is not published, as long as that of N = 32 may be.
    const UNKNOWN: usize = 32;
    let term = sequence.term(last).map_or(UNKNOWN, |_| {
        let widths = (0..=last).filter_map(|n| sequence.term(n)).map(|term| numbers::grouped(term).len());
        widths.max().unwrap_or(0)
    });
    let index = last.to_string().len().max(2);
    let columns = [(index, "n", 0), (term, "solutions", 0), (0, sequence.id, 1), (TIME, "time", 2)];
    let columns = columns.map(|(width, head, rank)| Column::as_wide_as(width, head, rank));
    Table::new(columns.into(), stdout::width())
}

/// Prints each term when it is found, or at the end the object of all: in this table beside what OEIS says of it, or where
/// there is none as a line "n a(n)" as in a b-file of OEIS, with a note at the end on which of them agree. A wrong one does
/// not keep the others from being found; the command fails of the first. A reader of stdout who has enough ends a list, but
/// neither a file that is asked for nor the checks of `verify`. `finish` is called when all that is wanted is found.
pub(crate) fn compare(
    command: &'static str,
    sequence: &'static Sequence,
    form: &OutputForm,
    table: Option<&Table>,
    print: &mut dyn FnMut(&str) -> Result<(), Failure>,
    found: impl IntoIterator<Item = Result<(usize, Term), Failure>>,
    finish: impl FnOnce(),
) -> Result<(), Failure> {
    let (is_text, is_list) = (!form.json.is_alone(), command != "verify" && form.json.path().is_none());
    let mut printed = table.filter(|_| is_text).map_or(Ok(()), |table| print(&table.head()));
    let (mut terms, mut agreeing, mut wrong) = (Vec::new(), Vec::new(), None);
    for term in found {
        let (n, Term { value, engine, isa, threads, elapsed, double_checked_tasks }) = term?;
        let (seconds, agreement) = (elapsed.as_secs_f64(), Agreement::with(sequence, n, value));
        let agrees = agreement.oeis.map(|oeis| oeis.agrees);
        let facts = Facts::default().with("n", n).with("value", value.to_string()).with("agrees", agrees);
        let facts = facts.by(Some(engine), isa, threads).with("seconds", seconds);
        terms.push(facts.with("double_checked_tasks", double_checked_tasks));
        let line = table.map_or_else(
            || format!("{n} {value}\n"),
            |table| {
                let word = agrees.map_or("unknown", |agrees| if agrees { "agrees" } else { "differs" });
                let cells = [n.to_string(), numbers::grouped(value), word.to_owned(), numbers::seconds(seconds)];
                table.line(cells)
            },
        );
        printed = printed.and_then(|()| if is_text { print(&line) } else { Ok(()) });
        agreeing.extend((agrees == Some(true)).then_some(n));
        wrong = wrong.or(agreement.verdict().err());
        if is_list && printed.is_err() {
            break;
        }
    }
    finish();
    let object = Facts::of(command).with("sequence", sequence.id).list("terms", terms).json();
    if !is_text {
        print(&object)?;
        return wrong.map_or(Ok(()), Err);
    }
    if let (None, None, Ok(()), Some(first), Some(last)) = (table, &wrong, &printed, agreeing.first(), agreeing.last())
    {
        // Published terms are next to each other, and so are those that agree where none differs.
        let agree =
            if first == last { format!("term {first} agrees") } else { format!("terms {first} to {last} agree") };
        form.note(&format!("{agree} with OEIS {}", sequence.id));
    }
    let saved = form.json.save(&object);
    wrong.map_or(saved.and(printed), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::long_run::When;
    use crate::cli::terminal::{Exit, JsonOutput};
    use clap::{Args as _, FromArgMatches};
    use queens::oeis;
    use std::cell::Cell;

    /// Of a count that took a quarter of a second.
    fn term(value: u128) -> Term {
        let (engine, isa, elapsed) = ("naive", Isa::Portable, Duration::from_millis(250));
        Term { value, engine, isa, threads: 1, elapsed, double_checked_tasks: 0 }
    }

    fn json(line: &[&str]) -> JsonOutput {
        let command = JsonOutput::augment_args(clap::Command::new("count").no_binary_name(true));
        JsonOutput::from_arg_matches(&command.get_matches_from(line)).unwrap()
    }

    /// What is printed of these terms, and how it ends.
    fn printed(
        table: Option<&Table>,
        line: &[&str],
        found: impl IntoIterator<Item = Result<(usize, Term), Failure>>,
    ) -> (String, Result<(), Failure>) {
        let mut printed = String::new();
        let print = &mut |text: &str| {
            printed += text;
            Ok(())
        };
        let form = OutputForm { json: &json(line), quiet: true, progress: When::Never };
        let mut is_finished = false;
        let ended = compare("count", &oeis::QUEENS, &form, table, print, found, || is_finished = true);
        assert_eq!(is_finished, !matches!(ended, Err(Failure::AlreadyReported(_))));
        (printed, ended)
    }

    /// Terms of 6 to 10, of which those of the boards named are one too many.
    fn compared(wrong: &[usize], line: &[&str]) -> (String, Result<(), Failure>) {
        let value = |n| oeis::QUEENS.term(n).unwrap() + u128::from(wrong.contains(&n));
        printed(None, line, (6..=10).map(|n| Ok((n, term(value(n))))))
    }

    #[test]
    fn a_wrong_term_fails_when_all_are_found() {
        let (printed, ended) = compared(&[], &[]);
        assert_eq!(printed, "6 4\n7 40\n8 92\n9 352\n10 724\n");
        assert!(ended.is_ok());
        for (wrong, first) in [(vec![6], 5), (vec![8], 93), (vec![10], 725), (vec![7, 8, 9], 41)] {
            for (line, lines) in [(&[][..], 5), (&["--json"], 1)] {
                let (printed, ended) = compared(&wrong, line);
                let Err(Failure::Run(Exit::Difference, text)) = ended else { panic!("{wrong:?} passes: {ended:?}") };
                assert!(text.starts_with(&format!("found {first}, but OEIS A000170 has ")), "{text}");
                assert_eq!(printed.lines().count(), lines, "{printed}");
                if lines == 1 {
                    let object: serde_json::Value = serde_json::from_str(&printed).unwrap();
                    let terms = object["terms"].as_array().unwrap();
                    let differing = terms.iter().filter(|term| term["agrees"] == false);
                    assert!(differing.map(|term| term["n"].as_u64().unwrap() as usize).eq(wrong.iter().copied()));
                }
            }
        }
    }

    /// A reader who has enough after the first line ends a list; a file and `verify` go on, and a wrong term is told.
    #[test]
    fn a_reader_who_has_enough_ends_a_list_alone() {
        let file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
        let file = format!("--json={}", file.path().display());
        for (command, line, wrong, lines, found) in [
            ("count", None, 10, 2, 2),
            ("profile", None, 8, 2, 2),
            ("count", Some(&*file), 0, 2, 5),
            ("count", Some(&*file), 10, 2, 5),
            ("verify", None, 0, 2, 5),
            ("verify", None, 10, 2, 5),
        ] {
            let (printed, counted) = (Cell::new(0), Cell::new(0));
            let print = &mut |_: &str| {
                printed.set(printed.get() + 1);
                if printed.get() < 2 { Ok(()) } else { Err(Failure::Closed) }
            };
            let terms = (6..=10).map(|n| {
                counted.set(counted.get() + 1);
                Ok((n, term(oeis::QUEENS.term(n).unwrap() + u128::from(n == wrong))))
            });
            let form = OutputForm { json: &json(line.as_slice()), quiet: false, progress: When::Never };
            let ended = compare(command, &oeis::QUEENS, &form, None, print, terms, || ());
            assert_eq!((printed.get(), counted.get()), (lines, found), "{command} {line:?}");
            let is_told = matches!(ended, Err(Failure::Run(Exit::Difference, _)));
            assert!(
                is_told == (found == 5 && wrong > 0) && (is_told || matches!(ended, Err(Failure::Closed))),
                "{ended:?}"
            );
        }
    }

    /// What cannot be counted ends the range.
    #[test]
    fn a_failure_ends_the_range() {
        let found = |n| if n < 8 { Ok((n, term(40))) } else { Err(Failure::AlreadyReported(Exit::Failure)) };
        let (printed, ended) = printed(None, &[], (7..=9).map(found));
        assert_eq!(printed, "7 40\n");
        assert!(matches!(ended, Err(Failure::AlreadyReported(Exit::Failure))));
    }

    #[test]
    fn a_table_has_heads_and_times() {
        let found = |n| Ok((n, term(if n < 28 { oeis::QUEENS.term(n).unwrap() } else { 7 })));
        let columns = [(2, "n"), (14, "solutions"), (7, "A000170"), (10, "time")];
        let columns = columns.map(|(width, head)| Column::as_wide_as(width, head, 0));
        let (printed, ended) = printed(Some(&Table::new(columns.into(), 80)), &[], [8, 20, 28].map(found));
        let expected = [
            " n       solutions  A000170        time\n",
            " 8              92   agrees      250 ms\n",
            "20  39,029,188,884   agrees      250 ms\n",
            "28               7  unknown      250 ms\n",
        ]
        .concat();
        assert_eq!(anstream::adapter::strip_str(&printed).to_string(), expected);
        assert!(ended.is_ok());
    }
}
