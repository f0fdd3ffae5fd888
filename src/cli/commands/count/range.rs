//! `queens count A-B`: the terms of a sequence, one board after another.

use std::io::IsTerminal;
use std::ops::RangeInclusive;
use std::time::Duration;

use queens::oeis::{self, Sequence};
use queens::{Isa, Report, Rotation};
use serde::Serialize;

use super::{Args, counted, request, unique};
use crate::cli::long_run::{Activity, Agreement, ResultForm, Status, When};
use crate::cli::terminal::{Column, Cores, Exit, Facts, Failure, JsonOutput, Table, messages, numbers, stdout};

/// Counts each board of the range. On a pipe a term is a line "n a(n)", as in a b-file of OEIS; at a terminal it is one of
/// a table, beside what OEIS says of it and the time that it took.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let long = &args.long;
    if args.prefix.is_some() || long.shard.is_some() || long.checkpoint.is_some() || long.max_time.is_some() {
        return Err(Failure::usage(&"--prefix, --shard, --checkpoint and --max-time need a single N, not a range"));
    }
    let sizes = args.sizes;
    // A board at the end that cannot be counted should not show after hours.
    request(args.symmetry, sizes.last, &args.cores)?;
    let ResultForm { json, quiet, note } = super::form(args);
    let sequence = sequence(args);
    let form = match json.is_alone() {
        true => Form::Json,
        false if !quiet && std::io::stdout().is_terminal() => Form::table(sequence, sizes.last),
        false => Form::BFile { note },
    };
    compare("count", sequence, form, json, None, sizes.all(), |n| term(args, n))
}

/// Prints the terms of a sequence with these indices, each held against the published one, beside the progress if any is
/// shown.
pub(crate) fn compare(
    command: &'static str,
    sequence: &'static Sequence,
    form: Form,
    json: &JsonOutput,
    activity: Option<&Activity>,
    indices: impl IntoIterator<Item = usize>,
    find: impl FnMut(usize) -> Result<Term, Failure>,
) -> Result<(), Failure> {
    let print = &mut |text: &str| match activity {
        Some(activity) => activity.aside(|| messages::deliver(text)),
        None => messages::deliver(text),
    };
    Comparison { command, sequence, form, json, print }.run(indices, find)
}

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
    fn by(report: &Report, value: u128) -> Self {
        let Report { engine, isa, threads, elapsed, double_checked_tasks, .. } = *report;
        Self { value, engine, isa, threads, elapsed, double_checked_tasks }
    }
}

pub(crate) enum Form {
    /// Nothing but the object at the end.
    Json,
    /// A line "n a(n)" each; with a note at the end on which of them agree.
    BFile {
        note: bool,
    },
    Table(Table),
}

impl Form {
    /// With room for the terms up to this index.
    pub(crate) fn table(sequence: &Sequence, last: usize) -> Self {
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
        Self::Table(Table::new(columns.into(), stdout::width()))
    }
}

/// Terms of a sequence held against the published ones, for a command.
struct Comparison<'a> {
    command: &'static str,
    sequence: &'static Sequence,
    form: Form,
    json: &'a JsonOutput,
    /// Where the lines or the object go.
    print: &'a mut dyn FnMut(&str) -> Result<(), Failure>,
}

impl Comparison<'_> {
    /// Finds each term and prints its line, or at the end the object of all. A wrong one does not keep the
    /// others from being found; the first such is what the command fails of.
    fn run(
        &mut self,
        indices: impl IntoIterator<Item = usize>,
        mut find: impl FnMut(usize) -> Result<Term, Failure>,
    ) -> Result<(), Failure> {
        let id = self.sequence.id;
        if let Form::Table(table) = &self.form {
            (self.print)(&table.head())?;
        }
        let (mut terms, mut agreeing) = (Vec::new(), Vec::new());
        let mut wrong = None;
        for n in indices {
            let Term { value, engine, isa, threads, elapsed, double_checked_tasks } = find(n)?;
            let seconds = elapsed.as_secs_f64();
            let agreement = Agreement::with(self.sequence, n, value);
            let agrees = agreement.oeis.map(|oeis| oeis.agrees);
            let word = agrees.map_or("unknown", |agrees| if agrees { "agrees" } else { "differs" });
            let (value_json, isa) = (value.to_string(), isa.name());
            terms.push(TermJson { n, value: value_json, agrees, engine, isa, threads, seconds, double_checked_tasks });
            match &self.form {
                Form::Json => {}
                Form::BFile { .. } => (self.print)(&format!("{n} {value}\n"))?,
                Form::Table(table) => {
                    let cells = [n.to_string(), numbers::grouped(value), word.to_owned(), numbers::seconds(seconds)];
                    (self.print)(&table.line(cells))?;
                }
            }
            agreeing.extend((agrees == Some(true)).then_some(n));
            wrong = wrong.or(agreement.verdict().err());
        }
        let object = Facts::of(self.command).with("sequence", id).with("terms", terms).json();
        match (&self.form, agreeing.first(), agreeing.last()) {
            (Form::Json, ..) => (self.print)(&object)?,
            (Form::BFile { note: true }, Some(first), Some(last)) if wrong.is_none() => {
                messages::note(&agreeing_words(*first, *last, id));
            }
            _ => {}
        }
        let saved = if self.json.is_alone() { Ok(()) } else { self.json.save(&object) };
        wrong.map_or(saved, Err)
    }
}

/// Published terms are next to each other, and so are those that agree where none differs.
fn agreeing_words(first: usize, last: usize, id: &str) -> String {
    if first == last {
        format!("term {first} agrees with OEIS {id}")
    } else {
        format!("terms {first} to {last} agree with OEIS {id}")
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
    Ok(Term::by(&report, value))
}

/// Recomputes the published terms of what a turn leaves unchanged on these boards, and compares.
pub(crate) fn verify(
    rotation: Rotation,
    boards: RangeInclusive<usize>,
    cores: &Cores,
    json: &JsonOutput,
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
        activity.at(Status { title: format!("N = {n}, {rotation} turn"), ..Status::default() });
        let report = request.count()?;
        Ok(Term::by(&report, report.count))
    };
    let form = if json.is_alone() { Form::Json } else { Form::table(sequence, to) };
    let compared = compare("verify", sequence, form, json, Some(&activity), boards, find);
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
    /// By what it was found.
    engine: &'static str,
    isa: &'static str,
    threads: usize,
    seconds: f64,
    double_checked_tasks: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a count that took a quarter of a second.
    fn term(value: u128) -> Term {
        let (engine, isa, elapsed) = ("naive", Isa::Portable, Duration::from_millis(250));
        Term { value, engine, isa, threads: 1, elapsed, double_checked_tasks: 0 }
    }

    /// Terms of 6 to 10, of which those of the boards named are one too many: what is printed, and how it ends.
    fn compared(wrong: &[usize], json: bool) -> (String, Result<(), Failure>) {
        let mut printed = String::new();
        let print = &mut |text: &str| {
            printed += text;
            Ok(())
        };
        let find = |n| {
            let value = oeis::QUEENS.term(n).unwrap() + u128::from(wrong.contains(&n));
            Ok(term(value))
        };
        let form = if json { Form::Json } else { Form::BFile { note: false } };
        let json = &JsonOutput::default();
        let ended = Comparison { command: "count", sequence: &oeis::QUEENS, form, json, print }.run(6..=10, find);
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
        let find = |n| {
            if n < 8 { Ok(term(40)) } else { Err(Failure::AlreadyReported(Exit::Failure)) }
        };
        let mut lines = 0;
        let print = &mut |_: &str| {
            lines += 1;
            Ok(())
        };
        let form = Form::BFile { note: false };
        let json = &JsonOutput::default();
        let ended = Comparison { command: "count", sequence: &oeis::QUEENS, form, json, print }.run(7..=9, find);
        assert!(matches!(ended, Err(Failure::AlreadyReported(Exit::Failure))) && lines == 1);
    }

    #[test]
    fn a_table_has_heads_and_times() {
        let mut printed = String::new();
        let print = &mut |text: &str| {
            printed += text;
            Ok(())
        };
        let find = |n| Ok(term(if n < 28 { oeis::QUEENS.term(n).unwrap() } else { 7 }));
        let columns = [(2, "n"), (14, "solutions"), (7, "A000170"), (10, "time")];
        let columns = columns.map(|(width, head)| Column::as_wide_as(width, head, 0));
        let form = Form::Table(Table::new(columns.into(), 80));
        let json = &JsonOutput::default();
        Comparison { command: "count", sequence: &oeis::QUEENS, form, json, print }.run([8, 20, 28], find).unwrap();
        let expected = [
            " n       solutions  A000170        time\n",
            " 8              92   agrees      250 ms\n",
            "20  39,029,188,884   agrees      250 ms\n",
            "28               7  unknown      250 ms\n",
        ]
        .concat();
        assert_eq!(anstream::adapter::strip_str(&printed).to_string(), expected);
        assert_eq!(agreeing_words(0, 12, "A000170"), "terms 0 to 12 agree with OEIS A000170");
        assert_eq!(agreeing_words(7, 7, "A000170"), "term 7 agrees with OEIS A000170");
    }
}
