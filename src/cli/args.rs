//! What can be said on the command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use queens::{Choice, ENGINES, EngineKind, Isa, Size};

use super::values::{duration, tolerance, whole};

/// Counts, checks and shows the solutions of the N-queens problem.
#[derive(Parser, Debug)]
#[command(name = "queens", version, long_version = long_version(), propagate_version = true)]
pub(crate) struct Args {
    /// Colours on the terminal
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", display_order = 900)]
    pub(crate) color: Colour,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// Where the output is a terminal, unless `NO_COLOR` or `TERM=dumb` says no
    Auto,
    Always,
    Never,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Count the solutions on an N×N board
    Count(Count),
    /// Join the results of shards, or name those that are missing
    Merge(super::merge::Merge),
    /// Recount random units and tasks of a checkpoint, shard or result by independent code
    Audit(super::audit::Command),
    /// Count the placements of k queens on the first k columns, k = 0..N (A319284)
    Profile(Profile),
    /// Recompute the terms that OEIS publishes and compare
    Verify(Verify),
    /// Time the engines on this machine, over sizes and numbers of threads
    Bench(Bench),
    /// Predict the count and the time of a long run from random samples
    Estimate(Estimate),
    /// Print the solutions themselves, in lexicographic order
    Solutions(super::solutions::Args),
    /// Name the images of a solution under the eight symmetries of the square
    Symmetries(super::symmetries::Args),
    /// Show one board, in the terminal or as a picture
    Show(super::show::Args),
    #[cfg(feature = "browse")]
    /// Walk through the solutions, full screen
    Browse(super::browse::Args),
    /// Print the completion script for a shell
    Completions { shell: clap_complete::Shell },
    /// Print the manual page (roff), of the program or of a command
    Man {
        /// A command, as in count
        command: Option<String>,
    },
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Count {
    /// Columns and rows of the board, 0 to 32 (half turns to 38, quarter turns to 77), or a range of them as in 1-16
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) sizes: Sizes,

    /// The engine that counts
    #[arg(long, default_value = "auto", value_parser = engine_parser(), help = engine_help())]
    pub(crate) engine: Choice,

    /// The instruction set; the best that the processor has where left out
    #[arg(long, value_parser = isa_parser())]
    pub(crate) isa: Option<Isa>,

    /// Threads; 0 is every core this process may use
    #[arg(long, short, value_name = "T", default_value = "0", value_parser = threads, allow_negative_numbers = true)]
    pub(crate) threads: usize,

    /// Count the completions of a partial placement: rows of the first columns, as in 158 or 1,5,8
    #[arg(long, value_name = "P")]
    pub(crate) prefix: Option<String>,

    /// Count symmetric solutions once (A002562): those that a turn or a mirror makes of each other
    #[arg(long, conflicts_with_all = ["prefix", "shard"])]
    pub(crate) unique: bool,

    /// Count the solutions that a turn leaves unchanged (A032522, A033148)
    #[arg(
        long,
        value_name = "TURN",
        visible_alias = "symmetric",
        conflicts_with_all = ["prefix", "unique", "engine"]
    )]
    pub(crate) symmetry: Option<Symmetry>,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// Print the number alone, as where stdout is not a terminal
    #[arg(long, short)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) long: super::long::LongRun,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Profile {
    /// Columns and rows of the board, 0 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) size: Size,

    /// The instruction set; the best that the processor has where left out
    #[arg(long, value_parser = isa_parser())]
    pub(crate) isa: Option<Isa>,

    /// Threads; 0 is every core this process may use
    #[arg(long, short, value_name = "T", default_value = "0", value_parser = threads, allow_negative_numbers = true)]
    pub(crate) threads: usize,

    /// Print one JSON object
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) json: bool,

    /// Print the numbers alone, one a line, as where stdout is not a terminal
    #[arg(long, short)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) long: super::long::LongRun,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Verify {
    /// The largest N
    #[arg(long, value_name = "N", default_value = "14", allow_negative_numbers = true)]
    pub(crate) to: Sizes,

    /// Compare the solutions that a turn leaves unchanged (A032522, A033148)
    #[arg(long, value_name = "TURN", conflicts_with_all = ["unique", "engines", "bfile"])]
    pub(crate) symmetry: Option<Symmetry>,

    /// An engine to verify, once for each; left out: every engine, as far as it is quick
    #[arg(long = "engine", value_name = "ENGINE", value_parser = named_engine_parser())]
    pub(crate) engines: Vec<EngineKind>,

    /// The instruction set; the best that the processor has where left out
    #[arg(long, value_parser = isa_parser())]
    pub(crate) isa: Option<Isa>,

    /// Threads; 0 is every core this process may use
    #[arg(long, short, value_name = "T", default_value = "0", value_parser = threads, allow_negative_numbers = true)]
    pub(crate) threads: usize,

    /// Compare the solutions up to symmetry (A002562) instead of all (A000170)
    #[arg(long)]
    pub(crate) unique: bool,

    /// Compare with the terms of this b-file instead of those built in
    #[arg(long, value_name = "FILE")]
    pub(crate) bfile: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Bench {
    /// Columns and rows of the boards, 0 to 32; left out: 10 to 16, in less than a minute on two cores
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) sizes: Vec<Size>,

    /// Numbers of threads, as in 1,2,4; 0 is every core; left out: 1, 2, 4, ... and every core
    #[arg(long, short, value_name = "T", value_delimiter = ',', value_parser = threads, allow_negative_numbers = true)]
    pub(crate) threads: Vec<usize>,

    /// Timed runs of each combination, after a warm-up
    #[arg(long, value_name = "R", default_value = "5", value_parser = whole("R", 1..=1000), allow_negative_numbers = true)]
    pub(crate) runs: u64,

    /// An engine to time, once for each; left out: every engine, as far as it is quick
    #[arg(long = "engine", value_name = "ENGINE", value_parser = named_engine_parser())]
    pub(crate) engines: Vec<EngineKind>,

    /// Instruction sets of the join engine to compare, as in portable,avx2; every one of this processor where none is
    /// named, and the best alone without this option
    #[arg(long, value_name = "ISA", num_args = 0..=1, value_delimiter = ',', value_parser = isa_parser())]
    pub(crate) isa: Option<Vec<Isa>>,

    /// Time nothing but what the score is made of: N = 17 on one thread and on every core
    #[arg(long, conflicts_with_all = ["sizes", "threads", "engines"])]
    pub(crate) score: bool,

    /// Write the results as JSON; - is stdout, in place of the table
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Write the results as CSV; - is stdout, in place of the table
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,

    /// Write the machine and the results as Markdown, to be shared; - is stdout, in place of the table
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,

    /// Draw the results as SVG; - is stdout, in place of the table
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,

    /// Time nothing; show, plot and write what --json saved earlier, of several machines together where there are more
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = ["sizes", "threads", "runs", "engines", "isa", "score"]
    )]
    pub(crate) from: Vec<PathBuf>,

    /// Compare with the JSON of an earlier run; exit code 3 where a median is slower than the tolerance allows
    #[arg(long, value_name = "OLD")]
    pub(crate) compare: Option<PathBuf>,

    /// How much slower a median may be than in the earlier run, as in 10% or 0.1
    #[arg(long, value_name = "SHARE", default_value = "10%", value_parser = tolerance, requires = "compare")]
    pub(crate) tolerance: f64,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Estimate {
    /// Columns and rows of the board, 0 to 32 (half turns to 38, quarter turns to 77)
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) sizes: Sizes,

    /// The solutions that a turn leaves unchanged instead of all
    #[arg(long, value_name = "TURN", conflicts_with = "engine")]
    pub(crate) symmetry: Option<Symmetry>,

    /// The engine of the run; auto picks the fastest
    #[arg(long, default_value = "auto", value_parser = engine_parser())]
    pub(crate) engine: Choice,

    /// The instruction set; the best that the processor has where left out
    #[arg(long, value_parser = isa_parser())]
    pub(crate) isa: Option<Isa>,

    /// Threads of the run; 0 is every core this process may use
    #[arg(long, short, value_name = "T", default_value = "0", value_parser = threads, allow_negative_numbers = true)]
    pub(crate) threads: usize,

    /// Random parts to count; a tenth as many tasks are timed
    #[arg(long, value_name = "S", default_value = "10000", value_parser = whole("S", 2..=1_000_000_000), allow_negative_numbers = true)]
    pub(crate) samples: u64,

    /// Other samples for another seed, the same for the same
    #[arg(long, default_value = "1", value_parser = whole("SEED", 0..=u64::MAX), allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// Begin no more samples after this time, as in 90s or 5m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub(crate) max_time: Duration,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// One size of board, or a range of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) first: usize,
    pub(crate) last: usize,
    range: bool,
}

impl Sizes {
    /// The size, where it is not a range.
    pub(crate) fn one(self) -> Option<usize> {
        (!self.range).then_some(self.first)
    }
}

impl std::str::FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        /// Nothing can be counted beyond, see `Turn::sizes`.
        const MOST: usize = 77;
        let number = |text: &str| text.parse().ok().filter(|&n: &usize| n <= MOST);
        let sizes = match text.split_once('-') {
            None => number(text).map(|n| Self { first: n, last: n, range: false }),
            Some((first, last)) => number(first)
                .zip(number(last))
                .filter(|(first, last)| first <= last)
                .map(|(first, last)| Self { first, last, range: true }),
        };
        sizes.ok_or_else(|| {
            "N is a whole number from 0 to 32 (with --symmetry half to 38, quarter to 77), or a range as in 1-16"
                .to_owned()
        })
    }
}

/// A turn of the board that leaves a solution unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Symmetry {
    /// By 180 degrees
    Half,
    /// By 90 degrees
    Quarter,
}

/// Accepts `auto` and the names of the table, which also makes them completions and possible values.
fn engine_parser() -> impl clap::builder::TypedValueParser<Value = Choice> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    let names = std::iter::once("auto").chain(ENGINES.iter().map(|engine| engine.name));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Choice>())
}

pub(crate) fn isa_parser() -> impl clap::builder::TypedValueParser<Value = Isa> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(Isa::ALL.map(Isa::name)).try_map(|name| name.parse::<Isa>())
}

/// Accepts the names of the table.
fn named_engine_parser() -> impl clap::builder::TypedValueParser<Value = EngineKind> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(ENGINES.iter().map(|engine| engine.name)).map(|name| {
        let named = ENGINES.iter().find(|engine| engine.name == name);
        named.expect("clap let only these names through").kind
    })
}

fn engine_help() -> String {
    let engines = ENGINES.iter().map(|engine| format!("; {}: {}", engine.name, engine.summary));
    std::iter::once("The engine that counts; auto picks the fastest".to_owned()).chain(engines).collect()
}

pub(crate) fn threads(text: &str) -> Result<usize, String> {
    const MOST: usize = 1024;
    text.parse()
        .ok()
        .filter(|&threads| threads <= MOST)
        .ok_or_else(|| format!("threads are a whole number from 0 (every core) to {MOST}"))
}

/// What `--version` adds to `-V`.
fn long_version() -> String {
    format!(
        "{}\ncommit {}\ntarget {}\ninstruction sets compiled in: {}; in use: {}",
        env!("CARGO_PKG_VERSION"),
        env!("QUEENS_COMMIT"),
        env!("QUEENS_TARGET"),
        queens::engine::lanes::names(Isa::compiled()),
        // The version's own name, not that of the choice: what the lanes that run say of themselves.
        Isa::best().version().expect("the best set is one that the processor has"),
    )
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        super::Args::command().debug_assert();
    }
}
