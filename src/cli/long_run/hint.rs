//! What is said once of a run that will be long: how long it will be, and which command tells more.

use std::time::{Duration, Instant};

use queens::ledger::Fingerprint;
use queens::run::TimeLeft;
use queens::{EngineKind, Subject};

use super::options::When;
use super::status::range;

/// When it is said, and what.
pub(super) struct LongRunHint {
    /// When it is next asked whether the run will be long; `None` once that is settled.
    pub(super) due: Option<Instant>,
    /// When it is said at the latest.
    latest: Instant,
    /// The command that estimates this run.
    estimate: Option<String>,
}

impl LongRunHint {
    const CHECK_EVERY: Duration = Duration::from_secs(2);
    /// A run of this age whose end is not known is a long one.
    const LATEST: Duration = Duration::from_mins(1);
    /// A run that is expected to take longer than this had better keep a checkpoint.
    const LONG: Duration = Duration::from_mins(10);

    pub(super) fn new(of: &Fingerprint, progress: When) -> Self {
        let is_shown = !matches!(progress, When::Never | When::Json);
        let (now, estimate) = (Instant::now(), estimate(of));
        Self { due: is_shown.then(|| now + Self::CHECK_EVERY), latest: now + Self::LATEST, estimate }
    }

    /// What is to be said now, where it is due and the run is known to be long.
    pub(super) fn told(&mut self, left: impl FnOnce() -> Option<TimeLeft>) -> Option<String> {
        let now = Instant::now();
        if self.due.is_none_or(|due| now < due) {
            return None;
        }
        let left = left();
        if left.is_none() && now < self.latest {
            self.due = Some(now + Self::CHECK_EVERY);
            return None;
        }
        self.due = None;
        let time = match left {
            Some(left) if left.high < Self::LONG => return None,
            Some(left) => format!("{} expected", range(&left)),
            None => "how long this takes is not known yet".to_owned(),
        };
        let more = self.estimate.as_ref().map_or_else(String::new, |command| format!("; '{command}' tells more"));
        Some(time + &more)
    }
}

/// The command that estimates such a run. There is none for completions of a placement.
fn estimate(Fingerprint { subject, engine, .. }: &Fingerprint) -> Option<String> {
    let how = match subject {
        Subject::Rotational(board) => format!(" --symmetry {}", board.rotation().name()),
        Subject::Completions(_) if subject.prefix().is_some() => return None,
        Subject::Completions(_) if engine == EngineKind::Join.info().name => String::new(),
        Subject::Completions(_) => format!(" --engine {engine}"),
        _ => return None,
    };
    Some(format!("queens estimate {}{how}", subject.n()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Args;
    use clap::Parser;
    use queens::{Placement, Request, Rotation, RotationalBoard, Size};

    fn hint(request: Request) -> LongRunHint {
        LongRunHint::new(&request.fingerprint().unwrap(), When::Auto)
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
            assert_eq!(hint(request).estimate.as_deref(), command);
            let line = command.unwrap_or("queens bench").split(' ');
            Args::try_parse_from(line).unwrap();
        }
    }

    /// It is said once, of a run that is known to be long; before a minute has passed, not of one whose end is not known.
    #[test]
    fn it_is_said_once_of_long_runs() {
        let left = |minutes| Some(TimeLeft { expected: minutes, low: minutes, high: minutes });
        let minutes = |minutes| left(Duration::from_mins(minutes));
        let due = |n| LongRunHint { due: Some(Instant::now()), ..hint(solutions(n)) };
        let mut early = hint(solutions(24));
        assert_eq!(early.told(|| unreachable!("it is not due")), None);
        let mut short = due(24);
        assert_eq!((short.told(|| minutes(9)), short.due), (None, None));
        let mut long = due(24);
        assert_eq!(long.told(|| minutes(30)).unwrap(), "about 30 min expected; 'queens estimate 24' tells more");
        assert_eq!(long.told(|| unreachable!("it was said")), None);
        let mut unknown = due(26);
        assert_eq!(unknown.told(|| None), None);
        assert!(unknown.due.is_some_and(|due| due > Instant::now()));
        (unknown.due, unknown.latest) = (Some(Instant::now()), Instant::now());
        let told = unknown.told(|| None).unwrap();
        assert_eq!(told, "how long this takes is not known yet; 'queens estimate 26' tells more");
        let request = solutions(24).fingerprint().unwrap();
        assert!([When::Never, When::Json].iter().all(|&when| LongRunHint::new(&request, when).due.is_none()));
    }
}
