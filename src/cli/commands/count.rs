//! `queens count N` and `queens count A-B`

use std::cell::OnceCell;

use clap::Args as ClapArgs;
use queens::oeis::{self, Sequence};
use queens::{ENGINES, Placement, Report, Request, Rotation, RotationalBoard, Subject, Unique};

use super::terms::{self, Term};
use crate::cli::long_run::{Activity, Agreement, LongRun, Outcome, OutputForm, Status, forecast, units};
use crate::cli::terminal::{
    Cores, Exit, Facts, Failure, JsonOutput, Sizes, messages, numbers,
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

    /// Count solutions that a rotation or reflection turns into each other only once (A002562)
    #[arg(long, conflicts_with = "prefix")]
    pub(crate) unique: bool,

    /// Count only the solutions that a half turn (A032522) or a quarter turn (A033148) leaves unchanged
    #[arg(
        long,
        value_name = "TURN",
        value_parser = rotation_parser(),
        visible_alias = "symmetric",
        conflicts_with_all = ["prefix", "unique", "engine"]
    )]
    pub(crate) symmetry: Option<Rotation>,

    #[command(flatten)]
    pub(crate) json: JsonOutput,

    /// Print only the number, as when stdout is not a terminal
    #[arg(long, short)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) long: LongRun,
}

fn engine_help() -> String {
    let engines = ENGINES.iter().map(|engine| format!("; {}: {}", engine.name, engine.summary));
    std::iter::once("The engine that counts; auto: the fastest".to_owned()).chain(engines).collect()
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.unique && args.long.shard.is_some() {
        return Err(Failure::usage(
            &"--unique divides the number of all solutions, which no shard has: count the shards without it and merge them; \
              of a total t, of which --symmetry half leaves h and --symmetry quarter q, (t + h + 2 q) / 8 are unique",
        ));
    }
    let Some(n) = args.sizes.one() else { return range(args) };
    let activity = OnceCell::new();
    let outcome = counted(args, &args.long, n, &activity)?;
    activity.get().map(Activity::finish);
    let (agreement, facts, number) = if args.unique {
        let (classes, unique) = classes(&outcome.report)?;
        // The division has already checked the total modulo 8.
        let agreement = Agreement::with(&oeis::UNIQUE, n, classes);
        let facts = unique_facts(&outcome, &agreement, classes, &unique);
        (agreement, facts, Some(classes))
    } else {
        let agreement = outcome.agreement(args.cores.threads)?;
        let facts = facts(&outcome, &agreement);
        (agreement, facts, outcome.shard.is_whole().then_some(outcome.report.count))
    };
    agreement.deliver(&form(args), &facts, number.map(|number| format!("{number}\n")))
}

fn form(args: &Args) -> OutputForm<'_> {
    OutputForm { json: &args.json, quiet: args.quiet, progress: args.long.progress }
}

/// Counts each board of the range.
fn range(args: &Args) -> Result<(), Failure> {
    let (long, sizes) = (&args.long, args.sizes);
    if args.prefix.is_some() || long.shard.is_some() || long.checkpoint.is_some() || long.max_time.is_some() {
        return Err(Failure::usage(&"--prefix, --shard, --checkpoint and --max-time need a single N, not a range"));
    }
    // A board at the end that cannot be counted should not show after hours.
    request(args.symmetry, sizes.last, &args.cores)?;
    let sequence: &Sequence = match args.symmetry {
        Some(rotation) => rotation.sequence(),
        None if args.unique => &oeis::UNIQUE,
        None => &oeis::QUEENS,
    };
    let activity = OnceCell::new();
    let long = LongRun { range: Some(sizes), ..long.clone() };
    let found = sizes.all().map(|n| {
        let report = counted(args, &long, n, &activity)?.report;
        let value = if args.unique { classes(&report)?.0 } else { report.count };
        Ok((n, Term::by(&report, value)))
    });
    let form = form(args);
    let table = form.is_for_people().then(|| terms::table(sequence, sizes.last));
    let print = &mut |text: &str| units::beside(&activity, || messages::deliver(text));
    let finish = || {
        let title = format!("N = {} to {}", sizes.first, sizes.last);
        activity.get().inspect(|activity| activity.at(Status { title, ..Status::default() })).map(Activity::finish);
    };
    terms::compare("count", sequence, &form, table.as_ref(), print, found, finish)
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
fn counted(args: &Args, long: &LongRun, n: usize, activity: &OnceCell<Activity>) -> Result<Outcome, Failure> {
    let mut request = request(args.symmetry, n, &args.cores)?;
    if let Some(text) = &args.prefix {
        let prefix = Placement::parse(text, size(n)?);
        let prefix = prefix.map_err(|error| Failure::invalid("--prefix <P>", text, &error))?;
        request = Request::completions(prefix).isa(args.cores.isa).threads(args.cores.threads);
    }
    let request = request.engine(args.engine).double_check(long.double_check);
    units::beside(activity, || forecast::memory(&request, args.cores.threads));
    units::run(long, args.quiet, request, activity)
}

/// The number of symmetry classes of all the solutions that `report` counted, and what it was divided by.
fn classes(report: &Report) -> Result<(u128, Unique), Failure> {
    let Subject::Completions(board) = report.subject else { unreachable!("--unique goes with no --symmetry") };
    let unique = Unique::new(board.size(), report.threads)?;
    let classes = unique.classes(report.count).map_err(|error| Failure::Run(Exit::Difference, error.to_string()))?;
    Ok((classes, unique))
}

fn facts(outcome: &Outcome, agreement: &Agreement) -> Facts {
    let Outcome { report, shard, .. } = outcome;
    let (whole, count) = (shard.is_whole(), report.count.to_string());
    Facts::of("count")
        .subject(&report.subject)
        .with("count", whole.then_some(&count))
        .with("shard", (!whole).then(|| shard.to_string()))
        .row_some("shard", (!whole).then_some(shard))
        // What this shard adds to the count.
        .with("part", (!whole).then_some(&count))
        .result(if whole { "solutions" } else { "its part" }, numbers::grouped(report.count))
        .and(agreement.facts())
        .counted_by(report.engine, report.isa, report.threads)
        .and(outcome.facts())
}

fn unique_facts(outcome: &Outcome, agreement: &Agreement, classes: u128, unique: &Unique) -> Facts {
    let report = &outcome.report;
    let unchanged = |count| format!("{} unchanged", numbers::grouped(count));
    Facts::of("count")
        .fact("n", "N", report.subject.n())
        .with("unique", classes.to_string())
        .result("unique", numbers::grouped(classes))
        .and(agreement.facts())
        .with("count", report.count.to_string())
        .row("solutions", numbers::grouped(report.count))
        .with("half_turn", unique.half.to_string())
        .row("half turn", unchanged(unique.half))
        .with("quarter_turn", unique.quarter.to_string())
        .row("quarter turn", unchanged(unique.quarter))
        .counted_by(report.engine, report.isa, report.threads)
        .and(outcome.facts())
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::{Shard, Size};
    use std::time::Duration;

    fn plain(outcome: &Outcome) -> String {
        anstream::adapter::strip_str(&facts(outcome, &Agreement::with(&oeis::QUEENS, 16, 14_772_512)).table())
            .to_string()
    }

    #[test]
    fn a_person_reads_aligned_lines() {
        let sixteen = Size::new(16).unwrap();
        let mut report =
            Request::solutions(Size::new(4).unwrap()).isa(queens::Isa::Portable).threads(2).count().unwrap();
        report.subject = sixteen.into();
        report.count = 14_772_512;
        report.elapsed = Duration::from_millis(500);
        let mut outcome =
            Outcome { report, shard: Shard::WHOLE, resumed: 0, went_on: false, units: 105, total_seconds: 62.0 };
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
