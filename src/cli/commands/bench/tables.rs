//! The results as tables: for the terminal, as Markdown, as CSV.

use std::fmt::Write;

use anstyle::Style;
use console::Alignment;

use super::measurement::{Measurement, SPREAD};
use super::results::BenchResults;
use crate::cli::terminal::numbers::{self, grouped, rounded};
use crate::cli::terminal::table::{Column, table, wrapped};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

fn columns(results: &[Measurement]) -> Vec<Column> {
    let cells = |cell: fn(&Measurement) -> String| results.iter().map(cell);
    let percent = |share: f64| format!("{:.0}%", 100.0 * share);
    vec![
        Column::numbers("N", 0, cells(|of| of.n.to_string())),
        Column::numbers("solutions", 3, cells(|of| of.count.parse().map_or_else(|_| of.count.clone(), grouped))),
        Column::words("engine", 0, cells(|of| of.engine.clone())),
        Column::words("isa", 4, cells(|of| of.isa.clone())),
        Column::numbers("threads", 1, cells(|of| of.threads.to_string())),
        Column::numbers("median", 0, cells(|of| numbers::seconds(of.median))).style(BOLD),
        Column::numbers("±", 2, results.iter().map(|of| percent(of.spread()))),
        Column::numbers("solutions/s", 5, cells(|of| rounded(of.solutions_per_second))),
        Column::numbers("speed-up", 6, cells(|of| of.speed_up.map_or_else(String::new, |times| format!("{times:.2}")))),
        Column::numbers("efficiency", 7, results.iter().map(|of| of.efficiency.map_or_else(String::new, percent))),
    ]
}

/// The table, no wider than this, and what its signs mean.
pub(super) fn terminal(results: &BenchResults, width: usize) -> String {
    let mut text = table(columns(&results.results), width);
    let score = results.score.as_ref().map(|score| format!("score {score}"));
    for line in [format!("± {SPREAD}")].into_iter().chain(score) {
        for line in wrapped(&line, width, &[' ']) {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(text, "{DIM}{line}{DIM:#}");
        }
    }
    text
}

/// `--isa`: a line for each board, engine and number of threads with the median of each instruction set, and how many
/// times as fast it is as the first set; nothing where no more than one set was timed.
pub(super) fn instruction_sets(results: &BenchResults, width: usize) -> String {
    let results = &results.results;
    let median = |at: &Measurement, isa: &str| {
        let same =
            |of: &&Measurement| (of.n, &of.engine, of.threads) == (at.n, &at.engine, at.threads) && of.isa == isa;
        results.iter().find(same).map(|of| of.median)
    };
    let mut isas: Vec<&str> = Vec::new();
    for of in results {
        // An engine of one version has nothing to compare.
        let is_compared = results.iter().any(|other| other.isa != of.isa && median(of, &other.isa).is_some());
        if is_compared && !isas.contains(&of.isa.as_str()) {
            isas.push(&of.isa);
        }
    }
    let Some((&first, others)) = isas.split_first() else { return String::new() };
    let is_compared = |of: &&Measurement| of.isa == first && others.iter().any(|isa| median(of, isa).is_some());
    let lines: Vec<&Measurement> = results.iter().filter(is_compared).collect();
    let mut columns = vec![
        Column::numbers("N", 0, lines.iter().map(|of| of.n.to_string())),
        Column::words("engine", 0, lines.iter().map(|of| of.engine.clone())),
        Column::numbers("threads", 1, lines.iter().map(|of| of.threads.to_string())),
        Column::numbers(first, 2, lines.iter().map(|of| numbers::seconds(of.median))),
    ];
    for &isa in others {
        let medians = || lines.iter().map(|of| (of.median, median(of, isa)));
        let seconds = medians().map(|(_, median)| median.map_or_else(String::new, numbers::seconds));
        let speeds = medians().map(|(of, median)| median.map_or_else(String::new, |it| format!("{:.2}×", of / it)));
        columns.push(Column::numbers(isa, 0, seconds));
        columns.push(Column::numbers("speed", 0, speeds).style(BOLD));
    }
    format!("\n{}{DIM}speed: how many times as fast as {first}{DIM:#}\n", table(columns, width))
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

/// A line of names, then a line for each measurement, each with the machine; times are seconds.
pub(super) fn csv(all: &[BenchResults]) -> String {
    let mut text = String::new();
    for results in all {
        for of in &results.results {
            let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
            let fields = [
                ("n", of.n.to_string()),
                ("count", of.count.clone()),
                ("engine", of.engine.clone()),
                ("isa", of.isa.clone()),
                ("threads", of.threads.to_string()),
                ("runs", of.seconds.len().to_string()),
                ("median", of.median.to_string()),
                ("fastest", of.fastest.to_string()),
                ("slowest", of.slowest.to_string()),
                ("solutions_per_second", of.solutions_per_second.to_string()),
                ("speed_up", number(of.speed_up)),
                ("efficiency", number(of.efficiency)),
                ("cpu", results.cpu.clone()),
                ("cores", results.machine.cores.map_or_else(String::new, |cores| cores.to_string())),
                ("version", results.version.clone()),
                ("commit", results.commit.clone()),
                ("date", results.date.clone()),
            ];
            if text.is_empty() {
                let _ = writeln!(text, "{}", fields.each_ref().map(|(name, _)| *name).join(","));
            }
            let _ = writeln!(text, "{}", fields.map(|(_, value)| csv_field(&value)).join(","));
        }
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
        golden::check("src/cli/commands/bench/golden/results.csv", &csv(&[results()]));
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
        let csv = csv(&[results]);
        let line = csv.lines().nth(1).unwrap();
        assert!(line.starts_with("8,'-1+1,'@a|b`c`\\,'+1,1,1,0.000041,"), "{line}");
        assert!(line.contains(",\"'=HYPERLINK(\"\"http://a\"\")\",2,<script>[a](b)</script>,"), "{line}");
    }
    #[test]
    fn instruction_sets_are_compared() {
        let results = |of: &[(usize, &str, &str, f64)]| {
            let planted = |&(n, engine, isa, median)| planted::measurement(n, "1", (engine, isa), 1, [median; 3]);
            planted::results(of.iter().map(planted).collect())
        };
        let one = [(16, "naive", "portable", 2.0), (16, "join", "portable", 0.2)];
        assert_eq!(instruction_sets(&results(&one), 80), "");
        let several =
            [one[0], one[1], (16, "join", "avx2", 0.1), (17, "join", "portable", 0.6), (17, "join", "avx2", 0.2)];
        let text = anstream::adapter::strip_str(&instruction_sets(&results(&several), 80)).to_string();
        let expected = "
 N  engine  threads  portable    avx2  speed
16  join          1    200 ms  100 ms  2.00×

17  join          1    600 ms  200 ms  3.00×
speed: how many times as fast as portable
";
        assert_eq!(text, expected);
    }
}
