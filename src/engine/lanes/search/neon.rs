//! NEON: four boards at a time, packed and spread by a look-up of bytes that a table has for each of the 16 masks.

use std::arch::aarch64::{
    uint32x4_t, vaddvq_u32, vandq_u32, vbicq_u32, vbslq_u32, vceqzq_u32, vdupq_n_u32, vld1q_u8, vld1q_u32, vmvnq_u32,
    vorrq_u32, vqtbl1q_u8, vreinterpretq_u8_u32, vreinterpretq_u32_u8, vshlq_n_u32, vshrq_n_u32, vst1q_u32, vsubq_u32,
};

use super::kernel::search;
use super::packing::Packing;
use crate::engine::lanes::Neon;

static PACKING: Packing<16, 16> = Packing::new();

#[derive(Clone, Copy)]
struct Words(uint32x4_t);

/// All bits of each word of the mask.
#[derive(Clone, Copy)]
struct Mask(uint32x4_t);

impl Words {
    const COUNT: usize = 4;

    #[target_feature(enable = "neon")]
    #[inline]
    fn load(from: &[u32; 4]) -> Self {
        // SAFETY: there are four words.
        Self(unsafe { vld1q_u32(from.as_ptr()) })
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn store(self, to: &mut [u32; 4]) {
        // SAFETY: there is room for four words.
        unsafe { vst1q_u32(to.as_mut_ptr(), self.0) }
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn and(self, other: Self) -> Self {
        Self(vandq_u32(self.0, other.0))
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn or(self, other: Self) -> Self {
        Self(vorrq_u32(self.0, other.0))
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn not(self) -> Self {
        Self(vmvnq_u32(self.0))
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn without(self, other: Self) -> Self {
        Self(vbicq_u32(self.0, other.0))
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn less_one(self) -> Self {
        Self(vsubq_u32(self.0, vdupq_n_u32(1)))
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn twice(self) -> Self {
        Self(vshlq_n_u32::<1>(self.0))
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn half(self) -> Self {
        Self(vshrq_n_u32::<1>(self.0))
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn zeros(self) -> Mask {
        Mask(vceqzq_u32(self.0))
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn permuted(self, bytes: &[u8; 16]) -> Self {
        // SAFETY: there are sixteen bytes.
        let bytes = unsafe { vld1q_u8(bytes.as_ptr()) };
        Self(vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(self.0), bytes)))
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn replaced(self, lanes: Mask, from: &[u32; 4]) -> Self {
        let spread = Self::load(from).permuted(&PACKING.spread[lanes.bits()]);
        Self(vbslq_u32(lanes.0, spread.0, self.0))
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn or_where(self, lanes: Mask, other: Self) -> Self {
        self.or(other.and(Self(lanes.0)))
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn packed(self, lanes: Mask, to: &mut [u32; 4]) {
        self.permuted(&PACKING.packed[lanes.bits()]).store(to);
    }
}

impl Mask {
    /// A bit for each lane.
    #[target_feature(enable = "neon")]
    #[inline]
    fn bits(self) -> usize {
        let bits = Words::load(&[1, 2, 4, 8]);
        vaddvq_u32(vandq_u32(self.0, bits.0)) as usize
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn count(self) -> usize {
        vaddvq_u32(vshrq_n_u32::<31>(self.0)) as usize
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn and(self, other: Self) -> Self {
        Self(vandq_u32(self.0, other.0))
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn or(self, other: Self) -> Self {
        Self(vorrq_u32(self.0, other.0))
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn not(self) -> Self {
        Self(vmvnq_u32(self.0))
    }
}

search!(target_feature(enable = "neon"), Neon);
