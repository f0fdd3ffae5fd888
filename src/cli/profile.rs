//! `queens profile N`

use std::io::{IsTerminal, Write};
use std::time::Instant;

use queens::{available_threads, oeis, profile};
use serde::Serialize;

use super::Failure;
use super::agree::{Agreement, Oeis};
use super::args;
use super::output;

pub(crate) fn run(args: &args::Profile) -> Result<(), Failure> {
    let threads = if args.threads == 0 { available_threads() } else { args.threads };
    let start = Instant::now();
    let profile = profile(args.size, threads).map_err(|error| Failure::from(&error))?;
    let seconds = start.elapsed().as_secs_f64();
    let agreement = agreement(&profile);
    let mut out = anstream::stdout().lock();
    if args.json {
        let json = Json {
            about: output::About::here(),
            command: "profile",
            n: args.size.get(),
            oeis: agreement.oeis,
            profile: profile.iter().map(u128::to_string).collect(),
            threads,
            seconds,
        };
        output::json(&mut out, &json)?;
        return agreement.verdict();
    }
    agreement.verdict()?;
    if args.quiet || !std::io::stdout().is_terminal() {
        for count in profile {
            writeln!(out, "{count}")?;
        }
        agreement.note(args.quiet);
    } else {
        let grouped: Vec<String> = profile.iter().copied().map(output::grouped).collect();
        let width = grouped.iter().map(String::len).max().unwrap_or(0).max("placements".len());
        writeln!(out, "queens  {:>width$}", "placements")?;
        for (queens, count) in grouped.iter().enumerate() {
            writeln!(out, "{queens:>6}  {count:>width$}")?;
        }
        let nodes = output::grouped(profile.iter().sum());
        writeln!(out, "{:>6}  {nodes:>width$}  in {}", "all", output::seconds(seconds))?;
        if let Some(words) = agreement.words() {
            writeln!(out, "{words}")?;
        }
    }
    Ok(())
}

/// Every level where the row is published, else the last, which is the number of solutions.
fn agreement(profile: &[u128]) -> Agreement {
    let first = profile.len() * (profile.len() - 1) / 2;
    let levels = profile.iter().enumerate();
    let mut compared = levels.map(|(level, &found)| Agreement::with(&oeis::PROFILE, first + level, found));
    match compared.find(|agreement| agreement.oeis.is_none() || agreement.verdict().is_err()) {
        None => Agreement::with(&oeis::PROFILE, first, profile[0]),
        Some(wrong) if wrong.oeis.is_some() => wrong,
        Some(_) => Agreement::with(&oeis::QUEENS, profile.len() - 1, profile[profile.len() - 1]),
    }
}

#[derive(Serialize)]
struct Json {
    #[serde(flatten)]
    about: output::About,
    command: &'static str,
    n: usize,
    oeis: Option<Oeis>,
    profile: Vec<String>,
    threads: usize,
    seconds: f64,
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
