//! NEON: four boards at a time, packed and spread by permutations of bytes, tabulated for all 16 masks.

use std::arch::aarch64::*;

use super::Packing;
use super::kernel::search;
use crate::engine::lanes::Neon;

static PACKING: Packing<16, 16> = Packing::new();

/// As a mask, all bits of each selected word are set.
#[derive(Clone, Copy)]
struct Words(uint32x4_t);

impl Words {
    const COUNT: usize = 4;

    compiled_for! { target_feature(enable = "neon"):
        // SAFETY: there are four words.
        fn load(from: &[u32; 4]) -> Self { Self(unsafe { vld1q_u32(from.as_ptr()) }) }

        // SAFETY: there is room for four words.
        fn store(self, to: &mut [u32; 4]) { unsafe { vst1q_u32(to.as_mut_ptr(), self.0) } }
        fn and(self, other: Self) -> Self { Self(vandq_u32(self.0, other.0)) }
        fn or(self, other: Self) -> Self { Self(vorrq_u32(self.0, other.0)) }
        fn not(self) -> Self { Self(vmvnq_u32(self.0)) }
        fn less_one(self) -> Self { Self(vsubq_u32(self.0, vdupq_n_u32(1))) }
        fn twice(self) -> Self { Self(vshlq_n_u32::<1>(self.0)) }
        fn half(self) -> Self { Self(vshrq_n_u32::<1>(self.0)) }
        fn zeros(self) -> Self { Self(vceqzq_u32(self.0)) }

        fn permuted(self, bytes: &[u8; 16]) -> Self {
            // SAFETY: there are sixteen bytes.
            let bytes = unsafe { vld1q_u8(bytes.as_ptr()) };
            Self(vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(self.0), bytes)))
        }

        fn replaced(self, lanes: Self, from: &[u32; 4]) -> Self {
            let spread = Self::load(from).permuted(&PACKING.spread[lanes.bits()]);
            Self(vbslq_u32(lanes.0, spread.0, self.0))
        }

        fn or_where(self, lanes: Self, other: Self) -> Self { self.or(other.and(lanes)) }
        fn packed(self, lanes: Self, to: &mut [u32; 4]) { self.permuted(&PACKING.packed[lanes.bits()]).store(to); }

        fn bits(self) -> usize { vaddvq_u32(self.and(Self::load(&[1, 2, 4, 8])).0) as usize }
        fn count(self) -> usize { vaddvq_u32(vshrq_n_u32::<31>(self.0)) as usize }
    }
}

search!(target_feature(enable = "neon"), Neon);
