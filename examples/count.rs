//! Counts one board and says how: `cargo run --release --example count -- 14`

use std::error::Error;

use queens::{Request, Size, oeis};

fn main() -> Result<(), Box<dyn Error>> {
    let size: Size = std::env::args().nth(1).as_deref().unwrap_or("12").parse()?;
    let report = Request::solutions(size).count()?;
    println!("{} solutions for N = {size}, by {} in {:.3?}", report.count, report.engine, report.elapsed);
    if let Some(published) = oeis::QUEENS.term(size.get()) {
        assert_eq!(report.count, published, "OEIS {} says otherwise", oeis::QUEENS.id);
    }
    Ok(())
}
