//! How many solutions there are, and how long it takes to count them: `cargo run --release --example estimate -- 20`

use std::error::Error;
use std::time::Duration;

use queens::estimate::Sampling;
use queens::{Request, Size, Watch};

fn main() -> Result<(), Box<dyn Error>> {
    let size: Size = std::env::args().nth(1).as_deref().unwrap_or("16").parse()?;
    let sampling = Sampling::default().within(Duration::from_secs(5));
    let prediction = Request::solutions(size).estimate(&sampling, &Watch::default())?;
    let (count, seconds) = (prediction.count, prediction.seconds);
    println!("{:.4e} solutions, 95 % between {:.4e} and {:.4e}", count.mean, count.low, count.high);
    println!("{:.3} s by {} on {} threads", seconds.mean, prediction.engine, prediction.threads);
    Ok(())
}
