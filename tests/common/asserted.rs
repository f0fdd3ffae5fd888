//! The program with its arguments apart, as `assert_cmd` runs and checks it.

use assert_cmd::Command;

pub(crate) fn queens(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("queens").unwrap();
    for name in ["NO_COLOR", "TERM", "LC_ALL", "LC_CTYPE", "LANG"] {
        command.env_remove(name);
    }
    command.args(args);
    command
}

/// A file of the given content, of its own for each name.
pub(crate) fn file(name: &str, content: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

/// What a command prints that ends well.
pub(crate) fn stdout(args: &[&str]) -> String {
    let output = queens(args).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    // What there is none of is said beside the list.
    assert!(output.status.success() && (said.is_empty() || said.starts_with("no solutions ")), "{args:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}
