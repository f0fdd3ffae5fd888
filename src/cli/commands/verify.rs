//! `queens verify`

use std::path::PathBuf;

use clap::Args as ClapArgs;
use queens::engine::EngineInfo;
use queens::oeis::{self, Sequence};
use queens::{
    BFile, CountError, ENGINES, EngineKind, Isa, IsaError, Method, Report, Request, Rotation, Size, Unique,
    thread_count,
};

use super::terms::{Found, Term, TermTable, Terms};
use super::{count::request, profile};
use crate::cli::long_run::{Activity, Status, When, to_the_end};
use crate::cli::terminal::{
    Cores, Exit, Failure, Form, JsonOutput, Sizes, escape, files, messages, stdout,
    value_parsers::{named_engine_parser, rotation_parser, size},
};

/// Sizes that an engine is taken past its quick ones where nobody names it: about a hundred times the second.
const BEYOND_QUICK: usize = 3;

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// The size of the board, or a range such as 10-14
    #[arg(value_name = "N", default_value = "0-14", allow_negative_numbers = true)]
    pub(crate) sizes: Sizes,

    /// Verify the counts of solutions unchanged by a half turn (A032522) or a quarter turn (A033148)
    #[arg(long, value_name = "TURN", value_parser = rotation_parser(), conflicts_with_all = ["unique", "engines"])]
    pub(crate) symmetry: Option<Rotation>,

    /// An engine to verify; may be repeated [default: every engine, for the sizes that it counts quickly]
    #[arg(long = "engine", value_name = "ENGINE", value_parser = named_engine_parser())]
    pub(crate) engines: Vec<EngineKind>,

    #[command(flatten)]
    pub(crate) cores: Cores,

    /// Verify the counts of solutions up to symmetry (A002562) instead of all solutions (A000170)
    #[arg(long)]
    pub(crate) unique: bool,

    /// Verify the rows of the triangle of profiles (A319284)
    #[arg(long, conflicts_with_all = ["symmetry", "unique", "engines"])]
    pub(crate) profile: bool,

    /// Compare with the terms of this b-file instead of those built in
    #[arg(long, value_name = "FILE")]
    pub(crate) bfile: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) json: JsonOutput,

    /// When to show progress on stderr; SIGUSR1 shows it at once in any case
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) progress: When,
}

/// The terms to compare with.
pub(super) struct Published {
    sequence: &'static Sequence,
    /// The sequence, or the file that takes its place.
    source: String,
    file: Option<BFile>,
}

impl Published {
    fn of(args: &Args) -> Result<Self, Failure> {
        let sequence = match args.symmetry {
            Some(rotation) => rotation.sequence(),
            None if args.unique => &oeis::UNIQUE,
            None if args.profile => &oeis::PROFILE,
            None => &oeis::QUEENS,
        };
        let Some(path) = &args.bfile else { return Ok(Self { sequence, source: sequence.id.to_owned(), file: None }) };
        // A stray byte in a comment is no reason to refuse a file; one in a term makes the line malformed.
        let text = String::from_utf8_lossy(&files::read(path)?).into_owned();
        let file = BFile::parse(&text).map_err(|error| files::unread(path, &error))?;
        Ok(Self { sequence, source: escape::name(path), file: Some(file) })
    }

    pub(super) fn term(&self, n: usize) -> Option<u128> {
        self.file.as_ref().map_or_else(|| self.sequence.term(n), |file| file.term(n))
    }
}

pub(crate) fn run(args: &Args) -> Result<Terms, Failure> {
    let (sizes, published) = (args.sizes, Published::of(args)?);
    let is_listed = |n: &usize| {
        let indices = if args.profile { profile::indices(*n) } else { *n..=*n };
        indices.into_iter().any(|index| published.term(index).is_some())
    };
    // A board at the end that cannot be counted should not show after hours.
    request(args.symmetry, sizes.last, &args.cores)?.method().map_err(|error| Failure::usage(&error))?;
    let listed: Vec<usize> = sizes.all().filter(is_listed).collect();
    if listed.is_empty() {
        let which = match sizes.one() {
            Some(n) => format!("for N = {n}"),
            None => format!("from N = {} to {}", sizes.first, sizes.last),
        };
        return Err(Failure::Run(Exit::Failure, format!("{} has no term {which}", published.source)));
    }
    if args.symmetry.is_none() && !args.profile {
        return engines(args, &published, &listed);
    }
    let activity = Activity::start(args.progress, "verify");
    let widest = (0..=profile::last(sizes.last)).filter_map(|n| published.term(n)).max().unwrap_or(0);
    let table = TermTable::new(widest, &[], stdout::width());
    let (published, shown, all) = (&published, &activity, listed.len());
    let found: Box<dyn Iterator<Item = _>> = match args.symmetry {
        Some(rotation) => Box::new(listed.iter().enumerate().map(move |(done, &n)| {
            let title = format!("N = {n}, {rotation} turn");
            let report = counted(&request(Some(rotation), n, &args.cores)?, title, (done, all), shown)??;
            Ok(Term { n, published: published.term(n), results: vec![Found::by(&report, report.count)] })
        })),
        None => Box::new(profile::terms(&listed, &args.cores, shown, |index| published.term(index))),
    };
    let (of, form) = ((published.sequence, published.source.clone()), Form::text(&args.json));
    Terms::find(&activity, of, &form, Some(&table), found)
}

/// Counts, as one check after so many of so many; a signal ends it.
fn counted(
    request: &Request,
    title: String,
    checks: (usize, usize),
    activity: &Activity,
) -> Result<Result<Report, CountError>, Failure> {
    let run = request.prepare().map_err(CountError::from)?;
    let (watch, watched) = (run.watch(), run.watch());
    activity.watch(move || step(&title, checks, watched.progress().share));
    to_the_end(activity, &watch, move || run.count())
}

/// Recomputes the terms of these boards by each engine.
fn engines(args: &Args, published: &Published, boards: &[usize]) -> Result<Terms, Failure> {
    let row = |&n: &usize| {
        let size = size(n)?;
        let methods = methods(size, &args.engines, BEYOND_QUICK, args.cores.isa.as_slice());
        Ok(Row { size, methods: methods.map_err(|error| Failure::usage(&error))? })
    };
    let rows: Vec<Row> = boards.iter().map(row).collect::<Result<_, Failure>>()?;
    let counts = |kind| rows.iter().flat_map(|row| &row.methods).any(|method| method.engine == kind);
    let engines: Vec<EngineKind> = ENGINES.iter().map(|engine| engine.kind).filter(|kind| counts(*kind)).collect();
    refuse_idle(&args.engines, &engines, &rows)?;
    let activity = Activity::start(args.progress, "verify");
    if let Some(text) = left_out(&rows).filter(|_| args.engines.is_empty()) {
        messages::note(&text);
    }
    if let Some(text) = very_long(&rows, thread_count(args.cores.threads)) {
        messages::warning(&text);
    }
    let widest = boards.iter().filter_map(|&n| published.term(n)).max().unwrap_or(0);
    let names: Vec<&str> = engines.iter().map(|kind| kind.info().name).collect();
    let table = TermTable::new(widest, &names, stdout::width());
    let (mut done, all) = (0, rows.iter().map(|row| row.methods.len()).sum());
    let mut check = |size: Size, method: Method, unique: &Unique, published| {
        let request = Request::solutions(size).engine(method.engine).isa(method.isa).threads(args.cores.threads);
        let report = counted(&request, format!("N = {size}, {}", method.engine), (done, all), &activity)?;
        done += 1;
        found(method, report, args, published, unique).map_err(Failure::from)
    };
    // What was found of a board before a signal is told.
    let found = rows.iter().flat_map(|&Row { size, ref methods }| {
        let n = size.get();
        let mut term = Term { n, published: published.term(n), results: Vec::new() };
        let mut found = |method: &Method, unique: &Unique| {
            term.results.push(check(size, *method, unique, term.published.unwrap_or_default())?);
            Ok(())
        };
        let failure = match Unique::new(size, args.cores.threads) {
            Ok(unique) => methods.iter().find_map(|method| found(method, &unique).err()),
            Err(error) => Some(error.into()),
        };
        let is_told = failure.is_none() || !term.results.is_empty();
        is_told.then_some(Ok(term)).into_iter().chain(failure.map(Err))
    });
    let (of, form) = ((published.sequence, published.source.clone()), Form::text(&args.json));
    Terms::find(&activity, of, &form, Some(&table), found)
}

/// What a method found, checked modulo 8 by Burnside's lemma.
fn found(
    method: Method,
    counted: Result<Report, CountError>,
    args: &Args,
    published: u128,
    unique: &Unique,
) -> Result<Found, CountError> {
    let error = match counted {
        Ok(report) => return Ok(checked(Found::by(&report, report.count), args.unique, published, unique)),
        Err(error @ CountError::SelfCheck(_)) => Some(error.to_string()),
        Err(error) => return Err(error),
    };
    let (engine, isa, threads) = (method.engine.info().name, method.isa, thread_count(args.cores.threads));
    let (value, agrees, seconds, double_checked_tasks) = (None, None, 0.0, 0);
    Ok(Found { engine, isa, threads, value, agrees, error, seconds, double_checked_tasks })
}

/// The number of all solutions that was found, or that of classes where these are published.
fn checked(found: Found, classes: bool, published: u128, unique: &Unique) -> Found {
    let all = found.value.unwrap_or_default();
    match unique.classes(all) {
        Ok(number) if classes => Found { value: Some(number), ..found },
        Err(error) if classes || all == published => Found { error: Some(error.to_string()), ..found },
        _ => found,
    }
}

/// A check that compares nothing must not pass.
fn refuse_idle(named: &[EngineKind], engines: &[EngineKind], rows: &[Row]) -> Result<(), Failure> {
    let (first, last) = (rows[0].size, rows[rows.len() - 1].size);
    let idle = named.iter().find(|kind| !engines.contains(kind));
    let reason = match idle {
        Some(engine) => format!("the {engine} engine counts none of N = {first} to {last}"),
        None if engines.is_empty() => {
            format!("every engine takes too long for N = {first} to {last}; name one with --engine")
        }
        None => return Ok(()),
    };
    Err(Failure::Run(Exit::Failure, format!("nothing to compare: {reason}")))
}

/// The boards that are left out because nobody has named an engine for them.
fn left_out(rows: &[Row]) -> Option<String> {
    let mut idle = rows.iter().filter(|row| row.methods.is_empty()).map(|row| row.size);
    let first = idle.next()?;
    let last = idle.next_back().unwrap_or(first);
    Some(format!("N = {first} to {last}: every engine takes long; name the one to verify with --engine"))
}

/// The largest board that takes longer than anybody waits for.
fn very_long(rows: &[Row], cores: usize) -> Option<String> {
    /// Of so many seconds, which are about ten times too many for large boards.
    const LONG: f64 = 6000.0;
    let term = |n: usize| oeis::QUEENS.term(n).unwrap_or(1).max(1) as f64;
    // An engine takes about a second for its quick size, and grows with the number of solutions.
    let seconds = |size: Size, engine: EngineKind| term(size.get()) / term(engine.info().quick);
    let each = rows.iter().rev().flat_map(|row| row.methods.iter().map(|method| (row.size, method.engine)));
    let (size, engine) = each.into_iter().find(|&(size, engine)| seconds(size, engine) > LONG * cores as f64)?;
    Some(format!("N = {size} by {engine} takes very long; 'queens estimate {size}' predicts the time"))
}

/// While one of so many checks runs: which one, after so many, and what share of it is done.
fn step(title: &str, (done, all): (usize, usize), share: f64) -> Status {
    let (share, fields) = (Some((done as f64 + share) / all as f64), vec![format!("{done} of {all} checks")]);
    Status { title: title.to_owned(), share, fields, ..Status::default() }
}

/// A board and the methods that count it.
struct Row {
    size: Size,
    methods: Vec<Method>,
}

/// The methods to compare on a whole board of this size, in the order of [`ENGINES`]: the `named` engines that count it or,
/// if none is named, every engine, up to as many sizes `beyond` the largest that it counts in about a second; on each of
/// these instruction sets that an engine has a version for, or on the best of the processor.
pub(crate) fn methods(size: Size, named: &[EngineKind], beyond: usize, isas: &[Isa]) -> Result<Vec<Method>, IsaError> {
    if let Some(&missing) = isas.iter().find(|isa| !isa.is_available()) {
        return Err(IsaError::Missing(missing));
    }
    let wanted = ENGINES.iter().filter(|engine| match named {
        [] => size.get() <= engine.quick + beyond,
        named => named.contains(&engine.kind),
    });
    let methods = |engine: &EngineInfo| {
        let choose = |isa| Method::choose(Some(engine.kind), isa, size).ok();
        let mut methods: Vec<Method> = isas.iter().filter_map(|&isa| choose(Some(isa))).collect();
        if methods.is_empty() {
            // An engine with only one version is included, whatever instruction sets are listed.
            methods.extend(choose(None));
        }
        methods
    };
    Ok(wanted.flat_map(methods).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::RangeInclusive;

    fn rows(sizes: RangeInclusive<usize>, named: &[EngineKind]) -> Vec<Row> {
        let row = |size| Row { size, methods: methods(size, named, 3, &[]).unwrap() };
        Size::all().filter(|size| sizes.contains(&size.get())).map(row).collect()
    }

    #[test]
    fn the_share_grows_check_by_check() {
        let Status { title, share, left, fields, .. } = step("N = 8, join", (3, 8), 0.5);
        assert_eq!((title.as_str(), share, fields), ("N = 8, join", Some(0.4375), vec!["3 of 8 checks".to_owned()]));
        assert!(left.is_none());
    }

    #[test]
    fn what_takes_very_long_is_told_before() {
        let all = rows(10..=27, &[]);
        assert_eq!(
            left_out(&all).unwrap(),
            "N = 21 to 27: every engine takes long; name the one to verify with --engine"
        );
        assert_eq!((left_out(&all[..8]), very_long(&all, 2)), (None, None));
        let join = rows(10..=27, &[EngineKind::Join]);
        assert_eq!(
            very_long(&join, 2).unwrap(),
            "N = 27 by join takes very long; 'queens estimate 27' predicts the time"
        );
        // N = 20 takes seconds, N = 22 half an hour of one core.
        assert_eq!(very_long(&join[..11], 1), None);
        assert!(very_long(&join[..13], 1).is_some());
    }

    /// Each set that is named, where an engine has it; of an engine that has one version only, that.
    #[test]
    fn named_sets_are_compared() {
        let methods = |isas: &[Isa]| {
            let methods = methods(Size::new(8).unwrap(), &[EngineKind::Join, EngineKind::Naive], 0, isas)?;
            Ok::<_, IsaError>(methods.iter().map(|method| (method.engine, method.isa)).collect::<Vec<_>>())
        };
        let mut expected = vec![(EngineKind::Naive, Isa::Portable), (EngineKind::Join, Isa::Portable)];
        expected.sort_by_key(|&(kind, _)| ENGINES.iter().position(|engine| engine.kind == kind));
        assert_eq!(methods(&[Isa::Portable]), Ok(expected));
        let best = methods(&[Isa::best()]).unwrap();
        assert!(best.contains(&(EngineKind::Naive, Isa::Portable)) && best.contains(&(EngineKind::Join, Isa::best())));
        let missing = Isa::ALL.into_iter().find(|isa| !isa.is_available()).expect("no processor has both families");
        assert_eq!(methods(&[Isa::Portable, missing]), Err(IsaError::Missing(missing)));
    }

    #[test]
    fn wrong_counts_are_told_apart() {
        let unique = Unique::new(Size::new(8).unwrap(), 1).unwrap();
        let told = |all, classes, published| {
            let found = Found::new("naive", Isa::Portable, 1, std::time::Duration::ZERO, all);
            let found = checked(found, classes, published, &unique);
            (found.value, found.error.is_some())
        };
        assert_eq!(told(92, false, 92), (Some(92), false));
        assert_eq!(told(93, false, 92), (Some(93), false));
        assert_eq!(told(100, false, 92), (Some(100), false));
        // A wrong count that equals a wrong published term is still detected, modulo 8.
        assert_eq!(told(93, false, 93), (Some(93), true));
        assert_eq!(told(92, true, 12), (Some(12), false));
        assert_eq!(told(100, true, 12), (Some(13), false));
        assert_eq!(told(93, true, 12), (Some(93), true));
    }
}
