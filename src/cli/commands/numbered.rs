//! Solutions by their number in a list: the published total as a bound, and the search.

use queens::run::SelfCheckError;
use queens::{Listed, Placement, Size};

use crate::cli::long_run::activity::{Activity, Step};
use crate::cli::terminal::{messages, numbers};

/// So many solutions take some ten seconds to count, and ten times as many take minutes.
const LONG: u64 = 1_000_000_000;

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
) -> Result<Option<Placement>, SelfCheckError> {
    let before = number - 1;
    if before > LONG {
        let solutions = numbers::grouped(before.into());
        messages::note(&format!("counting the {solutions} solutions before it, which may take minutes; ^C ends it"));
    }
    let title = format!("N = {}", prefix.size());
    listed.select(prefix, start, number, &mut |passed| {
        let fields = vec![format!("{} solutions passed", numbers::rounded(passed as f64))];
        let share = Some(passed as f64 / before.max(1) as f64);
        activity.at(Step { title: title.clone(), share, is_even: true, fields, ..Step::default() });
        true
    })
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
