//! The state of the screen: the current solution, the ways from it to others, and the search and the count that run in the
//! background.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use queens::{FixedQueens, Listed, Orbit, Placement, Ranking, SelfCheckError, Size, Solutions, Symmetry, Watch};

use super::CHECKED;
use crate::cli::commands::numbered::{MOST_COLUMNS_COUNTED, SolutionList};
use crate::cli::draw::{self, Palette, svg};
use crate::cli::terminal::{
    Failure, OutputPath,
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
    /// Whether it is a suggestion that no key has changed yet: the first letter typed takes its place.
    pub(super) is_suggested: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    Number,
    Prefix,
    /// The name of the file that the board is saved to, or the list.
    BoardFile,
    ListFile,
}

/// The number of solutions that are walked through.
pub(super) enum Total {
    /// Counting would take too long; the published number, of the whole board.
    Uncounted(Option<u64>),
    Counting(Background<Option<u64>>),
    /// With the time that counting took.
    Known(u64, Duration),
}

/// What a thread works on, until nobody waits for it any more.
pub(super) struct Background<T> {
    result: Receiver<T>,
    start: Instant,
    watch: Watch,
}

impl<T: Send + 'static> Background<T> {
    fn start(work: impl FnOnce(&Watch) -> T + Send + 'static) -> Self {
        let (sender, result) = mpsc::channel();
        let watch = Watch::default();
        let watched = watch.clone();
        // Nobody receives the result if something else was asked for meanwhile.
        std::thread::spawn(move || drop(sender.send(work(&watched))));
        Self { result, start: Instant::now(), watch }
    }
}

impl<T> Background<T> {
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

impl<T> Drop for Background<T> {
    fn drop(&mut self) {
        self.watch.stop();
    }
}

pub(super) struct App {
    /// The queens of every list.
    pub(super) given: FixedQueens,
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
}

impl App {
    pub(super) fn new(list: SolutionList, at: Move) -> Result<Self, SelfCheckError> {
        let mut app = Self {
            given: list.fixed,
            list,
            total: Total::Uncounted(None),
            ranking: Arc::new(Ranking::new(list.fixed, list.listed)?),
            current: None,
            image: 0,
            typing: None,
            message: String::new(),
            help: false,
            done: false,
            search: None,
        };
        app.open(list, at);
        Ok(app)
    }

    pub(super) fn size(&self) -> Size {
        self.list.fixed.size()
    }

    /// Walks through these solutions from here on, beginning there; the others are no longer counted.
    pub(super) fn open(&mut self, list: SolutionList, at: Move) {
        self.list = list;
        self.current = None;
        self.ranking = Arc::new(Ranking::new(list.fixed, list.listed).expect(CHECKED));
        self.total = if self.size().get() - list.fixed.len() > MOST_COLUMNS_COUNTED {
            Total::Uncounted(list.published())
        } else {
            let ranking = Arc::clone(&self.ranking);
            Total::Counting(Background::start(move |watch| ranking.total(watch)))
        };
        self.go(at);
    }

    /// Searches for another solution; a search still under way is cancelled.
    pub(super) fn go(&mut self, to: Move) {
        self.cancel();
        let (list, from) = (self.list, self.current);
        let (ranking, total) = (Arc::clone(&self.ranking), self.counted());
        let search = Background::start(move |watch| list.find((&ranking, total), from, to, watch));
        match search.result.recv_timeout(QUICK_SEARCH) {
            Ok(found) => self.arrive(found),
            Err(_) => self.search = Some(search),
        }
    }

    /// Cancels a search; says whether there was one.
    pub(super) fn cancel(&mut self) -> bool {
        self.search.take().is_some()
    }

    /// Takes what searches have brought since the last time.
    pub(super) fn collect(&mut self) {
        if let Some(found) = self.search.as_ref().and_then(|search| search.result.try_recv().ok()) {
            self.search = None;
            self.arrive(found);
        }
        if let Total::Counting(counting) = &self.total
            && let Ok(Some(total)) = counting.result.try_recv()
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
            None if self.list.listed == Listed::Fundamental => {
                "none of these solutions is fundamental; f shows all".clone_into(&mut self.message);
            }
            None => "there are no solutions in this list".clone_into(&mut self.message),
        }
    }

    pub(super) fn counted(&self) -> Option<u64> {
        if let Total::Known(total, _) = self.total { Some(total) } else { None }
    }

    /// Why no solution of the list has this number, if that is known.
    pub(super) fn beyond(&self, number: u64) -> Option<String> {
        match self.counted().filter(|&total| total > 0 && number > total) {
            Some(total) => {
                let has = numbers::count_of(total, "solution");
                Some(format!("this list has {has}, numbered from 1 to {}", numbers::grouped(total.into())))
            }
            None => self.list.beyond(number),
        }
    }

    /// The images of the current solution.
    pub(super) fn images(&self) -> Vec<(Placement, Vec<Symmetry>)> {
        self.current.and_then(|found| Orbit::of(&found.placement)).map_or(Vec::new(), |orbit| orbit.images())
    }

    /// The board on the screen: the current solution or the image of it that is shown.
    pub(super) fn shown(&self) -> FixedQueens {
        self.images().get(self.image).map_or(self.list.fixed, |(image, _)| (*image).into())
    }

    /// A name for the board on the screen that no file has yet; none if there is no solution.
    pub(super) fn board_name(&self) -> Option<String> {
        let found = self.current?;
        let turned = if self.image > 0 { format!("-{}", self.image + 1) } else { String::new() };
        let which = match found.number {
            Some(number) if self.list == SolutionList::all(self.size()) => number.to_string(),
            _ => found.placement.to_string(),
        };
        Some(self.free_name(&format!("-{which}{turned}"), "svg"))
    }

    /// A name for the list that no file has yet, or why the list is not saved.
    pub(super) fn list_name(&self) -> Result<String, String> {
        if self.counted().is_none_or(|total| total > MOST_SAVED) {
            let (most, size) = (numbers::grouped(MOST_SAVED.into()), self.size());
            return Err(format!("only up to {most} counted solutions are saved here; see 'queens solutions {size}'"));
        }
        let SolutionList { fixed, listed } = self.list;
        let begun = match fixed.as_placement() {
            Some(prefix) if prefix.is_empty() => String::new(),
            Some(prefix) => format!("-prefix-{prefix}"),
            None => format!("-queens-{fixed}"),
        };
        let kind = if listed == Listed::Fundamental { "-fundamental" } else { "" };
        Ok(self.free_name(&(begun + kind), "txt"))
    }

    /// Writes the board on the screen to a new file, as a picture or as text by the extension of its name, and says so.
    pub(super) fn save_board(&self, name: &str) -> Result<String, Failure> {
        let (board, path) = (self.shown(), new_file(name)?);
        let format = file_format::by_extension(&path, &[TEXT, SVG].map(|format| (format, format)));
        let drawn = match format.map_err(|reason| Failure::usage(&reason))? {
            Some(SVG) => svg::svg(&board),
            _ => draw::board(&board, Palette::Unicode, usize::MAX),
        };
        path.save(drawn.as_bytes())?;
        Ok(format!("board written to {name}"))
    }

    /// Writes the solutions to a new file, and says so.
    pub(super) fn save_list(&self, name: &str) -> Result<String, Failure> {
        let path = new_file(name)?;
        let format = file_format::by_extension(&path, &[(TEXT, TEXT)]);
        format.map_err(|reason| Failure::usage(&reason))?;
        let line = |solution| match self.list.class_size(&solution) {
            Some(size) => format!("{solution} {size}\n"),
            None => format!("{solution}\n"),
        };
        let solutions = Solutions::completions(self.list.fixed).only(self.list.listed);
        let lines: Vec<String> = solutions.map(line).collect();
        path.save(lines.concat().as_bytes())?;
        Ok(format!("{} written to {name}", numbers::count_of(lines.len() as u64, "solution")))
    }

    /// A name for a file with this content, without commas and blanks, that none in the current folder has yet.
    fn free_name(&self, content: &str, extension: &str) -> String {
        let stem = format!("queens-{}{content}", self.size()).replace([',', ' '], "-");
        let mut names = (1..).map(|copy| files::numbered_name(&stem, copy, extension));
        names.find(|name| OutputPath::unused(name).is_some()).expect("there is always another number")
    }
}

/// The file of this name, if there is none yet.
fn new_file(name: &str) -> Result<OutputPath, Failure> {
    if name.is_empty() {
        return Err(Failure::usage(&"a file needs a name"));
    }
    let path = OutputPath::unused(name);
    path.ok_or_else(|| Failure::usage(&format!("{name} is there already; give another name")))
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
        let first = self.fixed.prefix();
        let forth = |start, most| self.last_of(Solutions::within(self.fixed, start), most, cancelled);
        // Upside down the order of solutions is reversed, so the way back is the way on from the mirrored placement.
        let back = |start: Placement, most| {
            let solutions = Solutions::within(self.fixed.upside_down(), start.upside_down());
            self.last_of(solutions.map(Placement::upside_down), most, cancelled)
        };
        match (to, from) {
            (Move::Number(number), _) => {
                let placement = ranking.select(first, number, cancelled)?;
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
                None => back(first, 1).map(|(placement, _)| Position { placement, number: None }),
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
    use queens::Square;

    /// Walks to the end and back again, with and without the total, and asks for every number.
    #[test]
    fn every_way_through_the_solutions_agrees() {
        let size = Size::new(8).unwrap();
        for (prefix, square, listed) in [
            ("", None, Listed::All),
            ("", None, Listed::Fundamental),
            ("4", None, Listed::All),
            ("3", None, Listed::Fundamental),
            ("", Some("5,7"), Listed::All),
        ] {
            let prefix = Placement::parse(prefix, size).unwrap_or(Placement::empty(size));
            let fixed = square.map_or(prefix.into(), |text| {
                FixedQueens::from(prefix).with(Square::parse(text, size).unwrap()).unwrap()
            });
            let list = SolutionList { fixed, listed };
            let ranking = Ranking::new(fixed, listed).unwrap();
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

    /// A count or a search that nobody waits for any more is told to end.
    #[test]
    fn work_ends_when_it_is_dropped() {
        let (sender, ended) = mpsc::channel();
        let work = Background::start(move |watch| {
            while !watch.is_stopped() {
                std::thread::yield_now();
            }
            sender.send(()).unwrap();
        });
        drop(work);
        assert_eq!(ended.recv_timeout(Duration::from_secs(60)), Ok(()));
    }

    #[test]
    fn a_move_that_is_cancelled_leads_nowhere() {
        let list = SolutionList::all(Size::new(20).unwrap());
        let ranking = Ranking::new(list.fixed, list.listed).unwrap();
        let cancelled = Watch::default();
        cancelled.stop();
        assert_eq!(list.find((&ranking, None), None, Move::Number(1_000_000_000), &cancelled), None);
    }
}
