//! `queens bench --from A B`: several machines in one table, each held against the first.

use std::fmt::Write;

use anstyle::Style;

use super::measurement::Measurement;
use super::results::BenchResults;
use crate::cli::terminal::escape;
use crate::cli::terminal::numbers::{count_of, seconds};
use crate::cli::terminal::table::{Column, table};

const BOLD: Style = Style::new().bold();

/// The time on this machine for the same board, engine and number of threads, by the fastest of its instruction sets.
pub(super) fn same<'a>(machine: &'a BenchResults, of: &Measurement) -> Option<&'a Measurement> {
    let key = |of: &Measurement| (of.n, of.engine.clone(), of.threads);
    let timed = machine.results.iter().filter(|timed| key(timed) == key(of));
    timed.min_by(|a, b| a.median.total_cmp(&b.median))
}

/// What each machine is, the times of what all of them have timed, and how many times as fast as the first each is.
pub(super) fn side_by_side(machines: &[BenchResults], width: usize) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail, here and below.
    for machine in machines {
        let score = machine.score.as_ref().map_or_else(String::new, |score| format!("; score {score}"));
        let _ = writeln!(text, "{}: {}{score}", machine.name(), machine.about());
    }
    let first = &machines[0];
    let is_best = |of: &Measurement| same(first, of).is_some_and(|best| std::ptr::eq(best, of));
    let common = |of: &&Measurement| is_best(of) && machines.iter().all(|machine| same(machine, of).is_some());
    let lines: Vec<&Measurement> = first.results.iter().filter(common).collect();
    if lines.is_empty() {
        let _ = writeln!(text, "\nThere is no board, engine and number of threads that all of them have timed.");
        return text;
    }
    let median = |machine: &BenchResults, of: &Measurement| same(machine, of).map_or(f64::NAN, |of| of.median);
    let mut columns = vec![
        Column::numbers("N", 0, lines.iter().map(|of| of.n.to_string())),
        Column::words("engine", 0, lines.iter().map(|of| of.engine.clone())),
        Column::numbers("threads", 1, lines.iter().map(|of| of.threads.to_string())),
    ];
    let mut sums = String::new();
    for (index, machine) in machines.iter().enumerate() {
        let medians = lines.iter().map(|of| seconds(median(machine, of)));
        columns.push(Column::numbers(&machine.name(), 2, medians));
        if index == 0 {
            continue;
        }
        let ratios: Vec<f64> = lines.iter().map(|of| of.median / median(machine, of)).collect();
        columns.push(Column::numbers("ratio", 0, ratios.iter().map(|ratio| format!("{ratio:.2}"))).style(BOLD));
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        let (fast, slow, times) = if mean < 1.0 { (first, machine, 1.0 / mean) } else { (machine, first, mean) };
        let lines = count_of(ratios.len() as u64, "line");
        let _ = writeln!(
            sums,
            "{BOLD}{} is {times:.2} times as fast as {}{BOLD:#}, the geometric mean of {lines}",
            fast.name(),
            slow.name()
        );
    }
    format!(
        "{text}\n{}{sums}ratio: how many times as fast as {}\n",
        table(columns, width),
        escape::harmless(&first.name())
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::bench::tests as planted;

    fn machine(name: &str, times: &[(usize, &str, &str, usize, f64)]) -> BenchResults {
        let of =
            |&(n, engine, isa, threads, median)| planted::measurement(n, "92", (engine, isa), threads, [median; 3]);
        let mut results = planted::results(times.iter().map(of).collect());
        results.file = Some(name.into());
        results
    }

    #[test]
    fn what_all_have_timed_is_compared() {
        let a = machine(
            "a.json",
            &[
                (15, "join", "portable", 1, 0.5),
                (15, "join", "avx2", 1, 0.4),
                (16, "join", "avx2", 2, 0.9),
                (17, "naive", "", 1, 9.0),
            ],
        );
        let b = machine(
            "b.json",
            &[(15, "join", "avx512", 1, 0.2), (16, "join", "avx512", 2, 0.1), (18, "join", "avx512", 2, 1.0)],
        );
        let plain = |machines: &[BenchResults]| anstream::adapter::strip_str(&side_by_side(machines, 80)).to_string();
        let text = plain(&[a.clone(), b.clone()]);
        let expected = "
 N  engine  threads       a       b  ratio
15  join          1  400 ms  200 ms   2.00

16  join          2  900 ms  100 ms   9.00
b is 4.24 times as fast as a, the geometric mean of 2 lines
ratio: how many times as fast as a
";
        assert!(text.starts_with("a: A Processor, of some make, queens 0.2.0; score "), "{text}");
        assert!(text.ends_with(expected), "{text}");
        // The other way round, and a third.
        let text = plain(&[b.clone(), a.clone(), b.clone()]);
        assert!(
            text.contains("b is 4.24 times as fast as a,") && text.contains("b is 1.00 times as fast as b,"),
            "{text}"
        );
        assert!(
            plain(&[a, machine("c.json", &[(15, "join", "avx2", 3, 1.0)])]).ends_with("that all of them have timed.\n")
        );
    }
}
