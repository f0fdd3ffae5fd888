//! Text for a locale that has no more than ASCII, as `LANG=C` has.

use std::borrow::Cow;

/// The characters of the program's own texts that are not ASCII. Those of names of files are none of its own.
const CHARACTERS: [(char, &str); 14] = [
    ('×', "x"),
    ('–', "-"),
    ('…', "..."),
    ('±', "+-"),
    ('µ', "u"),
    ('°', " degrees"),
    ('✓', "v"),
    ('✗', "x"),
    ('←', "<"),
    ('→', ">"),
    ('♛', "Q"),
    ('│', "|"),
    ('─', "-"),
    ('━', "="),
];

/// Whether the locale's character set is not Unicode. Without a locale Unicode is right nearly everywhere.
pub(crate) fn is_wanted() -> bool {
    let variable = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
    locale.is_some_and(|locale| !locale.to_lowercase().replace('-', "").contains("utf8"))
}

/// The text as the locale can show it.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !is_wanted() { Cow::Borrowed(text) } else { Cow::Owned(plain(text)) }
}

fn plain(text: &str) -> String {
    CHARACTERS.iter().fold(text.to_owned(), |text, (character, ascii)| text.replace(*character, ascii))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_own_characters_have_a_form_in_ascii() {
        assert_eq!(plain("8×8, 1–12, ± 3 µs, 90°… ✓"), "8x8, 1-12, +- 3 us, 90 degrees... v");
        assert_eq!(plain("ä.txt"), "ä.txt");
    }
}
