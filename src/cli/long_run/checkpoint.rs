//! A run's checkpoint: opened or resumed, saved at intervals, and the command that resumes it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use os_display::Quotable;
use queens::ledger::format::FormatError;
use queens::ledger::store::{self, Store, StoreError};
use queens::ledger::{Fingerprint, Ledger};

use crate::cli::long_run::LongRun;
use crate::cli::terminal::{Exit, Failure, Sizes, files, json, messages, numbers};

/// The checkpoint of a run, where it keeps one.
#[derive(Default)]
pub(crate) struct Checkpoint {
    store: Option<Store>,
    every: Duration,
    /// The time of the last save, for the thread that shows it.
    pub(super) last_save: Arc<Mutex<Option<Instant>>>,
    /// When the next save is due, whether the last one succeeded or not; `None` where it never is.
    pub(super) due: Option<Instant>,
    /// The progress of the run that is resumed, if any: finished units, and finished tasks of others.
    pub(super) reached_before: Option<(usize, u64)>,
    /// The file of a run that was saved without being asked.
    unasked: Option<PathBuf>,
    /// Finished units in the last save, and units of which some tasks are.
    pub(super) saved: (usize, usize),
    /// Whether the run that is resumed had finished everything: nothing is left to save.
    is_complete: bool,
}

impl Checkpoint {
    /// Opens the checkpoint, if any, and returns the ledger to go on from, which is this empty one where nothing is finished.
    ///
    /// It is saved once at the start, so that a full disk or a folder that may not be written shows before the work.
    pub(crate) fn open(args: &LongRun, mut ledger: Ledger) -> Result<(Self, Ledger), Failure> {
        let mut checkpoint = Self { every: args.checkpoint_every, ..Self::default() };
        let processor = Some(json::cpu_name());
        ledger.begin_run(processor.clone());
        if let Some(path) = &args.checkpoint {
            let mut store = Store::open(path)?;
            if let Some(notice) = store.notice() {
                messages::warning(&notice);
            }
            if !args.resume && args.shard.is_none() {
                store.create(&ledger).map_err(not_new)?;
                checkpoint.store = Some(store);
                checkpoint.note_save(&ledger);
                return Ok((checkpoint, ledger));
            }
            if let Some(earlier) = load(&mut store, args, &ledger)? {
                checkpoint.reached_before = Some(earlier.reached());
                checkpoint.saved = (earlier.finished(), earlier.partials().count());
                checkpoint.is_complete = earlier.is_complete();
                ledger = earlier;
                ledger.begin_run(processor);
            }
            checkpoint.store = Some(store);
            checkpoint.save(&ledger)?;
        }
        Ok((checkpoint, ledger))
    }

    /// Saves a run that keeps no checkpoint, or has lost its own, in a new file here, which is its checkpoint from now on.
    pub(crate) fn begin_unasked(&mut self, ledger: &Ledger) -> Result<(), StoreError> {
        /// What fails under so many names is not the fault of a name.
        const MOST_FAILURES: usize = 3;
        let (mut number, mut failures) = (0, 0);
        loop {
            number += 1;
            let path = new_name(ledger, number);
            match Store::open(&path).and_then(|mut store| store.create(ledger).map(|()| store)) {
                Ok(store) => {
                    (self.store, self.unasked) = (Some(store), Some(path));
                    self.note_save(ledger);
                    return Ok(());
                }
                // Somebody else has the name.
                Err(StoreError::Busy(_) | StoreError::Exists(_) | StoreError::NotAFile(_)) => {}
                Err(error) => {
                    failures += 1;
                    if failures == MOST_FAILURES {
                        return Err(error);
                    }
                }
            }
        }
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.store.is_some()
    }

    /// Whether another run has taken the place of this one, which was silent for so long: where there are no locks.
    pub(crate) fn is_taken_over(&self, error: &StoreError) -> bool {
        let is_held_by_file = self.store.as_ref().is_some_and(|store| store.notice().is_some());
        is_held_by_file && matches!(error, StoreError::Busy(_) | StoreError::Overtaken(_))
    }

    /// Whether the last save is still there when a later one has failed: its folder may be gone.
    pub(crate) fn exists(&self) -> bool {
        self.store.as_ref().is_some_and(|store| store.path().exists())
    }

    /// Why a save failed, and what is left of the one before.
    pub(crate) fn unsaved(&self, error: &StoreError) -> String {
        match &self.store {
            None => error.to_string(),
            Some(_) if self.exists() => format!("{error}; the save before is as it was"),
            Some(_) => format!("{error}; the save before is gone"),
        }
    }

    /// The failure of a count that has ended and whose last save has failed, unless the save before has all of it.
    pub(crate) fn not_whole(&self, ledger: &Ledger) -> Option<Failure> {
        let path = self.store.as_ref()?.path().display();
        let (saved, units) = (self.saved.0, ledger.units());
        let text = match self.exists() {
            true if saved == units => return None,
            true => {
                let units = numbers::count_of(units as u64, "unit");
                let has = format!("{path} has {} of {units}", numbers::grouped(saved as u128));
                format!("{has}; make room, and --resume counts the rest")
            }
            false => format!("{path} is gone, and nothing of the count is saved"),
        };
        Some(Failure::Run(Exit::Failure, text))
    }

    /// Saves, where there is a checkpoint and anything to save. The count goes on whatever happens here.
    pub(crate) fn save(&mut self, ledger: &Ledger) -> Result<(), StoreError> {
        let Some(store) = self.store.as_mut().filter(|_| !self.is_complete) else { return Ok(()) };
        let result = store.save(ledger);
        if result.is_ok() {
            self.note_save(ledger);
        } else {
            self.due = Instant::now().checked_add(self.every);
        }
        result
    }

    fn note_save(&mut self, ledger: &Ledger) {
        let now = Instant::now();
        self.due = now.checked_add(self.every);
        *self.last_save.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        self.saved = (ledger.finished(), ledger.partials().count());
    }

    /// The command that resumes the run, quoted for a shell; none without a checkpoint. It has no `--max-time` if that is too
    /// short for a task, for it would get no further.
    pub(crate) fn resume_command(&self, args: &LongRun, ledger: &Ledger, is_too_short: bool) -> Option<String> {
        self.store.as_ref()?;
        let mut arguments: Vec<_> = std::env::args_os().collect();
        if is_too_short {
            remove(&mut arguments, "--max-time");
        }
        if let Some(range) = args.range {
            one_board(&mut arguments, range, ledger.fingerprint().subject.n());
        }
        Some(with_resume(arguments, self.unasked.as_deref()))
    }
}

/// What there is to say if an earlier run of the count of this empty ledger was saved here without being asked.
pub(super) fn saved_before(empty: &Ledger) -> Option<Vec<String>> {
    let path = new_name(empty, 1);
    let saved = store::read(&path).ok().filter(|saved| !saved.is_complete())?;
    if saved.fingerprint() != empty.fingerprint() {
        return None;
    }
    let (done, units) = (saved.finished(), saved.units());
    let command = with_resume(std::env::args_os().collect(), Some(&path));
    let found = format!("{} has {done} of {units} units of this count; to go on from there", path.display());
    Some(vec![found, format!("    {command}")])
}

/// Why a checkpoint cannot be begun, and what to do where its file is there already.
fn not_new(error: StoreError) -> Failure {
    let StoreError::Exists(path) = &error else { return error.into() };
    if let Err(error @ StoreError::Format(_, FormatError::NotALedger)) = store::read(path) {
        return unusable(error);
    }
    let message =
        format!("{}: there is a checkpoint already; go on from it with --resume or remove it", path.display());
    Failure::Run(Exit::Failure, message)
}

/// Why a run cannot go on from a file or end in it, and what to do.
pub(super) fn unusable(error: StoreError) -> Failure {
    let advice = match &error {
        StoreError::Format(_, FormatError::NotALedger) => ", and it is not overwritten; give another name",
        error if error.is_damage() => "; put a copy in its place, or begin anew under another name",
        _ => return error.into(),
    };
    Failure::Run(Exit::Failure, format!("{error}{advice}"))
}

/// The ledger to go on from, where the checkpoint has one.
fn load(store: &mut Store, args: &LongRun, ledger: &Ledger) -> Result<Option<Ledger>, Failure> {
    let found = match store.load(ledger.fingerprint(), ledger.shard()) {
        // Whoever repeats the command of a shard until it is done gets no other answer by repeating it.
        Err(error) if args.shard.is_some() && error.is_damage_to(ledger) => {
            messages::warning(&format!("{error}; counting from the beginning"));
            None
        }
        found => found.map_err(unusable)?,
    };
    if found.is_none() && args.resume {
        // A mistyped name should not go unnoticed.
        let path = store.path().display();
        messages::note(&format!("{path}: there is no checkpoint yet; counting from the beginning"));
    }
    Ok(found)
}

/// `queens-24.ledger`, with what tells the count from others of its size; the second such name has a 2, and so on.
fn new_name(ledger: &Ledger, number: usize) -> PathBuf {
    let (Fingerprint { subject, .. }, shard) = (ledger.fingerprint(), ledger.shard());
    let turn = subject.rotation().map_or_else(String::new, |turn| format!("-{}", turn.name()));
    let fixed = subject.fixed().map_or_else(String::new, |fixed| format!("-{fixed}"));
    let fixed = fixed.replace(',', ".").replace(' ', "-");
    let shard = if shard.is_whole() { String::new() } else { format!("-{}", shard.to_string().replace('/', "-of-")) };
    files::numbered_name(&format!("queens-{}{turn}{fixed}{shard}", subject.n()), number, "ledger").into()
}

/// Puts one board in the place of the range that it is of: what is saved is one board's.
fn one_board(arguments: &mut [OsString], range: Sizes, n: usize) {
    let sizes =
        arguments.iter_mut().find(|argument| argument.to_str().and_then(|text| text.parse().ok()) == Some(range));
    *sizes.expect("the range was an argument") = n.to_string().into();
}

/// The command with `--resume`, and with the checkpoint that it did not name or has lost. Names that are no text or have control
/// characters become `$'...'`.
fn with_resume(mut arguments: Vec<OsString>, unasked: Option<&Path>) -> String {
    if unasked.is_some() {
        remove(&mut arguments, "--checkpoint");
    }
    let checkpoint = unasked.map(|path| ["--checkpoint".into(), path.into()]);
    let resume = (!arguments.iter().any(|argument| argument == "--resume")).then(|| "--resume".into());
    // Last, where what follows cannot pass for its value, but before a `--`.
    let end = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    arguments.splice(end..end, checkpoint.into_iter().flatten().chain(resume));
    let quoted: Vec<String> = arguments.iter().map(quoted).collect();
    quoted.join(" ")
}

/// Removes an option with its value.
fn remove(arguments: &mut Vec<OsString>, option: &str) {
    let joined = format!("{option}=");
    let is_it = |argument: &OsString| argument == option || argument.as_encoded_bytes().starts_with(joined.as_bytes());
    if let Some(at) = arguments.iter().position(is_it) {
        let is_apart = arguments[at] == option;
        arguments.drain(at..=at + usize::from(is_apart));
    }
}

/// An argument quoted for a shell. Most need no quotes in any shell and get none: on Windows the library quotes numbers
/// too, for PowerShell, and `cmd` would hand its quotes on to the program.
fn quoted(argument: &OsString) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,=:+".contains(c) || (cfg!(windows) && c == '\\');
    match argument.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(plain) => text.to_owned(),
        _ => argument.maybe_quote().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{Args, Command};
    use clap::Parser;
    use queens::{FixedQueens, Placement, Request, Rotation, RotationalBoard, Size, Square};

    // On Windows arguments are not made of bytes, and are quoted for another shell.
    #[cfg(unix)]
    #[test]
    fn the_command_to_resume() {
        use std::os::unix::ffi::OsStringExt;
        let command = |arguments: &[&[u8]]| {
            with_resume(arguments.iter().map(|argument| OsString::from_vec(argument.to_vec())).collect(), None)
        };
        let unasked = with_resume(["q", "count", "19"].map(OsString::from).to_vec(), Some(Path::new("a b")));
        assert_eq!(unasked, "q count 19 --checkpoint 'a b' --resume");
        for lost in [&["--checkpoint", "d/c"][..], &["--checkpoint=d/c"]] {
            let line = [&["q", "count", "--checkpoint-every", "9s"], lost, &["19"]].concat();
            let command = with_resume(line.into_iter().map(OsString::from).collect(), Some(Path::new("new")));
            assert_eq!(command, "q count --checkpoint-every 9s 19 --checkpoint new --resume");
        }
        assert_eq!(
            command(&[b"queens", b"--color", b"never", b"count", b"19", b"--checkpoint", b"my file"]),
            "queens --color never count 19 --checkpoint 'my file' --resume"
        );
        assert_eq!(
            command(&[b"q", b"count", b"--resume", b"19", b"--checkpoint", b"c"]),
            "q count --resume 19 --checkpoint c"
        );
        for time in [&["--max-time", "9s"][..], &["--max-time=9s"]] {
            let mut line: Vec<OsString> =
                [&["q", "count"], time, &["19"]].concat().into_iter().map(Into::into).collect();
            remove(&mut line, "--max-time");
            assert_eq!(line, ["q", "count", "19"]);
        }
        // Bytes that are no text must survive, and a terminal must not obey them.
        assert_eq!(
            command(&[b"q", b"count", b"--resume", b"9", b"--checkpoint", b"\xff\x1b[31mc"]),
            r"q count --resume 9 --checkpoint $'\xFF\x1B[31mc'"
        );
    }

    /// What is saved of a range goes on as a count of its one board, and the program takes the command.
    #[test]
    fn the_command_for_a_board_of_a_range() {
        for (line, resumed) in [
            ("queens count 22-23", "queens count 22 --checkpoint new --resume"),
            (
                "queens --color never count --json=22-23 22-23 -t 2",
                "queens --color never count --json=22-23 22 -t 2 --checkpoint new --resume",
            ),
            (
                "queens count --unique 5-22 --double-check 1%",
                "queens count --unique 22 --double-check 1% --checkpoint new --resume",
            ),
            ("queens count -q -- 22-22", "queens count -q --checkpoint new --resume -- 22"),
        ] {
            let Command::Count(args) = Args::try_parse_from(line.split(' ')).unwrap().command else { unreachable!() };
            assert_eq!(args.sizes.one(), None);
            let mut arguments: Vec<OsString> = line.split(' ').map(Into::into).collect();
            one_board(&mut arguments, args.sizes, 22);
            let command = with_resume(arguments, Some(Path::new("new")));
            assert_eq!(command, resumed);
            let Command::Count(args) = Args::try_parse_from(command.split(' ')).unwrap().command else {
                unreachable!()
            };
            assert_eq!(
                (args.sizes.one(), args.long.checkpoint, args.long.resume),
                (Some(22), Some("new".into()), true)
            );
        }
    }

    /// What a file without a name of its own is called tells the counts of a size apart.
    #[test]
    fn names_tell_counts_apart() {
        let ledger =
            |request: Request, shard: &str| Ledger::new(request.fingerprint().unwrap(), shard.parse().unwrap());
        let size = Size::new(20).unwrap();
        let placed = Request::completions(Placement::parse("1,12", size).unwrap());
        let squares = [(7, 20), (4, 2)].map(|(column, row)| Square { column, row });
        let empty = FixedQueens::from(Placement::empty(size));
        let anywhere = Request::completions(squares.iter().try_fold(empty, |fixed, queen| fixed.with(*queen)).unwrap());
        let turned = Request::rotational(RotationalBoard::new(Rotation::Half, 20).unwrap());
        for (ledger, name) in [
            (ledger(Request::solutions(size), "1/1"), "queens-20.ledger"),
            (ledger(Request::solutions(size), "3/7"), "queens-20-3-of-7.ledger"),
            (ledger(placed, "1/1"), "queens-20-1.12.ledger"),
            (ledger(anywhere, "1/1"), "queens-20-4.2-7.20.ledger"),
            (ledger(turned, "1/1"), "queens-20-half.ledger"),
        ] {
            assert_eq!(new_name(&ledger, 1), Path::new(name));
            assert_eq!(new_name(&ledger, 2), Path::new(&name.replace(".ledger", ".2.ledger")));
        }
    }
}
