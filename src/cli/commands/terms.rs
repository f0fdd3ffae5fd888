//! Terms of a sequence, found one after another by an engine or by several, and held against the published ones: for ranges of
//! `count` and `profile`, and for `verify`.

use std::mem;
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use console::measure_text_width;
use queens::oeis::{self, Sequence};
use queens::{Isa, Report};
use serde::Serialize;

use crate::cli::long_run::{Activity, Status};
use crate::cli::terminal::{
    Answer, Column, Exit, Failure, Form, HEAD, Table, messages,
    numbers::{self, count_of, grouped},
    stdout,
    table::wrapped,
};

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// What the index of a term is called: in a triangle that is read by rows it is no size of a board.
fn index_name(sequence: &str) -> &'static str {
    if sequence == oeis::PROFILE.id { "index" } else { "N" }
}

/// What an engine found.
#[derive(Clone, Serialize)]
pub(crate) struct Found {
    pub(crate) engine: &'static str,
    pub(crate) isa: Isa,
    pub(crate) threads: usize,
    pub(crate) value: Option<u128>,
    /// Whether it is the published term; `None` if there is none.
    pub(crate) agrees: Option<bool>,
    /// Why there is no number, or what is wrong with it.
    pub(crate) error: Option<String>,
    pub(crate) seconds: f64,
    pub(crate) double_checked_tasks: u64,
}

impl Found {
    /// A number found by this engine on so many threads.
    pub(crate) fn new(engine: &'static str, isa: Isa, threads: usize, elapsed: Duration, value: u128) -> Self {
        let (value, seconds) = (Some(value), elapsed.as_secs_f64());
        Self { engine, isa, threads, value, agrees: None, error: None, seconds, double_checked_tasks: 0 }
    }

    /// The number that a count is the basis of.
    pub(crate) fn by(report: &Report, value: u128) -> Self {
        let found = Self::new(report.engine, report.isa, report.threads, report.elapsed, value);
        Self { double_checked_tasks: report.double_checked_tasks, ..found }
    }

    /// `✓` and the like, and the time if there is room.
    fn cell(&self, times: bool) -> String {
        let (style, verdict) = match (self.agrees, self.value) {
            (Some(true), _) => (GOOD, "✓".to_owned()),
            (None, _) => (Style::new(), "·".to_owned()),
            (_, Some(_)) if self.error.is_some() => (BAD, "✗ modulo 8".to_owned()),
            (_, Some(value)) => (BAD, format!("✗ {}", grouped(value))),
            (_, None) => (BAD, "✗ failed".to_owned()),
        };
        let time = if times { format!("  {:>7}", numbers::seconds(self.seconds)) } else { String::new() };
        format!("{style}{verdict}{time}{style:#}")
    }
}

/// A term and what was found for it.
#[derive(Serialize)]
pub(crate) struct Term {
    /// Its index in the sequence.
    pub(crate) n: usize,
    pub(crate) published: Option<u128>,
    pub(crate) results: Vec<Found>,
}

impl Term {
    /// What one engine found.
    pub(crate) fn of(sequence: &Sequence, n: usize, found: Found) -> Self {
        Self { n, published: sequence.term(n), results: vec![found] }
    }

    /// The published term, or the one that was found.
    fn value(&self) -> Option<u128> {
        self.published.or_else(|| self.results.first()?.value)
    }
}

/// The terms that a command found.
#[expect(clippy::struct_field_names, reason = "the names of the JSON object")]
#[derive(Serialize)]
pub(crate) struct Terms {
    #[serde(skip)]
    command: &'static str,
    sequence: &'static str,
    /// What the published terms are from: the sequence, or a file.
    source: String,
    terms: Vec<Term>,
    results: usize,
    differences: usize,
    /// Whether all were found that were asked for.
    finished: bool,
    seconds: f64,
    /// Whether they were printed as a b-file has them.
    #[serde(skip)]
    is_b_file: bool,
    /// Why not all of them were found or printed.
    #[serde(skip)]
    failure: Option<Failure>,
}

/// A table of terms, which is printed line by line while they are found: with a column for each engine, or one for all.
pub(crate) struct TermTable {
    engines: Vec<&'static str>,
    /// Whether each result has its time, which is the first to be left out where the terminal is narrow.
    times: bool,
    table: Table,
}

impl TermTable {
    /// For terms as long as this one. With no engine named there is one column.
    pub(crate) fn new(sequence: &Sequence, widest: u128, engines: &[&'static str], width: usize) -> Self {
        /// As wide as `✓  12.3 ms` may be.
        const TIMED: usize = 12;
        let heads = if engines.is_empty() { &["result"] } else { engines };
        let table = |least: usize, width: usize| {
            let first = [(2, index_name(sequence.id), 0), (grouped(widest).len(), "term", 1)];
            let columns = first.into_iter().chain(heads.iter().map(|head| (least, *head, 0)));
            Table::new(columns.map(|(width, head, rank)| Column::as_wide_as(width, head, rank)).collect(), width)
        };
        let times = measure_text_width(table(TIMED, usize::MAX).head().trim_end()) <= width;
        Self { engines: engines.to_vec(), times, table: table(if times { TIMED } else { 0 }, width) }
    }

    /// For the terms of a sequence up to this index.
    pub(crate) fn of(sequence: &Sequence, last: usize) -> Self {
        /// About as long as the term of N = 32 may be.
        const UNKNOWN: u128 = 10u128.pow(24);
        let widest =
            sequence.term(last).map_or(UNKNOWN, |_| (0..=last).filter_map(|n| sequence.term(n)).max().unwrap_or(0));
        Self::new(sequence, widest, &[], stdout::width())
    }

    fn line(&self, term: &Term) -> String {
        let cell =
            |found: Option<&Found>| found.map_or_else(|| format!("{HEAD}-{HEAD:#}"), |found| found.cell(self.times));
        let results: Vec<String> = if self.engines.is_empty() {
            vec![cell(term.results.first())]
        } else {
            let by = |engine: &&str| cell(term.results.iter().find(|found| found.engine == *engine));
            self.engines.iter().map(by).collect()
        };
        let first = [term.n.to_string(), term.value().map_or_else(String::new, grouped)];
        self.table.line(first.into_iter().chain(results))
    }
}

impl Terms {
    /// Prints each term as soon as it is found: in this table or, without one, as a line "n a(n)", as in a b-file of OEIS. A
    /// wrong term does not keep the others from being found. A failure does, and the terms before it are told.
    ///
    /// A reader of such lines who has enough ends the list, but neither a file that is asked for nor a table, whose verdict is
    /// still to come.
    pub(crate) fn find(
        activity: &Activity,
        (sequence, source): (&'static Sequence, String),
        form: &Form,
        table: Option<&TermTable>,
        found: impl IntoIterator<Item = Result<Term, Failure>>,
    ) -> Result<Self, Failure> {
        let (start, is_b_file) = (Instant::now(), table.is_none());
        let is_only_printed = is_b_file && form.json.path().is_none();
        let (mut terms, mut failure, mut finished) = (Vec::new(), None, true);
        let mut head = table.map_or_else(String::new, |table| table.table.head());
        for term in found {
            let mut term = match term {
                Ok(term) => term,
                Err(error) if terms.is_empty() => return Err(error),
                Err(error) => {
                    (failure, finished) = (Some(error), false);
                    break;
                }
            };
            for found in &mut term.results {
                let is_published = term.published.map(|published| found.value == Some(published));
                found.agrees = if found.error.is_some() { Some(false) } else { is_published };
            }
            let line = match table {
                Some(table) => mem::take(&mut head) + &table.line(&term),
                None => format!("{} {}\n", term.n, term.value().unwrap_or_default()),
            };
            terms.push(term);
            if failure.is_none() && !form.json.is_alone() {
                failure = activity.aside(|| messages::deliver(&line)).err();
            }
            if failure.is_some() && is_only_printed {
                finished = false;
                break;
            }
        }
        if let (true, Some(first), Some(last)) = (finished, terms.first(), terms.last()) {
            let title = format!("{} = {} to {}", index_name(sequence.id), first.n, last.n);
            activity.at(Status { title, ..Status::default() });
        }
        let results = || terms.iter().flat_map(|term: &Term| &term.results);
        let (all, differences) = (results().count(), results().filter(|found| found.agrees == Some(false)).count());
        let (command, sequence, seconds) = (activity.command(), sequence.id, start.elapsed().as_secs_f64());
        if !matches!(failure, Some(Failure::Signal(_))) {
            activity.finish();
        }
        Ok(Self { command, sequence, source, terms, results: all, differences, finished, seconds, is_b_file, failure })
    }

    /// The first result that differs.
    fn wrong(&self) -> Option<(&Term, &Found)> {
        let all = || self.terms.iter().flat_map(|term| term.results.iter().map(move |found| (term, found)));
        all().find(|(_, found)| found.agrees == Some(false))
    }
}

impl Answer for Terms {
    fn command(&self) -> &'static str {
        self.command
    }

    fn text(&self, width: usize) -> String {
        if self.failure.is_some() && self.finished {
            return String::new();
        }
        let (terms, results) = (count_of(self.terms.len() as u64, "term"), count_of(self.results as u64, "result"));
        let all = self.terms.iter().flat_map(|term| &term.results);
        let unpublished = all.filter(|found| found.agrees.is_none()).count();
        let agreeing = self.results - self.differences - unpublished;
        let (style, verdict) = match self.differences {
            0 if unpublished == 0 => (GOOD, "all agree".to_owned()),
            0 if agreeing == 0 => (Style::new(), "none is published".to_owned()),
            0 if agreeing == 1 => (GOOD, "1 agrees".to_owned()),
            0 => (GOOD, format!("{agreeing} agree")),
            1 => (BAD, "1 differs".to_owned()),
            more => (BAD, format!("{more} differ")),
        };
        // What was compared with nothing agrees with nothing.
        let others = match unpublished {
            _ if unpublished == 0 || unpublished == self.results => String::new(),
            1 => ", 1 is not published".to_owned(),
            more => format!(", {more} are not published"),
        };
        let time = numbers::seconds(self.seconds);
        let text = format!("{terms} of {}, {results}: {style}{verdict}{style:#}{others}, in {time}", self.source);
        wrapped(&text, width, &[' ']).join("\n") + "\n"
    }

    fn plain(&self) -> Option<String> {
        self.is_b_file.then(String::new)
    }

    fn remark(&self) -> Option<String> {
        if matches!(self.failure, Some(Failure::Closed)) {
            return None;
        }
        // Published terms are next to each other, and so are those that agree where none differs.
        let agree = |term: &&Term| term.results.iter().all(|found| found.agrees == Some(true));
        let mut agreeing = self.terms.iter().filter(agree).map(|term| term.n);
        let first = agreeing.next().filter(|_| self.differences == 0)?;
        let agree = match agreeing.next_back() {
            None => format!("term {first} agrees"),
            Some(last) => format!("terms {first} to {last} agree"),
        };
        Some(format!("{agree} with OEIS {}", self.sequence))
    }

    /// Fails for the first result that differs, however it ended.
    fn verdict(&self) -> Result<(), Failure> {
        let Some((Term { n, published, .. }, found)) = self.wrong() else {
            // A reader who has enough is no failure.
            let failure = self.failure.clone().filter(|failure| !matches!(failure, Failure::Closed));
            return failure.map_or(Ok(()), Err);
        };
        let found = match (&found.error, found.value) {
            (Some(error), _) => format!("{}: {error}", found.engine),
            (None, value) => format!("{} finds {}", found.engine, value.unwrap_or_default()),
        };
        let more = match self.differences - 1 {
            0 => String::new(),
            1 => "; 1 more result differs".to_owned(),
            more => format!("; {more} more results differ"),
        };
        let (source, published) =
            (&self.source, published.map_or_else(|| "not known".to_owned(), |term| term.to_string()));
        let index = index_name(self.sequence);
        let message = format!("the term for {index} = {n} in {source} is {published}, but {found}{more}");
        Err(Failure::Run(Exit::Difference, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::long_run::When;
    use crate::cli::terminal::JsonOutput;
    use clap::{Args as _, FromArgMatches};

    /// Found by this engine in a quarter of a second.
    fn found(engine: &'static str, value: u128) -> Found {
        Found::new(engine, Isa::Portable, 1, Duration::from_millis(250), value)
    }

    /// A term by one engine.
    fn term(n: usize, value: u128) -> Term {
        Term::of(&oeis::QUEENS, n, found("naive", value))
    }

    /// With `--json`, so that nothing is printed before the answer.
    fn terms(
        table: Option<&TermTable>,
        found: impl IntoIterator<Item = Result<Term, Failure>>,
    ) -> Result<Terms, Failure> {
        let command = JsonOutput::augment_args(clap::Command::new("count").no_binary_name(true));
        let json = JsonOutput::from_arg_matches(&command.get_matches_from(["--json"])).unwrap();
        let (of, form) = ((&oeis::QUEENS, "A000170".to_owned()), Form::text(&json));
        Terms::find(&Activity::start(When::Never, "count"), of, &form, table, found)
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    fn summary(terms: &Terms) -> String {
        let text = plain(&terms.text(80));
        text.rsplit_once(", in ").unwrap().0.to_owned()
    }

    #[test]
    fn a_wrong_term_fails_when_all_are_found() {
        let of = |wrong: &[usize]| {
            let value = |n| oeis::QUEENS.term(n).unwrap() + u128::from(wrong.contains(&n));
            terms(None, (6..=10).map(|n| Ok(term(n, value(n))))).unwrap()
        };
        let right = of(&[]);
        assert!(right.verdict().is_ok() && right.plain() == Some(String::new()));
        assert_eq!(right.remark().as_deref(), Some("terms 6 to 10 agree with OEIS A000170"));
        assert_eq!(summary(&right), "5 terms of A000170, 5 results: all agree");
        for (wrong, first, verdict) in [
            (vec![6], "N = 6 in A000170 is 4, but naive finds 5", "1 differs"),
            (vec![10], "N = 10 in A000170 is 724, but naive finds 725", "1 differs"),
            (vec![7, 8, 9], "N = 7 in A000170 is 40, but naive finds 41; 2 more results differ", "3 differ"),
        ] {
            let terms = of(&wrong);
            let Err(Failure::Run(Exit::Difference, text)) = terms.verdict() else { panic!("{wrong:?} passes") };
            assert_eq!(text, format!("the term for {first}"));
            assert_eq!(summary(&terms), format!("5 terms of A000170, 5 results: {verdict}"));
            assert!(terms.remark().is_none() && terms.finished && terms.differences == wrong.len());
            let differing = terms.terms.iter().filter(|term| term.results[0].agrees == Some(false));
            assert!(differing.map(|term| term.n).eq(wrong));
        }
    }

    /// What cannot be counted ends the list; the terms before it are told, but a difference is worse.
    #[test]
    fn a_failure_ends_the_list() {
        let of = |value| {
            let found = move |n| if n < 8 { Ok(term(n, value)) } else { Err(Failure::Signal(2)) };
            terms(None, (7..=9).map(found)).unwrap()
        };
        let right = of(40);
        assert!(!right.finished && right.terms.len() == 1 && matches!(right.verdict(), Err(Failure::Signal(2))));
        assert_eq!(right.remark().as_deref(), Some("term 7 agrees with OEIS A000170"));
        assert!(matches!(of(41).verdict(), Err(Failure::Run(Exit::Difference, _))));
        assert!(matches!(terms(None, [Err(Failure::Signal(2))]), Err(Failure::Signal(2))), "nothing to tell");
    }

    /// A number that is wrong for another reason than the published term, and one that was not found.
    #[test]
    fn an_error_is_a_difference() {
        for (value, cell) in [(Some(93), "✗ modulo 8"), (None, "✗ failed")] {
            let wrong = Found { value, error: Some("a reason".to_owned()), ..found("join", 0) };
            let found = terms(None, [Ok(Term { n: 40, published: None, results: vec![wrong] })]).unwrap();
            let Err(Failure::Run(Exit::Difference, text)) = found.verdict() else { panic!("{value:?} passes") };
            assert_eq!(text, "the term for N = 40 in A000170 is not known, but join: a reason");
            assert_eq!(plain(&found.terms[0].results[0].cell(false)), cell);
        }
        let new = terms(None, [Ok(term(28, 8))]).unwrap();
        assert!(new.verdict().is_ok() && new.remark().is_none());
        assert_eq!(summary(&new), "1 term of A000170, 1 result: none is published");
    }

    /// What was compared with nothing does not agree, beside what agrees or differs.
    #[test]
    fn what_is_not_published_is_told_apart() {
        let of = |numbers: &[(usize, u128)]| {
            summary(&terms(None, numbers.iter().map(|&(n, value)| Ok(term(n, value)))).unwrap())
        };
        assert_eq!(of(&[(7, 40), (28, 8)]), "2 terms of A000170, 2 results: 1 agrees, 1 is not published");
        let told = of(&[(7, 40), (8, 92), (28, 8), (29, 9)]);
        assert_eq!(told, "4 terms of A000170, 4 results: 2 agree, 2 are not published");
        assert_eq!(of(&[(7, 41), (28, 8)]), "2 terms of A000170, 2 results: 1 differs, 1 is not published");
        assert_eq!(of(&[(28, 8), (29, 9)]), "2 terms of A000170, 2 results: none is published");
    }

    #[test]
    fn a_narrow_terminal_gets_fewer_columns() {
        let agreeing = Found { agrees: Some(true), seconds: 0.025, ..found("join", 92) };
        let differing = Found { agrees: Some(false), ..found("backtrack", 93) };
        let both = Term { n: 8, published: Some(666_090_624), results: vec![agreeing, differing] };
        let table = |width| {
            let table = TermTable::new(&oeis::QUEENS, 666_090_624, &["join", "backtrack", "naive"], width);
            plain(&(table.table.head() + &table.line(&both)))
        };
        let heads = " N         term          join     backtrack         naive\n";
        let wide = format!("{heads} 8  666,090,624    ✓  25.0 ms  ✗ 93   250 ms             -\n");
        assert_eq!(table(57), wide);
        let narrow = " N         term  join  backtrack  naive\n 8  666,090,624     ✓       ✗ 93      -\n";
        assert_eq!([table(56), table(39)], [narrow; 2]);
        assert_eq!(table(38), " N  join  backtrack  naive\n 8     ✓       ✗ 93      -\n");
    }

    #[test]
    fn one_column_is_for_whoever_counted() {
        let table = TermTable::new(&oeis::QUEENS, 39_029_188_884, &[], 80);
        let lines = [term(8, 92), term(20, 39_029_188_884), term(28, 7)].map(|mut term| {
            term.results[0].agrees = term.published.map(|published| term.results[0].value == Some(published));
            plain(&table.line(&term))
        });
        assert_eq!(plain(&table.table.head()), " N            term        result\n");
        let expected = [
            " 8              92    ✓   250 ms\n", "20  39,029,188,884    ✓   250 ms\n",
            "28               7    ·   250 ms\n",
        ];
        assert_eq!(lines, expected);
    }
}
