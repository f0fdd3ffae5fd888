//! A count in three shards, as three machines would do it, joined by hand: `cargo run --release --example shards`

use std::error::Error;

use queens::ledger::Ledger;
use queens::run::state::RunState;
use queens::{Count, Shard, Size};

fn main() -> Result<(), Box<dyn Error>> {
    let count = Count::new(Size::new(13)?);
    let mut whole = Ledger::new(count.fingerprint()?, Shard::WHOLE);
    for k in 1..=3 {
        let watch = RunState::new(Ledger::new(count.fingerprint()?, Shard::new(k, 3)?));
        count.resume(&watch)?;
        println!("shard {k} of 3: {} units, {} solutions", watch.ledger().finished(), watch.ledger().total()?.get());
        whole.merge(&watch.ledger())?;
    }
    assert!(whole.is_complete());
    println!("in all {}", whole.total()?.get());
    Ok(())
}
