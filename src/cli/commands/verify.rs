//! `queens verify`

mod work;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anstyle::{AnsiColor, Style};
use clap::Args as ClapArgs;
use queens::run::state::RunState;
use queens::verify::{Check, Engines, Terms, Verdict};
use queens::{BFile, ENGINES, EngineKind, Method, Rotation, Size, Threads};
use serde::Serialize;

use crate::cli::commands::count::range;
use crate::cli::commands::profile;
use crate::cli::long_run::{Activity, When};
use crate::cli::terminal::{
    BestEffortStdout, Column, Cores, Exit, Facts, Failure, HEAD, JsonOutput, Sizes, Table, escape, files, numbers,
    stdout,
    table::wrapped,
    value_parsers::{named_engine_parser, rotation_parser, size},
};

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
    args.json.check()?;
    let to = args.to.last;
    let boards = if args.to.one().is_some() { 0..=to } else { args.to.all() };
    if let Some(symmetry) = args.symmetry {
        return range::verify(symmetry, boards, &args.cores, &args.json, args.progress);
    }
    size(to)?;
    if args.profile {
        return profile::verify(boards, &args.cores, &args.json, args.progress);
    }
    let start = Instant::now();
    let terms = if args.unique { Terms::Unique } else { Terms::All };
    let source = Source::new(terms, args.bfile.as_deref())?;
    let engines =
        Engines { named: args.engines.clone(), beyond: BEYOND_QUICK, isas: args.cores.isa.into_iter().collect() };
    let mut out = BestEffortStdout::default();
    let mut layout = None;
    let mut rows = Vec::new();
    let sizes: Vec<Size> =
        Size::all().filter(|size| boards.contains(&size.get()) && source.term(*size).is_some()).collect();
    let Some(&largest) = sizes.last() else {
        let message = match args.to.one() {
            Some(to) => format!("{} has no term up to N = {to}", source.name),
            None => format!("{} has no term from N = {} to {to}", source.name, boards.start()),
        };
        return Err(Failure::Run(Exit::Failure, message));
    };
    let methods = sizes.iter().map(|size| engines.methods(*size)).collect::<Result<Vec<_>, _>>();
    let methods = methods.map_err(|error| Failure::usage(&error))?;
    let all_methods =
        ENGINES.iter().filter_map(|engine| methods.iter().flatten().find(|method| method.engine == engine.kind));
    let all_methods: Vec<Method> = all_methods.copied().collect();
    refuse_idle(&args.engines, &all_methods, &sizes)?;
    let activity = Activity::start(args.progress, "verify");
    let (mut done, all) = (0, methods.iter().map(Vec::len).sum());
    work::tell_limits(&sizes, &methods, &args.engines, Threads::from(args.cores.threads).get());
    for (size, methods) in sizes.into_iter().zip(&methods) {
        let published = source.term(size).expect("sizes without a term were left out");
        let watch = |method: &Method, run: Arc<RunState>| {
            let (title, so_far) = (format!("N = {size}, {}", method.engine), done);
            activity.watch(move || work::step(&title, (so_far, all), run.progress().share));
            done += 1;
        };
        let checks = terms.check(size, published, methods, args.cores.threads, watch)?;
        let row = Row { size, published, checks };
        if !args.json.is_alone() {
            let layout = layout.get_or_insert_with(|| {
                Layout::new(&all_methods, source.term(largest).expect("as above").max(published), stdout::width())
            });
            activity.aside(|| -> std::io::Result<()> {
                if rows.is_empty() {
                    out.write_all(layout.table.head().as_bytes())?;
                }
                out.write_all(layout.row(&row).as_bytes())
            })?;
        }
        rows.push(row);
    }
    activity.finish();
    let summary = Summary::new(&rows);
    let seconds = start.elapsed().as_secs_f64();
    let object = json(&source, &rows, &summary, seconds).json();
    let delivered = args.json.deliver_text(&object, || summary.print(&mut out, &source, rows.len(), seconds));
    match summary.first_difference(&rows, &source) {
        None => delivered,
        Some(message) => Err(Failure::Run(Exit::Difference, message)),
    }
}

/// A check that compares nothing must not pass.
fn refuse_idle(named: &[EngineKind], methods: &[Method], sizes: &[Size]) -> Result<(), Failure> {
    let idle = |kind: &&EngineKind| !methods.iter().any(|method| method.engine == **kind);
    let (Some(first), Some(last)) = (sizes.first(), sizes.last()) else { return Ok(()) };
    let Some(engine) = named.iter().find(idle) else {
        if methods.is_empty() {
            let message = format!(
                "nothing to compare: every engine takes too long for N = {first} to {last}; name one with --engine"
            );
            return Err(Failure::Run(Exit::Failure, message));
        }
        return Ok(());
    };
    let message = format!("nothing to compare: the {engine} engine counts none of N = {first} to {last}");
    Err(Failure::Run(Exit::Failure, message))
}

/// Where the terms come from.
struct Source {
    terms: Terms,
    bfile: Option<BFile>,
    name: String,
}

impl Source {
    fn new(terms: Terms, path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path else {
            return Ok(Self { terms, bfile: None, name: terms.sequence().id.to_owned() });
        };
        let name = escape::name(path);
        let failure = |reason: &dyn std::fmt::Display| Failure::Run(Exit::Failure, format!("{name}: {reason}"));
        let bytes = files::read(path).map_err(|error| failure(&error))?;
        // A stray byte in a comment is no reason to refuse a file; one in a term makes the line malformed.
        let bfile = BFile::parse(&String::from_utf8_lossy(&bytes)).map_err(|error| failure(&error))?;
        Ok(Self { terms, bfile: Some(bfile), name })
    }

    fn term(&self, size: Size) -> Option<u128> {
        match &self.bfile {
            Some(bfile) => bfile.term(size.get()),
            None => self.terms.sequence().term(size.get()),
        }
    }
}

/// All there is to say of one N.
struct Row {
    size: Size,
    published: u128,
    checks: Vec<Check>,
}

/// The columns of the table.
struct Layout {
    methods: Vec<Method>,
    /// Whether each result has its time, which is the first to be left out where the terminal is narrow.
    times: bool,
    table: Table,
}

impl Layout {
    fn new(methods: &[Method], largest: u128, width: usize) -> Self {
        /// As wide as `✓  12.3 ms` may be.
        const TIMED: usize = 12;
        let term = numbers::grouped(largest).len();
        let columns = |least: usize| -> Vec<(usize, &str, u8)> {
            let results = methods.iter().map(|method| (least, method.engine.info().name, 0));
            [(2, "N", 0), (term, "published", 1)].into_iter().chain(results).collect()
        };
        let with_times = columns(TIMED);
        let needed = with_times.iter().map(|(width, head, _)| width.max(&head.len()) + 2).sum::<usize>();
        let times = needed <= width.saturating_add(2);
        let columns = if times { with_times } else { columns(0) };
        let columns = columns.into_iter().map(|(width, head, rank)| Column::as_wide_as(width, head, rank));
        Self { methods: methods.to_vec(), times, table: Table::new(columns.collect(), width) }
    }

    fn row(&self, row: &Row) -> String {
        let result = |method: &Method| {
            let check = row.checks.iter().find(|check| check.method == *method);
            let (style, text) = match check {
                None => (HEAD, "-".to_owned()),
                Some(check) => {
                    let (style, verdict) = match &check.verdict {
                        Verdict::Agrees => (GOOD, "✓".to_owned()),
                        Verdict::Differs(count) => (BAD, format!("✗ {}", numbers::grouped(*count))),
                        Verdict::Asymmetric(_) => (BAD, "✗ modulo 8".to_owned()),
                        _ => (BAD, "✗ failed".to_owned()),
                    };
                    let seconds = check.elapsed.as_secs_f64();
                    (style, if self.times { format!("{verdict}  {:>7}", numbers::seconds(seconds)) } else { verdict })
                }
            };
            format!("{style}{text}{style:#}")
        };
        let cells = [row.size.to_string(), numbers::grouped(row.published)].into_iter();
        self.table.line(cells.chain(self.methods.iter().map(result)))
    }
}

/// How many results there are, and how many are wrong.
struct Summary {
    results: usize,
    differences: usize,
}

impl Summary {
    fn new(rows: &[Row]) -> Self {
        let checks = || rows.iter().flat_map(|row| &row.checks);
        let differences = checks().filter(|check| check.verdict != Verdict::Agrees).count();
        Self { results: checks().count(), differences }
    }

    fn print(&self, out: &mut impl Write, source: &Source, terms: usize, seconds: f64) -> Result<(), Failure> {
        let Self { results, differences } = *self;
        let (style, verdict) = match differences {
            0 => (GOOD, "all agree".to_owned()),
            1 => (BAD, "1 differs".to_owned()),
            _ => (BAD, format!("{differences} differ")),
        };
        let (s, name) = (if terms == 1 { "" } else { "s" }, &source.name);
        let seconds = numbers::seconds(seconds);
        let results = if results == 1 { "1 result".to_owned() } else { format!("{results} results") };
        let text = format!("{terms} term{s} of {name}, {results}: {style}{verdict}{style:#}, in {seconds}");
        Ok(wrapped(&text, stdout::width(), &[' ']).iter().try_for_each(|line| writeln!(out, "{line}"))?)
    }

    fn first_difference(&self, rows: &[Row], source: &Source) -> Option<String> {
        let mut checks = rows.iter().flat_map(|row| row.checks.iter().map(move |check| (row, check)));
        let (row, check) = checks.find(|(_, check)| check.verdict != Verdict::Agrees)?;
        let (name, size, published, engine) = (&source.name, row.size, row.published, check.method.engine);
        let found = match &check.verdict {
            Verdict::Agrees => return None,
            Verdict::Differs(count) => format!("{engine} finds {count}"),
            Verdict::Asymmetric(error) => format!("{engine}: {error}"),
            Verdict::Failed(reason) => format!("{engine}: {reason}"),
            other => format!("{engine}: {other:?}"),
        };
        let more = match self.differences - 1 {
            0 => String::new(),
            1 => "; 1 more result differs".to_owned(),
            more => format!("; {more} more results differ"),
        };
        Some(format!("the term for N = {size} in {name} is {published}, but {found}{more}"))
    }
}

#[derive(Serialize)]
struct TermJson {
    n: usize,
    published: String,
    results: Vec<ResultJson>,
}

#[derive(Serialize)]
struct ResultJson {
    engine: &'static str,
    isa: &'static str,
    threads: usize,
    agrees: bool,
    /// Where it is not the published term.
    found: Option<String>,
    /// Where there is more to say than a number.
    error: Option<String>,
    seconds: f64,
}

fn json(source: &Source, rows: &[Row], summary: &Summary, seconds: f64) -> Facts {
    let result = |check: &Check| ResultJson {
        engine: check.method.engine.info().name,
        isa: check.method.isa.name(),
        threads: check.threads,
        agrees: check.verdict == Verdict::Agrees,
        found: if let Verdict::Differs(count) = check.verdict { Some(count.to_string()) } else { None },
        error: match &check.verdict {
            Verdict::Asymmetric(error) => Some(error.to_string()),
            Verdict::Failed(error) => Some(error.clone()),
            _ => None,
        },
        seconds: check.elapsed.as_secs_f64(),
    };
    let term = |row: &Row| TermJson {
        n: row.size.get(),
        published: row.published.to_string(),
        results: row.checks.iter().map(result).collect(),
    };
    Facts::of("verify")
        .with("sequence", source.terms.sequence().id)
        .with("source", &source.name)
        .with("terms", rows.iter().map(term).collect::<Vec<_>>())
        .with("results", summary.results)
        .with("differences", summary.differences)
        .with("seconds", seconds)
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
        let row = Row { size, published: 666_090_624, checks };
        let plain = |width| {
            let layout = Layout::new(&methods, 666_090_624, width);
            anstream::adapter::strip_str(&(layout.table.head() + &layout.row(&row))).to_string()
        };
        let heads = " N    published          join     backtrack         naive\n";
        let wide = format!("{heads} 8  666,090,624    ✓  25.0 ms  ✗ 92  25.0 ms             -\n");
        assert_eq!(plain(57), wide);
        let narrow = " N    published  join  backtrack  naive\n 8  666,090,624     ✓       ✗ 92      -\n";
        assert_eq!([plain(56), plain(39)], [narrow; 2]);
        assert_eq!(plain(38), " N  join  backtrack  naive\n 8     ✓       ✗ 92      -\n");
    }
}
