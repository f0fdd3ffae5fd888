//! Instruction sets side by side: `queens bench --isa`.

use anstyle::Style;

use super::saved::{Entry, Saved};
use crate::cli::terminal::numbers;
use crate::cli::terminal::table::{Column, table as columns};

const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();

/// A line for each board, engine and number of threads with the median of each instruction set, and how many times as
/// fast it is as the first; nothing where no more than one set was timed.
pub(super) fn table(saved: &Saved, width: usize) -> String {
    let results = &saved.results;
    let of = |at: &Entry, isa: &str| {
        let same = |entry: &&Entry| {
            (entry.n, &entry.engine, entry.threads) == (at.n, &at.engine, at.threads) && entry.isa == isa
        };
        results.iter().find(same).map(|entry| entry.median)
    };
    let mut isas: Vec<&str> = Vec::new();
    for entry in results {
        // An engine of one version has nothing to compare.
        let is_compared = results.iter().any(|other| other.isa != entry.isa && of(entry, &other.isa).is_some());
        if is_compared && !isas.contains(&entry.isa.as_str()) {
            isas.push(&entry.isa);
        }
    }
    let Some((&first, others)) = isas.split_first() else { return String::new() };
    let is_compared = |entry: &&Entry| entry.isa == first && others.iter().any(|isa| of(entry, isa).is_some());
    let lines: Vec<&Entry> = results.iter().filter(is_compared).collect();
    let cells = |cell: &dyn Fn(&Entry) -> String| lines.iter().map(|entry| cell(entry)).collect::<Vec<_>>().into_iter();
    let mut all = vec![
        Column::numbers("N", 0, cells(&|entry| entry.n.to_string())),
        Column::words("engine", 0, cells(&|entry| entry.engine.clone())),
        Column::numbers("threads", 1, cells(&|entry| entry.threads.to_string())),
        Column::numbers(first, 2, cells(&|entry| numbers::seconds(entry.median))),
    ];
    for &isa in others {
        let median = |entry: &Entry| of(entry, isa).map_or_else(String::new, numbers::seconds);
        let speed = |entry: &Entry| of(entry, isa).map_or_else(String::new, |it| format!("{:.2}×", entry.median / it));
        all.push(Column::numbers(isa, 0, cells(&median)));
        all.push(Column::numbers("speed", 0, cells(&speed)).style(BOLD));
    }
    let breaks: Vec<usize> = (1..lines.len()).filter(|&index| lines[index].n != lines[index - 1].n).collect();
    format!("\n{}{DIM}speed: how many times as fast as {first}{DIM:#}\n", columns(all, width, &breaks))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(results: &[(usize, &str, &str, f64)]) -> Saved {
        let entry = |&(n, engine, isa, median): &(usize, &str, &str, f64)| {
            serde_json::json!({
                "n": n, "engine": engine, "isa": isa, "threads": 1, "count": "1", "seconds": [median], "median": median,
                "fastest": median, "slowest": median, "solutions_per_second": 1.0 / median, "speed_up": null,
                "efficiency": null,
            })
        };
        let results: Vec<_> = results.iter().map(entry).collect();
        let value = serde_json::json!({
            "schema": 1, "version": "0.2.0", "cpu": "", "command": "bench", "runs": 1, "results": results,
        });
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn sets_stand_side_by_side() {
        let one = [(16, "naive", "portable", 2.0), (16, "join", "portable", 0.2)];
        assert_eq!(table(&saved(&one), 80), "");
        let several =
            [one[0], one[1], (16, "join", "avx2", 0.1), (17, "join", "portable", 0.6), (17, "join", "avx2", 0.2)];
        let text = anstream::adapter::strip_str(&table(&saved(&several), 80)).to_string();
        let expected = "
 N  engine  threads  portable    avx2  speed
16  join          1    200 ms  100 ms  2.00×

17  join          1    600 ms  200 ms  3.00×
speed: how many times as fast as portable
";
        assert_eq!(text, expected);
    }
}
