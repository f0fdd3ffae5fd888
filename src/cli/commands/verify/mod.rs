//! `queens verify`

mod check;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anstyle::{AnsiColor, Style};
use clap::Args as ClapArgs;
use console::measure_text_width;
use queens::ledger::Ledger;
use queens::{BFile, ENGINES, EngineKind, Method, Rotation, Size, Watch, oeis, thread_count};

use super::terms::{self, Term};
use super::{count::request, profile};
use crate::cli::long_run::{Activity, OutputForm, Status, When};
use crate::cli::terminal::{
    Column, Cores, Exit, Facts, Failure, HEAD, JsonOutput, Sizes, Table, escape, files, messages,
    numbers::{self, count_of},
    stdout,
    table::wrapped,
    value_parsers::{named_engine_parser, rotation_parser, size},
};
pub(super) use check::methods;
use check::{Check, Terms, Verdict};

/// Sizes that an engine is taken past its quick ones where nobody names it: about a hundred times the second.
const BEYOND_QUICK: usize = 3;

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// The largest N, or a range such as 10-14
    #[arg(long, value_name = "N", default_value = "14", allow_negative_numbers = true)]
    pub(crate) to: Sizes,

    /// Verify the counts of solutions that a half turn (A032522) or a quarter turn (A033148) leaves unchanged
    #[arg(long, value_name = "TURN", value_parser = rotation_parser(), conflicts_with_all = ["unique", "engines", "bfile"])]
    pub(crate) symmetry: Option<Rotation>,

    /// An engine to verify, may be repeated; if omitted: every engine, for the sizes that it counts quickly
    #[arg(long = "engine", value_name = "ENGINE", value_parser = named_engine_parser())]
    pub(crate) engines: Vec<EngineKind>,

    #[command(flatten)]
    pub(crate) cores: Cores,

    /// Verify the counts of solutions up to symmetry (A002562) instead of all solutions (A000170)
    #[arg(long)]
    pub(crate) unique: bool,

    /// Verify the rows of the triangle of profiles (A319284)
    #[arg(long, conflicts_with_all = ["symmetry", "unique", "engines", "bfile"])]
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

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let to = args.to.last;
    let boards = if args.to.one().is_some() { 0..=to } else { args.to.all() };
    if let Some(rotation) = args.symmetry {
        return turns(rotation, boards, args);
    }
    size(to)?;
    if args.profile {
        return profile::verify(boards, args);
    }
    let start = Instant::now();
    let terms = if args.unique { Terms::Unique } else { Terms::All };
    let (sequence, path) = (terms.sequence(), args.bfile.as_deref());
    let bfile = path.map(read).transpose()?;
    let name = path.map_or_else(|| sequence.id.to_owned(), escape::name);
    let term = |n| bfile.as_ref().map_or_else(|| sequence.term(n), |bfile| bfile.term(n));
    let of_size = |size: Size| {
        let published = term(size.get())?;
        let methods = methods(size, &args.engines, BEYOND_QUICK, args.cores.isa.as_slice());
        Some(methods.map(|methods| Row { size, published, methods, checks: Vec::new() }))
    };
    let rows = Size::all().filter(|size| boards.contains(&size.get())).filter_map(of_size);
    let mut rows: Vec<Row> = rows.collect::<Result<_, _>>().map_err(|error| Failure::usage(&error))?;
    if rows.is_empty() {
        let message = match args.to.one() {
            Some(to) => format!("{name} has no term up to N = {to}"),
            None => format!("{name} has no term from N = {} to {to}", boards.start()),
        };
        return Err(Failure::Run(Exit::Failure, message));
    }
    let methods = |kind| rows.iter().flat_map(|row| &row.methods).find(|method| method.engine == kind);
    let methods: Vec<Method> = ENGINES.iter().filter_map(|engine| methods(engine.kind).copied()).collect();
    refuse_idle(&args.engines, &methods, &rows)?;
    let activity = Activity::start(args.progress, "verify");
    if let Some(text) = left_out(&rows).filter(|_| args.engines.is_empty()) {
        messages::note(&text);
    }
    if let Some(text) = very_long(&rows, thread_count(args.cores.threads)) {
        messages::warning(&text);
    }
    // The exit code says more than what is printed: where nobody reads any more, the checks go on.
    let mut printed = Ok(());
    let widest = rows[0].published.max(rows[rows.len() - 1].published);
    let table = EnginesTable::new(&methods, widest, stdout::width());
    let (mut head, mut done, all) = (table.columns.head(), 0, rows.iter().map(|row| row.methods.len()).sum());
    for row in &mut rows {
        let watch = |method: &Method, run: Watch<Ledger>| {
            let (title, so_far) = (format!("N = {}, {}", row.size, method.engine), done);
            activity.watch(move || step(&title, (so_far, all), run.progress().share));
            done += 1;
        };
        let checks = terms.check(row.size, row.published, &row.methods, args.cores.threads, watch);
        row.checks = checks?;
        if !args.json.is_alone() {
            let lines = std::mem::take(&mut head) + &table.line(row);
            printed = printed.and_then(|()| activity.aside(|| stdout::print(&lines)));
        }
    }
    activity.finish();
    let seconds = start.elapsed().as_secs_f64();
    let checks = || rows.iter().flat_map(|row| row.checks.iter().map(move |check| (row, check)));
    let differing: Vec<(&Row, &Check)> = checks().filter(|(_, check)| check.verdict != Verdict::Agrees).collect();
    let facts = Facts::of("verify")
        .with("sequence", sequence.id)
        .with("source", &name)
        .list("terms", rows.iter().map(Row::facts))
        .with("results", checks().count())
        .with("differences", differing.len())
        .with("seconds", seconds);
    let delivered = args.json.deliver_text(&facts.json(), || {
        let (terms, results) = (count_of(rows.len() as u64, "term"), count_of(checks().count() as u64, "result"));
        let (style, verdict) = match differing.len() {
            0 => (GOOD, "all agree".to_owned()),
            1 => (BAD, "1 differs".to_owned()),
            more => (BAD, format!("{more} differ")),
        };
        let time = numbers::seconds(seconds);
        let text = format!("{terms} of {name}, {results}: {style}{verdict}{style:#}, in {time}");
        let lines = wrapped(&text, stdout::width(), &[' ']).join("\n") + "\n";
        printed.and_then(|()| stdout::print(&lines)).map_err(|error| Failure::unwritten(&error))
    });
    differing.first().map_or(delivered, |(row, check)| Err(failure(&name, row, check, differing.len() - 1)))
}

/// The failure where a result differs, and so many more do.
fn failure(name: &str, Row { size, published, .. }: &Row, check: &Check, more: usize) -> Failure {
    let found = match told(&check.verdict) {
        (Some(count), _) => format!(" finds {count}"),
        (_, reason) => format!(": {}", reason.unwrap_or_default()),
    };
    let more = match more {
        0 => String::new(),
        1 => "; 1 more result differs".to_owned(),
        more => format!("; {more} more results differ"),
    };
    let engine = check.method.engine;
    let message = format!("the term for N = {size} in {name} is {published}, but {engine}{found}{more}");
    Failure::Run(Exit::Difference, message)
}

/// Recomputes the published numbers of solutions that a turn leaves unchanged, on these boards, and compares.
fn turns(rotation: Rotation, boards: RangeInclusive<usize>, args: &Args) -> Result<(), Failure> {
    let (to, sequence) = (*boards.end(), rotation.sequence());
    request(Some(rotation), to, &args.cores)?.method().map_err(|error| Failure::usage(&error))?;
    let boards: Vec<usize> = boards.filter(|&n| sequence.term(n).is_some()).collect();
    if boards.is_empty() {
        return Err(Failure::Run(Exit::Failure, format!("{} has no term up to N = {to}", sequence.id)));
    }
    let activity = Activity::start(args.progress, "verify");
    let found = boards.into_iter().map(|n| {
        activity.at(Status { title: format!("N = {n}, {rotation} turn"), ..Status::default() });
        let report = request(Some(rotation), n, &args.cores)?.count()?;
        Ok((n, Term::by(&report, report.count)))
    });
    let print = &mut |text: &str| activity.aside(|| messages::deliver(text));
    let form = OutputForm { json: &args.json, quiet: false, progress: args.progress };
    let table = terms::table(sequence, to);
    terms::compare("verify", sequence, &form, Some(&table), print, found, || activity.finish())
}

/// A check that compares nothing must not pass.
fn refuse_idle(named: &[EngineKind], methods: &[Method], rows: &[Row]) -> Result<(), Failure> {
    let (first, last) = (rows[0].size, rows[rows.len() - 1].size);
    let idle = named.iter().find(|kind| !methods.iter().any(|method| method.engine == **kind));
    let reason = match idle {
        Some(engine) => format!("the {engine} engine counts none of N = {first} to {last}"),
        None if methods.is_empty() => {
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
    Some(format!("N = {size} by {engine} takes very long; 'queens estimate {size}' tells how long"))
}

/// While one of so many checks runs: which one, after so many, and what share of it is done.
fn step(title: &str, (done, all): (usize, usize), share: f64) -> Status {
    let (share, fields) = (Some((done as f64 + share) / all as f64), vec![format!("{done} of {all} checks")]);
    Status { title: title.to_owned(), share, fields, ..Status::default() }
}

fn read(path: &Path) -> Result<BFile, Failure> {
    // A stray byte in a comment is no reason to refuse a file; one in a term makes the line malformed.
    BFile::parse(&String::from_utf8_lossy(&files::read(path)?)).map_err(|error| files::unread(path, &error))
}

/// All there is to say of one N.
struct Row {
    size: Size,
    published: u128,
    methods: Vec<Method>,
    checks: Vec<Check>,
}

impl Row {
    fn facts(&self) -> Facts {
        let result = |check: &Check| {
            let (found, error) = told(&check.verdict);
            Facts::default()
                .by(Some(check.method.engine.info().name), check.method.isa, check.threads)
                .with("agrees", check.verdict == Verdict::Agrees)
                .with("found", found.map(|count| count.to_string()))
                .with("error", error)
                .with("seconds", check.elapsed.as_secs_f64())
        };
        let facts = Facts::default().with("n", self.size.get()).with("published", self.published.to_string());
        facts.list("results", self.checks.iter().map(result))
    }
}

/// The number found, where it is not the published term; else the message, where there is one.
fn told(verdict: &Verdict) -> (Option<u128>, Option<String>) {
    match verdict {
        Verdict::Differs(count) => (Some(*count), None),
        Verdict::Asymmetric(error) => (None, Some(error.to_string())),
        Verdict::Failed(reason) => (None, Some(reason.clone())),
        Verdict::Agrees => (None, None),
    }
}

/// A column for each engine.
struct EnginesTable {
    methods: Vec<Method>,
    /// Whether each result has its time, which is the first to be left out where the terminal is narrow.
    times: bool,
    columns: Table,
}

impl EnginesTable {
    fn new(methods: &[Method], widest: u128, width: usize) -> Self {
        /// As wide as `✓  12.3 ms` may be.
        const TIMED: usize = 12;
        let columns = |least: usize, width: usize| {
            let first = [(2, "N", 0), (numbers::grouped(widest).len(), "published", 1)];
            let results = methods.iter().map(|method| (least, method.engine.info().name, 0));
            let columns = first.into_iter().chain(results);
            Table::new(columns.map(|(width, head, rank)| Column::as_wide_as(width, head, rank)).collect(), width)
        };
        let times = measure_text_width(columns(TIMED, usize::MAX).head().trim_end()) <= width;
        Self { methods: methods.to_vec(), times, columns: columns(if times { TIMED } else { 0 }, width) }
    }

    fn line(&self, row: &Row) -> String {
        let result = |method: &Method| {
            let check = row.checks.iter().find(|check| check.method == *method);
            let Some(check) = check else { return format!("{HEAD}-{HEAD:#}") };
            let (style, verdict) = match &check.verdict {
                Verdict::Agrees => (GOOD, "✓".to_owned()),
                Verdict::Differs(count) => (BAD, format!("✗ {}", numbers::grouped(*count))),
                Verdict::Asymmetric(_) => (BAD, "✗ modulo 8".to_owned()),
                Verdict::Failed(_) => (BAD, "✗ failed".to_owned()),
            };
            let time = numbers::seconds(check.elapsed.as_secs_f64());
            let time = if self.times { format!("  {time:>7}") } else { String::new() };
            format!("{style}{verdict}{time}{style:#}")
        };
        let cells = [row.size.to_string(), numbers::grouped(row.published)].into_iter();
        self.columns.line(cells.chain(self.methods.iter().map(result)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::Isa;
    use std::time::Duration;

    #[test]
    fn a_narrow_terminal_gets_fewer_columns() {
        let method = |engine| Method { engine, isa: Isa::Portable };
        let methods = [EngineKind::Join, EngineKind::Backtrack, EngineKind::Naive].map(method);
        let size = Size::new(8).unwrap();
        let check = |method, published| Terms::All.check(size, published, &[method], 1, |_, _| ()).unwrap();
        let mut checks = [check(methods[0], 92), check(methods[1], 93)].concat();
        for check in &mut checks {
            check.elapsed = Duration::from_millis(25);
        }
        let row = Row { size, published: 666_090_624, methods: methods.to_vec(), checks };
        let plain = |width| {
            let table = EnginesTable::new(&methods, 666_090_624, width);
            anstream::adapter::strip_str(&(table.columns.head() + &table.line(&row))).to_string()
        };
        let heads = " N    published          join     backtrack         naive\n";
        let wide = format!("{heads} 8  666,090,624    ✓  25.0 ms  ✗ 92  25.0 ms             -\n");
        assert_eq!(plain(57), wide);
        let narrow = " N    published  join  backtrack  naive\n 8  666,090,624     ✓       ✗ 92      -\n";
        assert_eq!([plain(56), plain(39)], [narrow; 2]);
        assert_eq!(plain(38), " N  join  backtrack  naive\n 8     ✓       ✗ 92      -\n");
    }
    fn rows(sizes: RangeInclusive<usize>, named: &[EngineKind]) -> Vec<Row> {
        let methods = |size| methods(size, named, 3, &[]).unwrap();
        let row = |size| Row { size, published: 0, methods: methods(size), checks: Vec::new() };
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
        assert_eq!(very_long(&join, 2).unwrap(), "N = 27 by join takes very long; 'queens estimate 27' tells how long");
        // N = 20 takes seconds, N = 22 half an hour of one core.
        assert_eq!(very_long(&join[..11], 1), None);
        assert!(very_long(&join[..13], 1).is_some());
    }
}
