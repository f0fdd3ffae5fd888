//! Exact covers whose pieces hold distinct keys, counted by a join.
//!
//! A piece covers two items and holds two keys. A cover is a set of pieces that covers every item once and holds no key
//! twice. Each piece is either a *left* or a *right* piece. A *cut* is the set of the items of a cover's left pieces.
//! Given the cut, left and right pieces can share only keys, and no items:
//!
//! ```text
//! covers  =  Σ    #{ (l, r) : l covers the cut, r covers the rest, keys(l) ∩ keys(r) = ∅ }
//!           cuts
//! ```
//!
//! So all sets of left and of right pieces are [listed](super::list) by their keys, one word each. The two lists are
//! [split](crate::engine::split) and matched ([`lanes`](crate::engine::lanes)) as in the engine `join`.

use super::list::{CoverLister, Pieces};
use crate::engine::lanes::{Cost, Isa};
use crate::engine::split::{GroupedLists, Model, Splitter, branching};

/// All pieces and cuts of a board.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) left: Pieces,
    /// With keys in reverse order, as the probe list needs them.
    pub(super) right: Pieces,
    pub(super) items: u64,
    /// The items of the left pieces.
    pub(super) cuts: Vec<u64>,
    /// The number of solutions of each cover.
    pub(super) weight: u128,
}

impl Problem {
    /// A counter of the covers of a cut, for one thread. The processor must have the instruction set.
    pub(super) fn counter(&self, isa: Isa) -> impl FnMut(u64) -> u64 + Send {
        let kernels = isa.kernels().expect("the processor has it");
        let (mut lister, mut splitter) = (CoverLister::default(), Splitter::<1>::default());
        let (mut build, mut probe) = (GroupedLists::default(), GroupedLists::default());
        move |left| {
            let right = self.items & !left;
            lister.list(kernels, &self.left, left, depth(left), &mut build);
            if build.pieces.is_empty() {
                return 0;
            }
            lister.list(kernels, &self.right, right, depth(right), &mut probe);
            let branching = [branching(&build.pieces), branching(&probe.pieces)];
            let cost = Cost { permuted: None, ..kernels.cost() };
            let model = Model { cost, max_pairs: f64::INFINITY, survivors: SURVIVORS, branching };
            let [count] = splitter.count(kernels, &model, &build, &probe);
            count
        }
    }
}

/// The fraction of a list that one piece of the other leaves: 0.44 to 0.53 at N = 68 (quarter) and 30 (half turns).
const SURVIVORS: f64 = 0.48;

/// The number of first pieces that define a group of covers of these items. A group should have about fifty patterns or
/// more: starting a smaller group costs more than reading it.
fn depth(items: u64) -> usize {
    match items.count_ones() / 2 {
        0..=4 => 0,
        5..=6 => 1,
        7 => 2,
        8..=9 => 3,
        _ => 4,
    }
}
