//! Portable code: one board at a time, in plain words; selections replace branches.

use std::hint::select_unpredictable;

use super::kernel::{mask_of_bits, search};
use crate::engine::lanes::Portable;

/// One word. On x86-64 without AVX2, vectorized arrays of four take a third longer: packing costs more than they save.
#[derive(Clone, Copy)]
struct Words(u32);

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the lists of other instruction sets are longer")]
impl Words {
    const COUNT: usize = 1;

    compiled_for! { cfg(all()):
        fn load(&[word]: &[u32; 1]) -> Self { Self(word) }
        fn store(self, to: &mut [u32; 1]) { *to = [self.0]; }
        fn and(self, other: Self) -> Self { Self(self.0 & other.0) }
        fn or(self, other: Self) -> Self { Self(self.0 | other.0) }
        fn not(self) -> Self { Self(!self.0) }
        fn less_one(self) -> Self { Self(self.0.wrapping_sub(1)) }
        fn twice(self) -> Self { Self(self.0 << 1) }
        fn half(self) -> Self { Self(self.0 >> 1) }
        fn zeros(self) -> Mask { Mask(self.0 == 0) }
        fn replaced(self, lanes: Mask, &[word]: &[u32; 1]) -> Self { Self(select_unpredictable(lanes.0, word, self.0)) }

        fn or_where(self, lanes: Mask, other: Self) -> Self {
            Self(select_unpredictable(lanes.0, self.0 | other.0, self.0))
        }

        fn packed(self, _: Mask, to: &mut [u32; 1]) { self.store(to); }
    }
}

mask_of_bits!(cfg(all()), bool);
search!(cfg(all()), Portable);
