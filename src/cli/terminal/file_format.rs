//! File formats by the extension of the file's name, the same for every command that writes files.

use std::path::Path;

use clap::ValueEnum;

use crate::cli::terminal::{Failure, escape, files::is_stdout};

/// The extensions that mean one format.
pub(crate) type Extensions = &'static [&'static str];

pub(crate) const TEXT: Extensions = &["txt"];
pub(crate) const JSON: Extensions = &["json", "jsonl", "ndjson"];
pub(crate) const CSV: Extensions = &["csv"];
pub(crate) const HTML: Extensions = &["html", "htm"];
pub(crate) const MARKDOWN: Extensions = &["md", "markdown"];
pub(crate) const SVG: Extensions = &["svg"];

/// What versions before 0.4 wrote beside SVG.
const GONE: [&str; 2] = ["png", "pdf"];

/// The format that `--format` or the extension asks for, else the first. Of formats with the same extensions the first is
/// the one that the extension means.
pub(crate) fn choose<F: ValueEnum + Copy + PartialEq>(
    format: Option<F>,
    path: Option<&Path>,
    formats: &[(F, Extensions)],
) -> Result<F, Failure> {
    const ARGUMENT: &str = "--output <FILE>";
    let default = formats[0].0;
    let Some(path) = path.filter(|path| !is_stdout(path)) else { return Ok(format.unwrap_or(default)) };
    let extensions = |format: F| formats.iter().find(|(known, _)| *known == format).map(|(_, extensions)| extensions);
    match (format, by_extension(ARGUMENT, path, formats)?) {
        (Some(format), Some(other)) if extensions(format) != extensions(other) => {
            let name = format.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
            let reason = format!("the extension means another format than {name}, which --format names");
            Err(Failure::invalid(ARGUMENT, &escape::name(path), &reason))
        }
        (format, by_extension) => Ok(format.or(by_extension).unwrap_or(default)),
    }
}

/// Fails where the extension is that of something else; a name without an extension may hold anything.
pub(crate) fn require(argument: &str, path: &Path, extensions: Extensions) -> Result<(), Failure> {
    if is_stdout(path) { Ok(()) } else { by_extension(argument, path, &[((), extensions)]).map(drop) }
}

/// The first of these formats with the extension; `None` for a name without one.
pub(crate) fn by_extension<F: Copy>(
    argument: &str,
    path: &Path,
    formats: &[(F, Extensions)],
) -> Result<Option<F>, Failure> {
    let Some(extension) = path.extension().filter(|extension| !extension.is_empty()) else { return Ok(None) };
    let extension = extension.to_string_lossy().to_lowercase();
    if let Some((format, _)) = formats.iter().find(|(_, extensions)| extensions.contains(&extension.as_str())) {
        return Ok(Some(*format));
    }
    let mut known: Vec<String> = formats.iter().flat_map(|(_, all)| *all).map(|known| format!(".{known}")).collect();
    known.dedup();
    let reason = match known.as_slice() {
        _ if GONE.contains(&extension.as_str()) && known.iter().any(|known| known == ".svg") => {
            format!("no format has the extension .{extension} any more; use .svg, which a browser shows and prints")
        }
        [only] => format!("the name must end in {only}"),
        known => format!("no format has the extension .{extension}; there are {}", known.join(", ")),
    };
    Err(Failure::invalid(argument, &escape::name(path), &reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
    enum TestFormat {
        Words,
        Lines,
        Drawing,
    }

    #[test]
    fn the_extension_decides() {
        use TestFormat::{Drawing, Lines, Words};
        let formats = [(Words, TEXT), (Lines, TEXT), (Drawing, SVG)];
        let choose = |format, path: &str| choose(format, Some(Path::new(path)), &formats).ok();
        assert_eq!(
            [choose(None, "a.svg"), choose(None, "a.SVG"), choose(None, "a.txt")],
            [Drawing, Drawing, Words].map(Some)
        );
        assert_eq!([choose(None, "-"), choose(None, "folder.d/a"), choose(None, ".svg")], [Some(Words); 3]);
        assert_eq!([choose(Some(Lines), "a.txt"), choose(Some(Drawing), "a")], [Lines, Drawing].map(Some));
        // An extension of other commands, of nobody, and one against what was asked for.
        assert_eq!([choose(None, "a.csv"), choose(None, "a.jpg"), choose(Some(Words), "a.svg")], [None; 3]);
    }
}
