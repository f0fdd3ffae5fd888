//! NEON, which every 64-bit Arm processor has: 256 lanes in two registers of 128.

use std::arch::aarch64::*;

use super::cost::NEON as COST;
use super::kernels::kernels;
use super::matching::transposing;
use super::portable::{compress, count_disjoint, retain};
use super::windows::{GATHERED, gather_all, gathered};

pub(super) mod permute;

#[derive(Clone, Copy, Debug)]
pub(super) struct Neon(());

/// Two registers, because one would double the look-ups; the tables still fit the L1 cache.
#[derive(Clone, Copy)]
struct Vector([uint64x2_t; 2]);

impl Vector {
    const WORDS: usize = 4;

    compiled_for! { target_feature(enable = "neon"):
        fn splat(word: u64) -> Self { Self([vdupq_n_u64(word); 2]) }

        // SAFETY: there are four words.
        fn of(words: &[u64; 4]) -> Self { Self(unsafe { [vld1q_u64(&words[0]), vld1q_u64(&words[2])] }) }

        fn store(self, to: &mut [u64; 4]) {
            let to = to.as_mut_ptr();
            // SAFETY: there is room for four words.
            unsafe {
                vst1q_u64(to, self.0[0]);
                vst1q_u64(to.add(2), self.0[1]);
            }
        }

        fn or(self, other: Self) -> Self {
            Self([vorrq_u64(self.0[0], other.0[0]), vorrq_u64(self.0[1], other.0[1])])
        }

        fn exchange<const BITS: usize>(self, other: Self, mask: Self) -> (Self, Self) {
            let (left, right) = (vdupq_n_s64(BITS as i64), vdupq_n_s64(-(BITS as i64)));
            // `vbslq` takes the first choice under the mask, the second outside it; a negative count shifts right.
            let low = |i: usize| vbslq_u64(mask.0[i], self.0[i], vshlq_u64(other.0[i], left));
            let high = |i: usize| vbslq_u64(mask.0[i], vshlq_u64(self.0[i], right), other.0[i]);
            (Self([low(0), low(1)]), Self([high(0), high(1)]))
        }

        fn add3(self, second: Self, third: Self) -> (Self, Self) {
            let half = |i: usize| veorq_u64(self.0[i], second.0[i]);
            let sum = |i: usize| veorq_u64(half(i), third.0[i]);
            // Where the first two bits differ the third decides, else either of them.
            let carry = |i: usize| vbslq_u64(half(i), third.0[i], self.0[i]);
            (Self([sum(0), sum(1)]), Self([carry(0), carry(1)]))
        }

        fn plus(self, other: Self) -> Self {
            Self([vaddq_u64(self.0[0], other.0[0]), vaddq_u64(self.0[1], other.0[1])])
        }

        fn sum(self) -> u64 {
            let both = vaddq_u64(self.0[0], self.0[1]);
            vgetq_lane_u64::<0>(both) + vgetq_lane_u64::<1>(both)
        }
    }
}

compiled_for! { target_feature(enable = "neon"):
    fn ones(vector: Vector) -> Vector { Vector(vector.0.map(|half| byte_sums(vcntq_u8(vreinterpretq_u8_u64(half))))) }

    fn byte_sums(bytes: uint8x16_t) -> uint64x2_t { vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(bytes))) }
}

transposing!(target_feature(enable = "neon"));
kernels!(Neon, target_feature(enable = "neon"), std::arch::is_aarch64_feature_detected!("neon"), permute);
