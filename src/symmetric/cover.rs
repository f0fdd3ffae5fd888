//! Exact covers whose pieces hold distinct keys, counted by a join.
//!
//! A piece covers two items and holds two keys. Counted are the sets of pieces that cover every item once and hold no
//! key twice. Some pieces are the *left* side, the others the *right* side. A *cut* is the set of all items that the
//! left pieces cover. Given the cut, the two sides have no items in common, only keys:
//!
//! ```text
//! covers  =  Σ    #{ (l, r) : l covers the cut, r covers the rest, keys(l) ∩ keys(r) = ∅ }
//!           cuts
//! ```
//!
//! So the covers of each side are [listed](super::list) as the sets of keys that they hold, one word each, and the lists are
//! [split](crate::engine::split) and matched ([`lanes`](crate::engine::lanes)) as in the engine `join`.

use super::list::{CoverLister, Pieces};
use crate::engine::lanes::{Cost, Isa};
use crate::engine::split::{GroupedLists, Model, Splitter, branching};

/// The pieces of both sides, and the cuts.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) left: Pieces,
    /// Its keys are in reverse order.
    pub(super) right: Pieces,
    /// All items.
    pub(super) items: u64,
    /// The items of the left side.
    pub(super) cuts: Vec<u64>,
    /// The number of solutions of each cover.
    pub(super) weight: u128,
}

impl Problem {
    /// A thread's counter of the covers of a cut, the items that the left pieces cover, on this instruction set, which the
    /// processor has.
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

/// The share of a list that one piece of the other side leaves: 0.44 to 0.53 for N = 68 by quarter, 30 by half turns.
const SURVIVORS: f64 = 0.48;

/// By how many first pieces the covers of these items are grouped. For groups of fewer than some fifty patterns,
/// beginning a group costs more than reading it.
fn depth(items: u64) -> usize {
    match items.count_ones() / 2 {
        0..=4 => 0,
        5..=6 => 1,
        7 => 2,
        8..=9 => 3,
        _ => 4,
    }
}
