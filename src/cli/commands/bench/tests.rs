//! Results that were never measured, for the tests of the tables.

use super::results::{BenchResults, Measurement};

/// Results as of another machine.
pub(super) fn results(results: Vec<Measurement>) -> BenchResults {
    let value = serde_json::json!({
        "schema": 1, "version": "0.2.0", "cpu": "A Processor, of some make", "command": "bench",
        "commit": "0123456789ab", "date": "2026-11-21T12:00:00Z", "runs": 5,
        "machine": {"cores": 2, "threads_per_core": 1, "threads": 2, "caches": ["L1d 32 KiB"], "system": "Some 1.0"},
        "score": {"n": 17, "isa": "avx512", "threads": 2, "value": 563.2, "one_thread": 290.4}, "results": [],
    });
    let mut planted: BenchResults = serde_json::from_value(value).unwrap();
    planted.results = results;
    planted
}

/// Times of an engine on an instruction set.
pub(super) fn measurement(
    n: usize,
    count: &str,
    (engine, isa): (&str, &str),
    threads: usize,
    [fastest, median, slowest]: [f64; 3],
) -> Measurement {
    Measurement {
        n,
        engine: engine.to_owned(),
        isa: isa.to_owned(),
        threads,
        count: count.to_owned(),
        seconds: vec![median],
        median,
        fastest,
        slowest,
        solutions_per_second: count.parse::<f64>().unwrap() / median,
        speed_up: None,
        efficiency: None,
    }
}
