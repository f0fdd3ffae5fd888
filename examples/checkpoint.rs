//! Stops a count early, saves and resumes it: `cargo run --release --example checkpoint`

use std::error::Error;
use std::thread;
use std::time::Duration;

use queens::ledger::LedgerFile;
use queens::{CountError, Request, Size, Watch};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("queens-example-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let request = Request::solutions(Size::new(16)?).threads(1);
    let mut sessions = 0;
    let total = loop {
        sessions += 1;
        // The store locks the file while it lives, so that no two runs share it.
        let mut store = LedgerFile::open(folder.join("n16"))?;
        let mut run = request.run()?;
        if let Some(ledger) = store.ledger() {
            run = run.resume(ledger.clone())?;
        }
        println!("session {sessions}: {} of {} units are finished", run.ledger().finished(), run.ledger().units());
        let watch = Watch::default();
        let stopper = watch.clone();
        // 4 ms, 8 ms, 16 ms and so on, until a session finishes the count.
        let time = Duration::from_millis(2 << sessions);
        thread::spawn(move || {
            thread::sleep(time);
            stopper.stop();
        });
        let counted = run.count(&watch);
        store.save(run.ledger())?;
        match counted {
            Ok(report) => break report.count,
            Err(CountError::Stopped) => {}
            Err(error) => return Err(error.into()),
        }
    };
    std::fs::remove_dir_all(&folder)?;
    println!("{total} solutions after {sessions} sessions");
    Ok(())
}
