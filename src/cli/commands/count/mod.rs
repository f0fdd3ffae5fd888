//! `queens count N`

pub(crate) mod range;
mod unique;

use clap::Args as ClapArgs;
use queens::{Choice, ENGINES, Placement, Request, Rotation, RotationalBoard};

use crate::cli::long_run::{Agreement, LongRun, Outcome, ResultForm, When, forecast, units};
use crate::cli::terminal::{
    Cores, Facts, Failure, JsonOutput, Sizes, numbers,
    value_parsers::{engine_parser, rotation_parser, size},
};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Columns and rows of the board: 0 to 32 (with --symmetry half to 38, quarter to 77), or a range such as 1-16
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) sizes: Sizes,

    /// The engine that counts
    #[arg(long, default_value = "auto", value_parser = engine_parser(), help = engine_help())]
    pub(crate) engine: Choice,

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
    args.json.check()?;
    if args.unique && args.long.shard.is_some() {
        return Err(Failure::usage(
            &"--unique divides the number of all solutions, which no shard has: count the shards without it and merge them; \
              of a total t, of which --symmetry half leaves h and --symmetry quarter q, (t + h + 2 q) / 8 are unique",
        ));
    }
    let Some(n) = args.sizes.one() else { return range::run(args) };
    let outcome = counted(args, n)?;
    if args.unique {
        return unique::run(args, &outcome);
    }
    let agreement = outcome.agreement(args.cores.threads)?;
    let numbers = outcome.shard.is_whole().then(|| format!("{}\n", outcome.report.count));
    agreement.deliver(&facts(&outcome, &agreement), numbers.as_deref(), &form(args))
}

/// In which form the result is asked for.
fn form(args: &Args) -> ResultForm<'_> {
    // Where stderr is for programs too, a sentence would be in their way.
    let note = !args.quiet && args.long.progress != When::Json;
    ResultForm { json: &args.json, quiet: args.quiet, note }
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
fn counted(args: &Args, n: usize) -> Result<Outcome, Failure> {
    let mut request = request(args.symmetry, n, &args.cores)?;
    if let Some(text) = &args.prefix {
        let prefix = Placement::parse(text, size(n)?);
        let prefix = prefix.map_err(|error| Failure::invalid("--prefix <P>", text, &error))?;
        request = Request::completions(prefix).isa(args.cores.isa).threads(args.cores.threads);
    }
    let request = request.engine(args.engine).double_check(args.long.double_check);
    forecast::memory(&request, args.cores.threads);
    units::run(&args.long, args.quiet, request)
}

fn facts(outcome: &Outcome, agreement: &Agreement) -> Facts {
    let Outcome { report, shard, .. } = outcome;
    let (whole, count) = (shard.is_whole(), report.count.to_string());
    let facts = Facts::of("count")
        .subject(&report.subject)
        .with("count", whole.then_some(&count))
        .with("shard", (!whole).then(|| shard.to_string()))
        // What this shard adds to the count.
        .with("part", (!whole).then_some(&count));
    let grouped = numbers::grouped(report.count);
    let facts =
        if whole { facts.result("solutions", grouped) } else { facts.row("shard", shard).result("its part", grouped) };
    outcome.facts(agreement.of_facts(facts).counted_by(report.engine, report.isa, report.threads))
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::{Shard, Size};
    use std::time::Duration;

    fn plain(outcome: &Outcome) -> String {
        anstream::adapter::strip_str(&facts(outcome, &Agreement::with(&queens::oeis::QUEENS, 16, 14_772_512)).table())
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
