//! Numbers of solutions in a list: `--rank P`, and that of the first where `--from` begins in the middle.

use queens::{Listed, Orbit, Placement};

use crate::cli::commands::numbered;
use crate::cli::long_run::activity::Activity;
use crate::cli::long_run::options::When;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::messages;

/// How many solutions of the list come before the first that is not before `from`; `None` where counting them would take
/// long.
pub(super) fn before(
    prefix: Placement,
    from: Placement,
    listed: Listed,
    activity: &Activity,
) -> Result<Option<u64>, Failure> {
    if from <= prefix {
        return Ok(Some(0));
    }
    if numbered::is_long(&prefix) {
        messages::note("the solutions are not numbered: counting those before the first would take long");
        return Ok(None);
    }
    // Where no solution is left there is none to number.
    let first = listed.within(prefix, from).next();
    first.map_or(Ok(Some(0)), |first| Ok(Some(numbered::number(prefix, listed, &first, activity)? - 1)))
}

/// The number of a solution in the list of all; none where it is no solution, or counting those before it would take long.
pub(crate) fn number(placement: &Placement, activity: &Activity) -> Result<Option<u64>, Failure> {
    let board = Placement::empty(placement.size());
    let is_counted = placement.is_solution() && !numbered::is_long(&board);
    is_counted.then(|| numbered::number(board, Listed::All, placement, activity)).transpose()
}

/// Prints the number of a solution in the list.
pub(super) fn run(
    prefix: Placement,
    listed: Listed,
    solution: &Placement,
    text: &str,
    progress: When,
) -> Result<(), Failure> {
    let invalid = |reason: &str| Err(Failure::invalid("--rank <P>", text, &reason));
    let Some(orbit) = Orbit::of(solution) else {
        return invalid(&format!(
            "no solution, which has a queen in each of the {} columns: this has {}",
            solution.size(),
            solution.len()
        ));
    };
    if !solution.rows().zip(prefix.rows()).all(|(row, begun)| row == begun) {
        return invalid(&format!("not in the list, which has only solutions that begin with {prefix}"));
    }
    if listed == Listed::Fundamental && !orbit.is_fundamental() {
        return invalid(&format!("not in the list: the fundamental solution of its class is {}", orbit.canonical()));
    }
    let activity = Activity::start(progress, "solutions");
    let number = numbered::number(prefix, listed, solution, &activity)?;
    activity.finish();
    messages::deliver(&format!("{number}\n"))
}
