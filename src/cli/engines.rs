//! The engines and boards of `bench` and `verify`.

use queens::{EngineKind, Isa, Report, Request};

use super::args::size;
use super::failure::{Failure, Result};
use super::text;
use super::work::run_watched;

/// One engine on every board that it can count, or all engines, each to the largest board that it counts in seconds.
pub(crate) struct Engines {
    pub(crate) only: Option<EngineKind>,
    pub(crate) largest: fn(EngineKind) -> usize,
}

impl Engines {
    /// Whether this engine is to count this board.
    pub(crate) fn is_chosen(&self, engine: EngineKind, n: usize) -> bool {
        engine.sizes().contains(&n) && self.only.map_or(n <= (self.largest)(engine), |only| engine == only)
    }

    /// Counts a board with one engine, on the given instruction set unless the engine is portable only.
    pub(crate) fn run(engine: EngineKind, n: usize, isa: Option<Isa>, threads: usize) -> Result<Report> {
        let request = Request::solutions(size(n)?).engine(engine).threads(threads);
        let mut run = request.isa(isa.filter(|_| engine != EngineKind::Naive)).run()?;
        run_watched(&format!("N = {n}, {engine}"), move |watch| run.count(watch))
    }

    /// Lists the boards that engines skip and those without a published term, in a line. Fails if no board is left.
    pub(crate) fn skipped(&self, boards: &[usize], lacking: &[usize]) -> Result<String> {
        let ranges = |boards: &[usize]| text::ranges(&boards.iter().map(|&n| n as u32).collect::<Vec<_>>());
        let engines = EngineKind::ALL.into_iter().filter(|&engine| self.only.is_none_or(|only| engine == only));
        let skipped = |engine| {
            let left = boards.iter().copied().filter(|&n| !self.is_chosen(engine, n)).collect::<Vec<_>>();
            (!left.is_empty()).then(|| format!("{engine} at N = {}", ranges(&left)))
        };
        let lacking = (!lacking.is_empty()).then(|| format!("N = {} (not in OEIS)", ranges(lacking)));
        let all: Vec<String> = engines.filter_map(skipped).chain(lacking).collect();
        let line = if all.is_empty() { String::new() } else { format!("skipped: {}\n", all.join("; ")) };
        let is_any = boards.iter().any(|&n| EngineKind::ALL.iter().any(|&engine| self.is_chosen(engine, n)));
        Failure::Usage(format!("nothing to count; {}", line.trim_end())).when(!is_any).map(|()| line)
    }
}
