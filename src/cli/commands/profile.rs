//! `queens profile N`

use std::io::IsTerminal;

use clap::Args as ClapArgs;
use queens::run::state::RunState;
use queens::{Profile, ProfileReport, Size, oeis};
use serde::Serialize;

use crate::cli::long_run::known_terms::{Agreement, Oeis};
use crate::cli::long_run::options::{LongRun, When};
use crate::cli::long_run::units::{Outcome, Units};
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::value_parsers::Cores;
use crate::cli::terminal::{json, messages, numbers};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Columns and rows of the board, 0 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) size: Size,

    #[command(flatten)]
    pub(crate) cores: Cores,

    /// Print one JSON object
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) json: bool,

    /// Print the numbers alone, one a line, as where stdout is not a terminal
    #[arg(long, short)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) long: LongRun,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let profile =
        Profile::new(args.size).isa(args.cores.isa).threads(args.cores.threads).double_check(args.long.double_check);
    let work = move |watch: &RunState| profile.resume(watch);
    let (quiet, fingerprint) = (args.quiet, profile.fingerprint());
    let outcome = Units { args: &args.long, quiet, fingerprint, work }.run()?;
    let placements = &outcome.report.placements;
    if !outcome.shard.is_whole() {
        // A part of the profile, alone, would pass for the profile.
        return if args.json { messages::deliver(&json::object(&Json::of(args, &outcome, None))?) } else { Ok(()) };
    }
    let agreement = agreement(placements);
    if args.json {
        let delivered = messages::deliver(&json::object(&Json::of(args, &outcome, agreement.oeis))?);
        return agreement.verdict().and(delivered);
    }
    agreement.verdict()?;
    if args.quiet || !std::io::stdout().is_terminal() {
        messages::deliver(&lines(placements))?;
        agreement.note(args.quiet || args.long.progress == When::Json);
        return Ok(());
    }
    let words = agreement.words().map_or_else(String::new, |words| words + "\n");
    messages::deliver(&format!("{}  in {}\n{words}", table(placements), numbers::seconds(outcome.report.seconds)))
}

/// Every level where the row is published, else the last, which is the number of solutions.
pub(crate) fn agreement(profile: &[u128]) -> Agreement {
    let first = profile.len() * (profile.len() - 1) / 2;
    let levels = profile.iter().enumerate();
    let mut compared = levels.map(|(level, &found)| Agreement::with(&oeis::PROFILE, first + level, found));
    match compared.find(|agreement| agreement.oeis.is_none() || agreement.verdict().is_err()) {
        None => Agreement::with(&oeis::PROFILE, first, profile[0]),
        Some(wrong) if wrong.oeis.is_some() => wrong,
        Some(_) => Agreement::with(&oeis::QUEENS, profile.len() - 1, profile[profile.len() - 1]),
    }
}

/// One number a line.
pub(crate) fn lines(placements: &[u128]) -> String {
    let lines: Vec<String> = placements.iter().map(u128::to_string).collect();
    lines.join("\n") + "\n"
}

/// As a person reads it, but for the end of the last line.
pub(crate) fn table(placements: &[u128]) -> String {
    let grouped: Vec<String> = placements.iter().copied().map(numbers::grouped).collect();
    let nodes = numbers::grouped(placements.iter().sum());
    let width = nodes.len().max("placements".len());
    let head = format!("queens  {:>width$}", "placements");
    let rows = grouped.iter().enumerate().map(|(queens, count)| format!("{queens:>6}  {count:>width$}"));
    let lines: Vec<String> = [head].into_iter().chain(rows).chain([format!("{:>6}  {nodes:>width$}", "all")]).collect();
    lines.join("\n")
}

#[derive(Serialize)]
struct Json {
    #[serde(flatten)]
    about: json::About,
    command: &'static str,
    n: usize,
    oeis: Option<Oeis>,
    /// Null for a shard, which has a part of each number.
    profile: Option<Vec<String>>,
    shard: Option<String>,
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
    fn of(args: &Args, outcome: &Outcome<ProfileReport>, oeis: Option<Oeis>) -> Self {
        let (report, whole) = (&outcome.report, outcome.shard.is_whole());
        Self {
            about: json::About::here(),
            command: "profile",
            n: args.size.get(),
            oeis,
            profile: whole.then(|| report.placements.iter().map(u128::to_string).collect()),
            shard: (!whole).then(|| outcome.shard.to_string()),
            isa: report.isa.to_string(),
            threads: report.threads,
            seconds: report.seconds,
            total_seconds: outcome.total_seconds,
            units: outcome.units,
            resumed: outcome.resumed,
            double_checked: report.double_checked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_is_compared() {
        let right = [1, 4, 6, 4, 2];
        assert_eq!(agreement(&right).words().as_deref(), Some("agrees with OEIS A319284"));
        for level in 0..right.len() {
            let mut wrong = right;
            wrong[level] += 1;
            assert!(agreement(&wrong).verdict().is_err(), "level {level}");
        }
        // Beyond the published rows the last level is one of another sequence.
        let mut beyond = vec![1; 20];
        beyond.push(39_029_188_884);
        assert_eq!(agreement(&beyond).words().as_deref(), Some("agrees with OEIS A000170"));
        beyond[20] += 1;
        assert!(agreement(&beyond).verdict().is_err());
    }
}
