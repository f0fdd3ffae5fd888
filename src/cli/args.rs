//! The arguments of the program, and the options and values that several commands share.

use std::env;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};
use queens::{EngineKind, Isa, Placement, PlacementError, Size, Square, ValueError};

use super::commands::{audit, bench, count, estimate, merge, show, solutions, status, symmetries, verify};
use super::failure::{Failure, Result};
use super::output;

/// Count, check and show the solutions of the N-queens problem.
#[derive(Parser)]
#[command(name = "queens", version, propagate_version = true, after_help = EXITS)]
pub(crate) struct Args {
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", display_order = 900)]
    pub(crate) color: ColorChoice,

    /// Print only results, errors, warnings, and where a stopped count is saved
    #[arg(long, short, global = true, display_order = 901)]
    pub(crate) quiet: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Count(count::Args),
    Status(status::Args),
    Merge(merge::Args),
    Audit(audit::Args),
    Estimate(estimate::Args),
    Verify(verify::Args),
    Bench(bench::Args),
    Solutions(solutions::Args),
    Symmetries(symmetries::Args),
    Show(show::Args),
    /// Print a shell completion script
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page of the program or a command (pipe to `man -l -`)
    Man {
        /// The command [default: the program]
        command: Option<String>,
    },
}

const EXITS: &str = "\
Exit codes: 0 success, 1 failure, 2 wrong arguments, 3 wrong result or failed
self-check, 4 shards missing in a merge, 75 stopped by --max-time";

/// Parses the arguments, or returns an exit code. Help and errors obey `--color`, though clap has not read it yet.
pub(crate) fn parse() -> Result<Args, ExitCode> {
    let words = env::args_os().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join("=");
    let is_given = |color: &ColorChoice| words.contains(&format!("--color={color}"));
    output::set([ColorChoice::Always, ColorChoice::Never].into_iter().find(is_given).unwrap_or_default(), false);
    // Otherwise clap takes a negative number for an option, and does not say what the argument allows.
    let has_value = |arg: &Arg| arg.get_action().takes_values();
    let negative = |arg: Arg| if has_value(&arg) { arg.allow_negative_numbers(true) } else { arg };
    let command = Args::command().mut_subcommands(|command| command.mut_args(negative));
    command.try_get_matches().and_then(|matches| Args::from_arg_matches(&matches)).map_err(|error| {
        if !error.use_stderr() {
            let help = error.render().ansi().to_string();
            return output::list(&help).map_or_else(Failure::exit, |()| ExitCode::SUCCESS);
        }
        // clap would suggest --quiet.
        if let Some((_, rest)) = words.split_once("=count=").filter(|(_, rest)| rest.contains("--queen=")) {
            let solutions = format!("queens solutions {} | wc -l", rest.replace('=', " "));
            return Failure::Usage(format!("count has no --queen; use `{solutions}`")).exit();
        }
        if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            let _ = error.print();
            return ExitCode::from(2);
        }
        // One line: the problem, and clap's tip or the usage. The tip to pass an option after `--` would fail too.
        let text = error.to_string();
        let (problem, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
        let problem: Vec<&str> = problem.trim_start_matches("error: ").lines().map(str::trim).collect();
        let remedy = rest.lines().find(|line| line.contains(": ") && !line.contains("'-- ")).unwrap_or_default();
        let remedy = remedy.replacen("  tip: ", "; ", 1).replacen("Usage: ", "; usage: ", 1);
        Failure::Usage(problem.join(" ") + &remedy).exit()
    })
}

#[derive(clap::Args, Clone, Copy)]
pub(crate) struct Cores {
    /// Instruction set [default: the best available]
    #[arg(long, value_parser = named(&Isa::ALL))]
    pub(crate) isa: Option<Isa>,

    /// Number of threads; 0 means one per core
    #[arg(long, short, value_name = "T", default_value = "0", value_parser = integer::<usize>(0))]
    pub(crate) threads: usize,
}

#[derive(clap::Args, Clone)]
pub(crate) struct Json {
    /// Print one JSON object; with =FILE, write it there and print text
    #[arg(id = "json", long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct Paths {
    /// Checkpoint files, or folders to search recursively
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct QueenArgs {
    /// Place a queen on this square (1,1 is top left); repeatable
    #[arg(long = "queen", value_name = "COLUMN,ROW")]
    pub(crate) queens: Vec<String>,
}

impl QueenArgs {
    /// Merges these queens with the queens of a placement, without duplicates.
    pub(crate) fn merged_with(&self, placement: Placement) -> Result<Vec<Square>> {
        let mut queens: Vec<Square> = placement.squares().collect();
        for text in &self.queens {
            let invalid = |error: PlacementError| Failure::value("--queen <COLUMN,ROW>", text, error);
            let queen: Square = text.parse().map_err(invalid)?;
            queen.check(placement.size()).map_err(invalid)?;
            if !queens.contains(&queen) {
                queens.iter().try_for_each(|other| other.check_apart(queen)).map_err(invalid)?;
                queens.push(queen);
            }
        }
        Ok(queens)
    }
}

pub(crate) fn size(n: usize) -> Result<Size> {
    Size::new(n).map_err(|error| Failure::value("<N>", n, error))
}

/// The placement of an option, by default the empty board.
pub(crate) fn placement(option: &str, text: Option<&str>, size: Size) -> Result<Placement> {
    let placement = text.map_or(Ok(Placement::empty(size)), |text| Placement::parse(text, size));
    placement.map_err(|error| Failure::value(option, text.unwrap_or_default(), error))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) first: usize,
    pub(crate) last: usize,
    /// Whether it was written as a range, even of one size.
    pub(crate) is_range: bool,
}

impl Sizes {
    pub(crate) fn all(self) -> RangeInclusive<usize> {
        self.first..=self.last
    }
}

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        /// The largest board that any command counts: with `--symmetry quarter`.
        const MAX: usize = 69;
        let number = |text: &str| text.parse().ok().filter(|&n| n <= MAX);
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match number(first).zip(number(last)) {
            Some((first, last)) if first <= last => Ok(Self { first, last, is_range: text.contains('-') }),
            Some((first, last)) => Err(format!("the smaller board comes first: {last}-{first}")),
            None => Err("N must be 0 to 32 (half turns: to 34, quarter: to 69) or a range such as 1-16".to_owned()),
        }
    }
}

pub(crate) fn integer<T: TryFrom<u64>>(least: u64) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|&number| number >= least).map(T::try_from);
        number.and_then(Result::ok).ok_or_else(|| format!("must be a whole number from {least} to {}", u64::MAX))
    }
}

/// Parses a time that is not zero: `90s`, `1h30m`.
pub(crate) fn duration(text: &str) -> Result<Duration, &'static str> {
    let time = humantime::parse_duration(text).ok().filter(|time| !time.is_zero());
    time.ok_or("a time needs a unit and must not be zero, e.g. 90s, 30m or 1h30m")
}

/// Parses a share: `1%` or `0.01`. A bare `1` is ambiguous, so it is refused.
pub(crate) fn share(text: &str) -> Result<f64, &'static str> {
    let number = |text: &str| text.trim_end().parse::<f64>().ok();
    let percent = text.strip_suffix('%').and_then(number).filter(|percent| (0.0..=100.0).contains(percent));
    let share =
        percent.map(|percent| percent / 100.0).or_else(|| number(text).filter(|share| (0.0..1.0).contains(share)));
    share.ok_or("a share is 0% to 100%, or a fraction below 1")
}

/// An engine, or `None` for `auto`.
pub(crate) type Engine = Option<EngineKind>;

pub(crate) fn engine() -> impl TypedValueParser<Value = Engine> {
    PossibleValuesParser::new(["auto"].into_iter().chain(EngineKind::ALL.map(EngineKind::name)))
        .map(|name| name.parse().ok())
}

/// Parses the name of one of these values.
pub(crate) fn named<T: ToString + FromStr<Err = ValueError> + Clone + Send + Sync + 'static>(
    all: &[T],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.iter().map(T::to_string)).try_map(|name| name.parse())
}
