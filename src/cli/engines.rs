//! Which engines count which boards, for `bench` and `verify`.

use queens::{ENGINES, EngineInfo, EngineKind, Isa, Report, Request};

use super::args::size;
use super::failure::Failure;
use super::text;
use super::work::watched;

/// The engines that are asked for: one by its name, on every board that it counts, or all of them, each to the largest board
/// that it counts in seconds.
pub(crate) struct Engines {
    pub(crate) only: Option<EngineKind>,
    pub(crate) largest: fn(&EngineInfo) -> usize,
}

impl Engines {
    /// Whether this one counts this board.
    pub(crate) fn count(&self, info: &EngineInfo, n: usize) -> bool {
        info.sizes.contains(&n) && self.only.map_or(n <= (self.largest)(info), |only| info.kind == only)
    }

    /// Counts a board by one engine, on the instruction set that was asked for if it has such a version.
    pub(crate) fn run(info: &EngineInfo, n: usize, isa: Option<Isa>, threads: usize) -> Result<Report, Failure> {
        let request = Request::solutions(size(n)?).engine(info.kind).threads(threads);
        let run = request.isa(isa.filter(|_| info.kind != EngineKind::Naive)).run()?;
        Ok(watched(&format!("N = {n}, {}", info.name), move |watch| run.count(watch))?.report)
    }

    /// A line of what is left out, or nothing: of these boards those that an engine does not count, and those
    /// that lack a published term. It fails if nothing is left.
    pub(crate) fn left_out(&self, boards: &[usize], lacking: &[usize]) -> Result<String, Failure> {
        let ranges = |boards: &[usize]| text::ranges(&boards.iter().map(|&n| n as u32).collect::<Vec<_>>());
        let engines = ENGINES.iter().filter(|info| self.only.is_none_or(|only| info.kind == only));
        let of = |info: &EngineInfo| {
            let left = boards.iter().copied().filter(|&n| !self.count(info, n)).collect::<Vec<_>>();
            (!left.is_empty()).then(|| format!("{} at N = {}", info.name, ranges(&left)))
        };
        let lacking = (!lacking.is_empty()).then(|| format!("N = {}, which OEIS lacks", ranges(lacking)));
        let all: Vec<String> = engines.filter_map(of).chain(lacking).collect();
        let line = if all.is_empty() { String::new() } else { format!("left out: {}\n", all.join("; ")) };
        if !boards.iter().any(|&n| ENGINES.iter().any(|info| self.count(info, n))) {
            return Err(Failure::Usage(format!("nothing would be counted; {}", line.trim_end())));
        }
        Ok(line)
    }
}
