//! Lists of solutions, and solutions by their number in one: the published total as a bound, the search, and a draw at random.

use std::fmt::Display;

use clap::Args;
use queens::{
    FixedQueens, Listed, Orbit, Placement, PlacementError, Progress, Ranking, Request, Size, Solutions, Square, Watch,
};

use crate::cli::long_run::{Activity, Status, forecast::announce};
use crate::cli::terminal::{Failure, messages, numbers, signals};

/// So many solutions take less than ten seconds to count, on a slow core too.
const LONG: u64 = 20_000_000;

/// With more columns left to fill than this, the completions are not counted unasked: it would take minutes. With as many
/// it may take ten seconds on two cores.
pub(crate) const MOST_COLUMNS_COUNTED: usize = 18;

/// How many times as long it takes to find the fundamental solutions as to count all.
const WALKING: f64 = 6.0;

/// Queens on given squares, for every command that lists or shows boards.
#[derive(Args, Debug)]
pub(crate) struct QueenArgs {
    /// A queen on this square, once for each queen: column and row from the top left, as in 4,2, or as in chess, d7
    #[arg(long = "queen", value_name = "C,R")]
    pub(crate) queens: Vec<String>,
}

impl QueenArgs {
    /// These queens beside those of a placement. An error names each as it was given.
    pub(crate) fn beside(&self, placement: Placement) -> Result<FixedQueens, Failure> {
        let mut given: Vec<(Square, &str)> = Vec::new();
        self.queens.iter().try_fold(placement.into(), |queens: FixedQueens, text| {
            let invalid = |reason: &dyn Display| Failure::invalid("--queen <C,R>", text, &reason);
            let square = Square::parse(text, placement.size()).map_err(|error| invalid(&error))?;
            given.push((square, text));
            let name = |square: Square| {
                let text = given.iter().find(|(of, _)| *of == square).map(|(_, text)| (*text).to_owned());
                text.unwrap_or_else(|| format!("{},{}", square.column, square.row))
            };
            queens.with(square).map_err(|error| match error {
                PlacementError::Attack(a, b, line) => {
                    invalid(&format!("the queens on {} and {} share a {line}", name(a), name(b)))
                }
                error => invalid(&error),
            })
        })
    }
}

/// Which solutions are listed: those with these queens, and all of them or only some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SolutionList {
    pub(crate) fixed: FixedQueens,
    pub(crate) listed: Listed,
}

impl SolutionList {
    /// Every solution of a board.
    pub(crate) fn all(size: Size) -> Self {
        Self { fixed: Placement::empty(size).into(), listed: Listed::All }
    }

    /// How many solutions the whole board has, if that is published: a bound for numbers, and never itself a result.
    fn bound(self) -> Option<u64> {
        self.listed.sequence().term(self.fixed.size().get()).and_then(|total| total.try_into().ok())
    }

    /// How many are listed, if that is published.
    pub(crate) fn published(self) -> Option<u64> {
        self.bound().filter(|_| self.fixed.is_empty())
    }

    /// Why no solution of the list has this number, where the published total says so.
    pub(crate) fn beyond(self, number: u64) -> Option<String> {
        let total = self.bound().filter(|&total| number > total)?;
        let kind = match self.listed {
            Listed::All => "solution".to_owned(),
            Listed::Fundamental => "fundamental solution".to_owned(),
            Listed::Unchanged(turn) => format!("{turn}-turn solution"),
        };
        let (size, id) = (self.fixed.size(), self.listed.sequence().id);
        if total == 0 {
            return Some(format!("N = {size} has no {kind}s (OEIS {id})"));
        }
        let (has, last) = (numbers::count_of(total, &kind), numbers::grouped(total.into()));
        Some(format!("N = {size} has {has} (OEIS {id}), numbered from 1 to {last}"))
    }

    /// The size of a solution's class, which is told where only the fundamental ones are listed.
    pub(crate) fn class_size(self, solution: &Placement) -> Option<usize> {
        let orbit = (self.listed == Listed::Fundamental).then(|| Orbit::of(solution));
        orbit.flatten().map(|orbit| orbit.class_size())
    }

    /// Whether it may take ten seconds or longer to count the list.
    pub(crate) fn is_long(self) -> bool {
        match self.listed {
            Listed::Unchanged(_) => self.bound().is_none_or(|total| total > LONG),
            _ => self.fixed.size().get() - self.fixed.len() >= MOST_COLUMNS_COUNTED,
        }
    }

    /// The solution with this number among those from `start` on. In the second half of a whole list it is counted from the end:
    /// upside down, the list of all is the same in reverse.
    pub(crate) fn select(
        self,
        start: Placement,
        number: u64,
        activity: &Activity,
    ) -> Result<Option<Placement>, Failure> {
        let total = self.published().filter(|_| self.listed == Listed::All && start.is_empty());
        if let Some(total) = total.filter(|&total| number <= total && number - 1 > total / 2) {
            let found = self.select(start, total + 1 - number, activity)?;
            return Ok(found.map(Placement::upside_down));
        }
        let ranking = Ranking::new(self.fixed, self.listed)?;
        let before = number - 1;
        if before > LONG && self.tell(|total| self.work(before as f64 / total))? {
            let size = self.fixed.size();
            messages::note(&format!("'queens solutions {size} --from P' begins at any placement at once"));
        }
        // Of a board without a published total no search gets far.
        let total = self.bound().unwrap_or(u64::MAX) as f64;
        let done = move |passed: u64| self.work(passed as f64 / total);
        let share = move |passed| Some(done(passed) / done(before.max(1)));
        searched(start.size(), share, activity, move |watch| ranking.select(start, number, watch))
    }

    /// The number of a solution in the list.
    pub(crate) fn number(self, solution: &Placement, activity: &Activity) -> Result<u64, Failure> {
        let (prefix, ranking) = (self.fixed.prefix(), Ranking::new(self.fixed, self.listed)?);
        if self.is_long() {
            // Each row of the next queen takes about as long as any other.
            let row = solution.rows().nth(prefix.len()).map_or(0.0, |row| row as f64 - 0.5);
            let both_halves = if prefix.is_empty() { 2.0 } else { 1.0 };
            self.tell(|_| (both_halves * row / prefix.size().get() as f64).min(1.0))?;
        }
        let solution = *solution;
        let number = searched(prefix.size(), |_| None, activity, move |watch| ranking.number(&solution, watch))?;
        Ok(number.expect("a signal alone stops it"))
    }

    /// How many solutions of the list come before the first that is not before `from`; `None` where counting them would
    /// take long.
    pub(crate) fn before(self, from: Placement, activity: &Activity) -> Result<Option<u64>, Failure> {
        if from <= self.fixed.prefix() {
            return Ok(Some(0));
        }
        if self.is_long() {
            messages::note("the solutions are not numbered: counting those before the first would take long");
            return Ok(None);
        }
        // Where no solution is left there is none to number.
        let first = Solutions::within(self.fixed, from).only(self.listed).next();
        first.map_or(Ok(Some(0)), |first| Ok(Some(self.number(&first, activity)? - 1)))
    }

    /// The share of the time for a whole list, in which a share of it is counted. Of a whole board the second half is the
    /// first upside down and takes no time. Within the first half each row of the first queen takes about as long, while
    /// the solutions become three times as many: in a share x of the time, about (x + x²) / 2 of them are counted.
    fn work(self, share: f64) -> f64 {
        match self.listed {
            Listed::All if self.fixed.is_empty() => ((1.0 + 16.0 * share.min(0.5)).sqrt() - 1.0) / 2.0,
            _ => share,
        }
    }

    /// Says how long it takes to count a part of a list, if that is long. The part is one of the time for the whole list, and may
    /// depend on its length: both are estimated, for lists with queens on the first columns alone.
    fn tell(self, part: impl FnOnce(f64) -> f64) -> Result<bool, Failure> {
        let Some(prefix) = self.fixed.as_placement() else { return Ok(false) };
        let request = Request::completions(prefix);
        match self.listed {
            Listed::All => announce("solutions", request, part),
            Listed::Fundamental => announce("solutions", request, |all| WALKING * part(all / 8.0)),
            Listed::Unchanged(_) => Ok(false),
        }
    }
}

/// A solution drawn at random, and its number where all are as likely as each other: on boards that are counted in seconds.
/// On others the first queens are drawn row by row, and the rest evenly among their completions.
pub(crate) fn random(
    size: Size,
    mut draws: fastrand::Rng,
    activity: &Activity,
) -> Result<(Placement, Option<u64>), Failure> {
    /// So many columns are left by the queens that are drawn row by row: their completions are counted at once.
    const COLUMNS_LEFT: usize = 16;
    let (board, n) = (Placement::empty(size), size.get());
    let is_uniform = n <= MOST_COLUMNS_COUNTED;
    let drawn = if is_uniform { 0 } else { n - COLUMNS_LEFT };
    if !is_uniform {
        messages::note(&format!("above N = {MOST_COLUMNS_COUNTED}, solutions are not all equally likely to be drawn"));
    } else if SolutionList::all(size).is_long() {
        SolutionList::all(size).tell(|_| 1.0)?;
    }
    searched(
        size,
        |_| None,
        activity,
        move |watch| {
            loop {
                let draw = |begun: Placement, _| draws.choice(begun.extensions().collect::<Vec<_>>());
                // A beginning that leaves no free row, or has no completion, is drawn anew.
                let Some(begun) = (0..drawn).try_fold(board, draw) else { continue };
                let ranking = Ranking::new(begun, Listed::All)?;
                let Some(total) = ranking.total(watch) else { return Err(Failure::Closed) };
                let number = draws.u64(1..=total.max(1));
                match ranking.select(begun, number, watch) {
                    Some(solution) => return Ok((solution, is_uniform.then_some(number))),
                    None if is_uniform => {
                        return Err(Failure::invalid("<N>", &size.to_string(), &"there is no solution"));
                    }
                    None => {}
                }
            }
        },
    )?
}

/// Searches, while the activity shows how many solutions are passed, and the share of the time where that is known. A signal
/// stops it.
fn searched<T: Send + 'static>(
    size: Size,
    share: impl Fn(u64) -> Option<f64> + Send + 'static,
    activity: &Activity,
    search: impl FnOnce(&Watch) -> T + Send + 'static,
) -> Result<T, Failure> {
    let status = move |Progress { done, .. }| progress(size, share(done), done, "solutions passed");
    activity.to_the_end(&Watch::default(), status, search).inspect_err(|failure| {
        if let Failure::Signal(signal) = failure {
            activity.say((messages::note, format!("{}: the search was stopped", signals::name(*signal))));
        }
    })
}

/// How far a walk through the solutions is.
pub(crate) fn progress(size: Size, share: Option<f64>, done: u64, what: &str) -> Status {
    let fields = vec![format!("{} {what}", numbers::rounded(done as f64))];
    Status { title: format!("N = {size}"), share, is_even: true, fields, ..Status::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_bounded_by_the_published_total() {
        let reason =
            |n, listed, number| SolutionList { listed, ..SolutionList::all(Size::new(n).unwrap()) }.beyond(number);
        assert_eq!([reason(8, Listed::All, 92), reason(28, Listed::All, u64::MAX)], [None, None]);
        let eight = "N = 8 has 92 solutions (OEIS A000170), numbered from 1 to 92";
        assert_eq!(reason(8, Listed::All, 93).as_deref(), Some(eight));
        assert_eq!(reason(3, Listed::All, 1).as_deref(), Some("N = 3 has no solutions (OEIS A000170)"));
        let twelve = "N = 8 has 12 fundamental solutions (OEIS A002562), numbered from 1 to 12";
        assert_eq!(reason(8, Listed::Fundamental, 13).as_deref(), Some(twelve));
        assert!(reason(20, Listed::All, 39_029_188_884).is_none() && reason(20, Listed::All, 39_029_188_885).is_some());
    }
}
