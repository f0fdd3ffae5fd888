//! AVX-512: 512 lanes, three-way logic in one instruction, lists compressed in registers, and bits counted in place.

use std::arch::x86_64::{
    __m512i, _mm_popcnt_u64, _mm512_add_epi64, _mm512_and_si512, _mm512_loadu_si512, _mm512_maskz_compress_epi64,
    _mm512_maskz_loadu_epi64, _mm512_or_si512, _mm512_popcnt_epi64, _mm512_reduce_add_epi64, _mm512_set1_epi64,
    _mm512_setzero_si512, _mm512_sll_epi64, _mm512_srl_epi64, _mm512_storeu_si512, _mm512_ternarylogic_epi64,
    _mm512_testn_epi64_mask, _mm512_xor_si512, _mm_cvtsi32_si128,
};
