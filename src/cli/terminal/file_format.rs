//! File formats by the extension of the file's name, the same for every command that writes files.

use clap::ValueEnum;

use crate::cli::terminal::{Failure, OutputPath, escape};

/// The extensions that mean one format.
pub(crate) type Extensions = &'static [&'static str];

pub(crate) const TEXT: Extensions = &["txt"];
/// One object on one line, which is a value and a line.
pub(crate) const JSON: Extensions = &["json", "jsonl", "ndjson"];
/// One value, and values that have a line each.
pub(crate) const JSON_ARRAY: Extensions = &["json"];
pub(crate) const JSON_LINES: Extensions = &["jsonl", "ndjson"];
pub(crate) const CSV: Extensions = &["csv"];
pub(crate) const HTML: Extensions = &["html", "htm"];
pub(crate) const SVG: Extensions = &["svg"];

/// The format that `--format` or the extension asks for, else the first. Of formats with the same extensions the first is
/// the one that the extension means.
pub(crate) fn choose<F: ValueEnum + Copy + PartialEq>(
    format: Option<F>,
    path: Option<&OutputPath>,
    formats: &[(F, Extensions)],
) -> Result<F, Failure> {
    let Some(path) = path else { return Ok(format.unwrap_or(formats[0].0)) };
    let invalid = |reason: &str| Failure::invalid("--output <FILE>", &escape::name(path.name()), &reason);
    let extensions = |format: F| formats.iter().find(|(known, _)| *known == format).map(|(_, extensions)| extensions);
    match (format, by_extension(path, formats).map_err(|reason| invalid(&reason))?) {
        (Some(format), Some(other)) if extensions(format) != extensions(other) => {
            let name = format.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
            Err(invalid(&format!("the extension is for another format than --format {name}")))
        }
        (format, by_extension) => Ok(format.or(by_extension).unwrap_or(formats[0].0)),
    }
}

/// The first of these formats with the extension; `None` for stdout and for a name without one. The error says which there
/// are.
pub(crate) fn by_extension<F: Copy>(path: &OutputPath, formats: &[(F, Extensions)]) -> Result<Option<F>, String> {
    let extension = path.name().extension().filter(|extension| !extension.is_empty() && !path.is_stdout());
    let Some(extension) = extension.map(|extension| extension.to_string_lossy().to_lowercase()) else {
        return Ok(None);
    };
    if let Some((format, _)) = formats.iter().find(|(_, extensions)| extensions.contains(&extension.as_str())) {
        return Ok(Some(*format));
    }
    let mut known: Vec<String> = formats.iter().flat_map(|(_, all)| *all).map(|known| format!(".{known}")).collect();
    known.dedup();
    Err(match known.as_slice() {
        [only] => format!("the name must end in {only}"),
        known => format!("no format has the extension .{extension}; there are {}", known.join(", ")),
    })
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
        let choose = |format, path: &str| choose(format, OutputPath::unused(path).as_ref(), &formats).ok();
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
