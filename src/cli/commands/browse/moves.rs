//! Moves from one solution to another: steps, both ends, numbers, placements.

use std::sync::atomic::{AtomicBool, Ordering};

use queens::{Listed, Orbit, Placement, Ranking, Solutions};

use crate::cli::commands::numbered::Filter;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    First,
    Last,
    /// This many on, or to the last where there are fewer.
    Next(u64),
    Previous(u64),
    /// To the solution with this number.
    Number(u64),
    /// To the first that is not before this placement, or to the last where all are.
    NotBefore(Placement),
}

/// A solution and, where it is known, its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) placement: Placement,
    pub(super) number: Option<u64>,
}

impl Filter {
    /// The position that a move leads to, `None` where there is none or `cancelled` was set on the way. The `total` is
    /// given where the ranking has counted it.
    pub(super) fn find(
        &self,
        (ranking, total): (&Ranking, Option<u64>),
        from: Option<Position>,
        to: Move,
        cancelled: &AtomicBool,
    ) -> Option<Position> {
        let forth = |start, most| self.last_of(Solutions::within(self.prefix, start), most, cancelled);
        // Upside down the order of solutions is reversed, so the way back is the way on from the mirrored placement.
        let back = |start: Placement, most| {
            let solutions = Solutions::within(self.prefix.upside_down(), start.upside_down());
            self.last_of(solutions.map(Placement::upside_down), most, cancelled)
        };
        let numbered = |(placement, number)| Position { placement, number: Some(number) };
        let mut go_on = |_| !cancelled.load(Ordering::Relaxed);
        match (to, from) {
            (Move::Number(number), _) => {
                ranking.select(self.prefix, number, &mut go_on).map(|placement| numbered((placement, number)))
            }
            // The steps begin at the first of the solutions found.
            (Move::Next(steps), Some(from)) => {
                let (placement, count) = forth(from.placement, steps + 1).filter(|(_, count)| *count > 1)?;
                Some(Position { placement, number: from.number.map(|number| number + (count - 1)) })
            }
            (Move::Previous(steps), Some(from)) => {
                let (placement, count) = back(from.placement, steps + 1).filter(|(_, count)| *count > 1)?;
                Some(Position { placement, number: from.number.map(|number| number - (count - 1)) })
            }
            (Move::NotBefore(start), _) => match forth(start, 1) {
                // Where the list was counted, a number costs little.
                Some((placement, _)) => {
                    Some(Position { placement, number: total.and_then(|_| ranking.number(&placement, &mut go_on)) })
                }
                None => self.find((ranking, total), None, Move::Last, cancelled),
            },
            (Move::Last, _) => match total {
                Some(total) => self.find((ranking, Some(total)), None, Move::Number(total), cancelled),
                None => back(self.prefix, 1).map(|(placement, _)| Position { placement, number: None }),
            },
            (Move::First | Move::Next(_) | Move::Previous(_), _) => forth(self.prefix, 1).map(numbered),
        }
    }

    /// The last of the first `most` of these solutions that pass the filter, and how many they are.
    fn last_of(
        &self,
        solutions: impl Iterator<Item = Placement>,
        most: u64,
        cancelled: &AtomicBool,
    ) -> Option<(Placement, u64)> {
        let listed = |solution: &Placement| {
            self.listed == Listed::All || Orbit::of(solution).is_some_and(|orbit| orbit.is_fundamental())
        };
        let goes_on = || !cancelled.load(Ordering::Relaxed);
        let last = solutions.take_while(|_| goes_on()).filter(listed).zip(1..=most).last();
        // A cancelled search has ended somewhere on the way.
        last.filter(|_| goes_on())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::Size;

    /// Walks to the end and back again, with and without the total, and asks for every number.
    #[test]
    fn every_way_through_the_solutions_agrees() {
        let size = Size::new(8).unwrap();
        for (prefix, listed) in
            [("", Listed::All), ("", Listed::Fundamental), ("4", Listed::All), ("3", Listed::Fundamental)]
        {
            let prefix = Placement::parse(prefix, size).unwrap_or(Placement::empty(size));
            let filter = Filter { prefix, listed };
            let ranking = Ranking::new(prefix, listed).unwrap();
            for total in [None, ranking.total(&mut |_| true)] {
                let go = |from, to| filter.find((&ranking, total), from, to, &AtomicBool::new(false));
                let mut here = go(None, Move::First).unwrap();
                let mut walked = vec![here];
                while let Some(next) = go(Some(here), Move::Next(1)) {
                    walked.push(next);
                    here = next;
                }
                let last = go(None, Move::Last).unwrap();
                assert_eq!(last.placement, here.placement);
                assert_eq!(go(walked.first().copied(), Move::Next(1000)), Some(here));
                for (number, expected) in (1..).zip(&walked) {
                    assert_eq!(expected.number, Some(number));
                    assert_eq!(go(None, Move::Number(number)), Some(*expected));
                }
                assert_eq!(go(None, Move::Number(walked.len() as u64 + 1)), None);
                while let Some(previous) = go(Some(here), Move::Previous(1)) {
                    walked.pop();
                    assert_eq!(walked.last(), Some(&previous));
                    here = previous;
                }
                assert_eq!(walked.len(), 1);
            }
        }
    }

    #[test]
    fn a_move_that_is_cancelled_leads_nowhere() {
        let filter = Filter::all(Size::new(20).unwrap());
        let ranking = Ranking::new(filter.prefix, filter.listed).unwrap();
        let cancelled = AtomicBool::new(true);
        assert_eq!(filter.find((&ranking, None), None, Move::Number(1_000_000_000), &cancelled), None);
    }
}
