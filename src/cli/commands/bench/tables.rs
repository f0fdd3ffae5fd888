//! What `queens bench` found as tables, for the terminal or as Markdown.

use anstyle::Style;
use serde::Serialize;

use super::comparison::Comparison;
use super::results::{Measurement, Results};
use crate::cli::terminal::{
    Answer, Column, Failure, Table,
    numbers::{self, grouped, rounded},
    table::{markdown_escaped, wrapped},
};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// The results, and how they compare with others.
#[derive(Serialize)]
pub(crate) struct Bench {
    #[serde(flatten)]
    pub(super) results: Results,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) comparison: Option<Comparison>,
    /// The name of the file that they were read from.
    #[serde(skip)]
    pub(super) source: Option<String>,
    #[serde(skip)]
    pub(super) markdown: bool,
    /// The signal that ended it early.
    #[serde(skip)]
    pub(super) signal: Option<i32>,
}

impl Answer for Bench {
    fn command(&self) -> &'static str {
        "bench"
    }

    fn found_by(&self) -> Option<(&str, &str)> {
        Some((&self.results.version, &self.results.cpu))
    }

    fn text(&self, width: usize) -> String {
        let (results, width) = (&self.results, (!self.markdown).then_some(width));
        let mut tables = Vec::new();
        if self.markdown {
            let (labels, values): (Vec<_>, Vec<_>) = results.about().into_iter().unzip();
            let labels = labels.into_iter().map(str::to_owned);
            let about = vec![Column::words("", 0, labels), Column::words("", 0, values.into_iter())];
            tables.push(written(about, &[], width));
        }
        tables.push(written(columns(&results.results), &notes(results), width));
        if let Some(comparison) = &self.comparison {
            tables.push(written(comparison.columns(), &comparison.notes(), width));
        }
        let source = self.source.as_ref().filter(|_| !self.markdown);
        source.map_or_else(String::new, |file| format!("{file}: {}\n", results.origin())) + &tables.join("\n")
    }

    fn verdict(&self) -> Result<(), Failure> {
        match (self.signal, &self.comparison) {
            (Some(signal), _) => Err(Failure::Signal(signal)),
            (None, Some(comparison)) => comparison.verdict(),
            (None, None) => Ok(()),
        }
    }
}

/// A table and the lines below it, no wider than this; as Markdown if there is no width.
fn written(columns: Vec<Column>, notes: &[String], width: Option<usize>) -> String {
    let Some(width) = width else {
        let notes = notes.iter().map(|note| format!("\n{}\n", markdown_escaped(note)));
        return Table::markdown(&columns) + &notes.collect::<String>();
    };
    let notes = notes.iter().flat_map(|note| wrapped(note, width, &[' ']));
    let notes: Vec<String> = notes.map(|line| format!("{DIM}{line}{DIM:#}\n")).collect();
    Table::new(columns, width).text() + &notes.concat()
}

/// The result of the simplest instruction set, if several were timed.
fn simplest<'a>(results: &'a [Measurement], of: &Measurement) -> Option<&'a Measurement> {
    let alike = |other: &&Measurement| (of.n, &of.engine, of.threads) == (other.n, &other.engine, other.threads);
    let first = results.iter().find(alike)?;
    results.iter().filter(alike).any(|other| other.isa != first.isa).then_some(first)
}

fn columns(results: &[Measurement]) -> Vec<Column> {
    let cells = |cell: fn(&Measurement) -> String| results.iter().map(cell);
    let times = |times: f64| format!("{times:.2}");
    let speed = |of| simplest(results, of).map(|first| times(first.median / of.median));
    // One thread is once as fast as one.
    let speed_up = |of: &Measurement| of.speed_up.filter(|_| of.threads > 1).map(times);
    let mut columns = vec![
        Column::numbers("N", 0, cells(|of| of.n.to_string())),
        Column::numbers("solutions", 3, cells(|of| of.count.parse().map_or_else(|_| of.count.clone(), grouped))),
        Column::words("engine", 0, cells(|of| of.engine.clone())),
        Column::words("isa", 4, cells(|of| of.isa.clone())),
        Column::numbers("threads", 1, cells(|of| of.threads.to_string())),
        Column::numbers("median", 0, cells(|of| numbers::seconds(of.median))).style(BOLD),
        Column::numbers("speed", 4, results.iter().map(speed).map(Option::unwrap_or_default)),
        Column::numbers(
            "±",
            2,
            cells(|of| of.spread().map_or_else(|| "-".to_owned(), |spread| format!("{:.0}%", 100.0 * spread))),
        ),
        Column::numbers("solutions/s", 5, cells(|of| rounded(of.solutions_per_second))),
        Column::numbers("speed-up", 6, results.iter().map(speed_up).map(Option::unwrap_or_default)),
    ];
    columns.retain(|column| column.cells.iter().any(|cell| !cell.is_empty()));
    columns
}

/// What the signs mean, and what sums it up.
fn notes(results: &Results) -> Vec<String> {
    let all = &results.results;
    let first = all.iter().find_map(|of| simplest(all, of));
    let lines = [
        all.iter()
            .any(|of| of.spread().is_some())
            .then(|| "± is half the range from the fastest to the slowest run".to_owned()),
        first.map(|first| format!("speed: how many times as fast as by {}", first.isa)),
        results.score.as_ref().map(|score| format!("score {score}")),
        (!results.finished)
            .then(|| format!("stopped early: not everything was timed {} times", grouped(results.runs.into()))),
    ];
    lines.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::bench::tests as planted;
    use crate::cli::tests::golden;

    fn bench(results: Vec<Measurement>) -> Bench {
        let results = planted::results(results);
        Bench { results, comparison: None, source: None, markdown: false, signal: None }
    }

    fn table() -> Bench {
        let of = |n, count, version, threads, median: f64| Measurement {
            speed_up: Some(threads as f64 * 0.95),
            ..planted::measurement(n, count, version, threads, [0.97 * median, median, 1.05 * median])
        };
        bench(vec![
            of(8, "92", ("naive", "portable"), 1, 41e-6),
            of(16, "14772512", ("join", "avx512"), 1, 0.0612),
            of(16, "14772512", ("join", "avx512"), 2, 0.0323),
            of(20, "39029188884", ("backtrack", "portable"), 16, 3723.4),
        ])
    }

    fn plain(bench: &Bench, width: usize) -> String {
        anstream::adapter::strip_str(&bench.text(width)).to_string()
    }

    #[test]
    fn tables_of_forty_eighty_and_a_hundred_and_twenty_columns() {
        let mut bench = table();
        for width in [40, 80, 120] {
            let text = plain(&bench, width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
            golden::check(&format!("src/cli/commands/bench/golden/{width}.txt"), &text);
        }
        let half = [("join", 0.0612), ("join", 0.03), ("naive", 9.0)];
        let half = half.map(|(engine, median)| planted::measurement(16, "1", (engine, "avx2"), 2, [median; 3]));
        let half = planted::results(half.into());
        bench.comparison = Some(Comparison::new(&bench.results, &half, "a|b".to_owned(), Some(0.05)));
        bench.results.finished = false;
        bench.markdown = true;
        golden::check("src/cli/commands/bench/golden/markdown.md", &bench.text(40));
    }

    /// Results come from anybody, and tables are pasted where HTML or a link would be obeyed.
    #[test]
    fn names_are_only_names() {
        let mut bench = table();
        bench.results.version = "<script>[a](b)</script>".to_owned();
        bench.results.results.truncate(1);
        let first = &mut bench.results.results[0];
        (first.engine, first.count) = ("@a|b`c`\\".to_owned(), "-1+1".to_owned());
        bench.markdown = true;
        let text = bench.text(80);
        assert!(text.contains("| program | queens &lt;script&gt;\\[a\\](b)&lt;/script&gt;, commit"), "{text}");
        assert!(text.contains("| 8 | -1+1 | @a\\|b\\`c\\`\\\\ | portable | 1 |"), "{text}");
    }

    #[test]
    fn instruction_sets_are_compared() {
        let text = |of: &[(usize, &str, &str, f64)]| {
            let planted = |&(n, engine, isa, median)| planted::measurement(n, "1", (engine, isa), 1, [median; 3]);
            plain(&bench(of.iter().map(planted).collect()), 60)
        };
        let one = [(16, "naive", "portable", 2.0), (16, "join", "portable", 0.2)];
        assert!(!text(&one).contains("speed"));
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
        assert!(text(&several).starts_with(&expected[1..]), "{}", text(&several));
    }

    /// Of a single run there is no range to show.
    #[test]
    fn one_run_has_no_spread() {
        let mut bench = table();
        bench.results.results.truncate(1);
        bench.results.results[0].seconds.truncate(1);
        let text = plain(&bench, 120);
        assert!(text.contains("  -  ") && !text.contains("0%") && !text.contains("± is"), "{text}");
    }

    /// One thread has no speed-up, though a file may name one.
    #[test]
    fn one_thread_has_no_speed_up() {
        let mut bench = table();
        bench.results.results.truncate(2);
        let text = plain(&bench, 120);
        assert!(text.contains("solutions/s") && !text.contains("speed-up"), "{text}");
    }
}
