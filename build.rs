//! Tells the program which commit and target it was built from, for `queens --version`.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// Digits of a commit that are shown.
const DIGITS: usize = 12;
/// Where cargo leaves the commit in a packaged crate.
const PACKED: &str = ".cargo_vcs_info.json";

fn main() {
    // A packaged crate may lie in a repository of somebody else, whose commit says nothing.
    let commit = if Path::new(PACKED).exists() { packed() } else { checked_out() };
    println!("cargo:rustc-env=QUEENS_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
    let target = env::var("TARGET").unwrap_or_else(|_| "unknown".to_owned());
    println!("cargo:rustc-env=QUEENS_TARGET={target}");
    println!("cargo:rerun-if-changed=build.rs");
}

/// The commit that a crate was packaged from: `{"git": {"sha1": "..."}, ...}`.
fn packed() -> Option<String> {
    println!("cargo:rerun-if-changed={PACKED}");
    let text = fs::read_to_string(PACKED).ok()?;
    let hash = text.split("\"sha1\"").nth(1)?.split('"').nth(1)?;
    hash.get(..DIGITS).map(str::to_owned)
}

/// The commit of the working tree; a source archive has none, which is fine.
fn checked_out() -> Option<String> {
    // In a linked working tree `.git` is a file. `logs/HEAD` grows with every commit and checkout.
    if !Path::new(".git").exists() {
        return None;
    }
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]).filter(|path| Path::new(path).exists()) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    git(&["rev-parse", &format!("--short={DIGITS}"), "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
