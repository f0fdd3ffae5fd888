//! `queens count N`, and a [`range`].

mod range;

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use queens::ledger::{Ledger, Shard};
use queens::oeis::{self, Sequence};
use queens::{Isa, Placement, Report, Request, Rotation, Size, Watch, symmetric};
use serde::Serialize;

use crate::cli::answer::{Answer, Count, Printer};
use crate::cli::args::{Cores, Engine, Json, Sizes, duration, engine_or_auto, named};
use crate::cli::failure::Failure;
use crate::cli::run::{self, Counted, Keep};
use crate::cli::work::watched;
use crate::cli::{check, output, text};

const WHAT: &str = "What to count";
const LONG: &str = "Long runs";
const EXAMPLES: &str = "\
Examples:
  queens count 18
  queens count 1-16 --unique
  queens count 24 --checkpoint n24 --max-time 8h";

/// Count the solutions on a board of N columns and N rows
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Columns and rows of the board: 0 to 32 (with --symmetry half to 34, quarter to 69), or a range such as 1-16
    #[arg(value_name = "N")]
    sizes: Sizes,

    /// The engine that counts; auto: the fastest, or that of the checkpoint
    #[arg(long, default_value = "auto", value_parser = engine_or_auto())]
    engine: Engine,

    #[command(flatten)]
    cores: Cores,

    /// Count the completions of a partial placement: rows of the first columns, as in 158 or 1,5,8
    #[arg(long, value_name = "P", help_heading = WHAT)]
    prefix: Option<String>,

    /// Count solutions up to rotation and reflection (A002562)
    #[arg(long, help_heading = WHAT, conflicts_with_all = ["prefix", "symmetry"])]
    unique: bool,

    /// Count only solutions unchanged by a half turn (A032522) or a quarter turn (A033148)
    #[arg(long, help_heading = WHAT, value_parser = named(&Rotation::ALL, Rotation::name))]
    #[arg(conflicts_with_all = ["prefix", "engine", "checkpoint"])]
    symmetry: Option<Rotation>,

    /// Save the count in this file, or go on with what the file has
    #[arg(long, value_name = "FILE", help_heading = LONG)]
    checkpoint: Option<PathBuf>,

    /// Count shard K of M, for `queens merge`
    #[arg(long, value_name = "K/M", help_heading = LONG, requires = "checkpoint", conflicts_with = "unique")]
    shard: Option<Shard>,

    /// Stop after this time, as in 90s or 2h30m; the same command goes on
    #[arg(long, value_name = "TIME", help_heading = LONG, value_parser = duration, requires = "checkpoint")]
    max_time: Option<Duration>,

    /// Save this often
    #[arg(long, value_name = "TIME", help_heading = LONG, value_parser = duration, default_value = "60s")]
    #[arg(requires = "checkpoint")]
    checkpoint_every: Duration,

    #[command(flatten)]
    json: Json,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.sizes.is_range {
        return range::run(args);
    }
    let printer = Printer::open(&args.json)?;
    let mut found = found(args, args.sizes.first)?;
    found.check = args.check(&found)?;
    printer.tell(&found)
}

/// What was counted, and how.
#[derive(Serialize)]
struct Found {
    n: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<Placement>,
    #[serde(skip_serializing_if = "Option::is_none")]
    symmetry: Option<Rotation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<String>,
    /// What the shard adds to the count.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<Count>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unique: Option<Count>,
    /// `None` for a shard.
    count: Option<Count>,
    /// What the result agrees with, in words.
    check: Option<String>,
    engine: &'static str,
    isa: Isa,
    threads: usize,
    seconds: f64,
    /// Of all the runs that went on with the file.
    total_seconds: f64,
    #[serde(skip)]
    saved: Result<(), Failure>,
}

/// Counts a board, or a shard of it.
fn found(args: &Args, n: usize) -> Result<Found, Failure> {
    let Cores { isa, threads } = args.cores;
    let Counted { report, total, saved } = if let Some(turn) = args.symmetry {
        let count = move |watch: &Watch| symmetric::count(turn, n, isa, threads, watch);
        let report = watched(&format!("N = {n}"), count).inspect_err(|failure| {
            if matches!(failure, Failure::Stopped) {
                output::say("nothing is saved of a count with --symmetry");
            }
        })?;
        Counted { total: report.elapsed, report, saved: Ok(()) }
    } else {
        let shard = args.shard.unwrap_or(Shard::WHOLE);
        let (run, store) = run::open(args.checkpoint.as_deref(), shard, |file| args.request(n, file))?;
        let keep = Keep { store, every: args.checkpoint_every, max_time: args.max_time, command: args.command(n) };
        run::count(run, keep)?
    };
    let Report { prefix, symmetry, count, engine, isa, threads, elapsed, .. } = report;
    let shard = args.shard.filter(|shard| !shard.is_whole());
    let unique = args.unique.then(|| check::unique(Size::new(n)?, count, threads)).transpose()?;
    Ok(Found {
        n,
        prefix,
        symmetry,
        shard: shard.map(|shard| shard.to_string()),
        part: shard.map(|_| Count(count)),
        unique: unique.map(Count),
        count: shard.is_none().then_some(Count(count)),
        check: None,
        engine,
        isa,
        threads,
        seconds: elapsed.as_secs_f64(),
        total_seconds: total.as_secs_f64(),
        saved,
    })
}

impl Args {
    /// What to count on a board, by the engine of its file if no other is named.
    fn request(&self, n: usize, file: Option<&Ledger>) -> Result<Request, Failure> {
        let size = Size::new(n).map_err(|error| Failure::value("<N>", n, error))?;
        let prefix = match &self.prefix {
            Some(text) => Placement::parse(text, size).map_err(|error| Failure::value("--prefix <P>", text, error))?,
            None => Placement::empty(size),
        };
        let of_file = file.map(Ledger::fingerprint).filter(|of| of.prefix == prefix).map(|of| of.engine);
        let request = Request::completions(prefix).engine(self.engine.or(of_file));
        Ok(request.isa(self.cores.isa).threads(self.cores.threads))
    }

    /// The sequence of what is counted.
    fn sequence(&self) -> &'static Sequence {
        match self.symmetry {
            Some(turn) => turn.sequence(),
            None if self.unique => &oeis::UNIQUE,
            None => &oeis::QUEENS,
        }
    }

    /// What the result agrees with; nothing is known of completions. Of a shard: where it is.
    fn check(&self, found: &Found) -> Result<Option<String>, Failure> {
        let file = self.checkpoint.as_deref().unwrap_or(Path::new("")).display();
        match (found.result(), &found.shard) {
            (_, Some(shard)) => Ok(Some(format!("shard {shard} is in {file}; queens merge adds the shards"))),
            (result, _) if self.unique || self.symmetry.is_some() => check::term(self.sequence(), found.n, result),
            (result, _) if found.prefix.is_none() => check::solutions(Size::new(found.n)?, result, self.cores.threads),
            _ => Ok(None),
        }
    }

    /// The command that was given, for a board of its range, as it is typed in a shell.
    fn command(&self, n: usize) -> String {
        let is_plain = |c: char| c.is_alphanumeric() || "-_=+/.,:@%".contains(c);
        let word = |word: String| match word.parse() {
            Ok(sizes) if self.sizes.is_range && self.sizes == sizes => n.to_string(),
            _ if !word.is_empty() && word.chars().all(is_plain) => word,
            _ => format!("'{}'", word.replace('\'', r"'\''")),
        };
        env::args_os().map(|given| word(given.to_string_lossy().into_owned())).collect::<Vec<_>>().join(" ")
    }
}

impl Found {
    /// The number that was asked for; 0 of a shard.
    fn result(&self) -> u128 {
        self.unique.or(self.count).map_or(0, |Count(count)| count)
    }
}

impl Answer for Found {
    const COMMAND: &'static str = "count";

    fn text(&self) -> String {
        let in_all = match self.total_seconds - self.seconds {
            // The time of reading a file and of the plan.
            little if little < 1.0 => String::new(),
            _ => format!(", {} in all", text::seconds(self.total_seconds)),
        };
        let grouped = |count: Option<Count>| count.map(|Count(count)| text::grouped(count));
        let lines = [
            ("N", Some(self.n.to_string())),
            ("prefix", self.prefix.map(|prefix| prefix.to_string())),
            ("symmetry", self.symmetry.map(|turn| format!("unchanged by a {turn} turn"))),
            ("unique", grouped(self.unique)),
            ("solutions", grouped(self.count)),
            (if self.shard.is_some() { "shard" } else { "check" }, self.check.clone()),
            ("engine", Some(format!("{}, {}", self.engine, self.isa))),
            ("threads", Some(self.threads.to_string())),
            ("time", Some(text::seconds(self.seconds) + &in_all)),
        ];
        text::labelled(lines.into_iter().filter_map(|(label, value)| Some((label, value?))))
    }

    fn plain(&self) -> String {
        self.count.map_or_else(String::new, |_| format!("{}\n", self.result()))
    }

    fn remark(&self) -> Option<String> {
        self.check.clone()
    }

    fn verdict(&self) -> Result<(), Failure> {
        self.saved.clone()
    }
}
