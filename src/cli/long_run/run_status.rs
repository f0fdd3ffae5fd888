//! How far a run is that keeps a ledger.

use std::time::Duration;

use queens::ledger::Fingerprint;
use queens::run::state::Progress;

use super::status::{Status, time};
use crate::cli::terminal::{
    Facts,
    numbers::{count_of, grouped, rounded},
};

/// What is counted, as in `N = 20, join`.
pub(crate) fn title(fingerprint: &Fingerprint) -> String {
    let subject = &fingerprint.subject;
    let prefix = subject.prefix().map_or_else(String::new, |prefix| format!(", prefix {prefix}"));
    let turn = subject.rotation().map_or_else(String::new, |rotation| format!(", {rotation} turn"));
    format!("N = {}{prefix}{turn}, {}", subject.n(), fingerprint.engine)
}

/// How far a double check is with what earlier runs have saved.
pub(super) fn recounting(progress: &Progress) -> String {
    let Progress { recounted, to_recount, .. } = *progress;
    format!("recounted {} of {} of earlier runs", grouped(recounted.into()), count_of(to_recount, "task"))
}

/// With the age of the last save, where there is a checkpoint.
pub(super) fn status(fingerprint: &Fingerprint, progress: &Progress, saved: Option<Duration>) -> Status {
    let Progress {
        units_done, units, share, elapsed, earlier, left, solutions, to_recount, recounted, threads, ..
    } = *progress;
    let fields = [
        (recounted < to_recount).then(|| recounting(progress)),
        (units_done > 0).then(|| format!("{} solutions", rounded(solutions as f64))),
        saved.map(|age| format!("saved {} ago", time(age))),
        (!earlier.is_zero()).then(|| format!("{} with earlier runs", time(earlier.saturating_add(elapsed)))),
    ];
    let object = Facts::default()
        .with("n", fingerprint.subject.n())
        .with("engine", &fingerprint.engine)
        .with("threads", threads)
        .with("units_done", units_done)
        .with("units", units)
        .with("total", (earlier + elapsed).as_secs_f64())
        .with("left", left.map(|left| left.expected.as_secs_f64()))
        .with("left_low", left.map(|left| left.low.as_secs_f64()))
        .with("left_high", left.map(|left| left.high.as_secs_f64()))
        .with("solutions", solutions.to_string())
        .with("recounted", recounted)
        .with("to_recount", to_recount)
        .with("tasks_per_second", progress.tasks_per_second())
        .with("saved_ago", saved.map(|age| age.as_secs_f64()));
    // Before the run has begun, nobody knows how many.
    let threads = if threads > 0 { format!(", {}", count_of(threads as u64, "thread")) } else { String::new() };
    let title = format!("{}{threads}", title(fingerprint));
    let fields = fields.into_iter().flatten().collect();
    Status { title, share: Some(share), is_even: false, elapsed, left, fields, object }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::{Placement, Request, Rotation, RotationalBoard, Size};

    #[test]
    fn a_run_says_what_it_counts_and_what_it_has() {
        let request = Request::solutions(Size::new(16).unwrap());
        let mut progress = request.start().unwrap().state().progress();
        (progress.solutions, progress.threads, progress.elapsed) = (6_123_456, 2, Duration::from_secs(62));
        let told = |progress: &Progress, saved| status(&request.fingerprint().unwrap(), progress, saved);
        let begun = told(&progress, None);
        assert_eq!((begun.title.as_str(), begun.fields.len()), ("N = 16, join, 2 threads", 0));
        (progress.units_done, progress.earlier) = (44, Duration::from_hours(1));
        let fields = told(&progress, Some(Duration::from_secs(12))).fields;
        assert_eq!(fields, ["6.12 million solutions", "saved 12 s ago", "1 h 01 min 02 s with earlier runs"]);
        (progress.to_recount, progress.recounted) = (28, 27);
        assert_eq!(told(&progress, None).fields[0], "recounted 27 of 28 tasks of earlier runs");
        progress.recounted = 28;
        assert_eq!(told(&progress, None).fields[0], "6.12 million solutions", "that is over");
        let prefix = Placement::parse("1,3", Size::new(16).unwrap()).unwrap();
        let title = |request: Request| title(&request.fingerprint().unwrap());
        assert_eq!(title(Request::completions(prefix)), "N = 16, prefix 1,3, backtrack");
        let board = RotationalBoard::new(Rotation::Half, 16).unwrap();
        assert_eq!(title(Request::rotational(board)), "N = 16, half turn, cover");
    }
}
