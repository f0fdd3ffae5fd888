//! A count in three shards, as three machines would do it, joined by hand and audited: `cargo run --release --example shards`

use std::error::Error;

use queens::audit::{Options, audit};
use queens::ledger::{Ledger, Shard};
use queens::{Request, Size, Watch};

fn main() -> Result<(), Box<dyn Error>> {
    let request = Request::solutions(Size::new(13)?);
    let fingerprint = request.run()?.ledger().fingerprint().clone();
    let mut whole = Ledger::new(fingerprint.clone(), Shard::WHOLE);
    for k in 1..=3 {
        let (shard, watch) = (Ledger::new(fingerprint.clone(), Shard::new(k, 3)?), Watch::default());
        let report = request.run()?.resume(shard)?.count(&watch)?;
        println!("shard {k} of 3: {} solutions", report.count);
        whole = whole.merge(watch.ledger().expect("the run has begun"))?;
    }
    assert!(whole.is_complete());
    println!("in all {}", whole.total()?);

    // A tenth of the units is counted again, and a task of each by the auditor too. A seed should be drawn at random.
    let mut options = Options::new(7);
    options.share = Some(0.1);
    let findings = audit(&whole, &options, &Watch::default(), |_| ())?;
    println!("{} units recounted, {} differ", findings.units.len(), findings.differences().count());
    Ok(())
}
