//! Estimates the number of solutions and the time to count them from ten seconds of samples:
//! `cargo run --release --example estimate -- 22`

use std::error::Error;

use queens::estimate::Estimator;
use queens::{Request, Size, Watch};

fn main() -> Result<(), Box<dyn Error>> {
    let size: Size = std::env::args().nth(1).as_deref().unwrap_or("22").parse()?;
    let estimate = Estimator::new(Request::solutions(size)).estimate(&Watch::default())?;
    let (count, time) = (estimate.count, estimate.seconds);
    println!("{:.3e} solutions ({:.3e} to {:.3e})", count.mean, count.low, count.high);
    println!("{:.0} s on {} threads ({:.0} to {:.0} s)", time.mean, estimate.threads, time.low, time.high);
    Ok(())
}
