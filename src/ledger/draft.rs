//! Files that appear whole or not at all, and survive a power cut once they have appeared.
//!
//! A [`Draft`] is written and synced under a random name in the folder of the file whose place it takes. Then it is renamed,
//! and the folder is synced, so that the new name survives a power cut too. Windows has no call for this last step: there
//! a power cut may bring back the previous file, whole.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::iter;
use std::path::{Path, PathBuf};

/// A file that is written beside its place, which it takes whole or not at all. If it is dropped before, it is removed.
///
/// The file has the mode of the one that it replaces; where there is none, that of any new file. A symbolic link stays a
/// link: the file that it leads to is replaced.
#[derive(Debug)]
pub struct Draft {
    file: File,
    path: PathBuf,
    place: PathBuf,
}

/// Drafts are named `.NAME.` and so many letters and digits, and then this.
const RANDOM: usize = 8;
const SUFFIX: &str = ".new";

impl Draft {
    /// Begins the file that is to take this place.
    ///
    /// # Errors
    /// If the place is a folder, a device or the like, or no file can be made in its folder.
    pub fn new(place: &Path) -> io::Result<Self> {
        let place = followed(place)?;
        let random: String = iter::repeat_with(fastrand::alphanumeric).take(RANDOM).collect();
        let path = beside(&place, &(random + SUFFIX));
        let file = File::create_new(&path)?;
        if let Ok(old) = fs::metadata(&place) {
            // Drives of other systems refuse this.
            let _ = file.set_permissions(old.permissions());
        }
        Ok(Self { file, path, place })
    }

    /// Where it is until then.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the place, durably. After an error, what was there before is still there, unless the error came from syncing
    /// the folder.
    pub fn commit(self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.path, &self.place)?;
        if cfg!(not(unix)) {
            return Ok(());
        }
        let synced = File::open(self.place.with_file_name("."))?.sync_all();
        synced.or_else(|error| if is_lack(&error) { Ok(()) } else { Err(error) })
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Once it has taken its place, no file has this name.
        let _ = fs::remove_file(&self.path);
    }
}

/// The file that a name leads to through symbolic links; where there is none, the name itself.
///
/// # Errors
/// If links may not be followed, or lead to something that is not a file.
pub(super) fn followed(path: &Path) -> io::Result<PathBuf> {
    match fs::metadata(path) {
        Ok(about) if about.is_file() => fs::canonicalize(path),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Err(_) if path.file_name().is_some() => Ok(path.to_owned()),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file")),
    }
}

/// The hidden file `.NAME.role` beside a file: a shell's `*` does not find it.
pub(super) fn beside(path: &Path, role: &str) -> PathBuf {
    let name = path.file_name().expect("a place that was followed has a name");
    let hidden: OsString = [".".as_ref(), name, ".".as_ref(), role.as_ref()].into_iter().collect();
    path.with_file_name(hidden)
}

/// Removes the drafts of this file that killed runs have left. Only the holder of its lock may do that.
pub(super) fn remove_leftovers(place: &Path) {
    let beside = beside(place, "");
    let start = beside.file_name().unwrap_or_default().as_encoded_bytes();
    for entry in fs::read_dir(place.with_file_name(".")).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let rest = name.as_encoded_bytes().strip_prefix(start).and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
        if rest.is_some_and(|random| random.len() == RANDOM) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether an error says that the file system cannot sync folders, by EINVAL, ENOSYS or EOPNOTSUPP.
pub(super) fn is_lack(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported)
}
