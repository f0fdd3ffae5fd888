//! Names and messages as a terminal may be given them.

use std::path::Path;

/// The text on one line, with its control characters escaped: names and contents of files come from anywhere, and a
/// terminal would obey them.
pub(crate) fn harmless(text: &str) -> String {
    text.chars().map(|c| if is_obeyed(c) { c.escape_default().to_string() } else { c.to_string() }).collect()
}

/// Whether a terminal obeys a character instead of showing it: controls, line breaks, and changes of direction.
pub(crate) fn is_obeyed(c: char) -> bool {
    let is_format =
        matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || is_format
}

/// A file's name, as it is shown.
pub(crate) fn name(path: &Path) -> String {
    harmless(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(harmless("a file, and another: ä"), "a file, and another: ä");
        assert_eq!(harmless("a\nerror: b\u{202e}c"), r"a\nerror: b\u{202e}c");
        assert_eq!(harmless("\u{1b}[31m\u{9b}31m\r\u{7f}"), r"\u{1b}[31m\u{9b}31m\r\u{7f}");
    }
}
