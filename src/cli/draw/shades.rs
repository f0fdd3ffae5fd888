//! The colours of boards, the same in pictures and in the terminal.

pub(crate) const LIGHT: &str = "#eef2ef";
pub(crate) const DARK: &str = "#8fb0a9";
pub(crate) const INK: &str = "#15302d";
/// Of coordinates and captions.
pub(super) const SOFT: &str = "#4c6460";

/// How much of a queen's shade covers the squares that she attacks.
pub(super) const OPACITY: f64 = 0.6;

/// Red, green and blue.
pub(super) type Colour = [u8; 3];

/// The shades of the first queens, which can be told apart on light and dark squares; later ones are computed.
const SHADES: [Colour; 8] = [
    [224, 83, 43],
    [52, 110, 214],
    [236, 182, 18],
    [150, 74, 190],
    [20, 150, 90],
    [232, 98, 160],
    [128, 84, 44],
    [60, 190, 210],
];

/// The shade of the queen in a column, from 1.
pub(super) fn shade(column: usize) -> Colour {
    SHADES.get(column - 1).copied().unwrap_or_else(|| {
        // Steps of the golden angle never come back to a hue.
        let (hue, lightness) = (column as f64 * 137.508, 0.4 + 0.08 * (column % 3) as f64);
        let part = |shift: f64| {
            let k = (shift + hue / 30.0) % 12.0;
            let share = lightness - 0.65 * lightness.min(1.0 - lightness) * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0);
            (255.0 * share).round() as u8
        };
        [part(0.0), part(8.0), part(4.0)]
    })
}

/// A colour that is written as `#rrggbb`.
pub(super) fn rgb(colour: &str) -> Colour {
    let [_, rest @ ..] = u32::from_str_radix(&colour[1..], 16).expect("it is written so").to_be_bytes();
    rest
}

/// A square that a queen attacks: her shade over the colour of the square, among the 256 colours of terminals.
pub(super) fn attacked(column: usize, dark: bool) -> u8 {
    /// The cube of 6×6×6 colours after the first 16.
    const LEVELS: [f64; 6] = [0.0, 95.0, 135.0, 175.0, 215.0, 255.0];
    let square = rgb(if dark { DARK } else { LIGHT });
    let shade = shade(column);
    let nearest = |part: usize| {
        let mixed = OPACITY * f64::from(shade[part]) + (1.0 - OPACITY) * f64::from(square[part]);
        (0..6).min_by(|&a, &b| (LEVELS[a] - mixed).abs().total_cmp(&(LEVELS[b] - mixed).abs())).expect("six of them")
    };
    16 + (36 * nearest(0) + 6 * nearest(1) + nearest(2)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_queens_share_a_shade() {
        let shades: std::collections::BTreeSet<Colour> = (1..=32).map(shade).collect();
        assert_eq!(shades.len(), 32);
        // The same, as CSS defines hsl(157.572deg, 65%, 40%).
        assert_eq!(shade(9), [36, 168, 119]);
    }

    /// The first queens, on dark and on light squares, in the few colours of a terminal too.
    #[test]
    fn the_first_shades_differ_in_the_terminal() {
        for dark in [false, true] {
            let colours: std::collections::BTreeSet<u8> = (1..=8).map(|column| attacked(column, dark)).collect();
            assert_eq!(colours.len(), 8);
        }
    }
}
