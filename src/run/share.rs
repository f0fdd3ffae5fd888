//! A part of a whole: what a double check recounts of a run.

/// A part of a whole, as a number from 0 to 1.
///
/// ```
/// use queens::Share;
/// assert_eq!(Share::try_from(0.01)?.of(105), 2); // rounded up
/// assert!(Share::try_from(1.5).is_err());
/// # Ok::<(), queens::ShareError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Share(f64);

/// The number is not from 0 to 1, so it is not a [`Share`].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("a share is from 0 to 1, not {0}")]
pub struct ShareError(f64);

impl Share {
    /// No part of the whole.
    pub const NONE: Self = Self(0.0);
    /// The whole.
    pub const ALL: Self = Self(1.0);

    /// As a number from 0 to 1.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// This share of a number of things, rounded up.
    pub fn of(self, number: usize) -> usize {
        self.product(number).ceil() as usize
    }

    /// This share of a number of things. If it is a whole number but for the rounding of the share and of the product, it
    /// is that number: as floats, 0.07 × 100 is more than 7, and 0.29 × 100 less than 29.
    pub(super) fn product(self, number: usize) -> f64 {
        let product = self.0 * number as f64;
        let whole = product.round();
        if (product - whole).abs() <= 2.0 * f64::EPSILON * product { whole } else { product }
    }
}

impl TryFrom<f64> for Share {
    type Error = ShareError;

    fn try_from(share: f64) -> Result<Self, ShareError> {
        if (0.0..=1.0).contains(&share) { Ok(Self(share)) } else { Err(ShareError(share)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_part_of_a_whole() {
        for share in [0.0, 0.3, 1.0] {
            assert_eq!(Share::try_from(share).map(Share::get), Ok(share));
        }
        for number in [-0.1, 1.000_001, f64::INFINITY, f64::NAN] {
            assert!(Share::try_from(number).is_err(), "{number}");
        }
        assert_eq!([Share::NONE.of(7), Share::try_from(0.3).unwrap().of(7), Share::ALL.of(7)], [0, 3, 7]);
        for (percent, number) in (0..=100).flat_map(|percent| (0..2000).map(move |number| (percent, number))) {
            let share = Share::try_from(percent as f64 / 100.0).unwrap();
            let [up, down] = [share.of(number), share.product(number) as usize];
            let product = percent * number;
            assert_eq!([up, down], [product.div_ceil(100), product / 100], "{percent} % of {number}");
            for number in [number + 1_000_000_000, number + 4_000_000_000_000] {
                assert_eq!(share.of(number), (percent * number).div_ceil(100), "{percent} % of {number}");
            }
        }
    }
}
