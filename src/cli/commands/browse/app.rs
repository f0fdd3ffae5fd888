//! What the screen shows and what runs behind it: the current solution, searches, the count.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use queens::{Fundamental, Listed, Orbit, Placement, Ranking, Size, Solutions, Symmetry};

use super::file;
use super::find::{Found, List, Move};
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::{files, messages, numbers};

/// Lists with more columns to fill than this are not counted: it would take minutes.
const COUNTED: usize = 18;

/// Lists longer than this are left to `queens solutions`, which shows how far it is.
const SAVED: u64 = 1_000_000;

/// A search that takes no longer is waited for, so that the screen does not flicker.
const AT_ONCE: Duration = Duration::from_millis(30);

/// What is being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Typing {
    Nothing,
    Number(String),
    Prefix(String),
    /// The name of the file that the board is saved to.
    File(String),
}

/// The count of a list.
pub(super) enum Total {
    /// Too long to be counted.
    Unknown,
    Counting(Receiver<(Ranking, Duration)>, Instant),
    Known(Arc<Ranking>, Duration),
}

pub(super) struct App {
    pub(super) size: Size,
    pub(super) list: List,
    pub(super) total: Total,
    pub(super) current: Option<Found>,
    /// Which of its images is shown.
    pub(super) image: usize,
    pub(super) typing: Typing,
    pub(super) message: String,
    pub(super) help: bool,
    pub(super) done: bool,
    /// Whether the shell is to have the terminal for a while.
    pub(super) suspend: bool,
    search: Option<(Receiver<Option<Found>>, Instant)>,
    stop: Arc<AtomicBool>,
}

impl App {
    pub(super) fn new(size: Size, at: Move) -> Self {
        let mut app = Self {
            size,
            list: List { prefix: Placement::empty(size), listed: Listed::All },
            total: Total::Unknown,
            current: None,
            image: 0,
            typing: Typing::Nothing,
            message: String::new(),
            help: false,
            done: false,
            suspend: false,
            search: None,
            stop: Arc::default(),
        };
        app.open(app.list, at);
        app
    }

    /// Walks through this list from here on, beginning there.
    pub(super) fn open(&mut self, list: List, at: Move) {
        self.list = list;
        self.current = None;
        self.total = if self.size.get() - list.prefix.len() > COUNTED {
            Total::Unknown
        } else {
            let (sender, receiver) = mpsc::channel();
            let start = Instant::now();
            std::thread::spawn(move || {
                let ranking = Ranking::new(list.prefix, list.listed);
                // Where another list was opened meanwhile, nobody wants to know any more.
                let _ = sender.send((ranking, start.elapsed()));
            });
            Total::Counting(receiver, start)
        };
        self.go(at);
    }

    /// Sets out for another solution; a search still under way is broken off.
    pub(super) fn go(&mut self, to: Move) {
        self.stop();
        self.stop = Arc::default();
        let (sender, receiver) = mpsc::channel();
        let (list, from, stop) = (self.list, self.current, Arc::clone(&self.stop));
        let ranking = self.ranking().cloned();
        std::thread::spawn(move || {
            // Where the search was broken off, nobody wants to know any more.
            let _ = sender.send(list.find(ranking.as_deref(), from, to, &stop));
        });
        match receiver.recv_timeout(AT_ONCE) {
            Ok(found) => self.arrive(found),
            Err(_) => self.search = Some((receiver, Instant::now())),
        }
    }

    /// Breaks a search off; says whether there was one.
    pub(super) fn stop(&mut self) -> bool {
        self.stop.store(true, Ordering::Relaxed);
        self.search.take().is_some()
    }

    /// How long the search under way has taken.
    pub(super) fn searching(&self) -> Option<Duration> {
        self.search.as_ref().map(|(_, start)| start.elapsed())
    }

    /// Takes what searches have brought since the last time.
    pub(super) fn collect(&mut self) {
        if let Some(found) = self.search.as_ref().and_then(|(receiver, _)| receiver.try_recv().ok()) {
            self.search = None;
            self.arrive(found);
        }
        if let Total::Counting(receiver, _) = &self.total
            && let Ok((ranking, time)) = receiver.try_recv()
        {
            if let Some(current) = self.current.as_mut().filter(|current| current.number.is_none()) {
                current.number = Some(ranking.number(&current.placement));
            }
            self.total = Total::Known(Arc::new(ranking), time);
        }
    }

    fn arrive(&mut self, found: Option<Found>) {
        match found {
            Some(found) => {
                self.current = Some(found);
                self.image = 0;
                self.message.clear();
            }
            None if self.current.is_some() || self.ranking().is_some_and(|ranking| ranking.total() > 0) => {
                "there is no such solution in this list".clone_into(&mut self.message);
            }
            None => "there are no solutions in this list".clone_into(&mut self.message),
        }
    }

    pub(super) fn ranking(&self) -> Option<&Arc<Ranking>> {
        if let Total::Known(ranking, _) = &self.total { Some(ranking) } else { None }
    }

    /// The images of the current solution.
    pub(super) fn images(&self) -> Vec<(Placement, Vec<Symmetry>)> {
        self.current.and_then(|found| Orbit::of(&found.placement)).map_or(Vec::new(), |orbit| orbit.images())
    }

    /// The board on the screen: the current solution or the image of it that is shown.
    pub(super) fn shown(&self) -> Placement {
        self.images().get(self.image).map_or(self.list.prefix, |(image, _)| *image)
    }

    /// A name for the board on the screen that no file has yet; none where there is no solution.
    pub(super) fn picture_name(&self) -> Option<String> {
        let found = self.current?;
        let turned = if self.image > 0 { format!("-{}", self.image + 1) } else { String::new() };
        let which = match found.number {
            Some(number) if self.list.prefix.is_empty() && self.list.listed == Listed::All => number.to_string(),
            _ => found.placement.to_string().replace(',', "-"),
        };
        free(&format!("queens-{}-{which}{turned}", self.size), "svg").ok()
    }

    /// Writes the board on the screen to a new file, as a picture or as text by the ending of its name.
    pub(super) fn save_board(&mut self, name: &str) {
        let path = Path::new(name);
        if name.is_empty() {
            return;
        }
        if path.exists() {
            self.message = format!("{name} is there already; nothing was written");
            return;
        }
        let saved = file::contents(&self.shown(), path, "w").and_then(|bytes| files::save(path, &bytes));
        self.message = match saved {
            Ok(()) => format!("board written to {name}"),
            Err(failure) => failure.reason(),
        };
    }

    /// Writes the list to a new file in the current folder, and says where.
    pub(super) fn save(&mut self) {
        self.message = match self.ranking().map(|ranking| ranking.total()) {
            Some(total) if total <= SAVED => match self.write() {
                Ok(path) => format!("{} written to {}", numbers::count_of(total, "solution"), messages::name(&path)),
                Err(failure) => failure.reason(),
            },
            _ => {
                let most = numbers::grouped(SAVED.into());
                format!("only up to {most} counted solutions are saved here; see 'queens solutions {}'", self.size)
            }
        };
    }

    fn write(&self) -> Result<PathBuf, Failure> {
        let path = self.free_name()?;
        let mut text = Vec::new();
        let solutions = Solutions::completions(self.list.prefix);
        match self.list.listed {
            Listed::All => solutions.for_each(|solution| drop(writeln!(text, "{solution}"))),
            Listed::Fundamental => {
                Fundamental::among(solutions).for_each(|(solution, size)| drop(writeln!(text, "{solution} {size}")));
            }
        }
        files::save(&path, &text)?;
        Ok(path)
    }

    /// A name that says what is in the file and that no file has yet.
    fn free_name(&self) -> std::io::Result<PathBuf> {
        let prefix = match self.list.prefix {
            prefix if prefix.is_empty() => String::new(),
            prefix => format!("-prefix-{}", prefix.to_string().replace(',', "-")),
        };
        let listed = if self.list.listed == Listed::Fundamental { "-fundamental" } else { "" };
        let name = free(&format!("queens-{}{prefix}{listed}", self.size), "txt")?;
        Ok(std::env::current_dir()?.join(name))
    }
}

/// A name in the current folder that no file has yet.
fn free(stem: &str, ending: &str) -> std::io::Result<String> {
    let folder = std::env::current_dir()?;
    let mut names =
        std::iter::once(format!("{stem}.{ending}")).chain((2..).map(|copy| format!("{stem}.{copy}.{ending}")));
    Ok(names.find(|name| !folder.join(name).exists()).expect("there is always another number"))
}
