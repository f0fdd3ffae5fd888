//! Solutions by their number in a list: the published total as a bound, and the search.

use std::time::{Duration, Instant};

use queens::estimate::Sampling;
use queens::run::TimeLeft;
use queens::{EngineKind, Listed, Placement, Ranking, Request, Size};

use crate::cli::commands::solutions::rank;
use crate::cli::long_run::activity::{Activity, Step};
use crate::cli::long_run::status;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::{messages, numbers};

/// So many solutions take less than ten seconds to count, on a slow core too.
const LONG: u64 = 20_000_000;

/// With more columns left to fill than this, the completions are not counted unasked: on two cores it would take longer than
/// about ten seconds.
pub(crate) const MOST_COLUMNS_COUNTED: usize = 18;

/// How many times as long it takes to find the fundamental solutions as to count all.
const WALKING: f64 = 10.0;

/// How many solutions a whole board has, as far as it is published: a bound for numbers, and never itself a result.
pub(crate) fn published(size: Size, listed: Listed) -> Option<u64> {
    listed.sequence().term(size.get()).and_then(|total| total.try_into().ok())
}

/// Why no solution of a board has this number, where the published total says so.
pub(crate) fn beyond(size: Size, listed: Listed, number: u64) -> Option<String> {
    let total = published(size, listed).filter(|&total| number > total)?;
    let kind = if listed == Listed::Fundamental { "fundamental solution" } else { "solution" };
    let (has, id) = (numbers::count_of(total, kind), listed.sequence().id);
    Some(match total {
        0 => format!("N = {size} has no {kind}s (OEIS {id})"),
        _ => format!("N = {size} has {has} (OEIS {id}), numbered from 1 to {}", numbers::grouped(total.into())),
    })
}

/// The solution with this number among those from `start` on.
pub(crate) fn select(
    prefix: Placement,
    start: Placement,
    listed: Listed,
    number: u64,
    activity: &Activity,
) -> Result<Option<Placement>, Failure> {
    let ranking = Ranking::new(prefix, listed)?;
    let before = number - 1;
    let time = if before > LONG { forecast(prefix, listed, |total| before as f64 / total)? } else { None };
    if time.is_some() {
        messages::note(&format!("'queens solutions {} --from P' begins at any placement at once", prefix.size()));
    }
    Ok(ranking.select(start, number, &mut shown(prefix, Some(before), time, activity)))
}

/// The number of a solution in a list.
pub(crate) fn number(
    prefix: Placement,
    listed: Listed,
    solution: &Placement,
    activity: &Activity,
) -> Result<u64, Failure> {
    let ranking = Ranking::new(prefix, listed)?;
    let time = if rank::is_long(&prefix) {
        // About as many solutions begin with any row as with any other.
        let row = solution.rows().nth(prefix.len()).map_or(0.0, |row| row as f64 - 0.5);
        forecast(prefix, listed, |_| row / prefix.size().get() as f64)?
    } else {
        None
    };
    let number = ranking.number(solution, &mut shown(prefix, None, time, activity));
    Ok(number.expect("nothing stops it"))
}

/// A solution drawn at random, and its number where all are as likely as each other: on boards that are counted in seconds.
/// On others the first queens are drawn row by row, which prefers some beginnings, and the rest evenly among their
/// completions.
pub(crate) fn random(size: Size, activity: &Activity) -> Result<(Placement, Option<u64>), Failure> {
    /// After the queens that are drawn row by row; these completions are counted at once.
    const COLUMNS_LEFT: usize = 16;
    let board = Placement::empty(size);
    let n = size.get();
    let is_uniform = n <= MOST_COLUMNS_COUNTED;
    if !is_uniform {
        let first = n - COLUMNS_LEFT;
        messages::note(&format!("not every solution is as likely: the first {first} queens are drawn row by row"));
    }
    let (time, all) = if is_uniform && n > COLUMNS_LEFT {
        (forecast(board, Listed::All, |total| total)?, published(size, Listed::All))
    } else {
        (None, None)
    };
    let mut go_on = shown(board, all, time, activity);
    loop {
        let rows = if is_uniform { 0 } else { n - COLUMNS_LEFT };
        let draw = |begun: Placement, _| fastrand::choice(begun.extensions().collect::<Vec<_>>());
        // A beginning that leaves no free row, or has no completion, is drawn anew.
        let Some(begun) = (0..rows).try_fold(board, draw) else { continue };
        let ranking = Ranking::new(begun, Listed::All)?;
        let total = ranking.total(&mut go_on).expect("nothing stops it");
        let number = if total > 0 { fastrand::u64(1..=total) } else { 0 };
        match ranking.select(begun, number, &mut go_on) {
            Some(solution) => return Ok((solution, is_uniform.then_some(number))),
            None if is_uniform => {
                return Err(Failure::invalid("<N>", &size.to_string(), &format!("N = {size} has no solutions")));
            }
            None => {}
        }
    }
}

/// What it takes to count a share of a list, from the time and the length that are estimated for all solutions. It is
/// told where it is more than ten seconds.
fn forecast(prefix: Placement, listed: Listed, share: impl FnOnce(f64) -> f64) -> Result<Option<TimeLeft>, Failure> {
    let sampling = Sampling { samples: 500, max_time: Duration::from_secs(1), ..Sampling::default() };
    let request = Request::completions(prefix).engine(EngineKind::Backtrack);
    let all = request.estimate(&sampling).map_err(|error| Failure::from(&error))?;
    let part = match listed {
        // The second half of the list is the first upside down, and takes no time.
        Listed::All if prefix.is_empty() => 2.0 * share(all.count.mean).min(0.5),
        Listed::All => share(all.count.mean),
        Listed::Fundamental => WALKING * share(all.count.mean / 8.0),
    };
    let time = |seconds: f64| Duration::try_from_secs_f64(part * seconds).unwrap_or(Duration::MAX);
    let time = TimeLeft { expected: time(all.seconds.mean), low: time(all.seconds.low), high: time(all.seconds.high) };
    if time.expected < Duration::from_secs(10) {
        return Ok(None);
    }
    messages::note(&format!("counting solutions takes {}; ^C ends it", status::range(&time)));
    Ok(Some(time))
}

/// Shows how many solutions are passed, of all that are to be passed where that is known.
fn shown(
    prefix: Placement,
    of: Option<u64>,
    forecast: Option<TimeLeft>,
    activity: &Activity,
) -> impl FnMut(u64) -> bool {
    /// With less done than this, the forecast knows better what is left.
    const LITTLE: f64 = 0.02;
    let (title, started) = (format!("N = {}", prefix.size()), Instant::now());
    move |passed| {
        let fields = vec![format!("{} solutions passed", numbers::rounded(passed as f64))];
        let share = of.map(|of| passed as f64 / of.max(1) as f64);
        let since = started.elapsed();
        let left = forecast.filter(|_| share.is_none_or(|share| share < LITTLE)).map(|time| TimeLeft {
            expected: time.expected.saturating_sub(since),
            low: time.low.saturating_sub(since),
            high: time.high.saturating_sub(since),
        });
        activity.at(Step { title: title.clone(), share, is_even: true, left, fields });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_bounded_by_the_published_total() {
        let reason = |n, listed, number| beyond(Size::new(n).unwrap(), listed, number);
        assert_eq!([reason(8, Listed::All, 92), reason(28, Listed::All, u64::MAX)], [None, None]);
        let eight = "N = 8 has 92 solutions (OEIS A000170), numbered from 1 to 92";
        assert_eq!(reason(8, Listed::All, 93).as_deref(), Some(eight));
        assert_eq!(reason(3, Listed::All, 1).as_deref(), Some("N = 3 has no solutions (OEIS A000170)"));
        let twelve = "N = 8 has 12 fundamental solutions (OEIS A002562), numbered from 1 to 12";
        assert_eq!(reason(8, Listed::Fundamental, 13).as_deref(), Some(twelve));
        assert!(reason(20, Listed::All, 39_029_188_884).is_none() && reason(20, Listed::All, 39_029_188_885).is_some());
    }
}
