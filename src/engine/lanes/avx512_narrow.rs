//! 256 lanes with AVX-512, for lists that fill no more and for what is left of others: tables of half the size, and two
//! loads a cycle.

use super::avx2::{Vector, ones};
use super::avx512::{gather, key_rows};
use super::matching::matching;

/// About the cycles to fill the tables of a block, and for each query.
pub(super) const CYCLES: (usize, usize) = (400, 3);

matching!(target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,popcnt"));
