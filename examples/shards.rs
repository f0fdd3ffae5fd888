//! Counts three shards, as three machines would, merges and audits them: `cargo run --release --example shards`

use std::error::Error;

use queens::audit::Audit;
use queens::ledger::Shard;
use queens::{Request, Size, Watch};

fn main() -> Result<(), Box<dyn Error>> {
    let request = Request::solutions(Size::new(13)?);
    let mut whole = request.run()?.ledger().emptied();
    for k in 1..=3 {
        let mut run = request.shard(Shard::new(k, 3)?)?;
        println!("shard {k} of 3: {} solutions", run.count(&Watch::default())?.count);
        whole = whole.merge(run.ledger().clone())?;
    }
    assert!(whole.is_complete());
    println!("all shards: {} solutions", whole.total().expect("it is complete"));

    // Recounts a tenth of the units, and has the auditor count a task of each. Draw the seed at random in a real audit.
    let findings = Audit::of(&whole, 7).share(0.1).recount(&Watch::default(), &mut |_| ())?;
    println!("{} units recounted, {} differ", findings.units.len(), findings.differences().count());
    Ok(())
}
