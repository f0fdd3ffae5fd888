//! Solutions by their number in a list: the published total as a bound, and the search.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use queens::{Listed, Placement, Size};

use crate::cli::terminal::{ascii, numbers};

/// A search that takes no longer shows no progress.
const SILENT: Duration = Duration::from_secs(2);

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

/// The solution with this number among those from `start` on, with a bar at a terminal where that takes long.
pub(crate) fn select(prefix: Placement, start: Placement, listed: Listed, number: u64) -> Option<Placement> {
    // It is drawn where stderr is a terminal alone.
    let bar = ProgressBar::no_length();
    let style = ProgressStyle::with_template("{bar:20} {msg}").expect("the template is valid");
    let length = number - 1;
    let found = listed.select(prefix, start, number, &mut |passed| {
        if bar.elapsed() > SILENT {
            if bar.length().is_none() {
                bar.set_style(style.clone().progress_chars(if ascii::is_wanted() {
                    "=> "
                } else {
                    "█▉▊▋▌▍▎▏ "
                }));
                bar.set_length(length);
            }
            let share = 100.0 * passed as f64 / length as f64;
            bar.set_message(format!("{share:5.1} %  {} passed", numbers::rounded(passed as f64)));
            bar.set_position(passed);
        }
        true
    });
    bar.finish_and_clear();
    found
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
