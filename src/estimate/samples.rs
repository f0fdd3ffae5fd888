//! Samples of a plan, and what they say of the whole.

use super::drift::Repeat;
use super::interval::Interval;

/// What samples are drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Count,
    Time,
}

/// The samples of a plan.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    /// The size of its board.
    pub(super) n: usize,
    /// Each with its number, in whatever order they came.
    pub(super) drawn: Vec<(usize, Drawn)>,
    /// Some of them again, for the time.
    pub(super) repeats: Vec<Repeat>,
    /// Whether the plan has nothing to draw.
    pub(super) empty: bool,
}

impl Samples {
    /// The mean of what they say, in the order of their numbers, so that it is the same to the last bit whoever drew them.
    pub(super) fn mean(&self, of: impl Fn(&Drawn) -> f64 + Clone) -> Interval {
        if self.drawn.is_empty() && !self.empty {
            return Interval::UNKNOWN;
        }
        let mut drawn: Vec<_> = self.drawn.iter().collect();
        drawn.sort_by_key(|(number, _)| *number);
        Interval::of(drawn.into_iter().map(|(_, drawn)| of(drawn)))
    }

    pub(super) fn sum(&self, of: impl Fn(&Drawn) -> f64) -> f64 {
        self.drawn.iter().map(|(_, drawn)| of(drawn)).sum()
    }
}

/// What a sample makes of the whole plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawn {
    /// Its solutions.
    pub(super) count: f64,
    /// Its processor time.
    pub(super) seconds: f64,
    /// The processor time that the sample itself took, and the wall time.
    pub(super) task_seconds: f64,
    pub(super) wall_seconds: f64,
    /// The wall time with what went before it.
    pub(super) sample_seconds: f64,
}
