//! What a file's name says it holds: one table for every command that writes files.

use std::path::Path;

use clap::ValueEnum;

use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::files::is_stdout;
use crate::cli::terminal::messages;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Text,
    Json,
    Csv,
    Html,
    Markdown,
    Svg,
    Png,
}

use Content::{Csv, Html, Json, Markdown, Png, Svg, Text};

/// The endings that are understood. What two commands both write has the same endings in both.
pub(crate) const ENDINGS: [(&str, Content); 11] = [
    ("txt", Text),
    ("json", Json),
    ("jsonl", Json),
    ("ndjson", Json),
    ("csv", Csv),
    ("html", Html),
    ("htm", Html),
    ("md", Markdown),
    ("markdown", Markdown),
    ("svg", Svg),
    ("png", Png),
];

/// The formats of a command that has several, as `--format` takes them. Of those with the same content the first is
/// the one that the ending means.
pub(crate) trait Format: ValueEnum + PartialEq + Copy {
    fn content(self) -> Content;
}

/// The format that `--format`, the ending of the file's name or, where neither says anything, the command asks for.
pub(crate) fn choose<F: Format>(format: Option<F>, path: Option<&Path>, usual: F) -> Result<F, Failure> {
    const ARGUMENT: &str = "--output <FILE>";
    let Some(path) = path.filter(|path| !is_stdout(path)) else { return Ok(format.unwrap_or(usual)) };
    let contents: Vec<Content> = F::value_variants().iter().map(|format| format.content()).collect();
    let Some(content) = of(ARGUMENT, path, &contents)? else { return Ok(format.unwrap_or(usual)) };
    let Some(format) = format else {
        let meant = F::value_variants().iter().find(|format| format.content() == content);
        return Ok(*meant.expect("the content is one of theirs"));
    };
    if format.content() == content {
        return Ok(format);
    }
    let named = format.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
    let reason = format!("the name ends as that of another format than {named}, which --format asks for");
    Err(Failure::invalid(ARGUMENT, &messages::name(path), &reason))
}

/// Fails where the ending is that of something else; a name without an ending may hold anything.
pub(crate) fn require(argument: &str, path: &Path, content: Content) -> Result<(), Failure> {
    if is_stdout(path) { Ok(()) } else { of(argument, path, &[content]).map(drop) }
}

/// What the ending stands for, one of `contents`; `None` for a name without an ending.
pub(crate) fn of(argument: &str, path: &Path, contents: &[Content]) -> Result<Option<Content>, Failure> {
    let Some(ending) = path.extension().filter(|ending| !ending.is_empty()) else { return Ok(None) };
    let ending = ending.to_string_lossy().to_lowercase();
    let allowed = || ENDINGS.iter().filter(|(_, content)| contents.contains(content));
    if let Some((_, content)) = allowed().find(|(known, _)| *known == ending) {
        return Ok(Some(*content));
    }
    let known: Vec<String> = allowed().map(|(known, _)| format!(".{known}")).collect();
    let reason = match known.as_slice() {
        [only] => format!("the ending is to be {only}"),
        known => {
            format!("nothing is known to be written to a file ending in .{ending}; there are {}", known.join(", "))
        }
    };
    Err(Failure::invalid(argument, &messages::name(path), &reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
    enum Two {
        Words,
        Lines,
        Drawing,
    }

    impl Format for Two {
        fn content(self) -> Content {
            match self {
                Self::Words | Self::Lines => Text,
                Self::Drawing => Svg,
            }
        }
    }

    #[test]
    fn the_name_decides() {
        let choose = |format, path: &str| choose(format, Some(Path::new(path)), Two::Lines).ok();
        assert_eq!(choose(None, "a.svg"), Some(Two::Drawing));
        assert_eq!(choose(None, "a.SVG"), Some(Two::Drawing));
        assert_eq!(choose(None, "a.txt"), Some(Two::Words));
        assert_eq!([choose(None, "-"), choose(None, "folder.d/a"), choose(None, ".svg")], [Some(Two::Lines); 3]);
        assert_eq!(choose(Some(Two::Lines), "a.txt"), Some(Two::Lines));
        assert_eq!(choose(Some(Two::Drawing), "a"), Some(Two::Drawing));
        // Known to others only, known to nobody, and against what was asked for.
        assert_eq!([choose(None, "a.csv"), choose(None, "a.jpg"), choose(Some(Two::Words), "a.svg")], [None; 3]);
    }
}
