//! What a run will take, told before it begins or soon after: memory, and time where that is long.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use queens::ledger::Fingerprint;
use queens::{EngineKind, Progress, Request, Subject, oeis, thread_count};
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use super::status::range;
use crate::cli::long_run::When;
use crate::cli::terminal::{messages, numbers};

/// Says so where the run may need more than there is. It begins all the same, for the need is a guide.
pub(crate) fn memory(request: &Request, threads: usize) {
    /// What needs no more fits wherever the program starts. To ask the system takes longer than to count a small board.
    const LITTLE: u64 = 32_000_000;
    let (Subject::Completions(fixed), Ok(method)) = (request.subject(), request.method()) else { return };
    let need = |threads| method.memory(fixed.size(), threads);
    let threads = thread_count(threads);
    if need(threads) > LITTLE
        && let Some(text) = warning(need, threads, available())
    {
        messages::warning(&text);
    }
}

/// Bytes that this process may still take: the least of what the machine has, its control group (or one that this is in)
/// and its own limit allow; nothing where the system does not say.
fn available() -> u64 {
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(memory);
    #[cfg(unix)]
    let own = rustix::process::getrlimit(rustix::process::Resource::As).current;
    #[cfg(not(unix))]
    let own = None;
    let machine = Some(system.available_memory()).filter(|&bytes| bytes > 0);
    [machine, left_by_groups(), own].into_iter().flatten().min().unwrap_or(u64::MAX)
}

/// The least that the control group of this process and those around it leave, in either version of Linux's control groups. In
/// a container the groups outside it have no folders and are not asked.
fn left_by_groups() -> Option<u64> {
    let number = |path: PathBuf| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let left = |line: &str| {
        let (root, limit, used, name) = match line.split_once(':')?.1.split_once(':')? {
            ("", name) => ("/sys/fs/cgroup", "memory.max", "memory.current", name),
            ("memory", name) => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", name),
            _ => return None,
        };
        let own = Path::new(root).join(name.trim_start_matches('/'));
        let groups = own.ancestors().take_while(|group| group.starts_with(root));
        groups.filter_map(|group| Some(number(group.join(limit))?.saturating_sub(number(group.join(used))?))).min()
    };
    fs::read_to_string("/proc/self/cgroup").ok()?.lines().filter_map(left).min()
}

/// What is to be said of so many threads, each number of which needs `need` bytes.
fn warning(need: impl Fn(usize) -> u64, threads: usize, available: u64) -> Option<String> {
    let needed = need(threads);
    if needed <= available {
        return None;
    }
    let advice = match (1..threads).rev().find(|&fewer| need(fewer) <= available) {
        Some(fewer) => format!("; --threads {fewer} would fit"),
        None => String::new(),
    };
    let megabytes = |bytes: u64| numbers::grouped(u128::from(bytes / 1_000_000));
    let s = if threads == 1 { "" } else { "s" };
    Some(format!(
        "{threads} thread{s} may take {} MB of memory, and {} MB are free{advice}",
        megabytes(needed),
        megabytes(available)
    ))
}

/// What is said of a run, and when.
pub(super) struct LongRunHint {
    of: Fingerprint,
    /// When it is next asked whether the run will be long; `None` once that is settled.
    pub(super) due: Option<Instant>,
    /// When it is said at the latest.
    latest: Instant,
}

impl LongRunHint {
    const CHECK_EVERY: Duration = Duration::from_secs(2);
    /// A run of this age whose end is not known is a long one.
    const LATEST: Duration = Duration::from_secs(60);
    /// Nobody waits for a run that is expected to take longer than this: it is told how to keep and estimate it.
    const LONG: Duration = Duration::from_secs(60 * 10);
    /// The time of a shorter run is not worth a line.
    const SHORT: Duration = Duration::from_secs(10);

    pub(super) fn new(of: Fingerprint, progress: When) -> Self {
        let (now, is_shown) = (Instant::now(), !matches!(progress, When::Never | When::Json));
        Self { of, due: is_shown.then(|| now + Self::CHECK_EVERY), latest: now + Self::LATEST }
    }

    /// What is to be said now, where it is due and the run is not short; `advice` is added where it is long.
    pub(super) fn told(&mut self, progress: impl FnOnce() -> Progress, advice: Option<&str>) -> Option<String> {
        let (now, of) = (Instant::now(), &self.of);
        if self.due.is_none_or(|due| now < due) {
            return None;
        }
        let Progress { left, done, total, threads, .. } = progress();
        let share = (total - done) as f64 / of.units as f64;
        let rough = core_hours(of).map(|hours| 3600.0 * hours * share / threads.max(1) as f64);
        let rough = rough.filter(|&seconds| seconds > Self::LONG.as_secs_f64());
        if left.is_none() && rough.is_none() && now < self.latest {
            self.due = Some(now + Self::CHECK_EVERY);
            return None;
        }
        self.due = None;
        let time = match (left, rough) {
            (Some(left), _) if left.high < Self::SHORT.as_secs_f64() => return None,
            (Some(left), _) => format!("{} expected", range(&left)),
            (None, Some(seconds)) => {
                let (number, unit) = numbers::time_to_digits(seconds, 1);
                format!("roughly {number} {unit} expected, by runs on other machines")
            }
            (None, None) => "how long this takes is not known yet".to_owned(),
        };
        let n = of.subject.n();
        let sequence = match of.subject.rotation() {
            Some(rotation) => Some(rotation.sequence()),
            None => of.subject.fixed().is_none().then_some(&oeis::QUEENS),
        };
        let term = sequence.and_then(|sequence| Some((sequence.id, sequence.term(n)?)));
        let known = term
            .map_or_else(String::new, |(id, term)| format!("; {id}({n}) = {} is published", numbers::grouped(term)));
        if left.is_some_and(|left| left.high < Self::LONG.as_secs_f64()) {
            return Some(time + &known);
        }
        let more = estimate(of).map(|command| format!("'{command}' predicts it"));
        let more: Vec<String> = more.into_iter().chain(advice.map(str::to_owned)).collect();
        Some(format!("{time}{known}\n{}", more.join("; ")).trim_end().to_owned())
    }
}

/// What the join takes for a whole board, an order of magnitude: as measured with AVX-512 (docs/28.md), but for 25, which
/// is between its neighbours.
fn core_hours(of: &Fingerprint) -> Option<f64> {
    const HOURS: [f64; 7] = [0.5, 4.0, 45.0, 400.0, 4000.0, 60_000.0, 300_000.0];
    let is_join = of.engine == EngineKind::Join.info().name && of.subject.fixed().is_none();
    of.subject.n().checked_sub(22).and_then(|index| HOURS.get(index).copied()).filter(|_| is_join)
}

/// The command that estimates such a run. There is none for completions of given queens.
fn estimate(Fingerprint { subject, engine, .. }: &Fingerprint) -> Option<String> {
    let how = match (subject.rotation(), subject.fixed()) {
        (Some(rotation), _) => format!(" --symmetry {}", rotation.name()),
        (None, Some(_)) => return None,
        (None, None) if engine == EngineKind::Join.info().name => String::new(),
        (None, None) => format!(" --engine {engine}"),
    };
    Some(format!("queens estimate {}{how}", subject.n()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Args;
    use clap::Parser;
    use queens::{Interval, Placement, Request, Rotation, RotationalBoard, Size};

    fn hint(request: Request) -> LongRunHint {
        LongRunHint::new(request.fingerprint().unwrap(), When::Auto)
    }

    fn solutions(n: usize) -> Request {
        Request::solutions(Size::new(n).unwrap())
    }

    /// Each command estimates the very run, and the program takes it.
    #[test]
    fn the_command_estimates_this_run() {
        let turned = |rotation, n| Request::rotational(RotationalBoard::new(rotation, n).unwrap());
        let placed = Request::completions(Placement::parse("2,4", Size::new(20).unwrap()).unwrap());
        for (request, command) in [
            (solutions(24), Some("queens estimate 24")),
            (solutions(20).engine(EngineKind::Backtrack), Some("queens estimate 20 --engine backtrack")),
            (solutions(18).engine(EngineKind::Naive), Some("queens estimate 18 --engine naive")),
            (turned(Rotation::Half, 36), Some("queens estimate 36 --symmetry half")),
            (turned(Rotation::Quarter, 68), Some("queens estimate 68 --symmetry quarter")),
            (placed, None),
        ] {
            assert_eq!(estimate(&request.fingerprint().unwrap()).as_deref(), command);
            let line = command.unwrap_or("queens bench").split(' ');
            Args::try_parse_from(line).unwrap();
        }
    }

    /// Each board takes about as many times as long as the one before as that took itself.
    #[test]
    fn orders_of_magnitude_grow_evenly() {
        let hours = |n| core_hours(&solutions(n).engine(EngineKind::Join).fingerprint().unwrap());
        assert_eq!((hours(21), hours(28)), (None, Some(300_000.0)));
        for n in 23..=28 {
            let growth = hours(n).unwrap() / hours(n - 1).unwrap();
            assert!((4.0..16.0).contains(&growth), "{n}: {growth}");
        }
    }

    /// It is said once, of a run that is known to be long; before a minute has passed, not of one whose end is not known.
    #[test]
    fn it_is_said_once_of_long_runs() {
        let left = |seconds: u32| Some(Interval::exactly(seconds.into()));
        let progress = |left| {
            let mut progress = solutions(24).prepare().unwrap().watch().progress();
            (progress.left, progress.threads) = (left, 2);
            progress
        };
        let due = |n| LongRunHint { due: Some(Instant::now()), ..hint(solutions(n)) };
        let mut early = hint(solutions(24));
        assert_eq!(early.told(|| unreachable!("it is not due"), None), None);
        let mut short = due(24);
        assert_eq!((short.told(|| progress(left(9)), None), short.due), (None, None));
        assert_eq!(
            due(20).told(|| progress(left(14)), Some("advice")).unwrap(),
            "about 14 s expected; A000170(20) = 39,029,188,884 is published"
        );
        // At ten seconds and at ten minutes, and neither before two seconds have passed nor, unknown, before a minute has.
        let lines =
            |seconds| due(29).told(|| progress(left(seconds)), Some("advice")).map_or(0, |told| told.lines().count());
        assert_eq!([9, 10, 599, 600].map(lines), [0, 1, 1, 2]);
        // The plan of a large board takes a while.
        let of = solutions(29).fingerprint().unwrap();
        let (begin, begun) = (Instant::now(), LongRunHint::new(of, When::Auto));
        let after = [begun.due.unwrap(), begun.latest].map(|at| (at - begin).as_secs());
        assert_eq!(after, [2, 60]);
        let mut long = due(29);
        assert_eq!(
            long.told(|| progress(left(1800)), Some("advice")).unwrap(),
            "about 30 min expected\n'queens estimate 29 --engine backtrack' predicts it; advice"
        );
        assert_eq!(long.told(|| unreachable!("it was said"), None), None);
        assert_eq!(
            due(24).told(|| progress(None), Some("advice")).unwrap(),
            "roughly 20 h expected, by runs on other machines; A000170(24) = 227,514,171,973,736 is published\n\
             'queens estimate 24' predicts it; advice"
        );
        let mut unknown = due(29);
        assert_eq!(unknown.told(|| progress(None), None), None);
        assert!(unknown.due.is_some_and(|due| due > Instant::now()));
        (unknown.due, unknown.latest) = (Some(Instant::now()), Instant::now());
        let told = unknown.told(|| progress(None), None).unwrap();
        assert_eq!(told, "how long this takes is not known yet\n'queens estimate 29 --engine backtrack' predicts it");
        let request = solutions(24).fingerprint().unwrap();
        assert!([When::Never, When::Json].iter().all(|&when| LongRunHint::new(request.clone(), when).due.is_none()));
    }

    #[test]
    fn short_memory_is_told() {
        let need = |threads: usize| (100 + 50 * (threads as u64 - 1)) * 1_000_000;
        assert_eq!(warning(need, 3, 200_000_000), None);
        assert_eq!(
            warning(need, 8, 200_000_000).unwrap(),
            "8 threads may take 450 MB of memory, and 200 MB are free; --threads 3 would fit"
        );
        assert_eq!(warning(need, 1, 1_000_000).unwrap(), "1 thread may take 100 MB of memory, and 1 MB are free");
    }
}
