//! Kernels: operations of the engines on many patterns or boards at a time, for each instruction set.
//!
//! Matching counts the pairs of two lists of patterns that share no key. 256 or 512 patterns of the *build* side are
//! transposed, so that each key becomes one vector with one bit, a *lane*, per pattern. A *query* is a pattern of the
//! *probe* side. In the OR of its keys' vectors, the zero bits are the lanes that share no key with it; tables hold
//! these ORs for [`windows`] of several keys. Long lists are matched by [`permuting`] bytes instead.
//!
//! ```text
//!            lane  0 1 2 3 ...
//! key 0  ->        1 0 0 1          query 1 0 1 ...  picks  key 0 | key 2  =  1 0 1 1 ...
//! key 1  ->        0 1 0 0                                                        ^ lane 1 is its partner
//! key 2  ->        1 0 1 0
//! ```
//!
//! The interface is [`Kernels`]; [`search`] contains the kernels of backtracking. The algorithms are written once, in
//! [`kernels`], over a type `Vector` with a few operations. Each instruction set is a file with its own `Vector`, for
//! which it expands the algorithms; [`cost`] has the cost of their steps.
//!
//! # The trap, and how the compiler rules it out
//!
//! An intrinsic becomes an instruction only inside a function compiled for its instruction set; anywhere else it is
//! silently a *call*, twenty times as slow. This happens even in a closure in an `inline(always)` function or one
//! passed to `array::map`: every AND of an early AVX2 version was a call, which made it slower than no vectors at all.
//!
//! So every operation and every kernel is a *safe* function with `#[target_feature]`. Closures inside such functions
//! have the features too, intrinsics on values need no `unsafe` there, and calling an operation from a function that
//! lacks its features is error E0133. The price: operations cannot be a trait, because safe trait methods may not have
//! target features, so macros replace generic functions. `unsafe` remains for pointers in loops where a bounds check
//! would cost as much as the work, and for one shell ([`kernels!`](kernels)), where a value whose only constructor
//! checked the processor proves the features.
#![allow(unsafe_code)]
#![allow(clippy::wildcard_imports, reason = "a file of an instruction set names dozens of its instructions")]

use std::cell::Cell;
use std::fmt::Debug;
use std::slice;

/// Functions and methods compiled for an instruction set: each gets the attribute `$features`.
macro_rules! compiled_for {
    ($features:meta: $($function:item)*) => { $(#[$features] #[inline] $function)* };
}

/// Calls the version of a function that has this number as its const parameter.
macro_rules! with_constant {
    ($number:expr, $($constant:literal)+, $function:ident $arguments:tt) => {
        match $number {
            $($constant => $function::<$constant> $arguments,)+
            number => unreachable!("there is no version for {number}"),
        }
    };
}

/// Whether this processor has all these features of x86-64.
#[cfg(target_arch = "x86_64")]
macro_rules! detected {
    ($($feature:tt),+) => { $(is_x86_feature_detected!($feature))&&+ };
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod cost;
pub(crate) mod fault;
mod isa;
mod kernels;
mod matching;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod permuting;
mod portable;
mod search;
#[cfg(test)]
mod tests;
mod windows;

#[cfg(target_arch = "x86_64")]
use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use avx512::{Avx512Ice, Avx512f};
pub(crate) use cost::TYPICAL_KEYS;
pub use cost::{Block, Choice, Cost, Matcher, Permuted, cost_for_join};
pub use isa::Isa;
#[cfg(target_arch = "aarch64")]
use neon::Neon;
use portable::Portable;
pub use search::{Level, LevelSearch};
pub use windows::Windows;

/// The bits of a pattern that may hold keys.
pub const KEY_BITS: u64 = ((1 << 52) - 1) << 6;

/// A pattern of a quadrant with the rank of its column set, below 4096, in the bits beside the keys. A separate list of
/// ranks would take a fifth more memory, and one more load per pattern.
pub fn ranked(pattern: u64, rank: u16) -> u64 {
    debug_assert!(pattern & !KEY_BITS == 0 && rank < 1 << 12);
    pattern | u64::from(rank).rotate_right(6)
}

#[inline]
fn rank(pattern: u64) -> usize {
    pattern.rotate_left(6) as usize & 0xfff
}

/// Ranked patterns of the half's other quadrant in runs, one per column set. (A struct saves 1 % of the instructions.)
#[derive(Clone, Copy, Debug)]
pub struct Partners<'a> {
    /// All of them, then [`PADDING`] words.
    pub patterns: &'a [u64],
    /// The start of each run, and the end of the last.
    pub starts: &'a [u32],
}

/// Padding words after the last run, so that whole vectors can be read there.
pub const PADDING: usize = 8;

/// Scratch memory for the tables of one block of lanes, and for queries.
#[derive(Debug, Default)]
pub struct Tables {
    words: Vec<u64>,
    gathered: Vec<u64>,
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    scratch: permuting::Scratch,
}

/// The engines' operations on one instruction set. A value, from [`Isa::kernels`], proves that the processor has it.
///
/// Users are compiled once and call through `dyn`, because each operation takes far longer than the virtual call.
/// Compiling the join per instruction set made builds a third longer and no count faster.
pub trait Kernels: LevelSearch + Debug + Send + Sync {
    /// The costs of the operations.
    fn cost(&self) -> Cost;

    /// For each ranked pattern p of the stream and each pattern q in its rank's run of the partners, appends the keys
    /// of both if they share none. Rank 0 belongs to the last run, rank 1 to the one before it, and so on.
    fn join_quadrants(&self, stream: &[u64], partners: Partners, out: &mut Vec<u64>);

    /// Appends the patterns that share no bit with `avoid`. Bits outside [`KEY_BITS`] may be cleared.
    fn retain(&self, patterns: &[u64], avoid: u64, out: &mut Vec<u64>);

    /// The keys that any of the patterns holds.
    fn union(&self, patterns: &[u64]) -> u64;

    /// Adds, per list of queries, its pairs with a pattern that share a key.
    fn conflicts(&self, by: Matcher, sides: Sides, tables: &mut Tables, counts: &mut [u64]);
}

/// Two sides to be matched. Only bits of [`KEY_BITS`] may be set.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'a> {
    /// A superset of the keys that both sides hold, as bits of a query; the fewer others, the faster.
    pub keys: u64,
    /// The build side.
    pub patterns: &'a [u64],
    /// The probe side, mirrored: bit k of a query is compared with bit 63 - k of a pattern.
    pub queries: &'a [&'a [u64]],
}

/// Counts, per list of queries, its pairs with a pattern that share no key.
///
/// The relation is symmetric, so the sides are exchanged if tabulating the other one is cheaper according to `cost`.
pub fn disjoint<const LISTS: usize>(
    kernels: &dyn Kernels,
    cost: &Cost,
    keys: u64,
    patterns: &[u64],
    queries: [&[u64]; LISTS],
    tables: &mut Tables,
) -> [u64; LISTS] {
    let keys = keys | cost.extra_keys;
    let mut pairs = queries.map(|list| patterns.len() as u64 * list.len() as u64);
    if keys == 0 {
        return pairs;
    }
    let Choice { matcher, is_exchanged, .. } = cost.choose(keys, patterns.len(), &queries.map(<[u64]>::len));
    let mut conflicts = [0; LISTS];
    if is_exchanged {
        for (list, conflicts) in queries.into_iter().zip(&mut conflicts) {
            let exchanged = Sides { keys: keys.reverse_bits(), patterns: list, queries: &[patterns] };
            kernels.conflicts(matcher, exchanged, tables, slice::from_mut(conflicts));
        }
    } else {
        kernels.conflicts(matcher, Sides { keys, patterns, queries: &queries }, tables, &mut conflicts);
    }
    for (pairs, conflicts) in pairs.iter_mut().zip(conflicts) {
        *pairs = pairs.checked_sub(conflicts).unwrap_or_else(|| {
            IS_WRONG.set(true);
            0
        });
    }
    pairs
}

thread_local! {
    /// Whether a count on this thread was impossible: more attacking pairs than pairs.
    pub(crate) static IS_WRONG: Cell<bool> = const { Cell::new(false) };
}
