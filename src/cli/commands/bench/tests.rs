//! Results that were never measured, for the tests of the tables.

use super::results::{Measurement, Results};

/// Results as of another machine.
pub(super) fn results(results: Vec<Measurement>) -> Results {
    let value = serde_json::json!({
        "version": "1.0.0", "cpu": "A Processor, of some make", "commit": "0123456789ab", "date": "2026-11-21T12:00:00Z",
        "machine": {"cores": 2, "threads": 2, "system": "Some 1.0"}, "runs": 5, "finished": true,
        "score": {"n": 17, "isa": "avx512", "threads": 2, "points": 153.0, "spread": 0.06, "points_one_thread": 78.8},
        "results": [],
    });
    let mut planted: Results = serde_json::from_value(value).unwrap();
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
        seconds: vec![fastest, median, slowest],
        median,
        fastest,
        slowest,
        solutions_per_second: count.parse::<f64>().unwrap() / median,
        speed_up: None,
    }
}
