//! `queens count N`

pub(crate) mod range;
pub(crate) mod rotational;
mod unique;

use std::io::IsTerminal;

use clap::Args as ClapArgs;
use queens::run::state::RunState;
use queens::{Choice, Count, ENGINES, Placement, Report, Rotation};
use serde::Serialize;

use crate::cli::long_run::known_terms::{Agreement, Modulo, Oeis};
use crate::cli::long_run::memory;
use crate::cli::long_run::options::{LongRun, When};
use crate::cli::long_run::units::{Outcome, Units};
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::summary::Summary;
use crate::cli::terminal::value_parsers::{Cores, Sizes, engine_parser, rotation_parser, size};
use crate::cli::terminal::{json, messages, numbers};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Columns and rows of the board, 0 to 32 (half turns to 38, quarter turns to 77), or a range of them as in 1-16
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

    /// Count symmetric solutions once (A002562): those that a turn or a mirror makes of each other
    #[arg(long, conflicts_with = "prefix")]
    pub(crate) unique: bool,

    /// Count the solutions that a turn leaves unchanged (A032522, A033148)
    #[arg(
        long,
        value_name = "TURN",
        value_parser = rotation_parser(),
        visible_alias = "symmetric",
        conflicts_with_all = ["prefix", "unique", "engine"]
    )]
    pub(crate) symmetry: Option<Rotation>,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// Print the number alone, as where stdout is not a terminal
    #[arg(long, short)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) long: LongRun,
}

fn engine_help() -> String {
    let engines = ENGINES.iter().map(|engine| format!("; {}: {}", engine.name, engine.summary));
    std::iter::once("The engine that counts; auto picks the fastest".to_owned()).chain(engines).collect()
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.unique && args.long.shard.is_some() {
        return Err(Failure::usage(
            &"--unique divides the number of all solutions, which no shard has: count the shards without it and merge them; \
              of a total t, of which --symmetry half leaves h and --symmetry quarter q, (t + h + 2 q) / 8 are unique",
        ));
    }
    let Some(n) = args.sizes.one() else { return range::run(args) };
    if let Some(rotation) = args.symmetry {
        return rotational::run(args, rotation, n);
    }
    let size = size(n)?;
    let prefix = match &args.prefix {
        None => Placement::empty(size),
        Some(text) => Placement::parse(text, size).map_err(|error| Failure::invalid("--prefix <P>", text, &error))?,
    };
    let outcome = counted(args, prefix)?;
    if args.unique {
        return unique::run(args, &outcome.report);
    }
    let agreement = if outcome.shard.is_whole() {
        Agreement::all(&prefix, outcome.report.count, args.cores.threads)?
    } else {
        Agreement::default()
    };
    if args.json {
        let delivered = messages::deliver(&json::object(&Json::new(&outcome, &agreement))?);
        return agreement.verdict().and(delivered);
    }
    // A wrong number, alone, would pass for the count.
    agreement.verdict()?;
    if !args.quiet && std::io::stdout().is_terminal() {
        messages::deliver(&table(&outcome, &agreement).to_string())?;
    } else if outcome.shard.is_whole() {
        // So would a part of it.
        messages::deliver(&format!("{}\n", outcome.report.count))?;
        // Where stderr is for programs too, a sentence would be in their way.
        agreement.note(args.quiet || args.long.progress == When::Json);
    }
    Ok(())
}

/// The number alone, the table or the object, as for every count.
fn print(
    args: &Args,
    count: u128,
    agreement: &Agreement,
    table: &Summary,
    json: &impl Serialize,
) -> Result<(), Failure> {
    if args.json {
        let delivered = messages::deliver(&json::object(json)?);
        return agreement.verdict().and(delivered);
    }
    agreement.verdict()?;
    if args.quiet || !std::io::stdout().is_terminal() {
        messages::deliver(&format!("{count}\n"))?;
        agreement.note(args.quiet);
        Ok(())
    } else {
        messages::deliver(&table.to_string())
    }
}

/// Counts the completions of a placement, all of them or a shard.
pub(super) fn counted(args: &Args, prefix: Placement) -> Result<Outcome<Report>, Failure> {
    memory::look(args.engine, args.cores.isa, args.cores.threads, &prefix);
    let count = Count::completions(prefix)
        .engine(args.engine)
        .isa(args.cores.isa)
        .threads(args.cores.threads)
        .double_check(args.long.double_check);
    let fingerprint = count.fingerprint().map_err(|error| Failure::usage(&error))?;
    let work = move |watch: &RunState| count.resume(watch);
    Units { args: &args.long, quiet: args.quiet, fingerprint, work }.run()
}

/// The result as a program reads it.
#[derive(Serialize)]
struct Json {
    #[serde(flatten)]
    about: json::About,
    command: &'static str,
    n: usize,
    prefix: Option<String>,
    /// The number of solutions, of all shards.
    count: Option<String>,
    /// The comparison with OEIS, where it has the term, and else that of the remainder, where something is known of it.
    oeis: Option<Oeis>,
    modulo: Option<Modulo>,
    shard: Option<String>,
    /// What this shard adds to the count.
    part: Option<String>,
    engine: String,
    isa: String,
    threads: usize,
    seconds: f64,
    /// With the time of earlier runs.
    total_seconds: f64,
    units: usize,
    resumed: usize,
    double_checked: usize,
}

impl Json {
    fn new(outcome: &Outcome<Report>, agreement: &Agreement) -> Self {
        let report = &outcome.report;
        let (whole, count) = (outcome.shard.is_whole(), report.count.to_string());
        Self {
            about: json::About::here(),
            command: "count",
            n: report.prefix.size().get(),
            prefix: (!report.prefix.is_empty()).then(|| report.prefix.to_string()),
            count: whole.then(|| count.clone()),
            oeis: agreement.oeis,
            modulo: agreement.modulo,
            shard: (!whole).then(|| outcome.shard.to_string()),
            part: (!whole).then_some(count),
            engine: report.method.engine.to_string(),
            isa: report.method.isa.to_string(),
            threads: report.threads,
            seconds: report.seconds,
            total_seconds: outcome.total_seconds,
            units: outcome.units,
            resumed: outcome.resumed,
            double_checked: report.double_checked,
        }
    }
}

/// The result as a person reads it.
fn table(outcome: &Outcome<Report>, agreement: &Agreement) -> Summary {
    let report = &outcome.report;
    let mut table = Summary::default();
    table.row("N", report.prefix.size());
    if !report.prefix.is_empty() {
        table.row("prefix", report.prefix);
    }
    if outcome.shard.is_whole() {
        table.result("solutions", numbers::grouped(report.count));
        agreement.row(&mut table);
    } else {
        table.row("shard", outcome.shard);
        table.result("its part", numbers::grouped(report.count));
    }
    table.row("engine", format!("{}, {}", report.method.engine, report.method.isa));
    table.row("threads", report.threads);
    table.row("time", numbers::seconds(report.seconds));
    if outcome.went_on {
        table.row("in all", numbers::seconds(outcome.total_seconds));
        table.row("resumed", format!("from {} of {} units", outcome.resumed, outcome.units));
    } else if report.count > 0 && report.seconds > 0.0 {
        table.row("rate", format!("{} solutions/s", numbers::rounded(report.count as f64 / report.seconds)));
    }
    if report.double_checked > 0 {
        table.row("checked", format!("{} units twice, no difference", report.double_checked));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::{EngineKind, Method, Shard, Size};

    fn plain(outcome: &Outcome<Report>) -> String {
        anstream::adapter::strip_str(
            &table(outcome, &Agreement::with(&queens::oeis::QUEENS, 16, 14_772_512)).to_string(),
        )
        .to_string()
    }

    #[test]
    fn a_person_reads_aligned_lines() {
        let sixteen = Size::new(16).unwrap();
        let mut report = Count::new(Size::new(4).unwrap()).threads(2).run().unwrap();
        report.prefix = Placement::empty(sixteen);
        report.count = 14_772_512;
        report.method = Method { engine: EngineKind::Backtrack, isa: queens::Isa::Portable };
        report.seconds = 0.5;
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
        outcome.report.prefix = Placement::parse("1,3", sixteen).unwrap();
        outcome.report.count = 0;
        assert!(plain(&outcome).contains("prefix     1,3\n"));
        assert!(!plain(&outcome).contains("rate"));
        outcome.shard = "2/3".parse().unwrap();
        (outcome.resumed, outcome.went_on) = (7, true);
        outcome.report.double_checked = 5;
        assert!(!plain(&outcome).contains("solutions"), "a part is not the count");
        assert!(plain(&outcome).contains("shard     2/3\nits part  0\n"));
        assert!(
            plain(&outcome).contains(
                "in all    1 min 02 s\nresumed   from 7 of 105 units\nchecked   5 units twice, no difference\n"
            )
        );
    }
}
