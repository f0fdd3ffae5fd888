//! Progress while a count goes on in another thread: `cargo run --release --example progress -- 17`

use std::error::Error;
use std::thread;
use std::time::Duration;

use queens::{Request, Size};

fn main() -> Result<(), Box<dyn Error>> {
    let size: Size = std::env::args().nth(1).as_deref().unwrap_or("16").parse()?;
    let run = Request::solutions(size).prepare()?;
    let watch = run.watch();
    let counting = thread::spawn(move || run.count());
    while !counting.is_finished() {
        let progress = watch.progress();
        println!("{:5.1} %, {} solutions so far", 100.0 * progress.share, progress.solutions);
        thread::sleep(Duration::from_millis(10));
    }
    let report = counting.join().expect("a count does not panic")?;
    println!("{} solutions in {:.3?}", report.count, report.elapsed);
    Ok(())
}
