//! The results as tables: for the terminal, as Markdown, as CSV; and beside those of an earlier run.

use std::fmt::Write;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use console::Alignment;
use serde_json::Value;

use super::results::{BenchResults, Measurement, SPREAD};
use crate::cli::terminal::{
    Column, Exit, Failure, Table, escape,
    numbers::{self, count_of, grouped, rounded},
    stdout,
    table::wrapped,
};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// The result of the simplest instruction set, where several were timed.
fn simplest<'a>(results: &'a [Measurement], of: &Measurement) -> Option<&'a Measurement> {
    let alike = |other: &&Measurement| (of.n, &of.engine, of.threads) == (other.n, &other.engine, other.threads);
    let first = results.iter().find(alike)?;
    results.iter().filter(alike).any(|other| other.isa != first.isa).then_some(first)
}

fn columns(results: &[Measurement]) -> Vec<Column> {
    let cells = |cell: fn(&Measurement) -> String| results.iter().map(cell);
    let percent = |share: f64| format!("{:.0}%", 100.0 * share);
    let times = |times: f64| format!("{times:.2}");
    let speed = |of| simplest(results, of).map(|first| times(first.median / of.median));
    // One thread is once as fast as one.
    let speed_up = |of: &Measurement| of.speed_up.filter(|_| of.threads > 1).map(times);
    let efficiency = |of: &Measurement| of.efficiency.filter(|_| of.threads > 1).map(percent);
    let mut columns = vec![
        Column::numbers("N", 0, cells(|of| of.n.to_string())),
        Column::numbers("solutions", 3, cells(|of| of.count.parse().map_or_else(|_| of.count.clone(), grouped))),
        Column::words("engine", 0, cells(|of| of.engine.clone())),
        Column::words("isa", 4, cells(|of| of.isa.clone())),
        Column::numbers("threads", 1, cells(|of| of.threads.to_string())),
        Column::numbers("median", 0, cells(|of| numbers::seconds(of.median))).style(BOLD),
        Column::numbers("speed", 4, results.iter().map(speed).map(Option::unwrap_or_default)),
        Column::numbers("±", 2, results.iter().map(|of| percent(of.spread()))),
        Column::numbers("solutions/s", 5, cells(|of| rounded(of.solutions_per_second))),
        Column::numbers("speed-up", 6, results.iter().map(speed_up).map(Option::unwrap_or_default)),
        Column::numbers("efficiency", 7, results.iter().map(efficiency).map(Option::unwrap_or_default)),
    ];
    columns.retain(|column| column.cells.iter().any(|cell| !cell.is_empty()));
    columns
}

/// The table, no wider than this, and what its signs mean.
pub(super) fn terminal(results: &BenchResults, width: usize) -> String {
    let mut text = Table::new(columns(&results.results), width).text();
    let first = results.results.iter().find_map(|of| simplest(&results.results, of));
    let speed = first.map(|first| format!("speed: how many times as fast as by {}", first.isa));
    let score = results.score.as_ref().map(|score| format!("score {score}"));
    let lines = [Some(format!("± {SPREAD}")), speed, score].into_iter().flatten();
    for line in lines.flat_map(|line| wrapped(&line, width, &[' '])) {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "{DIM}{line}{DIM:#}");
    }
    text
}

/// The machine and the results, to paste where Markdown is read.
pub(super) fn markdown(results: &BenchResults) -> String {
    let mut text = String::from("| | |\n| --- | --- |\n");
    for (label, value) in results.facts() {
        let _ = writeln!(text, "| {label} | {} |", markdown_escaped(&value));
    }
    text.push('\n');
    let columns = columns(&results.results);
    let mut line = |cell: &dyn Fn(&Column) -> String| {
        let cells: Vec<String> = columns.iter().map(cell).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    };
    line(&|column| column.head.clone());
    line(&|column| if column.alignment == Alignment::Right { "---:" } else { "---" }.to_owned());
    for index in 0..results.results.len() {
        line(&|column| markdown_escaped(&column.cells[index]));
    }
    text
}

/// A line of names, then a line for each measurement, each with the machine; times are seconds. Names and fields are those
/// of the JSON object, but for the number of runs, which may differ from measurement to measurement.
pub(super) fn csv(results: &BenchResults) -> String {
    const NAMES: &str = "n,count,engine,isa,threads,runs,median,fastest,slowest,solutions_per_second,speed_up,efficiency,\
        cpu,cores,version,commit,date";
    let all = serde_json::to_value(results).expect("results have a form in JSON");
    let mut text = format!("{NAMES}\n");
    for of in all["results"].as_array().into_iter().flatten() {
        let field = |name| match [of, &all, &all["machine"]].into_iter().find_map(|object| object.get(name)) {
            _ if name == "runs" => of["seconds"].as_array().map_or(0, Vec::len).to_string(),
            Some(Value::String(text)) => csv_field(text),
            Some(Value::Number(number)) => number.as_f64().unwrap_or_default().to_string(),
            _ => String::new(),
        };
        let _ = writeln!(text, "{}", NAMES.split(',').map(field).collect::<Vec<_>>().join(","));
    }
    text
}

/// A text as Markdown shows it: what would be read as a cell's end, code, a link or HTML is written out.
fn markdown_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '|' | '`' | '*' | '[' | ']' => escaped.extend(['\\', c]),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// A text as a field of CSV, in quotes where it needs them. A text that spreadsheets would take for a formula gets an
/// apostrophe in front, with which they take it as text.
fn csv_field(text: &str) -> String {
    let apostrophe = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    let field = format!("{apostrophe}{text}");
    if field.contains([',', '"', '\n', '\r']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}

/// How the times of a combination compare with those of the earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Same,
    Faster,
    Slower,
    /// The medians are further apart than the tolerance, but the runs of one are among those of the other.
    Noise,
}

impl Change {
    /// Two runs of the same program differ too, so a difference counts only where no run of one was as fast as any of
    /// the other: of five runs each that happens once in 252 times by chance.
    fn of(now: &Measurement, before: &Measurement, tolerance: f64) -> Self {
        let ratio = now.median / before.median;
        match ratio {
            ratio if ratio > 1.0 + tolerance && now.fastest > before.slowest => Self::Slower,
            ratio if ratio < 1.0 / (1.0 + tolerance) && now.slowest < before.fastest => Self::Faster,
            ratio if ratio > 1.0 + tolerance || ratio < 1.0 / (1.0 + tolerance) => Self::Noise,
            _ => Self::Same,
        }
    }

    /// The word for it, and how it is shown.
    const fn word(self) -> (&'static str, Style) {
        match self {
            Self::Same => ("", Style::new()),
            Self::Faster => ("faster", AnsiColor::Green.on_default()),
            Self::Slower => ("slower", AnsiColor::Red.on_default().bold()),
            Self::Noise => ("noise", Style::new().dimmed()),
        }
    }
}

/// A combination that both runs have timed.
struct Pair<'a> {
    now: &'a Measurement,
    before: &'a Measurement,
    /// The time now over the time before.
    ratio: f64,
    change: Change,
}

impl Pair<'_> {
    fn styled(&self, text: &str) -> String {
        let (_, style) = self.change.word();
        format!("{style}{text}{style:#}")
    }
}

/// The combinations that both have timed. Another processor may have had another instruction set: then its fastest is
/// compared.
fn pairs<'a>(now: &'a BenchResults, old: &'a BenchResults, tolerance: f64) -> Vec<Pair<'a>> {
    let is_elsewhere = now.is_elsewhere(old);
    let pair = |now: &'a Measurement| {
        let is_same = |old: &&Measurement| (old.n, &old.engine, old.threads) == (now.n, &now.engine, now.threads);
        let timed = || old.results.iter().filter(is_same);
        let fastest = timed().filter(|_| is_elsewhere).min_by(|a, b| a.median.total_cmp(&b.median));
        let before = timed().find(|old| old.isa == now.isa).or(fastest)?;
        Some(Pair { now, before, ratio: now.median / before.median, change: Change::of(now, before, tolerance) })
    };
    now.results.iter().filter_map(pair).collect()
}

/// Prints the ratio of each median to that of the earlier run, and fails where one exceeds the tolerance.
pub(super) fn compare(
    print: impl FnOnce(&str) -> Result<(), Failure>,
    now: &BenchResults,
    old: &BenchResults,
    path: &Path,
    tolerance: f64,
) -> Result<(), Failure> {
    let (pairs, path) = (pairs(now, old, tolerance), escape::name(path));
    if pairs.is_empty() {
        let message = format!("{path} has none of the sizes, engines, instruction sets and threads timed here");
        return Err(Failure::Run(Exit::Failure, message));
    }
    let isa = |pair: &Pair| match (&pair.now.isa, &pair.before.isa) {
        (now, before) if now == before => now.clone(),
        (now, before) => format!("{now} after {before}"),
    };
    let cells = |cell: fn(&Pair) -> String| pairs.iter().map(cell);
    let columns = vec![
        Column::numbers("N", 0, cells(|pair| pair.now.n.to_string())),
        Column::words("engine", 0, cells(|pair| pair.now.engine.clone())),
        Column::words("isa", 2, cells(isa)),
        Column::numbers("threads", 0, cells(|pair| pair.now.threads.to_string())),
        Column::numbers("before", 3, cells(|pair| numbers::seconds(pair.before.median))),
        Column::numbers("now", 1, cells(|pair| numbers::seconds(pair.now.median))),
        Column::numbers("ratio", 0, cells(|pair| pair.styled(&format!("{:.2}", pair.ratio)))),
        Column::words("", 0, cells(|pair| pair.styled(pair.change.word().0))),
    ];
    let mut text = format!("\n{}", Table::new(columns, stdout::width()).text());
    let mean = (pairs.iter().map(|pair| pair.ratio.ln()).sum::<f64>() / pairs.len() as f64).exp();
    let legend = format!("ratio: the time now over that in {path}, so 2.00 is half as fast; geometric mean {mean:.2}");
    let noise = pairs.iter().filter(|pair| pair.change == Change::Noise).count();
    let noise = (noise > 0).then(|| {
        let medians = count_of(noise as u64, "median");
        format!("{medians} beyond the tolerance, but with runs among those before: noise, or more --runs needed")
    });
    for line in [Some(legend), noise].iter().flatten().flat_map(|line| wrapped(line, stdout::width(), &[' '])) {
        let _ = writeln!(text, "{line}");
    }
    if now.is_elsewhere(old) {
        let _ = writeln!(text, "The earlier run was on another processor: {}", old.processor());
    }
    let printed = print(&text);
    let slower: Vec<&Pair> = pairs.iter().filter(|pair| pair.change == Change::Slower).collect();
    let Some(worst) = slower.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio)) else { return printed };
    let message = format!(
        "{} of {} {} slower than in {path} by more than {}%; the worst is N = {}, {} on {}, {:.2} times as long",
        count_of(slower.len() as u64, "median"),
        pairs.len(),
        if slower.len() == 1 { "is" } else { "are" },
        (tolerance * 1e4).round() / 1e2,
        worst.now.n,
        worst.now.engine,
        count_of(worst.now.threads as u64, "thread"),
        worst.ratio,
    );
    Err(Failure::Run(Exit::Difference, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::bench::tests as planted;
    use crate::cli::tests::golden;

    fn results() -> BenchResults {
        let of = |n, count, version, threads, median: f64| Measurement {
            speed_up: Some(threads as f64 * 0.95),
            efficiency: Some(0.95),
            ..planted::measurement(n, count, version, threads, [0.97 * median, median, 1.05 * median])
        };
        planted::results(vec![
            of(8, "92", ("naive", "portable"), 1, 41e-6),
            of(16, "14772512", ("join", "avx512"), 1, 0.0612),
            of(16, "14772512", ("join", "avx512"), 2, 0.0323),
            of(20, "39029188884", ("backtrack", "portable"), 16, 3723.4),
        ])
    }

    #[test]
    fn tables_of_forty_eighty_and_a_hundred_and_twenty_columns() {
        for width in [40, 80, 120] {
            let text = anstream::adapter::strip_str(&terminal(&results(), width)).to_string();
            assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
            golden::check(&format!("src/cli/commands/bench/golden/{width}.txt"), &text);
        }
        golden::check("src/cli/commands/bench/golden/markdown.md", &markdown(&results()));
        golden::check("src/cli/commands/bench/golden/results.csv", &csv(&results()));
    }

    /// Results come from anybody, and tables are pasted where a formula or a link would be obeyed.
    #[test]
    fn names_are_only_names() {
        let mut results = results();
        results.cpu = "=HYPERLINK(\"http://a\")".to_owned();
        results.version = "<script>[a](b)</script>".to_owned();
        results.results.truncate(1);
        let first = &mut results.results[0];
        (first.engine, first.isa, first.count) = ("@a|b`c`\\".to_owned(), "+1".to_owned(), "-1+1".to_owned());
        let markdown = markdown(&results);
        assert!(markdown.contains("| program | queens &lt;script&gt;\\[a\\](b)&lt;/script&gt;, commit"), "{markdown}");
        assert!(markdown.contains("| 8 | -1+1 | @a\\|b\\`c\\`\\\\ | +1 | 1 |"), "{markdown}");
        let csv = csv(&results);
        let line = csv.lines().nth(1).unwrap();
        assert!(line.starts_with("8,'-1+1,'@a|b`c`\\,'+1,1,1,0.000041,"), "{line}");
        assert!(line.contains(",\"'=HYPERLINK(\"\"http://a\"\")\",2,<script>[a](b)</script>,"), "{line}");
    }

    #[test]
    fn instruction_sets_are_compared() {
        let plain = |of: &[(usize, &str, &str, f64)]| {
            let planted = |&(n, engine, isa, median)| planted::measurement(n, "1", (engine, isa), 1, [median; 3]);
            let results = planted::results(of.iter().map(planted).collect());
            anstream::adapter::strip_str(&terminal(&results, 60)).to_string()
        };
        let one = [(16, "naive", "portable", 2.0), (16, "join", "portable", 0.2)];
        assert!(!plain(&one).contains("speed"));
        let expected = "
 N  solutions  engine  isa       threads  median  speed   ±
16          1  naive   portable        1  2.00 s         0%
16          1  join    portable        1  200 ms   1.00  0%
16          1  join    avx2            1  100 ms   2.00  0%

17          1  join    portable        1  600 ms   1.00  0%
17          1  join    avx2            1  200 ms   3.00  0%
± is half the range from the fastest to the slowest run
speed: how many times as fast as by portable
";
        let several =
            [one[0], one[1], (16, "join", "avx2", 0.1), (17, "join", "portable", 0.6), (17, "join", "avx2", 0.2)];
        assert!(plain(&several).starts_with(&expected[1..]), "{}", plain(&several));
    }

    /// One thread has no speed-up, though a file tells one.
    #[test]
    fn one_thread_has_no_speed_up() {
        let mut results = results();
        results.results.truncate(2);
        let text = terminal(&results, 120);
        assert!(text.contains("solutions/s") && !text.contains("speed-up") && !text.contains("efficiency"), "{text}");
    }

    fn of(fastest: f64, median: f64, slowest: f64) -> Measurement {
        planted::measurement(8, "92", ("naive", "portable"), 1, [fastest, median, slowest])
    }

    #[test]
    fn runs_that_overlap_are_noise() {
        let change = |now, before| Change::of(&now, &before, 0.1);
        assert_eq!(change(of(1.0, 1.05, 1.1), of(0.9, 1.0, 1.2)), Change::Same);
        assert_eq!(change(of(1.1, 1.3, 1.4), of(0.9, 1.0, 1.2)), Change::Noise);
        assert_eq!(change(of(1.21, 1.3, 1.4), of(0.9, 1.0, 1.2)), Change::Slower);
        assert_eq!(change(of(0.5, 0.6, 0.7), of(0.9, 1.0, 1.2)), Change::Faster);
        assert_eq!(change(of(0.5, 0.6, 0.95), of(0.9, 1.0, 1.2)), Change::Noise);
        assert_eq!(change(of(1.0, 1.05, 1.06), of(0.99, 0.99, 0.99)), Change::Same);
    }
}
