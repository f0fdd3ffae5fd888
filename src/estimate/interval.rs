//! Means and how far to trust them.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean and the 95 % interval around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The best guess.
    pub mean: f64,
    /// The lower end, not below 0.
    pub low: f64,
    /// The upper end; infinite where there are too few samples to tell.
    pub high: f64,
}

/// Samples that tell something, at least: of fewer the standard deviation is anyone's guess.
pub(super) const FEWEST: usize = 5;

impl Interval {
    /// A best guess without any end to the error.
    const fn open(mean: f64) -> Self {
        Self { mean, low: 0.0, high: f64::INFINITY }
    }

    /// The mean of independent samples, or 0 where there was nothing to sample.
    pub(super) fn of(samples: impl ExactSizeIterator<Item = f64> + Clone) -> Self {
        /// What 95 % of the mass lies between, on two sides.
        const QUANTILE: f64 = 0.975;
        let n = samples.len() as f64;
        if n == 0.0 {
            return Self { mean: 0.0, low: 0.0, high: 0.0 };
        }
        let mean = samples.clone().sum::<f64>() / n;
        let Some(student) = StudentsT::new(0.0, 1.0, n - 1.0).ok().filter(|_| samples.len() >= FEWEST) else {
            return Self::open(mean);
        };
        let squares: f64 = samples.map(|sample| (sample - mean).powi(2)).sum();
        let reach = student.inverse_cdf(QUANTILE) * (squares / (n - 1.0) / n).sqrt();
        Self { mean, low: (mean - reach).max(0.0), high: mean + reach }
    }

    /// From three equally spaced boards, the nearest first, so many of their `steps` on: halfway between growth that
    /// stays as it was in the last step and growth that goes on growing as it did, for neither is sure. The interval
    /// counts half their distance as an error besides those of the three.
    pub(super) fn extrapolated(near: Self, middle: Self, far: Self, steps: f64) -> Self {
        if ![near, middle, far].iter().all(|interval| interval.mean > 0.0 && interval.high.is_finite()) {
            return Self::open(near.mean);
        }
        let [a, b, c] = [near, middle, far].map(|interval| interval.mean.ln());
        let bend = steps * (steps + 1.0) / 4.0;
        let weights = [1.0 + steps + bend, -steps - 2.0 * bend, bend];
        let mean = (weights[0] * a + weights[1] * b + weights[2] * c).exp();
        let errors = [near, middle, far].map(|interval| interval.relative());
        let squares: f64 = weights.iter().zip(errors).map(|(weight, error)| (weight * error).powi(2)).sum();
        let reach = (squares + (bend * (a - 2.0 * b + c)).powi(2)).sqrt();
        Self { mean, low: mean * (-reach).exp(), high: mean * reach.exp() }
    }

    /// How many times more or less than the mean it may be: 2 is from half to twice as much. Infinite where there are
    /// too few samples to tell, or where nothing at all is within the interval.
    pub fn factor(&self) -> f64 {
        if self.high <= self.mean { 1.0 } else { (self.high / self.mean).max(self.mean / self.low) }
    }

    /// Half the interval over the mean: 0.01 is to within one percent.
    pub fn relative(&self) -> f64 {
        (self.high - self.mean) / self.mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_student() {
        let interval = Interval::of([1.0, 2.0, 3.0, 4.0, 5.0].into_iter());
        // t for 4 degrees of freedom is 2.776, the standard error sqrt(2.5 / 5).
        assert!((interval.mean - 3.0).abs() < 1e-12 && (interval.high - 3.0 - 2.776_445 * 0.5f64.sqrt()).abs() < 1e-5);
        assert!(Interval::of([1.0].into_iter()).high.is_infinite());
        assert!(Interval::of([1.0, 2.0, 3.0, 4.0].into_iter()).high.is_infinite(), "a handful tells something");
        assert!((Interval::of([1.0, 1.0, 1.0, 1.0, 90.0].into_iter()).low).abs() < 1e-12);
    }

    #[test]
    fn steady_growth_goes_on() {
        let exact = |mean: f64| Interval { mean, low: mean, high: mean };
        let steady = Interval::extrapolated(exact(90.0), exact(30.0), exact(10.0), 2.0);
        assert!((steady.mean - 810.0).abs() < 1e-9 && steady.high - steady.low < 1e-9);
        // Growth of 2, then of 4: between 4² and 8 × 16 times as much.
        let growing = Interval::extrapolated(exact(8.0), exact(2.0), exact(1.0), 2.0);
        assert!((growing.low - 128.0).abs() < 1e-9 && (growing.high - 1024.0).abs() < 1e-9, "{growing:?}");
        let unsure = Interval { mean: 90.0, low: 81.0, high: 99.0 };
        let unsure = Interval::extrapolated(unsure, exact(30.0), exact(10.0), 2.0);
        assert!((unsure.factor() - 0.45f64.exp()).abs() < 1e-9);
        let few = Interval::extrapolated(Interval::open(90.0), exact(30.0), exact(10.0), 2.0);
        assert!(few.factor().is_infinite() && few.high.is_infinite());
        // The nearest counts 1 + 2 + 1.5 times.
        assert!((unsure.high / unsure.mean - 0.45f64.exp()).abs() < 1e-9);
        // A board that takes no time says nothing of growth.
        for near in [90.0, 0.0] {
            let open = Interval { mean: near, low: 0.0, high: f64::INFINITY };
            assert_eq!(Interval::extrapolated(exact(near), exact(30.0), exact(0.0), 2.0), open);
        }
    }

    /// The farther end counts, and of nothing there is no other guess.
    #[test]
    fn factors_are_those_of_the_farther_end() {
        let nothing = Interval::of([].into_iter());
        assert_eq!(nothing, Interval { mean: 0.0, low: 0.0, high: 0.0 });
        let (down, up) = (Interval { mean: 2.0, low: 0.5, high: 4.0 }, Interval { mean: 2.0, low: 1.8, high: 6.0 });
        for (interval, factor) in [(nothing, 1.0), (down, 4.0), (up, 3.0)] {
            assert!((interval.factor() - factor).abs() < 1e-12, "{interval:?}: {}", interval.factor());
        }
        assert!((up.relative() - 2.0).abs() < 1e-12);
    }
}
