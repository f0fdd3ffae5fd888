//! Numbers of solutions in a list: `--rank P`, and that of the first where `--from` begins in the middle.

use queens::run::SelfCheckError;
use queens::{Listed, Orbit, Placement};

use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::messages;

/// With more columns left to fill than this, the solutions before the first are not counted just to number those that are
/// listed: it would take longer than about ten seconds on two cores.
const MOST_COLUMNS_COUNTED: usize = 17;

/// How many solutions of the list come before the first that is not before `from`; `None` where counting them would take
/// long.
pub(super) fn before(prefix: Placement, from: Placement, listed: Listed) -> Result<Option<u64>, Failure> {
    if from <= prefix {
        return Ok(Some(0));
    }
    if is_long(&prefix) {
        messages::note("the solutions are not numbered: counting those before the first would take long");
        return Ok(None);
    }
    // Where no solution is left there is none to number.
    let first = listed.within(prefix, from).next();
    Ok(Some(first.map_or(Ok(0), |first| Ok::<_, SelfCheckError>(listed.number(prefix, &first)? - 1))?))
}

/// The number of a solution in the list of all; none where it is no solution, or counting those before it would take long.
pub(crate) fn number(placement: &Placement) -> Result<Option<u64>, SelfCheckError> {
    let board = Placement::empty(placement.size());
    let is_counted = placement.is_solution() && !is_long(&board);
    is_counted.then(|| Listed::All.number(board, placement)).transpose()
}

fn is_long(prefix: &Placement) -> bool {
    prefix.size().get() - prefix.len() > MOST_COLUMNS_COUNTED
}

/// Prints the number of a solution in the list.
pub(super) fn run(prefix: Placement, listed: Listed, solution: &Placement, text: &str) -> Result<(), Failure> {
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
    let number = listed.number(prefix, solution)?;
    messages::deliver(&format!("{number}\n"))
}
