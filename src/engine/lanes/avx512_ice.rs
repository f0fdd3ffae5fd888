//! AVX-512 with what Ice Lake and Zen 4 added: bits counted in one instruction (VPOPCNTDQ), and transposed (GFNI).

use std::arch::x86_64::_mm512_popcnt_epi64;

use super::avx512::{GATHERED, Vector, count_disjoint, gather};
use super::avx512_ice_rows::key_rows;
use super::avx512_lists::{compress, keep};
use super::avx512_narrow as narrow;
use super::kernels::kernels;
use super::matching::matching;

/// 512 lanes on a processor with AVX-512 F, BW, DQ, VL and VPOPCNTDQ, and with GFNI: Ice Lake, Zen 4 and later.
#[derive(Clone, Copy, Debug)]
pub struct Avx512Ice(());

/// How many bits are set in each word.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
#[inline]
fn ones(vector: Vector) -> Vector {
    Vector(_mm512_popcnt_epi64(vector.0))
}

matching!(target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"));

kernels!(
    Avx512Ice,
    "avx512 with VPOPCNTDQ",
    target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"),
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vpopcntdq")
        && is_x86_feature_detected!("gfni")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
);
