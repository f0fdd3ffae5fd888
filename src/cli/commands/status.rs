//! `queens status PATH...`

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use queens::ledger::{Ledger, RunRecord};
use serde_json::{Value, json};

use crate::cli::answer::Printer;
use crate::cli::args::{Json, Paths};
use crate::cli::failure::{Failure, Result, report_lesser};
use crate::cli::ledgers::{Ledgers, Whole, board, prefix_of};
use crate::cli::{output, text};

/// Show the progress of checkpoints and list missing shards
#[derive(clap::Args)]
#[command(mut_arg("paths", |paths| paths.required(false).default_value(".")))]
pub(crate) struct Args {
    #[command(flatten)]
    paths: Paths,

    /// Print only the missing, unfinished or damaged shards, e.g. 3,7-9
    #[arg(long, conflicts_with = "json")]
    missing: bool,

    #[command(flatten)]
    json: Json,
}

pub(crate) fn run(args: &Args) -> Result {
    let printer = Printer::open(&args.json)?;
    let ledgers = Ledgers::read(&args.paths.paths)?;
    let (damaged, mut verdicts) = (ledgers.unreadable.clone(), vec![ledgers.verdict()]);
    let mut cells = vec![["N", "shard", "done", "saved (UTC)", "host", "file"].map(str::to_owned)];
    let (mut files, mut counts, mut summaries) = (Vec::new(), Vec::<Whole>::new(), String::new());
    for mut count in ledgers.by_count() {
        let (objects, rows): (Vec<_>, Vec<_>) = count.files.iter().map(|(path, ledger)| line(path, ledger)).unzip();
        files.extend(objects);
        cells.extend(rows);
        let (divisions, union) = (count.divisions(), count.union()?);
        let wholes: Vec<Whole> = divisions.iter().map(|&shards| Whole::new(shards, &union)).collect();
        summaries.extend(wholes.iter().map(summary).chain(wholes.last().map(core_time)));
        counts.extend(wholes);
        verdicts.push(count.verdict());
    }
    if !args.missing {
        let object = json!({ "files": files, "counts": counts, "damaged": damaged });
        verdicts.push(printer.table("status", text::columns(&cells), |rows| {
            cells.iter().try_for_each(|cells| rows.row(cells))?;
            rows.line(&summaries).map(|()| object)
        }));
        return report_lesser(verdicts);
    }
    verdicts.push(match &counts[..] {
        [count] if count.missing.is_empty() => Ok(()),
        [count] => output::print(&format!("{}\n", text::ranges(&count.missing))),
        counts => {
            let shards =
                |count: &Whole| if count.shards > 1 { format!(" in {} shards", count.shards) } else { String::new() };
            let names = counts.iter().map(|count| count.name() + &shards(count)).collect::<Vec<_>>().join(" and ");
            Err(Failure::Usage(format!(
                "--missing needs files of one count, divided in one way; these belong to {names}"
            )))
        }
    });
    report_lesser(verdicts)
}

/// A file as a JSON object and as a row.
fn line(path: &Path, ledger: &Ledger) -> (Value, [String; 6]) {
    let (file, shard, of) = (path.display().to_string(), ledger.shard().to_string(), ledger.fingerprint());
    let (n, prefix) = (of.prefix.size().get(), prefix_of(ledger));
    let (finished, units) = (ledger.finished(), ledger.units());
    let last: Option<&RunRecord> = ledger.runs().iter().max_by_key(|run| run.saved);
    let (saved, host) = (last.and_then(|run| run.saved), last.and_then(|run| run.host.as_deref()));
    let object = json!({
        "file": file, "n": n, "prefix": prefix, "engine": of.engine, "shard": shard,
        // `parts` is the number of partial units.
        "finished": finished, "units": units, "parts": ledger.partials().count(),
        "seconds": ledger.elapsed().as_secs_f64(),
        // The last save: seconds since 1970, and the host.
        "saved": saved, "host": host,
    });
    // Rounded down, so that an unfinished count is never 100%.
    let done = if finished == units { "complete".to_owned() } else { format!("{}%", 100 * finished / units) };
    // `2026-11-26 15:12`.
    let minute = |seconds: u32| text::moment(UNIX_EPOCH + Duration::from_secs(seconds.into()))[..16].replace('T', " ");
    let cells = [
        text::truncated(&board(n, prefix), 16),
        shard,
        format!("{done}, {finished}/{units}"),
        saved.map_or_else(|| "-".to_owned(), minute),
        text::truncated(host.unwrap_or("-"), 16),
        // Last, because it may be long.
        file,
    ];
    (object, cells)
}

/// The progress of a divided count, in lines; empty if it is not divided.
fn summary(count: &Whole) -> String {
    if count.shards == 1 {
        return String::new();
    }
    let (name, complete) = (count.name(), count.shards as usize - count.missing.len());
    let missing = count.missing_shards().map_or_else(String::new, |missing| format!("{name}: {missing}\n"));
    let (finished, units) = (text::grouped(count.finished as u64), text::count_of(count.units as u64, "unit"));
    format!("{missing}{name}: {complete} of {} shards complete, {finished} of {units}\n", count.shards)
}

/// A line with the core time of a count so far and its estimated rest; empty if unknown.
fn core_time(count: &Whole) -> String {
    let Some((so_far, left)) = count.core_seconds.zip(count.core_seconds_left) else { return String::new() };
    let left = text::known_seconds(left).map_or_else(String::new, |left| format!(", about {left} left"));
    format!("{}: core time {}{left}\n", count.name(), text::seconds(so_far))
}
