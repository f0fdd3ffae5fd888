//! `queens count N` and `queens count A-B`

use clap::Args as ClapArgs;
use queens::oeis::{self, Sequence};
use queens::{ENGINES, Isa, Placement, Report, Request, Rotation, RotationalBoard, Subject, Unique};
use serde::Serialize;

use super::numbered::QueenArgs;
use super::terms::{Found, Term, TermTable, Terms};
use crate::cli::long_run::{Activity, Agreement, LongRun, Outcome, forecast, units};
use crate::cli::terminal::{
    Answer, Cores, Exit, Failure, Form, Rows, Sizes, Tell,
    numbers::{self, grouped},
    value_parsers::{EngineChoice, engine_parser, rotation_parser, size},
};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Columns and rows of the board: 0 to 32 (with --symmetry half to 38, quarter to 77), or a range such as 1-16
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) sizes: Sizes,

    /// The engine that counts
    #[arg(long, default_value = "auto", value_parser = engine_parser(), help = engine_help())]
    pub(crate) engine: EngineChoice,

    #[command(flatten)]
    pub(crate) cores: Cores,

    /// Count the completions of a partial placement: rows of the first columns, as in 158 or 1,5,8
    #[arg(long, value_name = "P")]
    pub(crate) prefix: Option<String>,

    #[command(flatten)]
    pub(crate) queens: QueenArgs,

    /// Count solutions up to rotation and reflection (A002562)
    #[arg(long, conflicts_with_all = ["prefix", "queens"])]
    pub(crate) unique: bool,

    /// Count only solutions unchanged by a half turn (A032522) or a quarter turn (A033148)
    #[arg(
        long,
        value_name = "TURN",
        value_parser = rotation_parser(),
        visible_alias = "symmetric",
        conflicts_with_all = ["prefix", "queens", "unique", "engine"]
    )]
    pub(crate) symmetry: Option<Rotation>,

    #[command(flatten)]
    pub(crate) form: Form,

    #[command(flatten)]
    pub(crate) long: LongRun,
}

fn engine_help() -> String {
    let engines = ENGINES.iter().map(|engine| format!("; {}: {}", engine.name, engine.summary));
    std::iter::once("The engine that counts; auto: the fastest".to_owned()).chain(engines).collect()
}

/// What was counted, and how. Times are in seconds.
#[derive(Serialize)]
pub(crate) struct Counted {
    #[serde(flatten)]
    subject: Subject,
    /// `None` for a shard, which has only a part of it.
    count: Option<u128>,
    shard: Option<String>,
    /// What the shard adds to the count.
    part: Option<u128>,
    /// The solutions up to symmetry, and those that turns leave unchanged.
    unique: Option<u128>,
    half_turn: Option<u128>,
    quarter_turn: Option<u128>,
    #[serde(flatten)]
    agreement: Agreement,
    engine: &'static str,
    isa: Isa,
    threads: usize,
    seconds: f64,
    total_seconds: f64,
    units: usize,
    resumed: usize,
    double_checked: usize,
    double_checked_tasks: u64,
    /// Whether there was an earlier run that had finished anything.
    #[serde(skip)]
    went_on: bool,
    /// The failure that the checkpoint has not all of it, which is told after the result.
    #[serde(skip)]
    unsaved: Option<Failure>,
}

pub(crate) fn run(args: &Args) -> Result<Box<dyn Tell>, Failure> {
    if args.unique && args.long.shard.is_some() {
        return Err(Failure::usage(
            &"--unique needs the total, of which a shard has only a part: count the shards without --unique and merge them; \
              with the total t, the count h of --symmetry half and q of --symmetry quarter, (t + h + 2 q) / 8 are unique",
        ));
    }
    let Some(n) = args.sizes.one() else { return Ok(Box::new(range(args)?)) };
    let activity = Activity::start(args.long.progress, "count");
    let outcome = counted(args, &args.long, n, &activity)?;
    activity.finish();
    Ok(Box::new(Counted::of(&outcome, args)?))
}

/// Counts each board of the range.
fn range(args: &Args) -> Result<Terms, Failure> {
    let (long, sizes, form) = (&args.long, args.sizes, &args.form);
    let is_fixed = args.prefix.is_some() || !args.queens.queens.is_empty();
    if is_fixed || long.shard.is_some() || long.checkpoint.is_some() || long.max_time.is_some() {
        let message = "--prefix, --queen, --shard, --checkpoint and --max-time need a single N, not a range";
        return Err(Failure::usage(&message));
    }
    // A board at the end that cannot be counted should not show after hours.
    request(args.symmetry, sizes.last, &args.cores)?;
    let sequence: &Sequence = match args.symmetry {
        Some(rotation) => rotation.sequence(),
        None if args.unique => &oeis::UNIQUE,
        None => &oeis::QUEENS,
    };
    let activity = Activity::start(long.progress, "count");
    let long = LongRun { range: Some(sizes), ..long.clone() };
    let found = sizes.all().map(|n| {
        let report = counted(args, &long, n, &activity)?.report;
        let value = if args.unique { classes(&report)?.0 } else { report.count };
        Ok(Term::of(sequence, n, Found::by(&report, value)))
    });
    let table = form.is_for_people().then(|| TermTable::of(sequence, sizes.last));
    Terms::find(&activity, (sequence, sequence.id.to_owned()), form, table.as_ref(), found)
}

/// The solutions of a board, or those that a turn leaves unchanged.
pub(crate) fn request(symmetry: Option<Rotation>, n: usize, cores: &Cores) -> Result<Request, Failure> {
    let request = match symmetry {
        None => Request::solutions(size(n)?),
        Some(rotation) => {
            let board = RotationalBoard::new(rotation, n);
            Request::rotational(board.map_err(|error| Failure::invalid("<N>", &n.to_string(), &error))?)
        }
    };
    Ok(request.isa(cores.isa).threads(cores.threads))
}

/// Counts a board of N columns, all of it or a shard.
fn counted(args: &Args, long: &LongRun, n: usize, activity: &Activity) -> Result<Outcome, Failure> {
    let request = if args.symmetry.is_some() {
        request(args.symmetry, n, &args.cores)?
    } else {
        let prefix = args.prefix.as_ref().map_or(Ok(Placement::empty(size(n)?)), |text| {
            Placement::parse(text, size(n)?).map_err(|error| Failure::invalid("--prefix <P>", text, &error))
        });
        Request::completions(args.queens.beside(prefix?)?).isa(args.cores.isa).threads(args.cores.threads)
    };
    let request = request.engine(args.engine).double_check(long.double_check);
    activity.aside(|| forecast::warn_of_memory(&request, args.cores.threads));
    units::run(long, args.form.quiet, request, activity)
}

/// The number of symmetry classes of all the solutions that `report` counted, and what it was divided by.
fn classes(report: &Report) -> Result<(u128, Unique), Failure> {
    let Subject::Completions(board) = report.subject else { unreachable!("--unique goes with no --symmetry") };
    let unique = Unique::new(board.size(), report.threads)?;
    let classes = unique.classes(report.count).map_err(|error| Failure::Run(Exit::Difference, error.to_string()))?;
    Ok((classes, unique))
}

impl Counted {
    fn of(outcome: &Outcome, args: &Args) -> Result<Self, Failure> {
        let Outcome { report, shard, resumed, went_on, units, total_seconds, unsaved } = outcome;
        let Report { subject, count, engine, isa, threads, elapsed, double_checked, double_checked_tasks, .. } =
            *report;
        let is_whole = shard.is_whole();
        let unique = args.unique.then(|| classes(report)).transpose()?;
        let agreement = match &unique {
            // The division has already checked the total modulo 8.
            Some((classes, _)) => Agreement::with(&oeis::UNIQUE, subject.n(), *classes),
            None if is_whole => Agreement::of(&subject, count, args.cores.threads)?,
            None => Agreement::default(),
        };
        Ok(Self {
            subject,
            count: is_whole.then_some(count),
            shard: (!is_whole).then(|| shard.to_string()),
            part: (!is_whole).then_some(count),
            unique: unique.as_ref().map(|(classes, _)| *classes),
            half_turn: unique.as_ref().map(|(_, of)| of.half),
            quarter_turn: unique.as_ref().map(|(_, of)| of.quarter),
            agreement,
            engine,
            isa,
            threads,
            seconds: elapsed.as_secs_f64(),
            total_seconds: *total_seconds,
            units: *units,
            resumed: *resumed,
            double_checked,
            double_checked_tasks,
            went_on: *went_on,
            unsaved: unsaved.clone(),
        })
    }
}

impl Answer for Counted {
    fn command(&self) -> &'static str {
        "count"
    }

    fn text(&self, width: usize) -> String {
        /// From so many solutions on, how many are counted a second says something.
        const MANY: u128 = 1000;
        // A wrong number would pass for the count.
        if self.agreement.verdict().is_err() {
            return String::new();
        }
        let Self { subject, seconds, went_on, resumed, units, double_checked_tasks: tasks, .. } = *self;
        let unchanged = |count: Option<u128>| count.map(|count| format!("{} unchanged", grouped(count)));
        let is_rate = !went_on && subject.rotation().is_none() && seconds > 0.0;
        let rate = self.count.filter(|count| is_rate && *count >= MANY).map(|count| count as f64 / seconds);
        let rows = Rows::of(&subject).row_some("shard", self.shard.as_ref());
        let rows = match self.unique {
            Some(classes) => rows.result("unique", grouped(classes)).row_some("check", self.agreement.words()),
            None => rows,
        };
        let rows = match (self.count, self.part) {
            (Some(count), _) if self.unique.is_some() => rows.row("solutions", grouped(count)),
            (Some(count), _) => rows.result("solutions", grouped(count)).row_some("check", self.agreement.words()),
            (None, part) => rows.result("its part", grouped(part.unwrap_or_default())),
        };
        rows.row_some("half turn", unchanged(self.half_turn))
            .row_some("quarter turn", unchanged(self.quarter_turn))
            .row("engine", format!("{}, {}", self.engine, self.isa))
            .row("threads", self.threads)
            .row("time", numbers::seconds(seconds))
            .row_some("in all", went_on.then(|| numbers::seconds(self.total_seconds)))
            .row_some("resumed", went_on.then(|| format!("from {resumed} of {units} units")))
            .row_some("rate", rate.map(|rate| format!("{} solutions/s", numbers::rounded(rate))))
            .row_some(
                "checked",
                (tasks > 0).then(|| format!("{} counted twice, no difference", numbers::count_of(tasks, "task"))),
            )
            .text(width)
    }

    /// Nothing for a shard: its part would pass for the count, as a wrong number would.
    fn plain(&self) -> Option<String> {
        let number = self.unique.or(self.count).filter(|_| self.agreement.verdict().is_ok());
        Some(number.map_or_else(String::new, |number| format!("{number}\n")))
    }

    fn remark(&self) -> Option<String> {
        self.agreement.words()
    }

    fn verdict(&self) -> Result<(), Failure> {
        self.agreement.verdict().and(self.unsaved.clone().map_or(Ok(()), Err))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::FromArgMatches;
    use queens::{Shard, Size};
    use std::ffi::OsString;
    use std::time::Duration;

    fn plain(outcome: &Outcome) -> String {
        let line = [OsString::from("queens"), "16".into()];
        let args =
            Args::from_arg_matches(&Args::augment_args(clap::Command::new("queens")).get_matches_from(line)).unwrap();
        anstream::adapter::strip_str(&Counted::of(outcome, &args).unwrap().text(80)).to_string()
    }

    #[test]
    fn a_person_reads_aligned_lines() {
        let sixteen = Size::new(16).unwrap();
        let mut report = Request::solutions(Size::new(4).unwrap()).isa(Isa::Portable).threads(2).count().unwrap();
        report.subject = sixteen.into();
        report.count = 14_772_512;
        report.elapsed = Duration::from_millis(500);
        let mut outcome = Outcome {
            report,
            shard: Shard::WHOLE,
            resumed: 0,
            went_on: false,
            units: 105,
            total_seconds: 62.0,
            unsaved: None,
        };
        let expected = "\
N          16
solutions  14,772,512
check      agrees with OEIS A000170
engine     backtrack, portable
threads    2
time       500 ms
rate       29.5 million solutions/s
";
        assert_eq!(plain(&outcome), expected);
        outcome.report.subject = Placement::parse("1,3", sixteen).unwrap().into();
        outcome.report.count = 999;
        assert!(plain(&outcome).contains("prefix     1,3\n"));
        assert!(!plain(&outcome).contains("rate"));
        outcome.shard = "2/3".parse().unwrap();
        (outcome.resumed, outcome.went_on) = (7, true);
        outcome.report.double_checked_tasks = 5;
        assert!(!plain(&outcome).contains("solutions"), "a part is not the count");
        assert!(plain(&outcome).contains("shard     2/3\nits part  999\n"));
        assert!(plain(&outcome).contains(
            "in all    1 min 02 s\nresumed   from 7 of 105 units\nchecked   5 tasks counted twice, no difference\n"
        ));
    }
}
