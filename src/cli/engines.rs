//! Which engines count which boards, for `bench` and `verify`.

use queens::{ENGINES, EngineInfo, EngineKind};

use super::failure::Failure;
use super::text;

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

    /// A line of what is left out, or nothing: boards that nobody counts here for some reason, and of the other ones those
    /// that an engine does not count. It fails if nothing is left.
    pub(crate) fn left_out(&self, boards: &[usize], lacking: &[usize]) -> Result<String, Failure> {
        let ranges = |boards: Vec<usize>| text::ranges(&boards.into_iter().map(|n| n as u32).collect::<Vec<_>>());
        let engines = ENGINES.iter().filter(|info| self.only.is_none_or(|only| info.kind == only));
        let of_engines = engines.map(|info| {
            let left = boards.iter().copied().filter(|&n| !self.count(info, n)).collect();
            (info.name, ranges(left))
        });
        let all = of_engines.chain([("OEIS", ranges(lacking.to_vec()))]).filter(|(_, boards)| !boards.is_empty());
        let all: Vec<String> = all.map(|(name, boards)| format!("{name} at N = {boards}")).collect();
        let line = if all.is_empty() { String::new() } else { format!("left out: {}\n", all.join("; ")) };
        if !boards.iter().any(|&n| ENGINES.iter().any(|info| self.count(info, n))) {
            return Err(Failure::Usage(format!("nothing would be counted; {}", line.trim_end())));
        }
        Ok(line)
    }
}
