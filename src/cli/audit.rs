//! `queens audit FILE...`

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use queens::ledger::Ledger;
use queens::ledger::store::{self, StoreError};
use queens::{Audit, CountError, Findings, Recounted, Shard};
use serde::Serialize;

use super::output::{self, Table};
use super::stdout::Heedless;
use super::{Exit, Failure, values};

/// Recounts random units and tasks of a checkpoint, shard or result.
///
/// Whole units are recounted by the engine and compared with the file; single tasks of these are recounted by an
/// auditor that shares no code with the engine, and compared with what the engine finds.
#[derive(Args, Debug)]
pub(crate) struct Command {
    /// Checkpoints or shards of one count
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Finished units to draw, from all files together
    #[arg(long, value_name = "U", default_value = "16", value_parser = values::whole("U", 1..=u64::from(u32::MAX)), allow_negative_numbers = true)]
    units: u64,

    /// Tasks of each of these that the auditor recounts; 0 leaves it out
    #[arg(long, value_name = "T", default_value = "1", value_parser = values::whole("T", 0..=u64::from(u32::MAX)), allow_negative_numbers = true)]
    tasks: u64,

    /// Other units and tasks for another seed, the same for the same
    #[arg(long, value_name = "S", default_value = "1", value_parser = values::whole("S", 0..=u64::MAX), allow_negative_numbers = true)]
    seed: u64,

    /// End after this time with what has been recounted, as in 90s or 2h
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = values::duration)]
    max_time: Duration,

    #[command(flatten)]
    cores: values::Cores,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Command) -> Result<(), Failure> {
    let (ledger, parts) = read(&args.files)?;
    if ledger.finished() == 0 {
        return Err(Failure::Run(Exit::Failure, "nothing was compared: no unit is finished".to_owned()));
    }
    let audit = Audit {
        ledger: &ledger,
        units: args.units as usize,
        tasks: args.tasks,
        seed: args.seed,
        threads: args.cores.threads,
        isa: args.cores.isa,
    };
    let deadline = Instant::now().checked_add(args.max_time);
    let findings = audit.run(&|| deadline.is_some_and(|deadline| Instant::now() >= deadline));
    let findings = findings.map_err(|error| match error {
        CountError::Ledger(error) => StoreError::Ledger(args.files[0].clone(), error).into(),
        CountError::UnknownEngine(_) => Failure::Run(Exit::Failure, error.to_string()),
        error => Failure::from(&error),
    })?;
    let (text, code) = (&mut Heedless::default(), verdict(&findings, args, &parts));
    if args.json {
        output::json(text, &Json::new(&ledger, &findings, args))?;
    } else {
        write!(text, "{}", table(&ledger, &findings, args))?;
    }
    code
}

/// The union of the files, and each of them.
fn read(files: &[PathBuf]) -> Result<(Ledger, Vec<Ledger>), Failure> {
    let parts = files.iter().map(|path| store::read(path)).collect::<Result<Vec<_>, _>>()?;
    let mut whole = Ledger::new(parts[0].fingerprint().clone(), Shard::WHOLE);
    for (path, part) in files.iter().zip(&parts) {
        whole.join(part).map_err(|error| StoreError::Ledger(path.clone(), error))?;
    }
    Ok((whole, parts))
}

/// Names every difference on stderr. Having compared nothing is a failure too.
fn verdict(findings: &Findings, args: &Command, parts: &[Ledger]) -> Result<(), Failure> {
    for found in findings.differences() {
        let holds = |part: &Ledger| part.tallies().any(|(unit, _)| unit == found.unit);
        let file = args.files.iter().zip(parts).find(|(_, part)| holds(part)).map(|(path, _)| path);
        for line in differences(found) {
            output::error(&format!("{}: {line}", file.unwrap_or(&args.files[0]).display()));
        }
    }
    let time_is_up = |what: &str| {
        Failure::Run(Exit::Failure, format!("{what} within {}", output::seconds(args.max_time.as_secs_f64())))
    };
    if findings.differences().next().is_some() {
        Err(Failure::Told(Exit::Difference))
    } else if findings.units.is_empty() {
        Err(time_is_up("nothing was compared: no unit was recounted"))
    } else if args.tasks > 0 && findings.tasks() == 0 {
        Err(time_is_up("no task was recounted by the auditor"))
    } else {
        Ok(())
    }
}

/// What differs in a unit.
fn differences(found: &Recounted) -> Vec<String> {
    let Recounted { name, tally, recounted, tasks, .. } = found;
    let unit = (tally != recounted).then(|| format!("{name} has {tally}, but the engine finds {recounted}"));
    let tasks = tasks.iter().filter(|task| task.engine != task.auditor).map(|task| {
        let (index, engine, auditor) = (task.index, task.engine, task.auditor);
        format!("{name}, task {index}: the engine finds {engine}, but the auditor {auditor}")
    });
    unit.into_iter().chain(tasks).collect()
}

/// Parts of errors that the findings speak of.
const SHARE_WRONG: f64 = 0.01;

/// A share in percent, to two digits.
fn percent(part: u128, whole: u128) -> String {
    if part == whole || part == 0 {
        return if part == 0 { "0 %" } else { "100 %" }.to_owned();
    }
    let percent = 100.0 * part as f64 / whole as f64;
    let digits = (1.0 - percent.max(1e-9).log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{percent:.digits$} %")
}

/// The findings as a person reads them.
fn table(ledger: &Ledger, findings: &Findings, args: &Command) -> Table {
    let subject = &ledger.fingerprint().subject;
    let mut table = Table::default();
    table.row("N", subject.n());
    if let Some(prefix) = subject.prefix() {
        table.row("prefix", prefix);
    }
    let (finished, units) = (findings.finished, ledger.units());
    table.row("ledger", format!("{finished} of {units} units, {} solutions", output::grouped(findings.total)));
    let wrong = |number: usize| if number == 0 { "no difference".to_owned() } else { format!("{number} WRONG") };
    let wrong_units = findings.units.iter().filter(|unit| unit.tally != unit.recounted).count();
    let tasks = || findings.units.iter().flat_map(|unit| &unit.tasks);
    let wrong_tasks = tasks().filter(|task| task.engine != task.auditor).count();
    let (engine, isa) = (findings.method.engine, findings.method.isa);
    let (compared, tasks) = (findings.units.len(), findings.tasks());
    table.result("units", format!("{compared} recounted by {engine} ({isa}): {}", wrong(wrong_units)));
    table.result("tasks", format!("{tasks} recounted by the auditor: {}", wrong(wrong_tasks)));
    let share = |part| percent(part, findings.total);
    let (recounted, audited) = (share(findings.recounted()), share(findings.audited()));
    table.row("confirmed", format!("{recounted} of these solutions by {engine},"));
    table.row("", format!("{audited} by independent code"));
    let chance = (100.0 * findings.chance_to_see(SHARE_WRONG)).floor();
    table.row("chance", format!("{chance} % to see that 1 % of the units are wrong, if they are"));
    table.row("seed", args.seed);
    table.row("threads", findings.threads);
    table.row("time", output::seconds(findings.seconds));
    table
}

/// The findings as a program reads them.
#[derive(Serialize)]
struct Json {
    #[serde(flatten)]
    about: output::About,
    command: &'static str,
    n: usize,
    prefix: Option<String>,
    engine: String,
    isa: String,
    threads: usize,
    seed: u64,
    seconds: f64,
    /// Units of the plan, and finished ones.
    units: usize,
    finished: usize,
    /// Solutions in the finished units, and those found again by the engine and by the auditor.
    solutions: String,
    recounted: String,
    audited: String,
    audited_tasks: usize,
    chance_to_see_1_percent: f64,
    agrees: bool,
    drawn: Vec<UnitJson>,
}

#[derive(Serialize)]
struct UnitJson {
    unit: usize,
    tally: String,
    recounted: String,
    tasks: Vec<TaskJson>,
}

#[derive(Serialize)]
struct TaskJson {
    task: u64,
    weight: u64,
    engine: String,
    auditor: String,
}

impl Json {
    fn new(ledger: &Ledger, findings: &Findings, args: &Command) -> Self {
        let subject = &ledger.fingerprint().subject;
        let unit = |found: &Recounted| UnitJson {
            unit: found.unit,
            tally: found.tally.to_string(),
            recounted: found.recounted.to_string(),
            tasks: found
                .tasks
                .iter()
                .map(|task| TaskJson {
                    task: task.index,
                    weight: task.weight,
                    engine: task.engine.to_string(),
                    auditor: task.auditor.to_string(),
                })
                .collect(),
        };
        Self {
            about: output::About::here(),
            command: "audit",
            n: subject.n(),
            prefix: subject.prefix().map(|prefix| prefix.to_string()),
            engine: findings.method.engine.to_string(),
            isa: findings.method.isa.to_string(),
            threads: findings.threads,
            seed: args.seed,
            seconds: findings.seconds,
            units: ledger.units(),
            finished: findings.finished,
            solutions: findings.total.to_string(),
            recounted: findings.recounted().to_string(),
            audited: findings.audited().to_string(),
            audited_tasks: findings.tasks(),
            chance_to_see_1_percent: findings.chance_to_see(SHARE_WRONG),
            agrees: findings.differences().next().is_none(),
            drawn: findings.units.iter().map(unit).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_two_digits() {
        let shares =
            [(1, 3), (1, 30), (3, 4000), (2, 3_000_000), (7, 7), (0, 5)].map(|(part, whole)| percent(part, whole));
        assert_eq!(shares, ["33 %", "3.3 %", "0.075 %", "0.000067 %", "100 %", "0 %"]);
    }
}
