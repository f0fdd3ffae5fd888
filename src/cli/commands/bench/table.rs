//! The results as tables: for the terminal, as Markdown, as CSV.

use std::fmt::Write;

use anstyle::Style;

use super::saved::{Entry, Saved};
use crate::cli::terminal::numbers::{self, grouped, rounded};
use crate::cli::terminal::table::{Column, table};

/// What ± means, after the sign.
pub(super) const SPREAD: &str = "is half the range from the fastest to the slowest run";

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// The table in at most so many columns, and what its signs mean.
pub(super) fn terminal(saved: &Saved, width: usize) -> String {
    let results = &saved.results;
    let cells = |cell: fn(&Entry) -> String| results.iter().map(cell);
    let columns = vec![
        Column::numbers("N", 0, cells(|entry| entry.n.to_string())),
        Column::numbers("solutions", 3, cells(solutions)),
        Column::words("engine", 0, cells(|entry| entry.engine.clone())),
        Column::words("isa", 4, cells(|entry| entry.isa.clone())),
        Column::numbers("threads", 1, cells(|entry| entry.threads.to_string())),
        Column::numbers("median", 0, cells(|entry| numbers::seconds(entry.median))).style(BOLD),
        Column::numbers("±", 2, cells(spread)),
        Column::numbers("solutions/s", 5, cells(|entry| rounded(entry.solutions_per_second))),
        Column::numbers("speed-up", 6, cells(speed_up)),
        Column::numbers("efficiency", 7, cells(efficiency)),
    ];
    let breaks: Vec<usize> = (1..results.len()).filter(|&index| results[index].n != results[index - 1].n).collect();
    let mut text = table(columns, width, &breaks);
    for line in [format!("± {SPREAD}"), saved.score.as_ref().map_or_else(String::new, |score| format!("score {score}"))]
    {
        // Writing to a string cannot fail, here and below. Words may go on in the next line, as in any text.
        for line in wrapped(&line, width) {
            let _ = writeln!(text, "{DIM}{line}{DIM:#}");
        }
    }
    text
}

/// Lines of whole words.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut().filter(|line| line.chars().count() + 1 + word.chars().count() <= width) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The machine and the results, to paste where Markdown is read.
pub(super) fn markdown(saved: &Saved) -> String {
    let mut text = String::from("| | |\n| --- | --- |\n");
    for (label, value) in saved.facts() {
        let _ = writeln!(text, "| {label} | {} |", marked_down(&value));
    }
    text.push_str("\n| N | solutions | engine | isa | threads | median | ± | solutions/s | speed-up | efficiency |\n");
    text.push_str("| ---: | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for entry in &saved.results {
        let Entry { n, threads, .. } = entry;
        let [engine, isa] = [&entry.engine, &entry.isa].map(|name| marked_down(name));
        let (median, rate) = (numbers::seconds(entry.median), rounded(entry.solutions_per_second));
        let (solutions, spread) = (marked_down(&solutions(entry)), spread(entry));
        let (speed_up, efficiency) = (speed_up(entry), efficiency(entry));
        let _ = writeln!(
            text,
            "| {n} | {solutions} | {engine} | {isa} | {threads} | {median} | {spread} | {rate} | {speed_up} | {efficiency} |"
        );
    }
    text
}

/// A line of names, then a line a result, each with the machine; times are seconds.
pub(super) fn csv(all: &[Saved]) -> String {
    let mut text = String::from(
        "n,count,engine,isa,threads,runs,median,fastest,slowest,solutions_per_second,speed_up,efficiency,cpu,cores,\
         version,commit,date\n",
    );
    for saved in all {
        for entry in &saved.results {
            let Entry { n, threads, median, fastest, slowest, .. } = entry;
            let [count, engine, isa] = [&entry.count, &entry.engine, &entry.isa].map(|text| quoted(text));
            let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
            let _ = write!(
                text,
                "{n},{count},{engine},{isa},{threads},{},{median},{fastest},{slowest},{},{},{}",
                entry.seconds.len(),
                entry.solutions_per_second,
                number(entry.speed_up),
                number(entry.efficiency)
            );
            let cores = saved.machine.cores.map_or_else(String::new, |cores| cores.to_string());
            for field in [&saved.cpu, &cores, &saved.version, &saved.commit, &saved.date] {
                let _ = write!(text, ",{}", quoted(field));
            }
            text.push('\n');
        }
    }
    text
}

/// A text as Markdown shows it: what would be read as a cell's end, code, a link or HTML is written out.
fn marked_down(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '\\' | '|' | '`' | '*' | '[' | ']' => shown.extend(['\\', c]),
            _ => shown.push(c),
        }
    }
    shown
}

/// A text as a field of CSV, in quotes where it needs them. What spreadsheets would take for a formula has an apostrophe
/// before it, which they take for the sign of a text.
fn quoted(text: &str) -> String {
    let sign = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    let field = format!("{sign}{text}");
    if field.contains([',', '"', '\n', '\r']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}

fn solutions(entry: &Entry) -> String {
    entry.count.parse().map_or_else(|_| entry.count.clone(), grouped)
}

fn spread(entry: &Entry) -> String {
    format!("{:.0}%", 100.0 * entry.spread())
}

fn speed_up(entry: &Entry) -> String {
    entry.speed_up.map_or_else(String::new, |speed_up| format!("{speed_up:.2}"))
}

fn efficiency(entry: &Entry) -> String {
    entry.efficiency.map_or_else(String::new, |efficiency| format!("{:.0}%", 100.0 * efficiency))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::golden;

    fn saved() -> Saved {
        let entry = |n: usize, count: &str, engine: &str, isa: &str, threads: usize, median: f64| {
            serde_json::json!({
                "n": n, "engine": engine, "isa": isa, "threads": threads, "count": count, "seconds": [median],
                "median": median, "fastest": 0.97 * median, "slowest": 1.05 * median,
                "solutions_per_second": count.parse::<f64>().unwrap() / median,
                "speed_up": threads as f64 * 0.95, "efficiency": 0.95,
            })
        };
        let value = serde_json::json!({
            "schema": 1, "version": "0.2.0", "cpu": "A Processor, of some make", "command": "bench",
            "commit": "0123456789ab", "date": "2026-11-21T12:00:00Z", "runs": 5,
            "machine": {"cores": 2, "threads_per_core": 1, "threads": 2, "caches": ["L1d 32 KiB"], "system": "Some 1.0"},
            "score": {"n": 17, "isa": "avx512", "threads": 2, "value": 563.2, "one_thread": 290.4},
            "results": [
                entry(8, "92", "naive", "portable", 1, 41e-6),
                entry(16, "14772512", "join", "avx512", 1, 0.0612),
                entry(16, "14772512", "join", "avx512", 2, 0.0323),
                entry(20, "39029188884", "backtrack", "portable", 16, 3723.4),
            ],
        });
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn tables_of_forty_eighty_and_a_hundred_and_twenty_columns() {
        for width in [40, 80, 120] {
            let text = anstream::adapter::strip_str(&terminal(&saved(), width)).to_string();
            assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
            golden::check(&format!("src/cli/commands/bench/golden/{width}.txt"), &text);
        }
        golden::check("src/cli/commands/bench/golden/markdown.md", &markdown(&saved()));
        golden::check("src/cli/commands/bench/golden/results.csv", &csv(&[saved()]));
    }

    /// Results come from anybody, and tables are pasted where they do more than stand there.
    #[test]
    fn names_are_only_names() {
        let mut saved = saved();
        saved.cpu = "=HYPERLINK(\"http://a\")".to_owned();
        saved.version = "<script>[a](b)</script>".to_owned();
        saved.results.truncate(1);
        let entry = &mut saved.results[0];
        (entry.engine, entry.isa, entry.count) = ("@a|b`c`\\".to_owned(), "+1".to_owned(), "-1+1".to_owned());
        let markdown = markdown(&saved);
        assert!(markdown.contains("| program | queens &lt;script&gt;\\[a\\](b)&lt;/script&gt;, commit"), "{markdown}");
        assert!(markdown.contains("| 8 | -1+1 | @a\\|b\\`c\\`\\\\ | +1 | 1 |"), "{markdown}");
        let csv = csv(&[saved]);
        let line = csv.lines().nth(1).unwrap();
        assert!(line.starts_with("8,'-1+1,'@a|b`c`\\,'+1,1,1,0.000041,"), "{line}");
        assert!(line.contains(",\"'=HYPERLINK(\"\"http://a\"\")\",2,<script>[a](b)</script>,"), "{line}");
    }
}
