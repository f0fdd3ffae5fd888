//! Means and their confidence intervals.

/// A mean and its 95 % confidence interval; times are in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Interval {
    /// The best guess.
    pub mean: f64,
    /// The lower end, not below 0.
    pub low: f64,
    /// The upper end; infinite if there are fewer than five samples.
    pub high: f64,
}

/// The fewest samples with a meaningful standard deviation.
pub(crate) const MIN_SAMPLES: usize = 5;

impl Interval {
    /// An exact value.
    pub const fn exactly(mean: f64) -> Self {
        Self { mean, low: mean, high: mean }
    }

    /// A best guess with an unknown error.
    pub(crate) const fn open(mean: f64) -> Self {
        Self { mean, low: 0.0, high: f64::INFINITY }
    }

    /// Widens the interval by an independent factor of uncertainty, up and down. A lower end of 0 is kept.
    pub(crate) fn widened(self, factor: f64) -> Self {
        let reach = |end: f64| (end / self.mean).ln().hypot(factor.ln()).exp();
        if !(self.mean > 0.0 && self.high.is_finite()) {
            return self;
        }
        Self { mean: self.mean, low: self.mean / reach(self.low), high: self.mean * reach(self.high) }
    }

    /// The interval multiplied by a factor.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        let [mean, low, high] = [self.mean, self.low, self.high].map(|end| end * factor);
        Self { mean, low, high }
    }

    /// The uncertainty as a factor: 2 means from half to twice the mean, 1 an exact value. Infinite if there are too
    /// few samples, or if the lower end is 0 and the mean is not.
    pub fn factor(&self) -> f64 {
        if self.high <= self.mean { 1.0 } else { (self.high / self.mean).max(self.mean / self.low) }
    }
}

/// The sums over independent samples of a number from which its mean and interval follow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Samples {
    number: u64,
    /// The mean, or 0 without samples.
    pub(crate) mean: f64,
    /// The sum of the squares of the differences from the mean.
    squares: f64,
}

impl Samples {
    /// Adds a sample (Welford 1962).
    pub(crate) fn add(&mut self, sample: f64) {
        self.number += 1;
        let before = sample - self.mean;
        self.mean += before / self.number as f64;
        self.squares += before * (sample - self.mean);
    }

    pub(crate) fn interval(&self) -> Interval {
        let Self { number, mean, squares } = *self;
        if number < MIN_SAMPLES as u64 {
            return Interval::open(mean);
        }
        let (n, degrees) = (number as f64, (number - 1) as f64);
        let reach = student(degrees) * (squares / degrees / n).sqrt();
        Interval { mean, low: (mean - reach).max(0.0), high: mean + reach }
    }
}

/// The 97.5 % quantile of Student's t distribution, for at least 4 degrees of freedom: in 19 of 20 cases, the mean is
/// at most this number of standard errors from the truth.
///
/// The series of Cornish and Fisher in powers of 1 / degrees, which begins with the quantile of the normal distribution
/// (Abramowitz and Stegun, 26.7.5). The last two terms are fitted, so that the error is below 10^-7 everywhere.
pub(crate) fn student(degrees: f64) -> f64 {
    const TERMS: [f64; 7] =
        [1.959_963_985, 2.372_271_230, 2.822_498_616, 2.555_849_680, 1.589_534_053, 0.740_056, 0.574_285];
    TERMS.iter().rev().fold(0.0, |sum, term| sum / degrees + term)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval_of(samples: &[f64]) -> Interval {
        let mut all = Samples::default();
        for &sample in samples {
            all.add(sample);
        }
        all.interval()
    }

    #[test]
    fn intervals_are_those_of_student() {
        let interval = interval_of(&[1.0, 5.0, 3.0, 4.0, 2.0]);
        // t for 4 degrees of freedom is 2.776, the standard error sqrt(2.5 / 5).
        assert!((interval.mean - 3.0).abs() < 1e-12 && (interval.high - 3.0 - 2.776_445 * 0.5f64.sqrt()).abs() < 1e-5);
        assert!((interval.low + interval.high - 6.0).abs() < 1e-12);
        assert_eq!(interval_of(&[1.0, 1.0, 1.0, 1.0, 90.0]).low.to_bits(), 0f64.to_bits());
        assert_eq!(interval_of(&[1.0, 2.0, 3.0, 4.0]), Interval::open(2.5));
        assert_eq!(interval_of(&[]), Interval::open(0.0));
    }

    #[test]
    fn factors_add_as_squares_of_their_logarithms() {
        let found = Interval { mean: 20.0, low: 10.0, high: 60.0 }.widened(4.0);
        let [low, high] = [2f64, 3.0].map(|factor| factor.ln().hypot(4f64.ln()).exp());
        assert!((found.low - 20.0 / low).abs() < 1e-9 && (found.high - 20.0 * high).abs() < 1e-9, "{found:?}");
        let near = Interval { mean: 20.0, low: 0.0, high: 60.0 }.widened(4.0);
        assert!(near.low.abs() < 1e-9 && (near.high - found.high).abs() < 1e-9, "{near:?}");
        let exact = Interval::exactly(20.0).widened(4.0);
        assert!((exact.low - 5.0).abs() < 1e-9 && (exact.high - 80.0).abs() < 1e-9, "{exact:?}");
        for unknown in [Interval::open(5.0), Interval::exactly(0.0)] {
            assert_eq!(unknown.widened(4.0), unknown);
        }
    }

    /// For an even number of degrees the probability is a sum of powers (Abramowitz and Stegun, 26.7.4).
    #[test]
    fn nineteen_of_twenty_lie_within() {
        for degrees in (4..2000).step_by(2) {
            let (sin, cos) = (student(f64::from(degrees)) / f64::from(degrees).sqrt()).atan().sin_cos();
            let (mut term, mut sum) = (1.0, 1.0);
            for even in (2..degrees).step_by(2) {
                term *= cos * cos * f64::from(even - 1) / f64::from(even);
                sum += term;
            }
            assert!((sin * sum - 0.95).abs() < 1e-8, "{degrees}: {}", sin * sum);
        }
        for (degrees, quantile) in [(4.0, 2.776_445_1), (7.0, 2.364_624_3), (15.0, 2.131_449_5), (1e9, 1.959_964_0)] {
            assert!((student(degrees) - quantile).abs() < 1e-7, "{degrees}: {}", student(degrees));
        }
    }

    #[test]
    fn factor_is_that_of_the_farther_end() {
        let (down, up) = (Interval { mean: 2.0, low: 0.5, high: 4.0 }, Interval { mean: 2.0, low: 1.8, high: 6.0 });
        for (interval, factor) in [(Interval::exactly(0.0), 1.0), (down, 4.0), (up, 3.0)] {
            assert!((interval.times(3.0).factor() - factor).abs() < 1e-12, "{interval:?}, not {factor}");
        }
        assert!(Interval::open(5.0).factor().is_infinite());
    }
}
