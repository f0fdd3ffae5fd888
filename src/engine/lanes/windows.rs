//! Windows: how the keys of a pattern are cut up for the look-ups.

/// Windows of keys that a query may be cut into.
pub(super) const WINDOWS: usize = 9;

/// Entries of all tables together: nine windows of six keys, or two of seven and three of six.
pub(super) const ENTRIES: usize = WINDOWS << 6;

/// How the keys of a pattern are cut into windows of six, and some of seven. Windows may overlap.
///
/// Keys lie in the middle of the word: `width` of one kind below bit 32, as many of the other from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Where each begins.
    pub(super) shifts: [u32; WINDOWS],
    pub(super) count: usize,
    /// How many, the first, are of seven.
    pub(super) sevens: usize,
}

impl Windows {
    /// Windows over `width` ≤ 26 keys of each kind without the `decided` outermost at either end, by steps of two:
    /// those that the innermost queens hold, which have been compared before.
    ///
    /// # Panics
    /// Where the keys do not leave the lowest six bits free.
    pub fn new(width: usize, decided: usize) -> Self {
        assert!(width <= 26, "keys lie from bit 6 to bit 57");
        let start = 32 - width + (2 * decided).min(width);
        let keys = 2 * width - (4 * decided).min(2 * width);
        // Two tables of seven keys are cheaper than a sixth look-up; five would no longer fit in the first-level cache.
        let (count, sevens) = match keys {
            0..=30 => (5, 0),
            31..=32 => (5, 2),
            33..=36 => (6, 0),
            37..=42 => (7, 0),
            43..=48 => (8, 0),
            _ => (9, 0),
        };
        let mut shifts = [0; WINDOWS];
        let mut next = start;
        for (window, shift) in shifts.iter_mut().enumerate().take(count) {
            let size = if window < sevens { 7 } else { 6 };
            // The last windows end with the last key, and so may overlap those before.
            *shift = next.min((start + keys).saturating_sub(size).max(start)) as u32;
            next += size;
        }
        Self { shifts, count, sevens }
    }
}
