//! AVX-512: 512 lanes, three-way logic in one instruction, lists compressed in registers.

pub(super) mod permute;
pub(super) mod rows;
mod vector;

pub use self::{ice::Avx512Ice, skylake::Avx512f};

/// The first version: keys are transposed as with AVX2, and bits are counted by half bytes.
mod skylake {
    use super::vector::*;
    use crate::engine::lanes::cost::AVX512F as COST;
    use crate::engine::lanes::kernels::kernels;
    use crate::engine::lanes::matching::transposing;
    use crate::engine::lanes::windows::{distances, gather_all, slots};

    /// 512 lanes on a processor with AVX-512 F, BW, DQ and VL: Skylake-X and later.
    #[derive(Clone, Copy, Debug)]
    pub struct Avx512f(());

    transposing!(target_feature(enable = "avx512f,bmi1"));

    kernels!(
        Avx512f,
        target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,popcnt"),
        detected!("avx512f", "avx512bw", "avx512dq", "avx512vl", "bmi1", "bmi2", "popcnt")
    );
}

/// With what Ice Lake and Zen 4 added: bits counted in one instruction (VPOPCNTDQ), and transposed (GFNI); bytes
/// permuted (VBMI).
mod ice {
    use std::arch::x86_64::_mm512_popcnt_epi64;

    use super::permute;
    use super::rows::key_rows;
    use super::vector::*;
    use crate::engine::lanes::cost::AVX512 as COST;
    use crate::engine::lanes::kernels::kernels;
    use crate::engine::lanes::windows::{distances, gather_all, slots};

    /// 512 lanes on a processor with AVX-512 F, BW, DQ, VL, VBMI and VPOPCNTDQ, and with GFNI: Ice Lake, Zen 4 and
    /// later.
    #[derive(Clone, Copy, Debug)]
    pub struct Avx512Ice(());

    compiled_for! { target_feature(enable = "avx512f,avx512vpopcntdq"):
        /// How many bits are set in each word.
        fn ones(vector: Vector) -> Vector { Vector(_mm512_popcnt_epi64(vector.0)) }
    }

    kernels!(
        Avx512Ice,
        target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"),
        detected!(
            "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi", "avx512bitalg", "avx512vpopcntdq", "gfni",
            "bmi1", "bmi2", "popcnt"
        ),
        permute
    );
}
