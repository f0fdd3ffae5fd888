//! The queen and the digits as paths, so that pictures need no fonts.

use std::fmt::Write;

/// A queen in a box of 100×100: a crown with five balls, on two bands.
pub(crate) const QUEEN: &str = "M13 38 28 68H72L87 38 68 56 69.5 29 57.5 54 50 25 42.5 54 30.5 29 32 56Z \
    M28 72.5H72V78H28ZM23 82.5H77V89H23Z \
    M6.8 36a5.2 5.2 0 1 0 10.4 0a5.2 5.2 0 1 0 -10.4 0z \
    M24.8 26a5.2 5.2 0 1 0 10.4 0a5.2 5.2 0 1 0 -10.4 0z \
    M44.8 22a5.2 5.2 0 1 0 10.4 0a5.2 5.2 0 1 0 -10.4 0z \
    M64.8 26a5.2 5.2 0 1 0 10.4 0a5.2 5.2 0 1 0 -10.4 0z \
    M82.8 36a5.2 5.2 0 1 0 10.4 0a5.2 5.2 0 1 0 -10.4 0z";

/// Digits 0 to 9 as strokes in boxes 10 wide and 16 high.
const DIGITS: [&str; 10] = [
    "M5 0C1.600 0 .3 3.500 .3 8S1.600 16 5 16 9.700 12.500 9.700 8 8.400 0 5 0Z",
    "M1.500 3.300 6 0V16",
    "M.600 4.300C.600 1.700 2.400 0 5 0s4.400 1.700 4.400 4.200C9.400 7.500 1 11.500 .4 16H9.700",
    "M.8 0H9.200L4.600 6.200C7.700 6.200 9.700 8.200 9.700 11S7.700 16 4.900 16C2.500 16 .700 14.700 .2 12.600",
    "M7.400 16V0L.2 11.600H9.900",
    "M8.900 0H1.700L1 7.300C2 6.200 3.400 5.700 4.900 5.700 7.700 5.700 9.700 7.800 9.700 10.800S7.700 16 4.800 16C2.500 16 .700 14.800 .2 12.800",
    "M8 0C4.200 2.200 .3 6.200 .3 11 .3 14 2.200 16 5 16S9.700 13.900 9.700 11 7.700 6.200 5 6.200 .9 8.100 .4 10.300",
    "M.4 0H9.700L3.700 16",
    "M5 7.400C2.500 7.400 1 5.900 1 3.700S2.600 0 5 0 9 1.500 9 3.700 7.500 7.400 5 7.400ZM5 7.400C2.200 7.400 .3 9.200 .3 11.700S2.200 16 5 16 9.700 14.200 9.700 11.700 7.800 7.400 5 7.400Z",
    "M2 16C5.800 13.800 9.700 9.800 9.700 5 9.700 2 7.800 0 5 0S.3 2.100 .3 5 2.300 9.800 5 9.800 9.100 7.900 9.600 5.700",
];

/// The comma between the rows of a placement and the × before the size of a class, in the same boxes; and what says that a
/// sheet has `100 of 14200` boards.
const OTHERS: [(char, &str); 5] = [
    (',', "M4 13.500C4 16.500 3.200 17.800 2 19"),
    ('×', "M1.500 5 8.500 12M8.500 5 1.500 12"),
    ('o', "M5 6C2 6 .8 8.300 .8 11S2 16 5 16 9.200 13.700 9.200 11 8 6 5 6Z"),
    ('f', "M8.500 .5C5.500 -.5 4.500 1.500 4.500 3.500V16M1.500 6.500H7.500"),
    ('.', "M5 15.500V16"),
];

/// The distance from one character to the next.
const ADVANCE: f64 = 15.0;

/// The strokes of a text of digits, spaces and [`OTHERS`], with the middle of it at a point.
pub(crate) fn strokes(svg: &mut String, text: &str, (x, y): (f64, f64), scale: f64) {
    let advance = |letter: char| if matches!(letter, ',' | '.' | ' ') { 0.6 * ADVANCE } else { ADVANCE };
    let width: f64 = text.chars().map(advance).sum::<f64>() - 5.0;
    let mut left = x - scale * width / 2.0;
    for letter in text.chars() {
        let other = || OTHERS.iter().find(|(other, _)| *other == letter).map_or("", |(_, path)| path);
        let path = letter.to_digit(10).map_or_else(other, |digit| DIGITS[digit as usize]);
        if !path.is_empty() {
            let top = y - scale * 8.0;
            // Writing to a string cannot fail.
            let _ = writeln!(svg, "<path transform=\"translate({left:.1} {top:.1}) scale({scale})\" d=\"{path}\"/>");
        }
        left += scale * advance(letter);
    }
}
