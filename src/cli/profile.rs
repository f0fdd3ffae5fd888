//! `queens profile N`

use std::io::{IsTerminal, Write};
use std::time::Instant;

use queens::{available_threads, profile};
use serde::Serialize;

use super::Failure;
use super::args;
use super::output;

pub(crate) fn run(args: &args::Profile) -> Result<(), Failure> {
    let threads = if args.threads == 0 { available_threads() } else { args.threads };
    let start = Instant::now();
    let profile = profile(args.size, threads).map_err(|error| Failure::from(&error))?;
    let seconds = start.elapsed().as_secs_f64();
    let mut out = anstream::stdout().lock();
    if args.json {
        let json = Json {
            about: output::About::here(),
            command: "profile",
            n: args.size.get(),
            profile: profile.iter().map(u128::to_string).collect(),
            threads,
            seconds,
        };
        output::json(&mut out, &json)?;
    } else if args.quiet || !std::io::stdout().is_terminal() {
        for count in profile {
            writeln!(out, "{count}")?;
        }
    } else {
        let grouped: Vec<String> = profile.iter().copied().map(output::grouped).collect();
        let width = grouped.iter().map(String::len).max().unwrap_or(0).max("placements".len());
        writeln!(out, "queens  {:>width$}", "placements")?;
        for (queens, count) in grouped.iter().enumerate() {
            writeln!(out, "{queens:>6}  {count:>width$}")?;
        }
        let nodes = output::grouped(profile.iter().sum());
        writeln!(out, "{:>6}  {nodes:>width$}  in {}", "all", output::seconds(seconds))?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Json {
    #[serde(flatten)]
    about: output::About,
    command: &'static str,
    n: usize,
    profile: Vec<String>,
    threads: usize,
    seconds: f64,
}
