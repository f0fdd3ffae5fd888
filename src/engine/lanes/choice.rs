//! Whether to permute bytes on this processor: measured, once for the whole process.
//!
//! Which way to match is faster differs from one make of processor to the next, and on most of those that have the
//! instructions nobody has measured it. A wrong choice costs time and nothing else: a plan and its tallies are the
//! same, whatever matches.

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use fastrand::Rng;

use super::cost::{Cost, Permuted};
use super::{Lanes, Tables};
use crate::board::Size;

/// Boards from this size on have calls so long that it pays: in a prototype on a Zen 5 smaller boards took 0.90 to 1.09
/// times as long, and larger ones 0.84 to 0.97.
const LEAST_SIZE: usize = 22;

/// The costs by which a join decides on boards of this size: those of the lanes, with permuting only where it pays.
pub fn cost_on<L: Lanes>(lanes: L, size: Size) -> Cost {
    static PAYS: OnceLock<bool> = OnceLock::new();
    let pays = |_: &Permuted| size.get() >= LEAST_SIZE && *PAYS.get_or_init(|| pays(lanes));
    Cost { permuted: L::COST.permuted.filter(pays), ..L::COST }
}

/// Whether a made-up call takes less than 0.9 times as long by permuting bytes, by the least of eight times each: about
/// a millisecond. Where there is not much between them, the old way is taken.
fn pays<L: Lanes>(lanes: L) -> bool {
    /// Keys that matter in the calls of N = 22 to 27.
    const KEYS: u64 = ((1 << 26) - 1) << 19;
    /// Of each side half of the patterns hold one of these; they hold three in eight of the others.
    const DENSE: u64 = 1 << 25 | 1 << 38;
    let random = &mut Rng::with_seed(8);
    let mut pattern = || random.u64(..) & (random.u64(..) | random.u64(..) | DENSE) & KEYS;
    let mut list = |length| (0..length).map(|_| pattern()).collect::<Vec<u64>>();
    let (build, probe) = (list(2000), list(3500));
    let mut ways = [None, L::COST.permuted].map(|permuted| (Tables { permuted, ..Tables::default() }, Duration::MAX));
    for _ in 0..8 {
        for (tables, least) in &mut ways {
            let start = Instant::now();
            black_box(lanes.disjoint(KEYS, black_box(&build), [&probe], tables));
            *least = start.elapsed().min(*least);
        }
    }
    let [(_, blocks), (_, permuted)] = ways;
    10 * permuted < 9 * blocks
}
