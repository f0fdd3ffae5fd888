//! `queens verify [N or A-B]`.

use queens::oeis::{self, Classes, Sequence};
use queens::{ENGINES, EngineInfo, EngineKind, Isa, Request, Size, Watch};
use serde::Serialize;

use crate::cli::answer::{Answer, Count, tell};
use crate::cli::args::{Cores, Json, Sizes, engine};
use crate::cli::check;
use crate::cli::failure::Failure;
use crate::cli::text::{self, Align};
use crate::cli::work::watched;

/// Recompute the terms that OEIS publishes by every engine, and compare
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Columns and rows of the board, or a range
    #[arg(value_name = "N", default_value = "0-14")]
    sizes: Sizes,

    /// Only this engine, be it slow [default: every engine, up to the size that it counts in seconds]
    #[arg(long, value_parser = engine())]
    engine: Option<EngineKind>,

    /// Solutions up to rotation and reflection (OEIS A002562)
    #[arg(long)]
    unique: bool,

    #[command(flatten)]
    cores: Cores,

    #[command(flatten)]
    json: Json,
}

/// The terms, by size and engine.
#[derive(Serialize)]
struct Verified {
    sequence: &'static str,
    results: Vec<Outcome>,
    #[serde(skip)]
    engines: Vec<&'static str>,
    /// What was left out, in words.
    #[serde(skip)]
    left_out: String,
}

/// What an engine found for a board.
#[derive(Serialize)]
struct Outcome {
    n: usize,
    engine: &'static str,
    isa: Isa,
    threads: usize,
    count: Count,
    oeis: Option<Count>,
    /// Whether it is the published term; `None` if there is none.
    agrees: Option<bool>,
    seconds: f64,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    Size::new(args.sizes.last).map_err(|error| Failure::value("<N>", args.sizes.last, error))?;
    let sequence = if args.unique { &oeis::UNIQUE } else { &oeis::QUEENS };
    let engines = ENGINES.iter().filter(|info| args.engine.is_none_or(|engine| info.kind == engine));
    let (mut results, mut wrong) = (Vec::new(), Ok(()));
    for n in args.sizes.all() {
        for info in engines.clone().filter(|info| args.has(info, n)) {
            let found = count(args, info.kind, n, sequence)?;
            wrong = wrong.and(check::term(sequence, n, found.count.0).map(drop));
            results.push(found);
        }
    }
    let engines: Vec<&EngineInfo> = engines.collect();
    let left_out = engines.iter().filter(|info| args.engine.is_none() && most(info) < args.sizes.last);
    let left_out: Vec<String> = left_out.map(|info| format!("{} above N = {}", info.name, most(info))).collect();
    let (left_out, engines) = (left_out.join(", "), engines.iter().map(|info| info.name).collect());
    wrong.and(tell(&Verified { sequence: sequence.id, results, engines, left_out }, &args.json))
}

/// Counts a board by one engine, on the instruction set that was asked for if it has such a version.
fn count(args: &Args, engine: EngineKind, n: usize, sequence: &Sequence) -> Result<Outcome, Failure> {
    let (size, threads) = (Size::new(n)?, args.cores.threads);
    let isa = args.cores.isa.filter(|_| engine != EngineKind::Naive);
    let run = Request::solutions(size).engine(engine).isa(isa).threads(threads).run()?;
    let title = format!("N = {n}, {engine}");
    let report = watched(&title, &Watch::default(), move |watch| run.count(watch))?.whole()?;
    let count = if args.unique {
        let classes = watched(&title, &Watch::default(), move |watch| Classes::count(size, threads, watch))?.whole()?;
        let contradiction =
            || Failure::Wrong(format!("N = {n}: {engine} finds {}, which no symmetry allows", report.count));
        classes.unique(size, report.count).ok_or_else(contradiction)?
    } else {
        report.count
    };
    let term = sequence.term(n);
    Ok(Outcome {
        n,
        engine: report.engine,
        isa: report.isa,
        threads: report.threads,
        count: Count(count),
        oeis: term.map(Count),
        agrees: term.map(|term| term == count),
        seconds: report.elapsed.as_secs_f64(),
    })
}

/// The largest board of an engine that is not asked for by its name: it takes a second or two.
fn most(info: &EngineInfo) -> usize {
    info.quick.max(14)
}

impl Args {
    /// Whether an engine counts boards of this size here.
    fn has(&self, info: &EngineInfo, n: usize) -> bool {
        info.sizes.contains(&n) && (self.engine.is_some() || n <= most(info))
    }
}

impl Answer for Verified {
    const COMMAND: &'static str = "verify";

    fn text(&self) -> String {
        let mut rows = vec![self.cells("N", self.sequence, str::to_owned)];
        for row in self.results.chunk_by(|one, next| one.n == next.n) {
            let cell =
                |engine: &str| row.iter().find(|found| found.engine == engine).map_or("-".to_owned(), Outcome::cell);
            let term = row[0].oeis.map_or_else(|| "-".to_owned(), |Count(term)| text::grouped(term));
            rows.push(self.cells(&row[0].n.to_string(), &term, cell));
        }
        let table = text::table([Align::Right; 5], &rows);
        let differ = self.results.iter().filter(|found| found.agrees == Some(false)).count();
        let verdict = match differ {
            0 => format!("all agree with OEIS {}", self.sequence),
            differ => format!("{differ} differ from OEIS {}", self.sequence),
        };
        let left_out = if self.left_out.is_empty() { String::new() } else { format!("; left out: {}", self.left_out) };
        format!("{table}{}: {verdict}{left_out}\n", text::count_of(self.results.len() as u64, "result"))
    }
}

impl Verified {
    /// A line: a column for each of three engines, empty for those that were not asked for.
    fn cells(&self, n: &str, term: &str, cell: impl Fn(&'static str) -> String) -> [String; 5] {
        let engine = |at: usize| self.engines.get(at).map_or_else(String::new, |engine| cell(engine));
        [n.to_owned(), term.to_owned(), engine(0), engine(1), engine(2)]
    }
}

impl Outcome {
    /// `✓ 12.3 ms`, or the wrong number.
    fn cell(&self) -> String {
        match self.agrees {
            Some(true) => format!("✓ {:>7}", text::seconds(self.seconds)),
            Some(false) => format!("✗ {}", text::grouped(self.count.0)),
            None => format!("? {}", text::grouped(self.count.0)),
        }
    }
}
