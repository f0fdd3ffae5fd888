//! Numbers of solutions in a list: `--rank P`, and that of the first where `--from` begins in the middle.

use queens::{Fundamental, Listed, Orbit, Placement, Ranking, Solutions};

use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::messages;

/// With more columns left to fill than this, the solutions before the first are not counted just to number those that are
/// listed: it would take longer than about ten seconds on two cores.
const MOST_COLUMNS_COUNTED: usize = 17;

/// How many solutions of the list come before the first that `solutions` finds; `None` where counting them would take
/// long.
pub(super) fn before(solutions: &Solutions, prefix: Placement, from: Placement, fundamental: bool) -> Option<u64> {
    if from <= prefix {
        return Some(0);
    }
    if prefix.size().get() - prefix.len() > MOST_COLUMNS_COUNTED {
        messages::note("counting the solutions before the first would take long; they are not numbered");
        return None;
    }
    let mut solutions = solutions.clone();
    let first =
        if fundamental { Fundamental::among(solutions).next().map(|(solution, _)| solution) } else { solutions.next() };
    // Where no solution is left there is none to number.
    Some(first.map_or(0, |first| Ranking::new(prefix, listed(fundamental)).number(&first) - 1))
}

/// Prints the number of a solution in the list.
pub(super) fn run(prefix: Placement, fundamental: bool, solution: &Placement, text: &str) -> Result<(), Failure> {
    let invalid = |reason: &str| Err(Failure::invalid("--rank <P>", text, &reason));
    let Some(orbit) = Orbit::of(solution) else {
        return invalid(&format!(
            "no solution, which has a queen in each of the {} columns; here are {}",
            solution.size(),
            solution.len()
        ));
    };
    if !solution.rows().zip(prefix.rows()).all(|(row, begun)| row == begun) {
        return invalid(&format!("not in the list, which is of those beginning {prefix}"));
    }
    if fundamental && !orbit.is_fundamental() {
        return invalid(&format!("not in the list: the fundamental one of its class is {}", orbit.canonical()));
    }
    let number = Ranking::new(prefix, listed(fundamental)).number(solution);
    messages::deliver(&format!("{number}\n"))
}

const fn listed(fundamental: bool) -> Listed {
    if fundamental { Listed::Fundamental } else { Listed::All }
}
