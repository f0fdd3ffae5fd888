//! The state of the screen: the current solution, the ways from it to others, and the search and the count that run in the
//! background.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use queens::SelfCheckError;
use queens::{Listed, Orbit, Placement, Ranking, Size, Solutions, Symmetry, Watch};

use super::CHECKED;
use crate::cli::commands::numbered::{MOST_COLUMNS_COUNTED, SolutionList};
use crate::cli::draw::{self, Palette, svg};
use crate::cli::terminal::{
    Failure, OutputPath, escape,
    file_format::{self, SVG, TEXT},
    numbers,
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
    pub(super) list: SolutionList,
    pub(super) total: Total,
    ranking: Arc<Ranking>,
    pub(super) current: Option<Position>,
    /// Which of the images of the current solution is shown.
    pub(super) image: usize,
    pub(super) typing: Option<Typing>,
    pub(super) message: String,
    pub(super) help: bool,
    pub(super) done: bool,
    pub(super) search: Option<Background<Option<Position>>>,
    /// Cancels the search.
    cancelled: Watch,
}

impl App {
    pub(super) fn new(size: Size, at: Move) -> Result<Self, SelfCheckError> {
        let list = SolutionList::all(size);
        let mut app = Self {
            list,
            total: Total::Uncounted(None),
            ranking: Arc::new(Ranking::new(list.prefix, list.listed)?),
            current: None,
            image: 0,
            typing: None,
            message: String::new(),
            help: false,
            done: false,
            search: None,
            cancelled: Watch::default(),
        };
        app.open(list, at);
        Ok(app)
    }

    pub(super) fn size(&self) -> Size {
        self.list.prefix.size()
    }

    /// Walks through these solutions from here on, beginning there.
    pub(super) fn open(&mut self, list: SolutionList, at: Move) {
        self.list = list;
        self.current = None;
        self.ranking = Arc::new(Ranking::new(list.prefix, list.listed).expect(CHECKED));
        self.total = if self.size().get() - list.prefix.len() > MOST_COLUMNS_COUNTED {
            Total::Uncounted(list.published())
        } else {
            let ranking = Arc::clone(&self.ranking);
            Total::Counting(Background::start(move || ranking.total(&Watch::default()).expect("nothing stops it")))
        };
        self.go(at);
    }

    /// Searches for another solution; a search still under way is cancelled.
    pub(super) fn go(&mut self, to: Move) {
        self.cancel();
        self.cancelled = Watch::default();
        let (list, from, cancelled) = (self.list, self.current, self.cancelled.clone());
        let (ranking, total) = (Arc::clone(&self.ranking), self.counted());
        let search = Background::start(move || list.find((&ranking, total), from, to, &cancelled));
        match search.result.recv_timeout(QUICK_SEARCH) {
            Ok(found) => self.arrive(found),
            Err(_) => self.search = Some(search),
        }
    }

    /// Cancels a search; says whether there was one.
    pub(super) fn cancel(&mut self) -> bool {
        self.cancelled.stop();
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
                current.number = self.ranking.number(&current.placement, &Watch::default());
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
        self.images().get(self.image).map_or(self.list.prefix, |(image, _)| *image)
    }

    /// A name for the board on the screen that no file has yet; none where there is no solution.
    pub(super) fn picture_name(&self) -> Option<String> {
        let found = self.current?;
        let turned = if self.image > 0 { format!("-{}", self.image + 1) } else { String::new() };
        let which = match found.number {
            Some(number) if self.list == SolutionList::all(self.size()) => number.to_string(),
            _ => found.placement.to_string(),
        };
        Some(self.free_name(&format!("-{which}{turned}"), "svg").name().display().to_string())
    }

    /// Writes the board on the screen to a new file, as a picture or as text by the extension of its name, and says so.
    pub(super) fn save_board(&self, name: &str) -> Result<String, Failure> {
        let board = self.shown();
        if name.is_empty() {
            return Ok(String::new());
        }
        let Some(path) = OutputPath::unused(name) else {
            return Ok(format!("{name} is there already; nothing was written"));
        };
        let format = file_format::by_extension(&path, &[TEXT, SVG].map(|format| (format, format)));
        let drawn = match format.map_err(|reason| Failure::invalid("w", name, &reason))? {
            Some(SVG) => svg::svg(&board),
            _ => draw::board(&board, Palette::Unicode, usize::MAX),
        };
        path.save(drawn.as_bytes())?;
        Ok(format!("board written to {name}"))
    }

    /// Writes the solutions to a new file in the current folder, and says where.
    pub(super) fn save_list(&self) -> Result<String, Failure> {
        let Some(total) = self.counted().filter(|&total| total <= MOST_SAVED) else {
            let (most, size) = (numbers::grouped(MOST_SAVED.into()), self.size());
            return Ok(format!("only up to {most} counted solutions are saved here; see 'queens solutions {size}'"));
        };
        let SolutionList { prefix, listed } = self.list;
        let begun = if prefix.is_empty() { String::new() } else { format!("-prefix-{prefix}") };
        let kind = if listed == Listed::Fundamental { "-fundamental" } else { "" };
        let path = self.free_name(&(begun + kind), "txt");
        let line = |solution| match self.list.class_size(&solution) {
            Some(size) => format!("{solution} {size}\n"),
            None => format!("{solution}\n"),
        };
        let text: String = Solutions::completions(prefix).only(listed).map(line).collect();
        path.save(text.as_bytes())?;
        let place = std::path::absolute(path.name()).unwrap_or_else(|_| path.name().into());
        Ok(format!("{} written to {}", numbers::count_of(total, "solution"), escape::name(&place)))
    }

    /// A name for a file with this content, without commas, that none in the current folder has yet.
    fn free_name(&self, content: &str, extension: &str) -> OutputPath {
        let stem = format!("queens-{}{content}", self.size()).replace(',', "-");
        let copies = (2..).map(|copy| format!("{stem}.{copy}.{extension}"));
        let mut names = std::iter::once(format!("{stem}.{extension}")).chain(copies);
        names.find_map(OutputPath::unused).expect("there is always another number")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// So many on, or back where negative; to the last, or the first, where there are fewer.
    Step(i64),
    /// To the solution with this number.
    Number(u64),
    /// To the first that is not before this placement, or to the last where all are.
    NotBefore(Placement),
    Last,
}

/// A solution and, where it is known, its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) placement: Placement,
    pub(super) number: Option<u64>,
}

impl SolutionList {
    /// The position that a move leads to, `None` where there is none or `cancelled` was set on the way. The `total` is
    /// given where the ranking has counted it.
    fn find(
        self,
        (ranking, total): (&Ranking, Option<u64>),
        from: Option<Position>,
        to: Move,
        cancelled: &Watch,
    ) -> Option<Position> {
        let forth = |start, most| self.last_of(Solutions::within(self.prefix, start), most, cancelled);
        // Upside down the order of solutions is reversed, so the way back is the way on from the mirrored placement.
        let back = |start: Placement, most| {
            let solutions = Solutions::within(self.prefix.upside_down(), start.upside_down());
            self.last_of(solutions.map(Placement::upside_down), most, cancelled)
        };
        match (to, from) {
            (Move::Number(number), _) => {
                let placement = ranking.select(self.prefix, number, cancelled)?;
                Some(Position { placement, number: Some(number) })
            }
            (Move::Step(steps), Some(from)) => {
                // The first of the solutions found is the one where the steps begin.
                let most = steps.unsigned_abs() + 1;
                let found = if steps > 0 { forth(from.placement, most) } else { back(from.placement, most) };
                let (placement, count) = found.filter(|(_, count)| *count > 1)?;
                let passed = steps.signum() * (count as i64 - 1);
                Some(Position { placement, number: from.number.map(|number| number.saturating_add_signed(passed)) })
            }
            (Move::Step(_), None) => self.find((ranking, total), None, Move::Number(1), cancelled),
            (Move::NotBefore(start), _) => match forth(start, 1) {
                // Where the list was counted, a number costs little.
                Some((placement, _)) => {
                    Some(Position { placement, number: total.and_then(|_| ranking.number(&placement, cancelled)) })
                }
                None => self.find((ranking, total), None, Move::Last, cancelled),
            },
            (Move::Last, _) => match total {
                Some(total) => self.find((ranking, Some(total)), None, Move::Number(total), cancelled),
                None => back(self.prefix, 1).map(|(placement, _)| Position { placement, number: None }),
            },
        }
    }

    /// The last of the first `most` of these solutions that are listed, and how many they are.
    fn last_of(
        self,
        solutions: impl Iterator<Item = Placement>,
        most: u64,
        cancelled: &Watch,
    ) -> Option<(Placement, u64)> {
        let listed = |solution: &Placement| {
            self.listed == Listed::All || Orbit::of(solution).is_some_and(|orbit| orbit.is_fundamental())
        };
        let goes_on = || !cancelled.is_stopped();
        let last = solutions.take_while(|_| goes_on()).filter(listed).zip(1..=most).last();
        // A cancelled search has ended somewhere on the way.
        last.filter(|_| goes_on())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::Size;

    /// Walks to the end and back again, with and without the total, and asks for every number.
    #[test]
    fn every_way_through_the_solutions_agrees() {
        let size = Size::new(8).unwrap();
        for (prefix, listed) in
            [("", Listed::All), ("", Listed::Fundamental), ("4", Listed::All), ("3", Listed::Fundamental)]
        {
            let prefix = Placement::parse(prefix, size).unwrap_or(Placement::empty(size));
            let list = SolutionList { prefix, listed };
            let ranking = Ranking::new(prefix, listed).unwrap();
            for total in [None, ranking.total(&Watch::default())] {
                let go = |from, to| list.find((&ranking, total), from, to, &Watch::default());
                let mut here = go(None, Move::Number(1)).unwrap();
                let mut walked = vec![here];
                while let Some(next) = go(Some(here), Move::Step(1)) {
                    walked.push(next);
                    here = next;
                }
                let last = go(None, Move::Last).unwrap();
                assert_eq!(last.placement, here.placement);
                assert_eq!(go(walked.first().copied(), Move::Step(1000)), Some(here));
                for (number, expected) in (1..).zip(&walked) {
                    assert_eq!(expected.number, Some(number));
                    assert_eq!(go(None, Move::Number(number)), Some(*expected));
                }
                assert_eq!(go(None, Move::Number(walked.len() as u64 + 1)), None);
                while let Some(previous) = go(Some(here), Move::Step(-1)) {
                    walked.pop();
                    assert_eq!(walked.last(), Some(&previous));
                    here = previous;
                }
                assert_eq!(walked.len(), 1);
            }
        }
    }

    #[test]
    fn a_move_that_is_cancelled_leads_nowhere() {
        let list = SolutionList::all(Size::new(20).unwrap());
        let ranking = Ranking::new(list.prefix, list.listed).unwrap();
        let cancelled = Watch::default();
        cancelled.stop();
        assert_eq!(list.find((&ranking, None), None, Move::Number(1_000_000_000), &cancelled), None);
    }
}
