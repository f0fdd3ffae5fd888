//! `queens audit PATH...`

use std::path::PathBuf;
use std::time::Duration;

use clap::Args as ClapArgs;
use queens::ledger::Ledger;
use queens::ledger::store::StoreError;
use queens::tally::Tally;
use queens::{AuditOptions, CountError, Findings, Progress, Recounted, Request, Share, Subject, Watch};
use serde::Serialize;

use crate::cli::long_run::{
    Activity, Agreement, Status, When, huge_pages_for,
    named_files::{Part, nothing_in, union},
    status,
};
use crate::cli::terminal::{Answer, Exit, Failure, JsonOutput, Rows, escape, messages, numbers, value_parsers};

/// Recount random units of a checkpoint or shard, and some of their tasks by independent code
///
/// Whole units are recounted by the engine and compared with the file. Single tasks of these are recounted by an auditor
/// that shares no code with the engine, and compared with what the engine finds. If all units are finished, their sum is
/// compared with what is known of it. Damaged files are named, with exit code 1, and the others audited. Each audit draws
/// other units, so that it adds to the audits before it.
#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Checkpoints or shards of one count, or folders with them; - means stdin
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Units to recount, from all files together [default: as many as start within --max-time, else within a minute (at least
    /// 16)]
    #[arg(long, value_name = "U", value_parser = value_parsers::whole("U", 1..=u64::from(u32::MAX)), allow_negative_numbers = true)]
    units: Option<u64>,

    /// Tasks of each of these units that the auditor recounts, from N = 26 on a part of each; 0 for none
    #[arg(long, value_name = "T", default_value = "1", value_parser = value_parsers::whole("T", 0..=u64::from(u32::MAX)), allow_negative_numbers = true)]
    tasks: u64,

    /// Repeat an earlier audit's selection, in the same order [default: random]
    #[arg(long, value_name = "S", value_parser = value_parsers::whole("S", 0..=u64::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,

    /// Stop after this time with what has been recounted, for example 90s or 2h [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = value_parsers::duration, allow_hyphen_values = true)]
    max_time: Option<Duration>,

    #[command(flatten)]
    cores: value_parsers::Cores,

    #[command(flatten)]
    pub(crate) json: JsonOutput,

    /// When to show progress on stderr; SIGUSR1 shows it at once in any case
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    progress: When,
}

impl Args {
    fn options(&self) -> AuditOptions {
        let mut options = AuditOptions::default();
        options.units = self.units.map_or(options.units, |units| units as usize);
        options.begin_within = options.begin_within.filter(|_| self.units.is_none() && self.max_time.is_none());
        options.end_within = Some(self.max_time());
        options.tasks = self.tasks;
        options.seed = self.seed.unwrap_or(options.seed);
        options
    }

    fn max_time(&self) -> Duration {
        self.max_time.unwrap_or(Duration::from_secs(60 * 10))
    }
}

pub(crate) fn run(args: &Args) -> Result<Audit, Failure> {
    let mut damaged = Vec::new();
    let union = union(&args.paths, |path, error| {
        messages::error(&format!("{error}; it is not audited"));
        damaged.push(escape::name(path));
        Ok(())
    })?;
    let nothing = || {
        if damaged.is_empty() {
            nothing_in(&args.paths, Exit::Failure, "neither a checkpoint nor a shard")
        } else {
            Failure::AlreadyReported(Exit::Failure)
        }
    };
    let (ledger, parts) = union.ok_or_else(nothing)?;
    if ledger.reached() == (0, 0) {
        return Err(Failure::Run(Exit::Failure, "nothing was compared: no task is finished".to_owned()));
    }
    let failed = |error| -> Failure {
        match error {
            CountError::Ledger(error) => StoreError::Ledger(parts[0].0.clone(), error).into(),
            error => error.into(),
        }
    };
    let (options, request) = (args.options(), Request::try_from(ledger.fingerprint()).map_err(CountError::from)?);
    let request = request.isa(args.cores.isa).threads(args.cores.threads);
    huge_pages_for(Some(&request));
    let (title, audited) = (status::title(ledger.fingerprint()), ledger.clone());
    let status = move |Progress { done, share, .. }| {
        let fields = vec![format!("{} recounted", numbers::count_of(done, "unit"))];
        Status { title: title.clone(), share: Some(share), is_even: true, fields, ..Status::default() }
    };
    let work = move |watch: &Watch<Findings>| request.prepare()?.audit(&audited, &options, watch);
    let activity = Activity::start(args.progress, "audit");
    let (findings, signal) = activity.until_signal(status, work)?;
    activity.finish_unless(signal);
    let findings = findings.map_err(failed)?;
    if let Some(signal) = signal.filter(|_| findings.units.is_empty()) {
        return Err(Failure::Signal(signal));
    }
    let is_summed = signal.is_none() && ledger.is_complete();
    let known = is_summed.then(|| Agreement::of_ledger(&ledger, args.cores.threads)).transpose()?;
    let agreement = known.map_or_else(Agreement::default, |(_, agreement)| agreement);
    for line in wrong(&findings, &parts) {
        messages::error(&line);
    }
    let verdict = signal.map_or_else(|| verdict(&findings, args, &agreement), |signal| Err(Failure::Signal(signal)));
    let undamaged = if damaged.is_empty() { Ok(()) } else { Err(Failure::AlreadyReported(Exit::Failure)) };
    let verdict = verdict.and(undamaged);
    Ok(Audit { damaged, ..Audit::new(findings, &ledger, agreement, options.seed, verdict) })
}

/// Every difference, a line each, with the file that has the unit.
fn wrong(findings: &Findings, parts: &[Part]) -> Vec<String> {
    let in_file = |found: &Recounted| {
        let of_unit = |unit| unit == found.unit;
        let holds = |(_, part): &&Part| {
            part.tallies().any(|(unit, _)| of_unit(unit)) || part.partials().any(|(unit, _)| of_unit(unit))
        };
        let file = parts.iter().find(holds).unwrap_or(&parts[0]).0.display().to_string();
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

/// What was recounted of a ledger, and how it compares.
#[derive(Serialize)]
pub(crate) struct Audit {
    #[serde(flatten)]
    subject: Subject,
    /// Of the plan.
    units: usize,
    #[serde(flatten)]
    findings: Findings,
    /// Of the solutions, found again by the engine, and by the auditor in so many tasks.
    recounted: Tally,
    audited: Tally,
    audited_tasks: usize,
    #[serde(flatten)]
    agreement: Agreement,
    agrees: bool,
    chances: [Chance; 3],
    seed: String,
    /// The files that were not audited.
    damaged: Vec<String>,
    #[serde(skip)]
    verdict: Result<(), Failure>,
}

/// How likely such an audit draws one of so many wrong units.
#[derive(Serialize)]
struct Chance {
    wrong_units: usize,
    chance: f64,
}

impl Audit {
    fn new(findings: Findings, ledger: &Ledger, agreement: Agreement, seed: u64, verdict: Result<(), Failure>) -> Self {
        let many = |share| Share::try_from(share).expect("from 0 to 1").of(findings.finished + findings.parts);
        let chance = |wrong_units| Chance { wrong_units, chance: findings.chance_to_find(wrong_units) };
        Self {
            subject: ledger.fingerprint().subject,
            units: ledger.units(),
            recounted: findings.recounted().into(),
            audited: findings.audited().into(),
            audited_tasks: findings.tasks(),
            agrees: findings.differences().next().is_none() && agreement.verdict().is_ok(),
            agreement,
            chances: [1, many(0.01), many(0.1)].map(chance),
            seed: seed.to_string(),
            damaged: Vec::new(),
            findings,
            verdict,
        }
    }
}

impl Answer for Audit {
    fn command(&self) -> &'static str {
        "audit"
    }

    fn text(&self, width: usize) -> String {
        let Self { subject, units, findings, seed, .. } = self;
        let Findings { finished, parts, engine, isa, threads, total, .. } = findings;
        let more = if *parts == 0 { String::new() } else { format!(" and parts of {parts} more") };
        // Of nothing there is no difference to report.
        let found = |recounted: usize, wrong: usize| match (recounted, wrong) {
            (0, _) => String::new(),
            (_, 0) => ": no difference".to_owned(),
            (_, wrong) => format!(": {wrong} WRONG"),
        };
        let all_tasks = || findings.units.iter().flat_map(|unit| &unit.tasks);
        let wrong_units = findings.units.iter().filter(|unit| !unit.is_confirmed()).count();
        let wrong_tasks = all_tasks().filter(|task| !task.agrees()).count();
        let in_part = if all_tasks().any(|task| task.is_part) { ", a random part of each" } else { "" };
        let (total, compared, audited) = (*total, findings.units.len(), self.audited_tasks);
        // A float must not make a part the whole.
        let share = |part: Tally| {
            let part = part.get();
            percent(if part == total { 1.0 } else { (part as f64 / total as f64).min(1.0 - f64::EPSILON) })
        };
        let [one, hundredth, tenth] = &self.chances;
        let if_share = |share, of: &Chance| {
            let (chance, are) = (percent(of.chance), numbers::count_of(of.wrong_units as u64, "unit"));
            format!("{chance} to find one if {share} % of them are wrong ({are})")
        };
        let rows = Rows::of(subject)
            .row("ledger", format!("{finished} of {units} units{more}, {} solutions", numbers::grouped(total)))
            .result("units", format!("{compared} recounted by {engine} ({isa}){}", found(compared, wrong_units)));
        if compared == 0 {
            return rows.text(width);
        }
        let rows = if audited == 0 {
            rows
        } else {
            let found = found(audited, wrong_tasks);
            rows.result("tasks", format!("{audited} recounted by the auditor{in_part}{found}"))
        };
        let and = if audited > 0 { "," } else { "" };
        rows.row_some("check", self.agreement.words())
            .row("confirmed", format!("{} of these solutions by {engine}{and}", share(self.recounted)))
            .row_some("", (audited > 0).then(|| format!("{} by independent code", share(self.audited))))
            .row("chance", format!("{} to find a single wrong unit", percent(one.chance)))
            .row("", if_share(1, hundredth))
            .row("", if_share(10, tenth))
            .row("seed", format!("{seed}; the same units again: --seed {seed} --units {compared}"))
            .row("threads", threads)
            .row("time", numbers::seconds(findings.elapsed.as_secs_f64()))
            .text(width)
    }

    fn verdict(&self) -> Result<(), Failure> {
        self.verdict.clone()
    }
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
    use queens::{EngineKind, Placement, Shard, Size};

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
            let verdict = verdict(&findings, &args, &unknown);
            let audit = Audit::new(findings.clone(), &ledger, unknown, options.seed, verdict);
            (audit, wrong(&findings, &[("a-file".into(), ledger)]))
        };
        let (audit, wrong) = audited(&WrongBeyond(10));
        assert!(audit.verdict().is_ok() && wrong.is_empty(), "{}", audit.text(80));
        let (audit, wrong) = audited(&WrongBeyond(9));
        let verdict = audit.verdict();
        assert!(matches!(verdict, Err(Failure::AlreadyReported(Exit::Difference))), "{verdict:?}");
        let text = anstream::adapter::strip_str(&audit.text(200)).to_string();
        assert!(text.contains(" (portable): no difference"), "{text}");
        assert!(text.contains("3 recounted by the auditor: 3 WRONG"), "{text}");
        assert_eq!(wrong.len(), 3);
        assert!(wrong[0].starts_with("a-file: ") && wrong[0].contains("task 0: the engine finds "));
        assert!(!audit.agrees);
    }
}
