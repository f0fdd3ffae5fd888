//! A count in three shards, as three machines would do it, joined by hand: `cargo run --release --example shards`

use std::error::Error;

use queens::ledger::Ledger;
use queens::{Request, Shard, Size};

fn main() -> Result<(), Box<dyn Error>> {
    let request = Request::solutions(Size::new(13)?);
    let mut whole = Ledger::new(request.fingerprint()?, Shard::WHOLE);
    for k in 1..=3 {
        let run = request.prepare()?.resume(Ledger::new(request.fingerprint()?, Shard::new(k, 3)?))?;
        let report = run.count()?;
        println!("shard {k} of 3: {} units, {} solutions", run.ledger().finished(), report.count);
        whole.merge(&run.ledger())?;
    }
    assert!(whole.is_complete());
    println!("in all {}", whole.total()?.get());
    Ok(())
}
