//! The state of the screen: the current solution, and the search and the count that run in the background.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use queens::run::SelfCheckError;
use queens::{Listed, Orbit, Placement, Ranking, Size, Symmetry};

use super::CHECKED;
use super::moves::{Move, Position};
use crate::cli::commands::numbered::{Filter, MOST_COLUMNS_COUNTED};
use crate::cli::draw::{
    svg,
    text::{self, Look},
};
use crate::cli::terminal::{
    Failure, escape,
    file_format::{self, SVG, TEXT},
    files, numbers,
};

/// More solutions than this are left to `queens solutions`, which writes while it searches.
const MOST_SAVED: u64 = 1_000_000;

/// A search that takes no longer is waited for, so that the screen does not flicker.
const QUICK_SEARCH: Duration = Duration::from_millis(30);

/// A text that is being typed.
pub(super) struct Typing {
    pub(super) input: Input,
    pub(super) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    Number,
    Prefix,
    /// The name of the file that the board is saved to.
    File,
}

/// The number of solutions that are walked through.
pub(super) enum Total {
    /// Counting would take too long; the published number, of the whole board.
    Uncounted(Option<u64>),
    Counting(Background<u64>),
    /// With the time that counting took.
    Known(u64, Duration),
}

/// What a thread works on.
pub(super) struct Background<T> {
    result: Receiver<T>,
    start: Instant,
}

impl<T: Send + 'static> Background<T> {
    fn start(work: impl FnOnce() -> T + Send + 'static) -> Self {
        let (sender, result) = mpsc::channel();
        // Nobody receives the result where something else was asked for meanwhile.
        std::thread::spawn(move || drop(sender.send(work())));
        Self { result, start: Instant::now() }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

pub(super) struct App {
    pub(super) size: Size,
    pub(super) filter: Filter,
    pub(super) total: Total,
    ranking: Arc<Ranking>,
    pub(super) current: Option<Position>,
    /// Which of the images of the current solution is shown.
    pub(super) image: usize,
    pub(super) typing: Option<Typing>,
    pub(super) message: String,
    pub(super) help: bool,
    pub(super) done: bool,
    /// Whether the terminal is to be left to the shell for a while.
    pub(super) suspend: bool,
    pub(super) search: Option<Background<Option<Position>>>,
    /// Cancels the search.
    cancelled: Arc<AtomicBool>,
}

impl App {
    pub(super) fn new(size: Size, at: Move) -> Result<Self, SelfCheckError> {
        let filter = Filter::all(size);
        let mut app = Self {
            size,
            filter,
            total: Total::Uncounted(None),
            ranking: Arc::new(Ranking::new(filter.prefix, filter.listed)?),
            current: None,
            image: 0,
            typing: None,
            message: String::new(),
            help: false,
            done: false,
            suspend: false,
            search: None,
            cancelled: Arc::default(),
        };
        app.open(filter, at);
        Ok(app)
    }

    /// Walks through these solutions from here on, beginning there.
    pub(super) fn open(&mut self, filter: Filter, at: Move) {
        self.filter = filter;
        self.current = None;
        self.ranking = Arc::new(Ranking::new(filter.prefix, filter.listed).expect(CHECKED));
        self.total = if self.size.get() - filter.prefix.len() > MOST_COLUMNS_COUNTED {
            Total::Uncounted(filter.published())
        } else {
            let ranking = Arc::clone(&self.ranking);
            Total::Counting(Background::start(move || ranking.total(&mut |_| true).expect("nothing stops it")))
        };
        self.go(at);
    }

    /// Searches for another solution; a search still under way is cancelled.
    pub(super) fn go(&mut self, to: Move) {
        self.cancel();
        self.cancelled = Arc::default();
        let (filter, from, cancelled) = (self.filter, self.current, Arc::clone(&self.cancelled));
        let (ranking, total) = (Arc::clone(&self.ranking), self.counted());
        let search = Background::start(move || filter.find((&ranking, total), from, to, &cancelled));
        match search.result.recv_timeout(QUICK_SEARCH) {
            Ok(found) => self.arrive(found),
            Err(_) => self.search = Some(search),
        }
    }

    /// Cancels a search; says whether there was one.
    pub(super) fn cancel(&mut self) -> bool {
        self.cancelled.store(true, Ordering::Relaxed);
        self.search.take().is_some()
    }

    /// Takes what searches have brought since the last time.
    pub(super) fn collect(&mut self) {
        if let Some(found) = self.search.as_ref().and_then(|search| search.result.try_recv().ok()) {
            self.search = None;
            self.arrive(found);
        }
        if let Total::Counting(counting) = &self.total
            && let Ok(total) = counting.result.try_recv()
        {
            if let Some(current) = self.current.as_mut().filter(|current| current.number.is_none()) {
                current.number = self.ranking.number(&current.placement, &mut |_| true);
            }
            self.total = Total::Known(total, counting.elapsed());
        }
    }

    fn arrive(&mut self, found: Option<Position>) {
        match found {
            Some(found) => {
                self.current = Some(found);
                self.image = 0;
                self.message.clear();
            }
            None if self.current.is_some() || self.counted().is_some_and(|total| total > 0) => {
                "there is no such solution in this list".clone_into(&mut self.message);
            }
            None => "there are no solutions in this list".clone_into(&mut self.message),
        }
    }

    pub(super) fn counted(&self) -> Option<u64> {
        if let Total::Known(total, _) = self.total { Some(total) } else { None }
    }

    /// The images of the current solution.
    pub(super) fn images(&self) -> Vec<(Placement, Vec<Symmetry>)> {
        self.current.and_then(|found| Orbit::of(&found.placement)).map_or(Vec::new(), |orbit| orbit.images())
    }

    /// The board on the screen: the current solution or the image of it that is shown.
    pub(super) fn shown(&self) -> Placement {
        self.images().get(self.image).map_or(self.filter.prefix, |(image, _)| *image)
    }

    /// A name for the board on the screen that no file has yet; none where there is no solution.
    pub(super) fn picture_name(&self) -> Option<String> {
        let found = self.current?;
        let turned = if self.image > 0 { format!("-{}", self.image + 1) } else { String::new() };
        let which = match found.number {
            Some(number) if self.filter.prefix.is_empty() && self.filter.listed == Listed::All => number.to_string(),
            _ => found.placement.to_string(),
        };
        Some(self.free_name(&format!("-{which}{turned}"), "svg"))
    }

    /// Writes the board on the screen to a new file, as a picture or as text by the extension of its name.
    pub(super) fn save_board(&mut self, name: &str) {
        let (path, board) = (Path::new(name), self.shown());
        if name.is_empty() {
            return;
        }
        if path.exists() {
            self.message = format!("{name} is there already; nothing was written");
            return;
        }
        let format = file_format::by_extension("w", path, &[TEXT, SVG].map(|format| (format, format)));
        let saved = format.and_then(|format| match format {
            Some(SVG) => files::save(path, svg::svg(&board).as_bytes()),
            _ => files::save(path, text::board(&board, Look::Unicode, usize::MAX).as_bytes()),
        });
        self.message = saved.map_or_else(|failure| failure.reason(), |()| format!("board written to {name}"));
    }

    /// Writes the solutions to a new file in the current folder, and says where.
    pub(super) fn save(&mut self) {
        self.message = match self.counted() {
            Some(total) if total <= MOST_SAVED => match self.write() {
                Ok(path) => format!("{} written to {}", numbers::count_of(total, "solution"), escape::name(&path)),
                Err(failure) => failure.reason(),
            },
            _ => {
                let most = numbers::grouped(MOST_SAVED.into());
                format!("only up to {most} counted solutions are saved here; see 'queens solutions {}'", self.size)
            }
        };
    }

    fn write(&self) -> Result<PathBuf, Failure> {
        let Filter { prefix, listed } = self.filter;
        let begun = if prefix.is_empty() { String::new() } else { format!("-prefix-{prefix}") };
        let kind = if listed == Listed::Fundamental { "-fundamental" } else { "" };
        let path = std::env::current_dir()?.join(self.free_name(&(begun + kind), "txt"));
        let mut text = Vec::new();
        for solution in listed.within(prefix, prefix) {
            let orbit = Orbit::of(&solution).filter(|_| listed == Listed::Fundamental);
            let class = orbit.map_or_else(String::new, |orbit| format!(" {}", orbit.class_size()));
            let _ = writeln!(text, "{solution}{class}");
        }
        files::save(&path, &text)?;
        Ok(path)
    }

    /// A name for what is in the file, without commas, that no file in the current folder has yet.
    fn free_name(&self, what: &str, extension: &str) -> String {
        let stem = format!("queens-{}{what}", self.size).replace(',', "-");
        let copies = (2..).map(|copy| format!("{stem}.{copy}.{extension}"));
        let mut names = std::iter::once(format!("{stem}.{extension}")).chain(copies);
        names.find(|name| !Path::new(name).exists()).expect("there is always another number")
    }
}
