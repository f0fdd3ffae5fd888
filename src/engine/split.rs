//! Pruning: two lists of patterns, the sides, are split by their first pieces until matching the rest is cheaper.
//!
//! A pattern is made of pieces: the queens of a half board, or the pieces of a cover. Fixing one side's first piece
//! rules out every pattern of the other side that shares a key with it, more than half, at the cost of reading each
//! once. So a side is split into branches by its first piece, each with the filtered other side (whose keys are in
//! reverse order), and so on with either side's next piece while the model predicts a gain (example in docs/join.md).
//!
//! As in a database join, tables are made of the *build* side, and the patterns of the *probe* side are looked up in
//! them. The build side is usually the shorter one; otherwise the [kernels](crate::engine::lanes) exchange the two.
//! [`Model`] decides each step by the lengths of the lists alone.

use std::array::{self, from_fn};
use std::ops::Range;

use crate::engine::lanes::fault::planted;
use crate::engine::lanes::{Cost, Kernels, TYPICAL_KEYS, Tables, disjoint};
use crate::plan::MAX_DEPTH;

/// The keys of a group's first pieces, then zeros.
pub(crate) type FirstPieces = [u64; MAX_DEPTH];

/// Patterns in groups, one per choice of the first pieces.
#[derive(Debug, Default)]
pub(crate) struct Grouped {
    pub(crate) patterns: Vec<u64>,
    ends: Vec<usize>,
    /// A superset of the keys held in each group.
    keys: Vec<u64>,
}

impl Grouped {
    pub(crate) fn clear(&mut self) {
        self.patterns.clear();
        self.ends.clear();
        self.keys.clear();
    }

    /// Ends the group being appended.
    pub(crate) fn close(&mut self, kernels: &dyn Kernels) {
        self.keys.push(kernels.union(&self.patterns[self.start(self.ends.len())..]));
        self.ends.push(self.patterns.len());
    }

    /// Whether nothing was appended since the last group ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.patterns.len() == self.start(self.ends.len())
    }

    fn start(&self, group: usize) -> usize {
        group.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// The patterns of consecutive groups.
    pub(crate) fn group_patterns(&self, groups: &Range<usize>) -> &[u64] {
        if groups.is_empty() { &[] } else { &self.patterns[self.start(groups.start)..self.ends[groups.end - 1]] }
    }

    /// Refills itself with the patterns in these groups of `from` that hold none of the keys. `pieces` are each group's
    /// first pieces: if one of them holds a key, so does every pattern, and the group is not read. This skips 7 % of
    /// the patterns at N = 20 to 24, and 10 % at 26.
    pub(crate) fn retain(
        &mut self,
        kernels: &dyn Kernels,
        from: &Self,
        groups: Range<usize>,
        pieces: &[FirstPieces],
        keys: u64,
    ) {
        self.clear();
        // About what remains; growing by doubling would take half as much memory again.
        self.patterns.reserve(from.group_patterns(&groups).len() / 2);
        for (group, pieces) in groups.zip(pieces) {
            let none = pieces.iter().any(|piece| piece & keys != 0);
            if !none {
                kernels.retain(from.group_patterns(&(group..group + 1)), keys, &mut self.patterns);
            }
            self.ends.push(self.patterns.len());
            self.keys.push(if none { 0 } else { from.keys[group] & !keys });
        }
    }
}

/// The patterns of one side, in one list per weight, with the first pieces of each group.
#[derive(Debug)]
pub(crate) struct GroupedLists<const LISTS: usize> {
    pub(crate) lists: [Grouped; LISTS],
    pub(crate) pieces: Vec<FirstPieces>,
}

impl<const LISTS: usize> Default for GroupedLists<LISTS> {
    fn default() -> Self {
        Self { lists: from_fn(|_| Grouped::default()), pieces: Vec::new() }
    }
}

impl<const LISTS: usize> GroupedLists<LISTS> {
    pub(crate) fn clear(&mut self) {
        self.lists.iter_mut().for_each(Grouped::clear);
        self.pieces.clear();
    }

    fn whole(&self) -> Remaining<'_, LISTS> {
        Remaining { lists: &self.lists, groups: 0..self.pieces.len(), pieces: &self.pieces, used: 0 }
    }
}

/// The patterns of one side in the current branch.
struct Remaining<'a, const LISTS: usize> {
    lists: &'a [Grouped; LISTS],
    /// Its groups in the lists.
    groups: Range<usize>,
    /// The first pieces of these groups, which agree in the first `used`.
    pieces: &'a [FirstPieces],
    /// Number of pieces already used to filter the other side.
    used: usize,
}

impl<'a, const LISTS: usize> Remaining<'a, LISTS> {
    #[inline(always)]
    fn patterns(&self) -> [&'a [u64]; LISTS] {
        self.lists.each_ref().map(|list| list.group_patterns(&self.groups))
    }

    fn len(&self) -> usize {
        self.patterns().iter().map(|patterns| patterns.len()).sum()
    }

    /// A superset of the keys that its patterns hold.
    fn keys(&self) -> u64 {
        self.lists.iter().flat_map(|list| &list.keys[self.groups.clone()]).fold(0, |keys, group| keys | group)
    }

    /// The number of pieces left to split by.
    fn depth(&self) -> usize {
        self.pieces.first().map_or(0, |pieces| pieces[self.used..].iter().take_while(|&&piece| piece != 0).count())
    }

    /// The branches by the next piece, each with that piece's keys in the other side's order.
    fn branches(&self) -> impl Iterator<Item = (u64, Self)> {
        let (lists, used) = (self.lists, self.used);
        let mut start = self.groups.start;
        let branches = self.pieces.chunk_by(move |a, b| a[used] == b[used]).map(move |pieces| {
            let groups = start..start + pieces.len();
            start = groups.end;
            (pieces[0][used].reverse_bits(), Self { lists, groups, pieces, used: used + 1 })
        });
        branches.filter(|(_, branch)| branch.len() > 0).skip(planted("cut") as usize)
    }

    /// The same groups of this side, filtered into `lists`.
    fn within(&self, lists: &'a [Grouped; LISTS]) -> Self {
        Self { lists, groups: 0..self.groups.len(), ..*self }
    }
}

/// Counts pairs of sides; keeps its buffers from one pair to the next.
#[derive(Debug, Default)]
pub(crate) struct Splitter<const LISTS: usize> {
    /// One buffer per nested split for the filtered other side; the build side uses one list.
    buffers: Vec<[Grouped; LISTS]>,
    tables: Tables,
}

impl<const LISTS: usize> Splitter<LISTS> {
    /// Counts, per list of the probe side, the pairs with a pattern of the build side that share no key.
    pub(crate) fn count(
        &mut self,
        kernels: &dyn Kernels,
        model: &Model,
        build: &GroupedLists<1>,
        probe: &GroupedLists<LISTS>,
    ) -> [u64; LISTS] {
        self.buffers.resize_with(2 * MAX_DEPTH, || from_fn(|_| Grouped::default()));
        let mut splitting = Splitting { kernels, model, tables: &mut self.tables, counts: [0; LISTS] };
        splitting.add_pairs(&build.whole(), &probe.whole(), &mut self.buffers);
        splitting.counts
    }
}

struct Splitting<'a, const LISTS: usize> {
    kernels: &'a dyn Kernels,
    model: &'a Model,
    tables: &'a mut Tables,
    counts: [u64; LISTS],
}

impl<const LISTS: usize> Splitting<'_, LISTS> {
    /// Adds the pairs of two sides, with a buffer for each further split.
    fn add_pairs(&mut self, build: &Remaining<1>, probe: &Remaining<LISTS>, buffers: &mut [[Grouped; LISTS]]) {
        let patterns = [build.len(), probe.len()];
        if patterns.contains(&0) {
            return;
        }
        let step = self.model.next_step(Lengths {
            patterns: patterns.map(|patterns| patterns as f64),
            groups: [build.groups.len() as f64, (LISTS * probe.groups.len()) as f64],
            used: [build.used, probe.used],
            left: [build.depth(), probe.depth()],
        });
        if step == Step::Match {
            let keys = probe.keys() & build.keys().reverse_bits();
            let ([patterns], queries) = (build.patterns(), probe.patterns());
            let found = disjoint(self.kernels, &self.model.cost, keys, patterns, queries, self.tables);
            for (count, more) in self.counts.iter_mut().zip(found) {
                *count += more;
            }
            return;
        }
        let (here, deeper) = buffers.split_first_mut().expect("one for each cut");
        if step == Step::SplitBuild {
            for (piece, branch) in build.branches() {
                for (list, from) in here.iter_mut().zip(probe.lists) {
                    list.retain(self.kernels, from, probe.groups.clone(), probe.pieces, piece);
                }
                self.add_pairs(&branch, &probe.within(here), deeper);
            }
        } else {
            for (piece, branch) in probe.branches() {
                let list = &mut here[0];
                list.retain(self.kernels, &build.lists[0], build.groups.clone(), build.pieces, piece);
                self.add_pairs(&build.within(array::from_ref(list)), &branch, deeper);
            }
        }
    }
}

/// Branching factors: the number of branches by the first piece, then the mean number per branch by each further piece.
pub(crate) fn branching(pieces: &[FirstPieces]) -> [f64; MAX_DEPTH] {
    let mut branches = [1; MAX_DEPTH];
    for pair in pieces.windows(2) {
        let agree = (0..MAX_DEPTH).take_while(|&used| pair[0][used] == pair[1][used]).count();
        branches[agree..].iter_mut().for_each(|branches| *branches += 1);
    }
    from_fn(|used| f64::from(branches[used]) / if used == 0 { 1.0 } else { f64::from(branches[used - 1]) })
}

/// Fixed cycles per match, and per group read.
const MATCH: f64 = 200.0;
const GROUP: f64 = 12.0;

/// Patterns that fit in the L2 cache, and extra cycles per pattern of a longer list. This makes the model split the
/// longer list first, so that its branches, not the whole list, are reread.
const L2_PATTERNS: f64 = 65_536.0;
const L2_MISS: f64 = 0.5;

/// How many splits the model looks ahead. Three give the same decisions, but cost 1 % of the time.
const LOOKAHEAD: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Match,
    SplitBuild,
    SplitProbe,
}

/// Predicts the cheapest step from the lengths of two sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model {
    pub(crate) cost: Cost,
    /// Above this number of pairs, sides are split whenever possible, regardless of cost.
    pub(crate) max_pairs: f64,
    /// The share of a list that one piece of the other side leaves.
    pub(crate) survivors: f64,
    /// The [`branching`] of the build and the probe side.
    pub(crate) branching: [[f64; MAX_DEPTH]; 2],
}

/// The lengths of the build and the probe side.
#[derive(Clone, Copy, Debug)]
struct Lengths {
    patterns: [f64; 2],
    groups: [f64; 2],
    /// Pieces already used to split, and left.
    used: [usize; 2],
    left: [usize; 2],
}

impl Model {
    fn next_step(&self, at: Lengths) -> Step {
        if at.left == [0, 0] {
            return Step::Match;
        }
        let [build, probe] = at.patterns;
        let must_split = build * probe > self.max_pairs;
        self.cheapest(at, if must_split { f64::INFINITY } else { self.matching(at) }, LOOKAHEAD).1
    }

    /// The cheapest step and its cycles, where matching takes `matching`.
    fn cheapest(&self, at: Lengths, matching: f64, ahead: usize) -> (f64, Step) {
        let mut best = (matching, Step::Match);
        for (side, step) in [Step::SplitBuild, Step::SplitProbe].into_iter().enumerate().filter(|_| ahead > 0) {
            let cycles = self.splitting(at, side, ahead);
            if cycles < best.0 {
                best = (cycles, step);
            }
        }
        best
    }

    fn matching(&self, at: Lengths) -> f64 {
        let [build, probe] = at.patterns.map(|patterns| patterns as usize);
        MATCH + self.cost.choose(TYPICAL_KEYS, build, &[probe]).cycles
    }

    /// Cycles if the next step splits this side.
    fn splitting(&self, at: Lengths, side: usize, ahead: usize) -> f64 {
        if at.left[side] == 0 {
            return f64::INFINITY;
        }
        let (other, branches) = (1 - side, self.branching[side][at.used[side]]);
        let mut branch = at;
        branch.patterns[side] /= branches;
        branch.groups[side] /= branches;
        branch.used[side] += 1;
        branch.left[side] -= 1;
        branch.patterns[other] *= self.survivors;
        let miss = if at.patterns[other] > L2_PATTERNS { L2_MISS } else { 0.0 };
        let retain = (self.cost.retain + miss) * at.patterns[other] + GROUP * at.groups[other];
        branches * (retain + self.cheapest(branch, self.matching(branch), ahead - 1).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::lanes::Isa;

    #[test]
    fn retained_patterns_hold_no_avoided_key() {
        let kernels = Isa::Portable.kernels().unwrap();
        let [a, b, c, d] = from_fn(|key| 1 << (6 + key));
        let mut from = Grouped::default();
        for group in [[a | c, a | d], [b | c, b | d]] {
            from.patterns.extend(group);
            from.close(kernels);
        }
        let pieces = [[a, 0, 0, 0], [b, 0, 0, 0]];
        let retained = |keys| {
            let mut to = Grouped::default();
            to.retain(kernels, &from, 0..2, &pieces, keys);
            (to.patterns, to.ends, to.keys)
        };
        assert_eq!(retained(c), (vec![a | d, b | d], vec![1, 2], vec![a | d, b | d]));
        // A group whose piece holds an avoided key keeps no pattern, and so no key.
        assert_eq!(retained(a | c), (vec![b | d], vec![0, 1], vec![0, b | d]));
    }

    #[test]
    fn too_many_pairs_are_always_split() {
        let branching = [[3.0; MAX_DEPTH]; 2];
        let model =
            |max_pairs| Model { cost: Isa::Portable.kernels().unwrap().cost(), max_pairs, survivors: 0.4, branching };
        for patterns in [2.0, 50.0, 3000.0] {
            for (left, some) in [([0, 0], false), ([1, 0], true), ([0, 4], true), ([4, 4], true)] {
                let at = Lengths { patterns: [patterns; 2], groups: [9.0; 2], used: [0, 0], left };
                assert_eq!(model(0.0).next_step(at) != Step::Match, some, "{patterns} {left:?}");
            }
        }
        let few = Lengths { patterns: [20.0; 2], groups: [9.0; 2], used: [0, 0], left: [4, 4] };
        assert_eq!(model(f64::INFINITY).next_step(few), Step::Match);
    }

    #[test]
    fn branching_is_the_mean_number_of_branches() {
        let pieces = [[1, 3, 0, 0], [1, 4, 0, 0], [1, 5, 0, 0], [2, 4, 0, 0]];
        let tenths = |pieces| branching(pieces).map(|branches| (10.0 * branches) as u32);
        assert_eq!(tenths(&pieces), [20, 20, 10, 10]);
        assert_eq!(tenths(&[]), [10; MAX_DEPTH]);
    }
}
