//! Progress while a count goes on in another thread: `cargo run --release --example progress -- 17`

use std::error::Error;
use std::thread;
use std::time::Duration;

use queens::ledger::Ledger;
use queens::run::state::RunState;
use queens::{Count, Shard, Size};

fn main() -> Result<(), Box<dyn Error>> {
    let size: Size = std::env::args().nth(1).as_deref().unwrap_or("16").parse()?;
    let count = Count::new(size);
    let watch = RunState::new(Ledger::new(count.fingerprint()?, Shard::WHOLE));
    let report = thread::scope(|scope| {
        let run = scope.spawn(|| count.resume(&watch));
        while !run.is_finished() {
            let progress = watch.progress();
            println!("{:5.1} %, {} solutions so far", 100.0 * progress.share, progress.solutions);
            thread::sleep(Duration::from_millis(50));
        }
        run.join().expect("a count does not panic")
    })?;
    println!("{} solutions in {:.3} s", report.count, report.seconds);
    Ok(())
}
