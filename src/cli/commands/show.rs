//! `queens show P`: one board.

use clap::{Args as ClapArgs, ValueEnum};
use queens::{Orbit, Placement, Size};

use crate::cli::commands::numbered::{self, SolutionList};
use crate::cli::draw::{self, Palette, attackers, has_queen, svg};
use crate::cli::long_run::{Activity, When};
use crate::cli::terminal::{
    Extensions, Facts, Failure, JsonOutput, Output, OutputPath, file_format, stdout, value_parsers::whole,
};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// The row of the queen in each column, as in 15863724, or in the first columns, as in 1,5,8; with --number or --random, N
    #[arg(value_name = "P", allow_negative_numbers = true)]
    placement: String,

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

    /// Columns and rows of the board [default: as few as the queens need]
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

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let path = args.output.as_ref();
    let json = args.json.is_alone().then_some(BoardFormat::Json);
    let kind = file_format::choose(args.format.or(json), path, &FORMATS)?;
    let mut out = Output::open(path)?;
    let activity = Activity::start(When::Auto, "show");
    let size = || args.placement.parse().map_err(|error| Failure::invalid("<N>", &args.placement, &error));
    let (placement, number) = match args.number {
        _ if args.random => numbered::random(size()?, &activity)?,
        Some(number) => (select(size()?, number, &activity)?, Some(number)),
        None => (read(args)?, None),
    };
    // Only JSON tells the number.
    let (is_told, all) = (kind == BoardFormat::Json || args.json.path().is_some(), SolutionList::all(placement.size()));
    let number = match number {
        None if is_told && placement.is_solution() && !all.is_long() => Some(all.number(&placement, &activity)?),
        number => number,
    };
    activity.finish();
    let object = || facts(&placement, number).json();
    let bytes = match kind {
        BoardFormat::Board => {
            let (palette, width) = (Palette::of_stdout(args.ascii), stdout::width());
            // Only stdout may be a terminal, with colours and an edge.
            let (palette, room) =
                if out.is_stdout() { (palette, width) } else { (palette.min(Palette::Unicode), usize::MAX) };
            draw::board(&placement, palette, room).into_bytes()
        }
        BoardFormat::Svg => svg::svg(&placement).into_bytes(),
        BoardFormat::Json => object().into_bytes(),
    };
    // Where nobody reads any more, the file is still to come.
    let written = out.write(&bytes).and_then(|()| out.finish());
    let saved = if args.json.is_alone() { Ok(()) } else { args.json.save(&object()) };
    saved.and(written)
}

fn read(args: &Args) -> Result<Placement, Failure> {
    let placement = match args.size {
        Some(size) => Placement::parse(&args.placement, size),
        None => Placement::parse_alone(&args.placement),
    };
    placement.map_err(|error| Failure::invalid("<P>", &args.placement, &error))
}

/// The solution with a number.
fn select(size: Size, number: u64, activity: &Activity) -> Result<Placement, Failure> {
    let all = SolutionList::all(size);
    let reason = match all.beyond(number) {
        Some(reason) => reason,
        None => match all.select(all.prefix, number, activity)? {
            Some(solution) => return Ok(solution),
            None => format!("there is no such solution for N = {size}"),
        },
    };
    Err(Failure::invalid("--number <K>", &number.to_string(), &reason))
}

/// A board, with its number in the list of all solutions where that is known. Of a solution the squares without a queen
/// are not told: all are attacked.
fn facts(placement: &Placement, number: Option<u64>) -> Facts {
    let orbit = Orbit::of(placement);
    let (mut attacked, mut free) = (Vec::new(), Vec::new());
    let sides = 1..=placement.size().get();
    let squares = sides.clone().flat_map(|column| sides.clone().map(move |row| (column, row)));
    for (column, row) in squares.filter(|&(column, row)| orbit.is_none() && !has_queen(placement, column, row)) {
        // The columns of the queens that attack it.
        let by: Vec<usize> = attackers(placement, column, row).collect();
        if by.is_empty() {
            free.push([column, row]);
        } else {
            attacked.push(Facts::default().with("column", column).with("row", row).with("by", by));
        }
    }
    Facts::of_board("show", placement)
        .with("rows", placement.rows().collect::<Vec<_>>())
        .with("number", number)
        .with("solution", orbit.is_some())
        .with("class_size", orbit.map(|orbit| orbit.class_size()))
        .with("fundamental", orbit.map(|orbit| orbit.is_fundamental()))
        .list("attacked", attacked)
        .with("free", free)
}
