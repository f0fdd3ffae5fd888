//! The one door to files. [`OutputPath`] is the type of every argument that names a result, and the only way to write one;
//! [`guard`] looks at all arguments before any work.
//!
//! | the name of | is |
//! | --- | --- |
//! | a descriptor: `-`, `/dev/stderr`, `/dev/fd/3`, `>(...)` | written to where it stands; never read, opened anew or replaced |
//! | a named pipe or a device | opened only to be written to: its reader would take a trial for the end |
//! | a regular file, or of none yet | replaced by the whole result, or left as it is |
//! | a ledger, sound or not, or what stands beside one | refused |
//! | a file that another argument of the command names | refused |

use std::any::TypeId;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Read as _, StdoutLock, Write};
use std::path::{Path, PathBuf};

use clap::builder::{MapValueParser, PathBufValueParser, TypedValueParser, ValueParserFactory};
use clap::{Arg, ArgMatches, ValueHint};
use queens::ledger::durable::{Draft, MOST_LINKS, folder, is_same, is_same_file, links, sync_folder, target};
use queens::ledger::store;

use super::signals::UnfinishedFile;
use crate::cli::terminal::{Exit, Extensions, Failure, escape, file_format, stdout};

/// The name of a result, as the user gave it.
#[derive(Clone, Debug)]
pub(crate) struct OutputPath(PathBuf);

impl ValueParserFactory for OutputPath {
    type Parser = MapValueParser<PathBufValueParser, fn(PathBuf) -> Self>;

    fn value_parser() -> Self::Parser {
        PathBufValueParser::new().map(Self)
    }
}

/// What a name leads to.
enum Place {
    /// A descriptor of this process.
    Descriptor(i32),
    /// A device, a named pipe, or what the system shows as a file.
    Special(PathBuf),
    /// A regular file, or none; links are followed.
    File(PathBuf),
}

impl OutputPath {
    /// Names of files with these extensions, or with none.
    pub(crate) fn with(extensions: Extensions) -> impl TypedValueParser<Value = Self> {
        PathBufValueParser::new().try_map(move |path| {
            let path = Self(path);
            file_format::by_extension(&path, &[((), extensions)]).map(|_| path)
        })
    }

    /// Has shells complete the values of an argument of this type, as they do those that are a [`PathBuf`].
    pub(crate) fn completed(argument: Arg) -> Arg {
        let is_output = argument.get_value_parser().type_id() == TypeId::of::<Self>();
        if is_output { argument.value_hint(ValueHint::AnyPath) } else { argument }
    }

    /// A name that was typed in while the program ran, if no file has it yet.
    #[cfg(any(feature = "browse", test))]
    pub(crate) fn unused(path: impl Into<PathBuf>) -> Option<Self> {
        Some(path.into()).filter(|path| fs::symlink_metadata(path).is_err()).map(Self)
    }

    /// As the user gave it.
    pub(crate) fn name(&self) -> &Path {
        &self.0
    }

    /// Whether it is stdout, by whatever name.
    pub(crate) fn is_stdout(&self) -> bool {
        self.descriptor() == Some(1)
    }

    /// The same for the system, to which `-` is a name like any other.
    fn path(&self) -> &Path {
        if self.0.as_os_str() == "-" { Path::new("/dev/stdout") } else { &self.0 }
    }

    /// The descriptor of this process that the name leads to, through links too: by its nature, for it has many names.
    fn descriptor(&self) -> Option<i32> {
        if self.0.as_os_str() == "-" {
            return Some(1);
        }
        let own = ["/dev/fd", "/proc/thread-self/fd"].map(fs::metadata);
        links(&self.0).take(MOST_LINKS).find_map(|at| {
            let (number, among) = (at.file_name()?.to_str()?.parse().ok()?, fs::metadata(folder(&at)).ok()?);
            own.iter().flatten().any(|own| is_same(own, &among)).then_some(number)
        })
    }

    /// Writes the whole result.
    pub(crate) fn save(&self, content: &[u8]) -> Result<(), Failure> {
        let mut out = Output::open(Some(self))?;
        out.write(content)?;
        out.finish()
    }

    /// Fails where the result could not be written.
    fn check(&self) -> Result<(), Failure> {
        match self.place() {
            // Opened and closed, a pipe would seem to be at its end.
            Ok(Place::Special(path)) => may_write(&path).map_err(|error| self.failure(&error)),
            _ => Output::open(Some(self)).map(drop),
        }
    }

    fn place(&self) -> io::Result<Place> {
        let path = &self.0;
        if let Some(descriptor) = self.descriptor() {
            return Ok(Place::Descriptor(descriptor));
        }
        match fs::metadata(path) {
            Ok(about) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(about) if !about.is_file() || is_of_system(path) => return Ok(Place::Special(path.clone())),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let path = target(path)?;
        let is_taken = store::is_taken(&path).map_err(|error| {
            let reason = format!("it may be a checkpoint, which cannot be told: {}", reason(&error));
            io::Error::new(error.kind(), reason)
        });
        if is_taken? {
            Err(io::Error::other("it is a checkpoint or a shard, or belongs to one"))
        } else {
            Ok(Place::File(path))
        }
    }

    /// Why it cannot be written; a reader that has closed the pipe is no failure.
    fn failure(&self, error: &io::Error) -> Failure {
        if stdout::is_closed_by_reader(error) {
            return Failure::Closed;
        }
        let folder = folder(&self.0);
        let reason = if error.kind() == io::ErrorKind::NotFound && !folder.exists() {
            format!("there is no folder {}", folder.display())
        } else {
            reason(error)
        };
        let name = if self.0.as_os_str() == "-" { "stdout".into() } else { self.0.display().to_string() };
        Failure::Run(Exit::Failure, format!("cannot write {name}: {reason}"))
    }
}

/// Fails before the work if a result could not be written, or would be written over a file that the same command reads or
/// keeps, or over another result. The types of the arguments say which files these are, so that no option is forgotten: a
/// [`PathBuf`] is read or kept.
pub(crate) fn guard(matches: &ArgMatches) -> Result<(), Failure> {
    let Some((_, matches)) = matches.subcommand() else { return Ok(()) };
    let outputs: Vec<&OutputPath> = values(matches).collect();
    if outputs.iter().filter(|output| output.is_stdout()).count() > 1 {
        return Err(Failure::usage(&"only one result goes to stdout; give the others a file"));
    }
    let refuse_over = |output: &OutputPath, others: &[&Path], what: &str| {
        let is_file = fs::metadata(output.path()).map_or(true, |about| about.is_file());
        if is_file && others.iter().any(|other| is_same_file(output.path(), other)) {
            return Err(Failure::usage(&format!("cannot write {}: {what}", escape::name(&output.0))));
        }
        Ok(())
    };
    let path = |path| if is_stdin(path) { Path::new("/dev/stdin") } else { path };
    let kept: Vec<&Path> = values::<PathBuf>(matches).map(|kept| path(kept)).collect();
    // Those that are written to where they stand do not harm each other.
    let (mut others, files): (Vec<&OutputPath>, _) = outputs.iter().partition(|output| output.descriptor().is_some());
    let streams = ["/dev/stdout", "/dev/stderr"].map(|stream| OutputPath(stream.into()));
    others.extend(&streams);
    for output in &outputs {
        refuse_over(output, &kept, "the same command reads or saves this file")?;
    }
    for output in files {
        refuse_over(
            output,
            &others.iter().map(|other| other.path()).collect::<Vec<_>>(),
            "another result goes to the same file",
        )?;
        others.push(output);
    }
    outputs.into_iter().try_for_each(OutputPath::check)
}

/// The values of all arguments of this type.
fn values<T: Clone + Send + Sync + 'static>(matches: &ArgMatches) -> impl Iterator<Item = &T> {
    matches.ids().filter_map(|id| matches.try_get_many(id.as_str()).ok().flatten()).flatten()
}

/// Whether a name leads to a descriptor of another process, or to the system itself.
#[cfg(target_os = "linux")]
fn is_of_system(path: &Path) -> bool {
    let is_proc =
        |at: PathBuf| rustix::fs::statfs(folder(&at)).is_ok_and(|of| of.f_type == rustix::fs::PROC_SUPER_MAGIC);
    links(path).take(MOST_LINKS).any(is_proc)
}

#[cfg(not(target_os = "linux"))]
fn is_of_system(_: &Path) -> bool {
    false
}

#[cfg(unix)]
fn may_write(path: &Path) -> io::Result<()> {
    Ok(rustix::fs::access(path, rustix::fs::Access::WRITE_OK)?)
}

#[cfg(not(unix))]
fn may_write(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Where a result goes. Nothing is buffered here: write in large pieces.
pub(crate) struct Output {
    to: Destination,
    path: OutputPath,
}

enum Destination {
    Stdout(StdoutLock<'static>),
    /// Another descriptor, a device or a named pipe.
    Stream(File),
    /// Written beside its final place under a temporary name, then renamed; removed if a signal ends the program before.
    File(Draft, PathBuf, UnfinishedFile),
}

impl Output {
    /// The file of this name, or stdout; an existing file stays as it is until [`Output::finish`].
    pub(crate) fn open(path: Option<&OutputPath>) -> Result<Self, Failure> {
        let path = path.cloned().unwrap_or_else(|| OutputPath("-".into()));
        let to = path.place().and_then(Destination::open).map_err(|error| path.failure(&error))?;
        Ok(Self { to, path })
    }

    /// Whether it is a file, and no stream.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.to, Destination::File(..))
    }

    /// Whether it is stdout, which may be a terminal.
    pub(crate) fn is_stdout(&self) -> bool {
        matches!(self.to, Destination::Stdout(_))
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let written = match &mut self.to {
            Destination::Stdout(out) => stdout::write_all(out, bytes),
            Destination::Stream(file) => stdout::write_all(file, bytes),
            Destination::File(draft, ..) => draft.as_file_mut().write_all(bytes),
        };
        written.map_err(|error| self.path.failure(&error))
    }

    /// Makes the file appear, durably: the file is synced, renamed, and then its folder is synced.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Destination::File(draft, place, _unfinished) = self.to else { return Ok(()) };
        let finish = || {
            draft.as_file().sync_all()?;
            draft.replace(&place)?;
            sync_folder(&place)
        };
        finish().map_err(|error| self.path.failure(&error))
    }
}

impl Destination {
    fn open(place: Place) -> io::Result<Self> {
        match place {
            Place::Descriptor(1) => Ok(Self::Stdout(io::stdout().lock())),
            Place::Descriptor(descriptor) => Ok(Self::Stream(stdout::descriptor(descriptor)?)),
            Place::Special(path) => Ok(Self::Stream(File::options().append(true).open(path)?)),
            Place::File(path) => {
                // A link stays a link: the new file is made in the folder of the file that it points to.
                let permissions = fs::metadata(&path).ok().map(|about| about.permissions());
                let (draft, unfinished) = UnfinishedFile::draft(&path, permissions.as_ref())?;
                Ok(Self::File(draft, path, unfinished))
            }
        }
    }
}

/// The name of the first, second, ... file of a kind: `queens-20.svg`, `queens-20.2.svg`.
pub(crate) fn numbered_name(stem: &str, number: usize, extension: &str) -> String {
    if number == 1 { format!("{stem}.{extension}") } else { format!("{stem}.{number}.{extension}") }
}

/// Whether this name of what a command reads is `-`.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The content of a file that a command reads, or of stdin, if it is no larger than any file for this program.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    const MOST: u64 = 1 << 24;
    let mut bytes = Vec::new();
    let read = if is_stdin(path) {
        io::stdin().take(MOST + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes))
    };
    let size = read.map_err(|error| unread(path, &reason(&error)))?;
    if size as u64 > MOST { Err(unread(path, &"larger than 16 MiB")) } else { Ok(bytes) }
}

/// A file or folder is not what the command needs.
pub(crate) fn unread(path: &Path, reason: &dyn Display) -> Failure {
    Failure::Run(Exit::Failure, format!("{}: {reason}", escape::name(path)))
}

/// The system's message alone, without the number of the error; what is missing is told in the words of a ledger's.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(_) if error.kind() == io::ErrorKind::NotFound => "there is no such file".to_owned(),
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_no_numbers() {
        assert_eq!(reason(&File::open("no such file").unwrap_err()), "there is no such file");
        let folder = File::options().write(true).open(".").unwrap_err();
        assert!(folder.to_string().contains("os error") && !reason(&folder).contains("os error"));
        assert_eq!(reason(&io::ErrorKind::IsADirectory.into()), io::ErrorKind::IsADirectory.to_string());
    }
}
