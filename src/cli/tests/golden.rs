//! Golden files: what a screen or a table is to look like, in files that a person can look at.

/// Fails where the text is not that of the file, whose path is from the package's root. `GOLDEN=write cargo test`
/// writes the files anew, for `git diff` to show what has changed.
pub(crate) fn check(file: &str, text: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("GOLDEN").is_some_and(|value| value == "write") {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        return;
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    assert!(golden == text, "not as in {file}:\n{text}\ninstead of\n{golden}");
}
