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
///
/// ```
/// use std::io::Write;
/// # let folder = tempfile::tempdir()?;
/// # let place = folder.path().join("answer.txt");
/// let mut draft = queens::ledger::Draft::new(&place)?;
/// draft.write_all(b"92\n")?;
/// assert!(!place.exists());
/// draft.commit()?;
/// assert_eq!(std::fs::read(&place)?, b"92\n");
/// # Ok::<(), std::io::Error>(())
/// ```
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
        Ok(Self { file: create(&path, &place)?, path, place })
    }

    /// Takes the place, durably. After an error, what was there before is still there, unless the error came from syncing
    /// the folder.
    pub fn commit(self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.path, &self.place)?;
        sync_folder(&self.place)
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

/// Makes a new file, with the mode of the one at `place` if there is one.
fn create(path: &Path, place: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if let Ok(old) = fs::metadata(place) {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let file = options.mode(old.permissions().mode() & 0o7777).open(path)?;
        // The umask may have taken some of it. Drives of other systems refuse this call, and have given their mode already.
        let _ = file.set_permissions(old.permissions());
        return Ok(file);
    }
    #[cfg(not(unix))]
    let _ = place;
    options.open(path)
}

/// The file that a name leads to through symbolic links; where there is none, the name itself.
///
/// # Errors
/// If links lead in a circle or may not be followed, or lead to something that is not a file.
pub(super) fn followed(path: &Path) -> io::Result<PathBuf> {
    match fs::metadata(path) {
        Ok(about) if about.is_file() => Ok(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Err(_) if path.file_name().is_some() && !path.is_symlink() => Ok(path.to_owned()),
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
    for entry in fs::read_dir(folder(place)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let rest = name.as_encoded_bytes().strip_prefix(start).and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
        if rest.is_some_and(|random| random.len() == RANDOM && random.iter().all(u8::is_ascii_alphanumeric)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The folder of the file with this name.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the names in the folder of `path` survive a power cut, where the file system can do that for folders.
fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    match File::open(folder(path))?.sync_all() {
        Err(error) if !lacks(&error, rustix::io::Errno::INVAL) => return Err(error),
        _ => {}
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Whether an error says that the file system has no such call: by one of the usual numbers, or by this one.
#[cfg(unix)]
pub(super) fn lacks(error: &io::Error, number: rustix::io::Errno) -> bool {
    use rustix::io::Errno;
    let numbers = [Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP, number];
    Errno::from_io_error(error).is_some_and(|error| numbers.contains(&error))
}
