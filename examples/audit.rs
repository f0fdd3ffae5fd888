//! A finished count whose units and tasks are recounted at random: `cargo run --release --example audit -- 14`

use std::error::Error;

use queens::{AuditOptions, Request, Size, Watch};

fn main() -> Result<(), Box<dyn Error>> {
    let size: Size = std::env::args().nth(1).as_deref().unwrap_or("12").parse()?;
    let run = Request::solutions(size).prepare()?;
    run.count()?;
    let options = AuditOptions::default().units(20);
    let findings = run.audit(&run.ledger(), &options, &Watch::default())?;
    println!("{} units and {} tasks recounted", findings.units.len(), findings.tasks());
    assert_eq!(findings.differences().count(), 0);
    Ok(())
}
