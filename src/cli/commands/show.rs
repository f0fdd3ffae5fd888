//! `queens show P`: one board.

use clap::{Args as ClapArgs, ValueEnum};
use queens::{FixedQueens, Orbit, Placement, Size};
use serde::Serialize;

use crate::cli::commands::numbered::{self, QueenArgs, SolutionList};
use crate::cli::draw::{self, Palette, attackers, has_queen, svg};
use crate::cli::long_run::{Activity, When};
use crate::cli::terminal::{
    Answer, Extensions, Failure, JsonOutput, Output, OutputPath, answer, file_format, messages, stdout,
    value_parsers::whole,
};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// The row of the queen in each column, as in 15863724, or in the first columns, as in 1,5,8; with --number or --random, N
    #[arg(value_name = "P", allow_negative_numbers = true, required_unless_present_any = ["queens", "size"])]
    placement: Option<String>,

    #[command(flatten)]
    queens: QueenArgs,

    /// Show the solution with this number, from 1, in the list that 'queens solutions N' prints; P is N then
    #[arg(
        long,
        value_name = "K",
        value_parser = whole("K", 1..=u64::MAX),
        allow_negative_numbers = true,
        conflicts_with = "size"
    )]
    number: Option<u64>,

    /// Show a solution drawn at random; P is N then, and up to N = 18 every solution is as likely as any other
    #[arg(long, conflicts_with_all = ["number", "size"])]
    random: bool,

    /// Draw the same solution as an earlier --random with this seed [default: another each time]
    #[arg(
        long,
        value_name = "SEED",
        value_parser = whole("SEED", 0..=u64::MAX),
        allow_negative_numbers = true,
        requires = "random"
    )]
    seed: Option<u64>,

    /// Columns and rows of the board [default: as few as the queens of P need]
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true)]
    size: Option<Size>,

    /// Picture or text [default: by the extension of the file, else board]
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    format: Option<BoardFormat>,

    #[command(flatten)]
    json: JsonOutput,

    /// Use only ASCII characters
    #[arg(long)]
    ascii: bool,

    /// Write to this file, completely or not at all; - means stdout
    #[arg(long, short, visible_alias = "out", value_name = "FILE")]
    output: Option<OutputPath>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BoardFormat {
    /// Text, for the terminal (.txt)
    Board,
    /// A picture that scales (.svg)
    Svg,
    /// One object (.json)
    Json,
}

const FORMATS: [(BoardFormat, Extensions); 3] = [
    (BoardFormat::Board, file_format::TEXT),
    (BoardFormat::Svg, file_format::SVG),
    (BoardFormat::Json, file_format::JSON),
];

/// A board, with its number in the list of all solutions if that is known.
#[derive(Serialize)]
struct Board {
    n: usize,
    /// `None` unless the queens fill the first columns.
    placement: Option<Placement>,
    /// Up to the last column with a queen.
    rows: Vec<Option<usize>>,
    number: Option<u64>,
    solution: bool,
    class_size: Option<usize>,
    fundamental: Option<bool>,
    /// The squares without a queen, unless it is a solution, of which all are attacked.
    attacked: Vec<Attacked>,
    free: Vec<[usize; 2]>,
    #[serde(skip)]
    queens: FixedQueens,
    #[serde(skip)]
    palette: Palette,
    /// The placement and, where it is known, its number, of a board that was not named by its placement.
    #[serde(skip)]
    caption: String,
}

/// A square, and the columns of the queens that attack it.
#[derive(Serialize)]
struct Attacked {
    column: usize,
    row: usize,
    by: Vec<usize>,
}

impl Answer for Board {
    const NAMES_PROCESSOR: bool = false;

    fn command(&self) -> &'static str {
        "show"
    }

    fn text(&self, width: usize) -> String {
        self.caption.clone() + &draw::board(&self.queens, self.palette, width)
    }
}

impl Board {
    fn new(queens: FixedQueens, number: Option<u64>, palette: Palette) -> Self {
        let (n, placement) = (queens.size().get(), queens.as_placement());
        let orbit = placement.as_ref().and_then(Orbit::of);
        let (mut attacked, mut free) = (Vec::new(), Vec::new());
        let squares = (1..=n).flat_map(|column| (1..=n).map(move |row| (column, row)));
        for (column, row) in squares.filter(|&(column, row)| orbit.is_none() && !has_queen(&queens, column, row)) {
            let by: Vec<usize> = attackers(&queens, column, row).collect();
            if by.is_empty() {
                free.push([column, row]);
            } else {
                attacked.push(Attacked { column, row, by });
            }
        }
        let last = queens.squares().last().map_or(0, |queen| queen.column);
        Self {
            n,
            placement,
            rows: (1..=last).map(|column| queens.row(column)).collect(),
            number,
            solution: orbit.is_some(),
            class_size: orbit.map(|orbit| orbit.class_size()),
            fundamental: orbit.map(|orbit| orbit.is_fundamental()),
            attacked,
            free,
            queens,
            palette,
            caption: String::new(),
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if (args.random || args.number.is_some()) && !args.queens.queens.is_empty() {
        let message = "--random and --number are of all solutions of a board; 'queens solutions N --queen C,R' lists those with \
                       given queens: --skip and --limit pick one by its number, and 'shuf -n 1' one at random";
        return Err(Failure::usage(&message));
    }
    let path = args.output.as_ref();
    let json = args.json.is_alone().then_some(BoardFormat::Json);
    let kind = file_format::choose(args.format.or(json), path, &FORMATS)?;
    let mut out = Output::open(path)?;
    let activity = Activity::start(When::Auto, "show");
    let text = args.placement.as_deref().unwrap_or_default();
    let size = || text.parse().map_err(|error| Failure::invalid("<N>", text, &error));
    let (queens, number) = match args.number {
        _ if args.random => {
            let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
            let (placement, number) = numbered::random(size()?, fastrand::Rng::with_seed(seed), &activity)?;
            if args.seed.is_none() {
                activity.say((messages::note, format!("--seed {seed} draws it again")));
            }
            (placement.into(), number)
        }
        Some(number) => (select(size()?, number, &activity)?.into(), Some(number)),
        None => (read(args)?, None),
    };
    // Only JSON tells the number.
    let is_told = kind == BoardFormat::Json || args.json.path().is_some();
    let (solution, all) = (queens.as_placement().filter(Placement::is_solution), SolutionList::all(queens.size()));
    let number = match (number, solution) {
        (None, Some(solution)) if is_told && !all.is_long() => Some(all.number(&solution, &activity)?),
        (number, _) => number,
    };
    activity.finish();
    // Only stdout may be a terminal, with colours and an edge.
    let (palette, room) = match Palette::of_stdout(args.ascii) {
        palette if out.is_stdout() => (palette, stdout::width()),
        palette => (palette.min(Palette::Unicode), usize::MAX),
    };
    let mut board = Board::new(queens, number, palette);
    if let Some(placement) = board.placement.filter(|_| args.random || args.number.is_some()) {
        let number = number.map_or_else(String::new, |number| format!("{number}: "));
        board.caption = format!("{number}{placement}\n");
    }
    let text = match kind {
        BoardFormat::Board => board.text(room),
        BoardFormat::Svg => svg::svg(&queens),
        BoardFormat::Json => answer::json(&board),
    };
    // A reader who has enough does not keep the file from being written.
    let written = out.write(text.as_bytes()).and_then(|()| out.finish());
    let saved = if args.json.is_alone() { Ok(()) } else { args.json.save(&answer::json(&board)) };
    saved.and(written)
}

/// The queens of P, and those beside them.
fn read(args: &Args) -> Result<FixedQueens, Failure> {
    let invalid = |text: &str, reason: &dyn std::fmt::Display| Failure::invalid("<P>", text, &reason);
    let placement = match (&args.placement, args.size) {
        (None, None) => return Err(Failure::usage(&"--queen needs the size of the board, -n N")),
        (Some(text), None) if text.parse::<Size>().is_ok() && !args.queens.queens.is_empty() => {
            let reason =
                format!("with --queen the size of the board is -n N, as in 'queens show -n {text} --queen d4'");
            return Err(invalid(text, &reason));
        }
        (None, Some(size)) => Ok(Placement::empty(size)),
        (Some(text), Some(size)) => Placement::parse(text, size).map_err(|error| invalid(text, &error)),
        (Some(text), None) if text.parse::<Size>().is_ok_and(|size| size.get() > 1) => {
            let reason = format!(
                "a number alone may be N or a placement: 'queens show --random {text}' shows a solution, \
                 'queens show --number K {text}' the K-th, 'queens show -n N {text}' the placement"
            );
            Err(invalid(text, &reason))
        }
        (Some(text), None) => Placement::parse_alone(text).map_err(|error| invalid(text, &error)),
    };
    args.queens.beside(placement?)
}

/// The solution with a number.
fn select(size: Size, number: u64, activity: &Activity) -> Result<Placement, Failure> {
    let all = SolutionList::all(size);
    let reason = match all.beyond(number) {
        Some(reason) => reason,
        None => match all.select(Placement::empty(size), number, activity)? {
            Some(solution) => return Ok(solution),
            None => format!("there is no such solution for N = {size}"),
        },
    };
    Err(Failure::invalid("--number <K>", &number.to_string(), &reason))
}
