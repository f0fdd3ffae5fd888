//! What it costs to permute bytes on this processor: measured, once for the whole process.
//!
//! Which way to match is faster differs from one make of processor to the next, and on most of those that have the
//! instructions nobody has measured it. A wrong choice costs time and nothing else: a plan and its tallies are the
//! same, whatever matches.

use std::any::TypeId;
use std::hint::black_box;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use fastrand::Rng;

use super::cost::{Cost, Permuted};
use super::{Lanes, Tables, disjoint};
use crate::board::Size;

/// Whether calls for boards of this size are so long that permuting may pay. On a Zen 4 it did for all boards from 22 on,
/// with AVX-512 for 18 and 20 too, and with AVX2 not for 23; the others took as long as before or a few percent longer.
/// With NEON, 20 and 23 take 0.90 and 0.83 of the instructions, as QEMU counts them, and 18, 19 and 21 as many as before.
fn has_long_calls(size: Size, permuted: Permuted) -> bool {
    let is_fast = permuted.keys > 4;
    match size.get() {
        18 => is_fast,
        20 | 23 => is_fast || cfg!(target_arch = "aarch64"),
        n => n >= 22,
    }
}

/// The costs by which a join decides on boards of this size: those of the lanes, with permuting only where it may pay.
pub fn cost_on<L: Lanes>(lanes: L, size: Size) -> Cost {
    static MEASURED: Mutex<Vec<(TypeId, Permuted)>> = Mutex::new(Vec::new());
    let measured = |permuted| {
        let mut all = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.iter().find(|(lanes, _)| *lanes == TypeId::of::<L>()).map(|(_, permuted)| *permuted);
        known.unwrap_or_else(|| {
            let permuted = measured(lanes, permuted);
            all.push((TypeId::of::<L>(), permuted));
            permuted
        })
    };
    Cost { permuted: L::COST.permuted.filter(|&permuted| has_long_calls(size, permuted)).map(measured), ..L::COST }
}

/// The costs of permuting bytes in cycles that are as long as those of the blocks: by a made-up call that is matched in
/// both ways, the least of eight times each, about a millisecond. It is so short that not much is between them: there
/// the costs matter most.
fn measured<L: Lanes>(lanes: L, permuted: Permuted) -> Permuted {
    /// Keys that matter in the calls of N = 18 to 28.
    const KEYS: Range<u32> = 18..46;
    const LENGTHS: [usize; 2] = [1000, 1300];
    // A key in the middle is held by half of the patterns of both sides, one at the end by few.
    let random = &mut Rng::with_seed(8);
    let mut pattern =
        || KEYS.filter(|key| random.u32(..32) < 17 - key.abs_diff(32)).fold(0, |pattern, key| pattern | 1 << key);
    let [build, probe] = LENGTHS.map(|length| (0..length).map(|_| pattern()).collect::<Vec<u64>>());
    let keys = KEYS.fold(0, |keys, key| keys | 1 << key);
    let ways = [None, Some(permuted.always())].map(|way| {
        let tables = &mut Tables { permuted: way, ..Tables::default() };
        let timed = (0..8).map(|_| {
            let start = Instant::now();
            let found = disjoint(lanes, keys, black_box(&build), [&probe], tables);
            (start.elapsed(), found)
        });
        timed.min().expect("eight are some")
    });
    assert_eq!(ways[0].1, ways[1].1, "blocks and permuted bytes count differently");
    let [blocks, bytes] = ways.map(|(least, _)| least.as_secs_f64());
    let [build, probe] = LENGTHS;
    permuted
        .scaled(bytes / blocks * L::COST.by_blocks(build, probe) / permuted.matching(KEYS.len() as u32, build, probe))
}
