//! Axes: from values to positions, and the values worth a grid line.

/// Values on a line or, where they span orders of magnitude, their logarithms.
#[derive(Clone, Copy)]
pub(super) enum Scale {
    Linear,
    Log,
}

impl Scale {
    fn of(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log => value.log10(),
        }
    }
}

/// Room at both ends of an axis, as a share of what its values span.
const MARGIN: f64 = 0.05;

/// One axis of a panel: the values from `low` to `high` fill the positions from `start` to `end`.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    pub(super) scale: Scale,
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Axis {
    /// An axis over these values.
    pub(super) fn new(scale: Scale, values: impl IntoIterator<Item = f64>, (start, end): (f64, f64)) -> Self {
        let mut axis = Self { scale, low: f64::INFINITY, high: f64::NEG_INFINITY, start, end };
        // A time too short for the clock is 0, which has no logarithm: it is drawn at the edge.
        for value in values.into_iter().map(|value| scale.of(value)).filter(|value| value.is_finite()) {
            (axis.low, axis.high) = (axis.low.min(value), axis.high.max(value));
        }
        // A single value still needs room around it.
        let margin = MARGIN * (axis.high - axis.low).max(1.0);
        (axis.low, axis.high) = (axis.low - margin, axis.high + margin);
        axis
    }

    /// The position of a value.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = (self.scale.of(value).clamp(self.low, self.high) - self.low) / (self.high - self.low);
        self.start + share * (self.end - self.start)
    }

    pub(super) fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&self.scale.of(value))
    }

    /// The powers of ten within and 2 and 5 times them, each with whether it gets a label: those between the powers only
    /// where the powers are few.
    pub(super) fn decades(&self) -> Vec<(f64, bool)> {
        let powers = || (self.low.floor() as i32..=self.high.ceil() as i32).map(|exponent| 10f64.powi(exponent));
        let few = powers().filter(|&power| self.contains(power)).count() < 3;
        let values = powers().flat_map(|power| [(power, true), (2.0 * power, few), (5.0 * power, few)]);
        values.filter(|&(value, _)| self.contains(value)).collect()
    }
}

/// Pushes labels apart that would overlap: their new heights, in the same order.
pub(super) fn apart(heights: &[f64], distance: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|&a, &b| heights[a].total_cmp(&heights[b]));
    let mut moved = heights.to_vec();
    for pair in order.windows(2) {
        moved[pair[1]] = moved[pair[1]].max(moved[pair[0]] + distance);
    }
    // All go back up by what they were pushed down on average.
    let drift: f64 = moved.iter().zip(heights).map(|(moved, height)| moved - height).sum();
    let drift = drift / heights.len().max(1) as f64;
    moved.iter().map(|height| height - drift).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_find_their_place() {
        let linear = Axis::new(Scale::Linear, [10.0, 20.0], (0.0, 110.0));
        assert!((linear.at(12.5) - 30.0).abs() < 1e-9);
        let log = Axis::new(Scale::Log, [0.001, 1.0], (330.0, 0.0));
        assert!((log.at(0.01) - 215.0).abs() < 1e-9);
        let labels: Vec<f64> = log.decades().into_iter().filter(|tick| tick.1).map(|tick| tick.0).collect();
        assert_eq!(labels.len(), 4);
        // Less than two decades: 2 and 5 are labelled as well.
        assert!(Axis::new(Scale::Log, [0.03, 0.6], (0.0, 1.0)).decades().iter().all(|tick| tick.1));
        assert!(Axis::new(Scale::Linear, [3.0], (0.0, 1.0)).at(3.0) > 0.4);
    }

    #[test]
    fn labels_are_pushed_apart() {
        assert_eq!(apart(&[10.0, 50.0], 16.0), [10.0, 50.0]);
        let moved = apart(&[20.0, 12.0, 100.0], 16.0);
        assert!(moved[0] - moved[1] >= 16.0 - 1e-9 && moved[2] > moved[0]);
    }
}
