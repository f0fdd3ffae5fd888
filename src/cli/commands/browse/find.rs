//! From one solution of a list to another: steps, ends, numbers.

use std::sync::atomic::{AtomicBool, Ordering};

use queens::{Listed, Orbit, Placement, Ranking, Solutions};

/// What is walked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct List {
    pub(super) prefix: Placement,
    pub(super) listed: Listed,
}

/// Where to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    First,
    Last,
    /// So many on, as far as there are so many.
    Next(u64),
    Previous(u64),
    /// The solution with this number.
    Number(u64),
    /// The first that is not before this placement, or the last where all are.
    NotBefore(Placement),
}

/// A solution and, where it is known, its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) placement: Placement,
    pub(super) number: Option<u64>,
}

impl List {
    /// The solution that a move leads to, `None` where there is none or `stop` was set on the way.
    pub(super) fn find(
        &self,
        ranking: Option<&Ranking>,
        from: Option<Found>,
        to: Move,
        stop: &AtomicBool,
    ) -> Option<Found> {
        let walk = Walk { list: *self, stop };
        match (to, from) {
            (Move::Number(number), _) => match ranking {
                Some(ranking) => ranking.select(number).map(|placement| Found { placement, number: Some(number) }),
                None => walk.forth(self.prefix, None, number).filter(|(_, steps)| *steps == number).map(at_number),
            },
            (Move::Next(steps), Some(Found { placement, number })) => {
                let (found, steps) = walk.forth(placement, Some(placement), steps)?;
                Some(Found { placement: found, number: number.map(|number| number + steps) })
            }
            (Move::Previous(steps), Some(Found { placement, number })) => {
                let (found, steps) = walk.back(placement, Some(placement), steps)?;
                Some(Found { placement: found, number: number.map(|number| number - steps) })
            }
            (Move::NotBefore(placement), _) => match walk.forth(placement, None, 1) {
                Some((placement, _)) => {
                    let number = ranking.map(|ranking| ranking.number(&placement));
                    Some(Found { placement, number })
                }
                None => self.find(ranking, None, Move::Last, stop),
            },
            (Move::Last, _) => match ranking {
                Some(ranking) => self.find(Some(ranking), None, Move::Number(ranking.total()), stop),
                None => walk.back(self.prefix, None, 1).map(|(placement, _)| Found { placement, number: None }),
            },
            (Move::First | Move::Next(_) | Move::Previous(_), _) => walk.forth(self.prefix, None, 1).map(at_number),
        }
    }
}

fn at_number((placement, number): (Placement, u64)) -> Found {
    Found { placement, number: Some(number) }
}

/// A way through a list that can be broken off.
struct Walk<'a> {
    list: List,
    stop: &'a AtomicBool,
}

impl Walk<'_> {
    /// The solution `steps` after `start`, or the last there is, and the steps made.
    fn forth(&self, start: Placement, without: Option<Placement>, steps: u64) -> Option<(Placement, u64)> {
        self.last_of(Solutions::within(self.list.prefix, start), without, steps)
    }

    /// Upside down the order of solutions is reversed, so the way back is the way on from the mirrored placement.
    fn back(&self, start: Placement, without: Option<Placement>, steps: u64) -> Option<(Placement, u64)> {
        let solutions = Solutions::within(upside_down(&self.list.prefix), upside_down(&start));
        self.last_of(solutions.map(|solution| upside_down(&solution)), without, steps)
    }

    fn last_of(
        &self,
        solutions: impl Iterator<Item = Placement>,
        without: Option<Placement>,
        steps: u64,
    ) -> Option<(Placement, u64)> {
        let listed = |solution: &Placement| {
            self.list.listed == Listed::All || Orbit::of(solution).is_some_and(|orbit| orbit.is_fundamental())
        };
        let found = solutions
            .take_while(|_| !self.stop.load(Ordering::Relaxed))
            .filter(|solution| Some(*solution) != without && listed(solution))
            .zip(1..=steps)
            .last();
        // What was found on a way broken off is not where it was meant to lead.
        found.filter(|_| !self.stop.load(Ordering::Relaxed))
    }
}

/// The placement with top and bottom exchanged.
fn upside_down(placement: &Placement) -> Placement {
    let n = placement.size().get();
    let rows: Vec<usize> = placement.rows().map(|row| n + 1 - row).collect();
    Placement::new(placement.size(), &rows).expect("a reflection keeps queens from attacking each other")
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::Size;

    fn go(list: List, ranking: Option<&Ranking>, from: Option<Found>, to: Move) -> Option<Found> {
        list.find(ranking, from, to, &AtomicBool::new(false))
    }

    /// Walks to the end and back again, with and without a ranking, and asks for every number.
    #[test]
    fn every_way_through_a_list_agrees() {
        let size = Size::new(8).unwrap();
        for (prefix, listed) in
            [("", Listed::All), ("", Listed::Fundamental), ("4", Listed::All), ("3", Listed::Fundamental)]
        {
            let prefix = Placement::parse(prefix, size).unwrap_or(Placement::empty(size));
            let list = List { prefix, listed };
            let ranking = Ranking::new(prefix, listed);
            for ranking in [None, Some(&ranking)] {
                let mut here = go(list, ranking, None, Move::First).unwrap();
                let mut walked = vec![here];
                while let Some(next) = go(list, ranking, Some(here), Move::Next(1)) {
                    walked.push(next);
                    here = next;
                }
                let last = go(list, ranking, None, Move::Last).unwrap();
                assert_eq!(last.placement, here.placement);
                assert_eq!(go(list, ranking, walked.first().copied(), Move::Next(1000)), Some(here));
                for (number, expected) in (1..).zip(&walked) {
                    assert_eq!(expected.number, Some(number));
                    assert_eq!(go(list, ranking, None, Move::Number(number)), Some(*expected));
                }
                assert_eq!(go(list, ranking, None, Move::Number(walked.len() as u64 + 1)), None);
                while let Some(previous) = go(list, ranking, Some(here), Move::Previous(1)) {
                    walked.pop();
                    assert_eq!(walked.last(), Some(&previous));
                    here = previous;
                }
                assert_eq!(walked.len(), 1);
            }
        }
    }

    #[test]
    fn a_way_broken_off_leads_nowhere() {
        let list = List { prefix: Placement::empty(Size::new(20).unwrap()), listed: Listed::All };
        assert_eq!(list.find(None, None, Move::Number(1_000_000_000), &AtomicBool::new(true)), None);
    }
}
