//! `queens audit FILE...`

use std::path::PathBuf;
use std::time::Duration;

use clap::Args as ClapArgs;
use queens::ledger::store::{self, StoreError};
use queens::ledger::{Fingerprint, Ledger};
use queens::{
    AuditOptions, AuditedTask, CountError, Findings, MethodError, Progress, Recounted, Request, Shard, Share,
    UnknownEngine, Watch,
};

use crate::cli::commands::merge;
use crate::cli::long_run::{Activity, Agreement, Status, When, status};
use crate::cli::terminal::{Exit, Facts, Failure, JsonOutput, messages, numbers, value_parsers};

/// Recount random units of a checkpoint or shard, and some of their tasks by independent code
///
/// Whole units are recounted by the engine and compared with the file. Single tasks of these are recounted by an auditor
/// that shares no code with the engine, and compared with what the engine finds. If all units are finished, their sum is
/// compared with what is known of it. Each audit draws other units, so that it adds to the audits before it.
#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Checkpoints or shards of one count
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Finished units to draw, from all files together; where left out as many as begin within --max-time, and without
    /// that as many as begin within a minute, 16 at least
    #[arg(long, value_name = "U", value_parser = value_parsers::whole("U", 1..=u64::from(u32::MAX)), allow_negative_numbers = true)]
    units: Option<u64>,

    /// Tasks of each of these that the auditor recounts, from N = 26 on a part of each; 0 leaves it out
    #[arg(long, value_name = "T", default_value = "1", value_parser = value_parsers::whole("T", 0..=u64::from(u32::MAX)), allow_negative_numbers = true)]
    tasks: u64,

    /// Draw the units that an earlier audit drew with this seed, in the same order; a random one where left out
    #[arg(long, value_name = "S", value_parser = value_parsers::whole("S", 0..=u64::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,

    /// End after this time with what has been recounted, as in 90s or 2h; after 10m where left out
    #[arg(long, value_name = "TIME", value_parser = value_parsers::duration)]
    max_time: Option<Duration>,

    #[command(flatten)]
    cores: value_parsers::Cores,

    #[command(flatten)]
    json: JsonOutput,

    /// When to show progress on stderr; SIGUSR1 shows it at once in any case
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    progress: When,
}

impl Args {
    fn options(&self) -> AuditOptions {
        let default = AuditOptions::default();
        AuditOptions {
            units: self.units.map_or(default.units, |units| units as usize),
            begin_within: default.begin_within.filter(|_| self.units.is_none() && self.max_time.is_none()),
            end_within: Some(self.max_time()),
            tasks: self.tasks,
            seed: self.seed.unwrap_or(default.seed),
        }
    }

    fn max_time(&self) -> Duration {
        self.max_time.unwrap_or(Duration::from_mins(10))
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let (ledger, parts) = read(&args.files)?;
    if ledger.reached() == (0, 0) {
        return Err(Failure::Run(Exit::Failure, "nothing was compared: no task is finished".to_owned()));
    }
    let options = args.options();
    let request = Request::try_from(ledger.fingerprint()).map_err(CountError::from);
    let activity = Activity::start(args.progress, "audit");
    let (watch, title) = (Watch::default(), status::title(ledger.fingerprint()));
    let watched = watch.clone();
    activity.watch(move || {
        let Progress { done, share, .. } = watched.progress();
        let fields = vec![format!("{} recounted", numbers::count_of(done, "unit"))];
        Status { title: title.clone(), share: Some(share), is_even: true, fields, ..Status::default() }
    });
    let findings = request
        .and_then(|request| request.isa(args.cores.isa).threads(args.cores.threads).audit(&ledger, &options, &watch))
        .map_err(|error| match error {
            CountError::Ledger(error) => StoreError::Ledger(args.files[0].clone(), error).into(),
            CountError::Method(MethodError::Unknown(UnknownEngine(name))) => {
                Failure::Run(Exit::Failure, format!("this program has no engine '{name}'"))
            }
            error => error.into(),
        })?;
    activity.finish();
    let known = ledger.is_complete().then(|| merge::known(&ledger, args.cores.threads)).transpose()?;
    let agreement = known.map_or_else(Agreement::default, |(_, agreement)| agreement);
    for line in wrong(&findings, args, &parts) {
        messages::error(&line);
    }
    let facts = facts(&findings, &ledger, &agreement, options.seed);
    verdict(&findings, args, &agreement).and(args.json.deliver(&facts))
}

/// The union of the files, and each of them.
fn read(files: &[PathBuf]) -> Result<(Ledger, Vec<Ledger>), Failure> {
    let parts = files.iter().map(|path| store::read(path)).collect::<Result<Vec<_>, _>>()?;
    let mut whole = Ledger::new(parts[0].fingerprint().clone(), Shard::WHOLE);
    for (path, part) in files.iter().zip(&parts) {
        whole.merge(part).map_err(|error| StoreError::Ledger(path.clone(), error))?;
    }
    Ok((whole, parts))
}

/// Every difference, a line each, with the file that has the unit.
fn wrong(findings: &Findings, args: &Args, parts: &[Ledger]) -> Vec<String> {
    let in_file = |found: &Recounted| {
        let of_unit = |unit| unit == found.unit;
        let holds = |part: &Ledger| {
            part.tallies().any(|(unit, _)| of_unit(unit)) || part.partials().any(|(unit, _)| of_unit(unit))
        };
        let file = parts.iter().position(holds).unwrap_or(0);
        let file = args.files[file].display();
        differences(found).into_iter().map(move |line| format!("{file}: {line}"))
    };
    findings.differences().flat_map(in_file).collect()
}

/// Any difference is worse than one in the sum alone, and having compared nothing is a failure too.
fn verdict(findings: &Findings, args: &Args, agreement: &Agreement) -> Result<(), Failure> {
    if findings.differences().next().is_some() {
        return Err(Failure::AlreadyReported(Exit::Difference));
    }
    agreement.verdict()?;
    let nothing = match () {
        () if findings.units.is_empty() => "nothing was compared: no unit was recounted",
        () if args.tasks > 0 && findings.tasks() == 0 => "no task was recounted by the auditor",
        () => return Ok(()),
    };
    let time = numbers::seconds(args.max_time().as_secs_f64());
    let longer = if args.max_time.is_none() { "; --max-time gives it longer" } else { "" };
    Err(Failure::Run(Exit::Failure, format!("{nothing} within {time}{longer}")))
}

fn facts(findings: &Findings, ledger: &Ledger, agreement: &Agreement, seed: u64) -> Facts {
    let Fingerprint { subject, engine, .. } = ledger.fingerprint();
    let Findings { finished, total, isa, threads, .. } = *findings;
    let more = if findings.parts == 0 { String::new() } else { format!(" and parts of {} more", findings.parts) };
    // Of nothing there is no difference to tell.
    let found = |recounted: usize, wrong: usize| match (recounted, wrong) {
        (0, _) => String::new(),
        (_, 0) => ": no difference".to_owned(),
        (_, wrong) => format!(": {wrong} WRONG"),
    };
    let all_tasks = || findings.units.iter().flat_map(|unit| &unit.tasks);
    let wrong_units = findings.units.iter().filter(|unit| !unit.is_confirmed()).count();
    let wrong_tasks = all_tasks().filter(|task| !task.agrees()).count();
    let in_part = if all_tasks().any(|task| task.is_part) { ", a random part of each" } else { "" };
    // A float must not make a part the whole.
    let share = |part| if part == total { 1.0 } else { (part as f64 / total as f64).min(1.0 - f64::EPSILON) };
    let (recounted, audited, compared) = (findings.recounted(), findings.audited(), findings.units.len());
    let (seconds, is_audited) = (findings.elapsed.as_secs_f64(), findings.tasks() > 0);
    let tasks = if is_audited {
        let found = found(findings.tasks(), wrong_tasks);
        Facts::default().result("tasks", format!("{} recounted by the auditor{in_part}{found}", findings.tasks()))
    } else {
        Facts::default()
    };
    let and = if is_audited { "," } else { "" };
    // So many wrong units, and how likely such an audit finds one of them.
    let many = |share| Share::try_from(share).expect("from 0 to 1").of(findings.finished + findings.parts);
    let [one, hundredth, tenth] = [1, many(0.01), many(0.1)].map(|units| (units, findings.chance_to_find(units)));
    let in_json = |(units, chance)| Facts::default().with("wrong_units", units).with("chance", chance);
    let if_share = |share, (units, chance)| {
        let (chance, are) = (percent(chance), numbers::count_of(units as u64, "unit"));
        format!("{chance} to find one if {share} % of them are wrong ({are})")
    };
    Facts::of("audit")
        .subject(subject)
        .with("units", ledger.units())
        .with("finished", finished)
        .with("parts", findings.parts)
        .with("solutions", total.to_string())
        .row("ledger", format!("{finished} of {} units{more}, {} solutions", ledger.units(), numbers::grouped(total)))
        .result("units", format!("{compared} recounted by {engine} ({isa}){}", found(compared, wrong_units)))
        .with("audited_tasks", findings.tasks())
        .and(tasks)
        .and(agreement.facts())
        .with("agrees", findings.differences().next().is_none() && agreement.verdict().is_ok())
        .with("recounted", recounted.to_string())
        .row("confirmed", format!("{} of these solutions by {engine}{and}", percent(share(recounted))))
        .with("audited", audited.to_string())
        .row_some("", is_audited.then(|| format!("{} by independent code", percent(share(audited)))))
        .row("chance", format!("{} to find a single wrong unit", percent(one.1)))
        .row("", if_share(1, hundredth))
        .row("", if_share(10, tenth))
        .with("chance_to_see_1_percent", hundredth.1)
        .list("chances", [one, hundredth, tenth].map(in_json))
        .with("seed", seed.to_string())
        .row("seed", format!("{seed}; the same units again: --seed {seed} --units {compared}"))
        .by(Some(engine), isa, threads)
        .row("threads", threads)
        .with("seconds", seconds)
        .row("time", numbers::seconds(seconds))
        .list("drawn", findings.units.iter().map(recounted_facts))
}

/// A unit for programs.
fn recounted_facts(found: &Recounted) -> Facts {
    let task = |task: &AuditedTask| {
        Facts::default()
            .with("task", task.index)
            .with("weight", task.weight)
            .with("is_part", task.is_part)
            .with("engine", task.engine.to_string())
            .with("auditor", task.auditor.to_string())
    };
    let facts = Facts::default().with("unit", found.unit).with("tally", found.tally);
    facts.with("recounted", found.recounted).list("tasks", found.tasks.iter().map(task))
}

/// The differences in a unit, a line each.
fn differences(found: &Recounted) -> Vec<String> {
    let Recounted { name, tally, recounted, tasks, .. } = found;
    let unit = (!found.is_confirmed()).then(|| format!("{name} has {tally}, but the engine finds {recounted}"));
    let tasks = tasks.iter().filter(|task| !task.agrees()).map(|task| {
        let (index, engine, auditor) = (task.index, &task.engine, &task.auditor);
        let part = if task.is_part { "a part of " } else { "" };
        format!("{name}, {part}task {index}: the engine finds {engine}, but the auditor {auditor}")
    });
    unit.into_iter().chain(tasks).collect()
}

/// A share in percent, to two digits, rounded down: only the whole is 100 %.
fn percent(share: f64) -> String {
    if share <= 0.0 || share >= 1.0 {
        return if share <= 0.0 { "0 %" } else { "100 %" }.to_owned();
    }
    let percent = 100.0 * share;
    let digits = (1.0 - percent.max(1e-9).log10().floor()).clamp(0.0, 9.0) as i32;
    let scale = 10f64.powi(digits);
    // A number that is less than one of so many digits by the last bits of a float counts as that one.
    let percent = (percent * scale * (1.0 + 1e-12)).floor() / scale;
    format!("{:.*} %", digits as usize, percent.min(99.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::command;
    use crate::cli::args::{Args as All, Command as Which};
    use clap::FromArgMatches;
    use queens::engine::Engine;
    use queens::engine::backtrack::Backtrack;
    use queens::{EngineKind, Placement, Size};

    #[test]
    fn shares_have_two_digits_and_are_rounded_down() {
        let shares = [1.0 / 3.0, 0.1 / 3.0, 0.000_75, 2.0 / 3e6, 0.999_999, 1.0 - f64::EPSILON, 1.0, 0.0].map(percent);
        assert_eq!(shares, ["33 %", "3.3 %", "0.075 %", "0.000066 %", "99 %", "99 %", "100 %", "0 %"]);
    }

    fn parsed(line: &[&str]) -> Args {
        let matches = command().try_get_matches_from(["queens", "audit", "a-file"].iter().chain(line)).unwrap();
        let Which::Audit(args) = All::from_arg_matches(&matches).unwrap().command else { panic!("it is an audit") };
        args
    }

    /// As many units as begin within a minute, ten minutes at most; whoever asks for a number or a time gets it.
    #[test]
    fn what_is_asked_for_is_not_cut_short() {
        let limits = |line: &[&str]| {
            let AuditOptions { units, begin_within, end_within, .. } = parsed(line).options();
            (units, begin_within.map(|time| time.as_secs()), end_within.unwrap().as_secs())
        };
        assert_eq!(limits(&[]), (usize::MAX, Some(60), 600));
        assert_eq!(limits(&["--units", "20"]), (20, None, 600));
        assert_eq!(limits(&["--max-time", "2h"]), (usize::MAX, None, 7200));
        assert_eq!(limits(&["--max-time", "30s", "--units", "5", "--seed", "3"]), (5, None, 30));
        assert_eq!(parsed(&["--seed", "3"]).options().seed, 3);
    }

    /// Right on the small boards, so that it passes the self-check, and one solution too many in every task of a larger
    /// one.
    struct WrongBeyond(usize);

    impl Engine for WrongBeyond {
        type Task = Placement;
        type Worker = <Backtrack as Engine>::Worker;

        fn worker(&self) -> Self::Worker {
            Backtrack::default().worker()
        }

        fn count(&self, worker: &mut Self::Worker, task: &Placement) -> u64 {
            Backtrack::default().count(worker, task) + u64::from(task.size().get() > self.0)
        }
    }

    /// A wrong engine made the ledger and recounts it: each unit is as the ledger has it, and the auditor alone says no.
    #[test]
    fn the_auditor_alone_decides_the_verdict() {
        let request = Request::solutions(Size::new(10).unwrap()).engine(EngineKind::Backtrack);
        let audited = |engine: &WrongBeyond| {
            let mut ledger = Ledger::new(request.fingerprint().unwrap(), Shard::WHOLE);
            // What the engine would have entered: its own recount of units that are all missing yet.
            for unit in 0..ledger.fingerprint().units {
                ledger.record(unit, 0.into()).unwrap();
            }
            let recounted = request
                .prepare_by(engine)
                .unwrap()
                .audit(&ledger, &AuditOptions::default(), &Watch::default())
                .unwrap();
            let mut ledger = Ledger::new(request.fingerprint().unwrap(), Shard::WHOLE);
            // But for one unit, so that there is no sum to be compared.
            for unit in recounted.units.into_iter().skip(1) {
                ledger.record(unit.unit, unit.recounted).unwrap();
            }
            let args = parsed(&["--units", "3"]);
            let options = args.options();
            let findings = request.prepare_by(engine).unwrap().audit(&ledger, &options, &Watch::default()).unwrap();
            assert!(findings.units.len() == 3 && findings.units.iter().all(Recounted::is_confirmed));
            let unknown = Agreement::default();
            let facts = facts(&findings, &ledger, &unknown, options.seed);
            (facts, wrong(&findings, &args, &[ledger]), verdict(&findings, &args, &unknown))
        };
        let (facts, wrong, verdict) = audited(&WrongBeyond(10));
        assert!(verdict.is_ok() && wrong.is_empty(), "{}", facts.table());
        let (facts, wrong, verdict) = audited(&WrongBeyond(9));
        assert!(matches!(verdict, Err(Failure::AlreadyReported(Exit::Difference))), "{verdict:?}");
        let text = facts.table();
        assert!(text.contains("3 recounted by backtrack (portable): no difference"), "{text}");
        assert!(text.contains("3 recounted by the auditor: 3 WRONG"), "{text}");
        assert_eq!(wrong.len(), 3);
        assert!(wrong[0].starts_with("a-file: ") && wrong[0].contains("task 0: the engine finds "));
        let json: serde_json::Value = serde_json::from_str(&facts.json()).unwrap();
        assert_eq!(json["agrees"], false);
    }
}
