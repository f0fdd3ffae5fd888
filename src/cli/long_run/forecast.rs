//! What a run will take, told before it begins or soon after: memory, and time where that is long.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use queens::estimate::Sampling;
use queens::ledger::Fingerprint;
use queens::{EngineKind, Interval, Progress, Request, Subject, Watch, oeis, thread_count};
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use super::status::range;
use crate::cli::terminal::{Failure, messages, numbers};

/// Bytes that a run of so many threads takes, which is a guide; turns need little, and nobody has measured how much.
pub(crate) fn memory(request: &Request, threads: usize) -> Option<u64> {
    let (Subject::Completions(fixed), Ok(method)) = (request.subject(), request.method()) else { return None };
    Some(method.memory(fixed.size(), threads))
}

/// Says so where the run may need more memory than there is. It begins all the same, for the need is a guide.
pub(crate) fn warn_of_memory(request: &Request, threads: usize) {
    /// What needs no more fits wherever the program starts. To ask the system takes longer than to count a small board.
    const LITTLE: u64 = 32_000_000;
    let need = |threads| memory(request, threads).unwrap_or_default();
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

/// When a run is asked how long it takes. A short one has ended by then, and loses nothing to a forecast.
pub(super) const DUE: Duration = Duration::from_secs(2);

/// Two seconds of samples.
pub(super) fn sampling() -> Sampling {
    let mut sampling = Sampling::default().within(Duration::from_secs(2));
    // The count is not asked for: most of the time is for tasks.
    sampling.samples = 500;
    sampling
}

/// The time that a run of so many threads takes if nothing else runs, by samples on a thread of their own.
pub(super) fn time(request: &Request, threads: usize, sampling: &Sampling) -> Option<Interval> {
    let prediction = request.threads(1).estimate(sampling, &Watch::default()).ok()?;
    let cores = thread_count(threads).min(thread_count(0));
    prediction.core_seconds.high.is_finite().then(|| prediction.core_seconds.times(1.0 / cores as f64))
}

/// Says how long it takes to count something, if it is more than ten seconds, and returns whether it is: so many times as long as
/// to count what is requested by backtracking, which may depend on how many solutions there are.
pub(crate) fn announce(what: &str, request: Request, times: impl FnOnce(f64) -> f64) -> Result<bool, Failure> {
    let all = request.engine(EngineKind::Backtrack).estimate(&sampling(), &Watch::default())?;
    let time = all.seconds.times(times(all.count.mean));
    let is_long = time.mean > 10.0;
    if is_long {
        let (time, cores) = (range(&time), numbers::count_of(all.cores as u64, "idle core"));
        messages::note(&format!("counting the {what} takes {time} on {cores}; ^C ends it"));
    }
    Ok(is_long)
}

/// Below so many times its mean in either direction an interval says more than an order of magnitude.
const MAGNITUDE: f64 = 10.0;

/// An interval as `exactly` says it, or an order of magnitude, called one, where it tells no more.
pub(crate) fn roughly(
    interval: &Interval,
    exactly: impl FnOnce() -> String,
    print: impl Fn(f64, usize) -> String,
) -> String {
    if interval.factor() < MAGNITUDE { exactly() } else { format!("roughly {}", print(interval.mean, 1)) }
}

/// The part of a forecast for all of a plan that is left.
pub(super) fn of_the_rest(of: &Fingerprint, progress: &Progress, all: Option<Interval>) -> Option<Interval> {
    all.map(|all| all.times((progress.total - progress.done) as f64 / of.units as f64))
}

/// What is said of a run whose time left is known by its own pace, or else by a forecast; nothing of a short one. `advice` is added to what is said of a long one.
pub(super) fn hint(
    of: &Fingerprint,
    progress: &Progress,
    forecast: Option<Interval>,
    advice: Option<&str>,
) -> Option<String> {
    /// The time of a shorter run is not worth a line.
    const SHORT: f64 = 10.0;
    /// Nobody waits for a run that is expected to take longer than this: it is told how to keep and estimate it.
    const LONG: f64 = 600.0;
    let (time, high) = match (progress.left, forecast) {
        (Some(left), _) => (format!("{} expected", range(&left)), left.high),
        (None, Some(left)) => {
            let time = roughly(&left, || range(&left), numbers::time);
            (format!("{time} expected if nothing else runs"), left.high)
        }
        (None, None) => ("how long this takes is not known yet".to_owned(), f64::INFINITY),
    };
    if high < SHORT {
        return None;
    }
    let n = of.subject.n();
    let sequence = match of.subject.rotation() {
        Some(rotation) => Some(rotation.sequence()),
        None => of.subject.fixed().is_none().then_some(&oeis::QUEENS),
    };
    let term = sequence.and_then(|sequence| Some((sequence.id, sequence.term(n)?)));
    let known =
        term.map_or_else(String::new, |(id, term)| format!("; {id}({n}) = {} is published", numbers::grouped(term)));
    if high < LONG {
        return Some(time + &known);
    }
    let more = estimate(of).map(|command| format!("'{command}' tells more"));
    let more: Vec<String> = more.into_iter().chain(advice.map(str::to_owned)).collect();
    Some(format!("{time}{known}\n{}", more.join("; ")).trim_end().to_owned())
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
    use queens::{Placement, Rotation, RotationalBoard, Size};

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

    /// The run's own pace comes before a forecast, of which the part counts that is left.
    #[test]
    fn long_runs_are_told() {
        let told = |n: usize, left: Option<f64>, forecast: Option<f64>| {
            let of = solutions(n).fingerprint().unwrap();
            let mut progress = solutions(n).prepare().unwrap().watch().progress();
            (progress.left, progress.done) = (left.map(Interval::exactly), progress.total / 2);
            let forecast = of_the_rest(&of, &progress, forecast.map(Interval::exactly));
            hint(&of, &progress, forecast, Some("advice"))
        };
        assert_eq!(
            told(20, Some(14.0), None).unwrap(),
            "about 14 s expected; A000170(20) = 39,029,188,884 is published"
        );
        // At ten seconds and at ten minutes.
        let lines = |seconds| told(28, Some(seconds), Some(1e6)).map_or(0, |told| told.lines().count());
        assert_eq!([9.0, 10.0, 599.0, 600.0].map(lines), [0, 1, 1, 2]);
        assert_eq!(told(20, None, Some(19.0)), None, "half of it is done");
        assert_eq!(
            told(24, None, Some(7200.0)).unwrap(),
            "about 60 min expected if nothing else runs; A000170(24) = 227,514,171,973,736 is published\n\
             'queens estimate 24' tells more; advice"
        );
        let years = |low, high| {
            let left = Interval { mean: 1.2e12, low, high };
            roughly(&left, || range(&left), numbers::time)
        };
        assert_eq!(years(1e12, 1.6e12), "32,000 to 51,000 years");
        assert_eq!(years(1.3e11, 1.19e13), "4,100 to 380,000 years");
        assert_eq!(
            [(1.1e11, 1.3e12), (1e12, 1.21e13), (0.0, 1.3e12)].map(|(low, high)| years(low, high)),
            ["roughly 40,000 years"; 3]
        );
        assert_eq!(
            told(29, None, None).unwrap(),
            "how long this takes is not known yet\n'queens estimate 29 --engine backtrack' tells more; advice"
        );
    }

    /// For whatever can be counted, whoever counts it.
    #[test]
    fn every_run_has_a_forecast() {
        let turned = |rotation, n| Request::rotational(RotationalBoard::new(rotation, n).unwrap());
        let placed = Request::completions(Placement::parse("2,4", Size::new(28).unwrap()).unwrap());
        let (parts, turns) = ([solutions(32), placed], [turned(Rotation::Half, 38), turned(Rotation::Quarter, 77)]);
        // As many samples as an interval takes, on any machine: of parts of the board, whatever the time, or of tasks of a
        // smaller board, in no time.
        let of_parts = parts.map(|request| (request, Duration::MAX));
        let smaller = [solutions(18), solutions(28)].into_iter().chain(turns).map(|request| (request, Duration::ZERO));
        for (request, max_time) in smaller.chain(of_parts) {
            let mut sampling = Sampling::default().within(max_time);
            sampling.samples = 20;
            let found = time(&request, 1, &sampling).unwrap();
            assert!(found.low < found.mean && found.mean < found.high, "{request:?}: {found:?}");
        }
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
