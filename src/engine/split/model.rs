//! What to do with two sides: match them, or cut one of them, by what the lengths of their lists let expect.

use std::array::from_fn;

use super::{FirstPieces, MAX_DEPTH};
use crate::engine::lanes::Cost;
#[cfg(test)]
use crate::engine::lanes::{Block, Lanes, Portable};

/// Into how many parts a side with these groups falls by its first piece, each of them on average by the next, ...
pub(in crate::engine) fn branching(pieces: &[FirstPieces]) -> [f64; MAX_DEPTH] {
    let mut parts = [1; MAX_DEPTH];
    for pair in pieces.windows(2) {
        let agree = (0..MAX_DEPTH).take_while(|&cut| pair[0][cut] == pair[1][cut]).count();
        parts[agree..].iter_mut().for_each(|parts| *parts += 1);
    }
    from_fn(|cut| f64::from(parts[cut]) / if cut == 0 { 1.0 } else { f64::from(parts[cut - 1]) })
}

/// Cycles to begin matching two lists, whatever they hold, and to begin with a group that is read.
const MATCH: f64 = 200.0;
const GROUP: f64 = 12.0;

/// Patterns that a second-level cache holds, and cycles more to read one of a longer list. Of two lists that are both to be
/// cut, the longer one is cut first: then its parts are read, and not the whole list time and again.
const NEAR: f64 = 65_536.0;
const FAR: f64 = 0.5;

/// Keys that fewer are held by both sides after a cut: the two of a queen, and two of the outermost, which only queens of
/// inner columns hold.
const KEYS_OF_A_CUT: u32 = 4;

/// How many cuts the model looks ahead. Three decide the same as two, and the model itself then takes 1 %.
const AHEAD: usize = 2;

/// What there is to do with two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Match,
    CutBuild,
    CutProbe,
}

/// Chooses what to do with sides of such lengths.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Model {
    pub(in crate::engine) cost: Cost,
    /// Share of a list that one piece of the other side leaves.
    pub(in crate::engine) survivors: f64,
    /// For the build and the probe side: into how many parts it falls with each cut, see [`branching`].
    pub(in crate::engine) branching: [[f64; MAX_DEPTH]; 2],
}

/// The build and the probe side as the model has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lengths {
    pub(super) patterns: [f64; 2],
    pub(super) groups: [f64; 2],
    /// Keys that both sides hold.
    pub(super) keys: u32,
    /// Pieces cut by.
    pub(super) cut: [usize; 2],
    /// Pieces left to cut by.
    pub(super) left: [usize; 2],
}

impl Model {
    pub(super) fn choose(&self, at: Lengths) -> Step {
        if at.left == [0, 0] {
            return Step::Match;
        }
        let (mut best, mut step) = (self.matching(at), Step::Match);
        for (side, cut) in [Step::CutBuild, Step::CutProbe].into_iter().enumerate() {
            let cost = self.cutting(at, side, AHEAD);
            if cost < best {
                (best, step) = (cost, cut);
            }
        }
        step
    }

    fn matching(&self, at: Lengths) -> f64 {
        let [build, probe] = at.patterns.map(|patterns| patterns as usize);
        MATCH + self.cost.of_sides(at.keys, build, probe)
    }

    /// Cycles where the next step is to cut that side.
    fn cutting(&self, at: Lengths, side: usize, ahead: usize) -> f64 {
        if at.left[side] == 0 {
            return f64::INFINITY;
        }
        let (other, parts) = (1 - side, self.branching[side][at.cut[side]]);
        let mut part = at;
        part.patterns[side] /= parts;
        part.groups[side] /= parts;
        part.cut[side] += 1;
        part.left[side] -= 1;
        part.keys = part.keys.saturating_sub(KEYS_OF_A_CUT);
        part.patterns[other] *= self.survivors;
        let far = if at.patterns[other] > NEAR { FAR } else { 0.0 };
        let retain = (self.cost.retain + far) * at.patterns[other] + GROUP * at.groups[other];
        parts * (retain + self.cheapest(part, ahead - 1))
    }

    fn cheapest(&self, at: Lengths, ahead: usize) -> f64 {
        let matching = self.matching(at);
        if ahead == 0 { matching } else { matching.min(self.cutting(at, 0, ahead)).min(self.cutting(at, 1, ahead)) }
    }
}

/// Matching so costly that whatever can be cut is cut: what pays only for large boards is done on those of a test.
#[cfg(test)]
pub(in crate::engine) const ENDLESS_MATCHING: Cost = {
    let block = Block { query: 1e12, ..Portable::COST.wide };
    Cost { pair: 1e9, wide: block, narrow: block, ..Portable::COST }
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_matching_is_put_off() {
        let branching = [[3.0; MAX_DEPTH]; 2];
        let model = |cost| Model { cost, survivors: 0.4, branching };
        for patterns in [2.0, 50.0, 3000.0] {
            for (left, some) in [([0, 0], false), ([1, 0], true), ([0, 4], true), ([4, 4], true)] {
                let at = Lengths { patterns: [patterns; 2], groups: [9.0; 2], keys: 26, cut: [0, 0], left };
                assert_eq!(model(ENDLESS_MATCHING).choose(at) != Step::Match, some, "{patterns} {left:?}");
            }
        }
        let few = Lengths { patterns: [20.0; 2], groups: [9.0; 2], keys: 26, cut: [0, 0], left: [4, 4] };
        assert_eq!(model(Portable::COST).choose(few), Step::Match);
    }

    #[test]
    fn branching_is_the_mean_number_of_parts() {
        let pieces = [[1, 3, 0, 0], [1, 4, 0, 0], [1, 5, 0, 0], [2, 4, 0, 0]];
        let tenths = |pieces| branching(pieces).map(|parts| (10.0 * parts) as u32);
        assert_eq!(tenths(&pieces), [20, 20, 10, 10]);
        assert_eq!(tenths(&[]), [10; MAX_DEPTH]);
    }
}
