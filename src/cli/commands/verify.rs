//! `queens verify`

use std::path::PathBuf;
use std::time::Duration;

use clap::Args as ClapArgs;
use queens::engine::EngineInfo;
use queens::ledger::ranges;
use queens::oeis::{self, Sequence};
use queens::{
    BFile, CountError, ENGINES, EngineKind, Isa, IsaError, Method, Progress, Rotation, Size, Unique, thread_count,
};

use super::terms::{Found, Term, TermTable, Terms};
use super::{count::request, profile};
use crate::cli::long_run::{Activity, Status, When};
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

    /// Compare with the terms of this b-file instead of those built in; - means stdin
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
        let source = if files::is_stdin(path) { "stdin".to_owned() } else { escape::name(path) };
        Ok(Self { sequence, source, file: Some(file) })
    }

    pub(super) fn term(&self, n: usize) -> Option<u128> {
        self.file.as_ref().map_or_else(|| self.sequence.term(n), |file| file.term(n))
    }
}

pub(crate) fn run(args: &Args) -> Result<Terms, Failure> {
    let (sizes, published) = (args.sizes, Published::of(args)?);
    let indices = |n: usize| if args.profile { profile::indices(n) } else { n..=n };
    let terms = |n: usize| indices(n).filter_map(|index| published.term(index));
    // A board at the end that cannot be counted should not show after hours.
    method(args, sizes.last)?;
    let listed: Vec<usize> = sizes.all().filter(|&n| terms(n).next().is_some()).collect();
    if listed.is_empty() {
        let which = match sizes.one() {
            Some(n) => format!("for N = {n}"),
            None => format!("from N = {} to {}", sizes.first, sizes.last),
        };
        return Err(Failure::Run(Exit::Failure, format!("{} has no term {which}", published.source)));
    }
    let rows = if args.profile { &[][..] } else { &listed };
    let rows: Vec<Row> = rows.iter().map(|&n| Row::new(args, n)).collect::<Result<_, Failure>>()?;
    let counts = |kind| rows.iter().flat_map(|row| &row.methods).any(|method| method.engine == kind);
    let engines: Vec<EngineKind> = ENGINES.iter().map(|engine| engine.kind).filter(|kind| counts(*kind)).collect();
    if args.symmetry.is_none() && !args.profile {
        refuse_idle(&args.engines, &engines, &rows)?;
    }
    let activity = Activity::start(args.progress, "verify");
    if let Some(text) = left_out(&rows).filter(|_| args.engines.is_empty()) {
        messages::note(&text);
    }
    let lacking = sizes.all().flat_map(indices).filter(|&index| published.term(index).is_none());
    let lacking = ranges(lacking.map(|index| index as u32));
    if !lacking.is_empty() {
        let index = if args.profile { "index" } else { "N" };
        messages::note(&format!("{} has no term for {index} = {lacking}", published.source));
    }
    let widest = listed.iter().flat_map(|&n| terms(n)).max().unwrap_or(0);
    let names: Vec<&str> = engines.iter().map(|kind| kind.info().name).collect();
    let table = TermTable::new(published.sequence, widest, &names, stdout::width());
    let found: Box<dyn Iterator<Item = Result<Term, Failure>>> = if args.profile {
        Box::new(profile::terms(&listed, &args.cores, &activity, |index| published.term(index)))
    } else {
        let (mut done, all): (_, usize) = (0, rows.iter().map(|row| row.methods.len()).sum());
        let (activity, published) = (&activity, &published);
        Box::new(rows.iter().flat_map(move |&Row { n, size, ref methods }| {
            let mut term = Term { n, published: published.term(n), results: Vec::new() };
            let unique = size.map(|size| Unique::new(size, args.cores.threads)).transpose();
            let checks = unique.map_err(Failure::from).and_then(|unique| {
                methods.iter().try_for_each(|&method| {
                    let found = check(args, n, method, (done, all), activity)?;
                    let expected = term.published.unwrap_or_default();
                    done += 1;
                    term.results.push(match &unique {
                        Some(unique) if found.error.is_none() => checked(found, args.unique, expected, unique),
                        _ => found,
                    });
                    Ok(())
                })
            });
            // What was found of a board before a signal is told.
            let failure = checks.err();
            let is_told = failure.is_none() || !term.results.is_empty();
            is_told.then_some(Ok(term)).into_iter().chain(failure.map(Err))
        }))
    };
    let (of, form) = ((published.sequence, published.source.clone()), Form::text(&args.json));
    Terms::find(&activity, of, &form, Some(&table), found)
}

/// What a method finds, as one check after so many of so many; a signal ends it.
fn check(args: &Args, n: usize, method: Method, checks: (usize, usize), activity: &Activity) -> Result<Found, Failure> {
    let request = request(args.symmetry, n, &args.cores)?.engine(method.engine).isa(method.isa);
    let what = args.symmetry.map_or_else(|| method.engine.to_string(), |turn| format!("{turn} turn"));
    let (run, title) = (request.prepare().map_err(CountError::from)?, format!("N = {n}, {what}"));
    let status = move |Progress { share, .. }| step(&title, checks, share);
    match activity.to_the_end(&run.watch(), status, move |_| run.count())? {
        Ok(report) => Ok(Found::by(&report, report.count)),
        Err(CountError::SelfCheck(error)) => {
            let (engine, threads) = (method.engine.info().name, thread_count(args.cores.threads));
            let found = Found::new(engine, method.isa, threads, Duration::ZERO, 0);
            Ok(Found { value: None, error: Some(error.to_string()), ..found })
        }
        Err(error) => Err(error.into()),
    }
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
    let (first, last) = (rows[0].n, rows[rows.len() - 1].n);
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
    let mut idle = rows.iter().filter(|row| row.methods.is_empty()).map(|row| row.n);
    let first = idle.next()?;
    let last = idle.next_back().unwrap_or(first);
    Some(format!("N = {first} to {last}: every engine takes long; name the one to verify with --engine"))
}

/// While one of so many checks runs: which one, after so many, and what share of it is done.
fn step(title: &str, (done, all): (usize, usize), share: f64) -> Status {
    let (share, fields) = (Some((done as f64 + share) / all as f64), vec![format!("{done} of {all} checks")]);
    Status { title: title.to_owned(), share, fields, ..Status::default() }
}

/// A board and the methods that count it.
struct Row {
    n: usize,
    /// Unless only the solutions that a turn leaves unchanged are counted.
    size: Option<Size>,
    methods: Vec<Method>,
}

impl Row {
    fn new(args: &Args, n: usize) -> Result<Self, Failure> {
        let size = args.symmetry.is_none().then(|| size(n)).transpose()?;
        let methods = match size {
            Some(size) => methods(size, &args.engines, BEYOND_QUICK, args.cores.isa.as_slice()),
            None => return Ok(Self { n, size, methods: vec![method(args, n)?] }),
        };
        Ok(Self { n, size, methods: methods.map_err(|error| Failure::usage(&error))? })
    }
}

/// The method of a board by itself.
fn method(args: &Args, n: usize) -> Result<Method, Failure> {
    request(args.symmetry, n, &args.cores)?.method().map_err(|error| Failure::usage(&error))
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
        let row = |size: Size| Row { n: size.get(), size: Some(size), methods: methods(size, named, 3, &[]).unwrap() };
        Size::all().filter(|size| sizes.contains(&size.get())).map(row).collect()
    }

    #[test]
    fn the_share_grows_check_by_check() {
        let Status { title, share, left, fields, .. } = step("N = 8, join", (3, 8), 0.5);
        assert_eq!((title.as_str(), share, fields), ("N = 8, join", Some(0.4375), vec!["3 of 8 checks".to_owned()]));
        assert!(left.is_none());
    }

    #[test]
    fn boards_that_are_left_out_are_told() {
        let all = rows(10..=27, &[]);
        assert_eq!(
            left_out(&all).unwrap(),
            "N = 21 to 27: every engine takes long; name the one to verify with --engine"
        );
        assert_eq!(left_out(&all[..8]), None);
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
            let found = Found::new("naive", Isa::Portable, 1, Duration::ZERO, all);
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
