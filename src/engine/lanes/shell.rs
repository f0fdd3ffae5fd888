//! The shell of an instruction set: the kernels compiled for it, behind the [`Lanes`](super::Lanes) interface.

/// Implements `Lanes` for `$token` over the vectors `$vector`, compiled with `$features`; `$detect` tells whether this
/// processor has them.
macro_rules! shell {
    ($token:ty, $vector:ty, $make:expr, $detect:expr $(, $features:literal)?) => {
        impl $crate::engine::lanes::Lanes for $token {
            const LANES: usize = 64 * <$vector as $crate::engine::lanes::vector::Vector>::WORDS;

            fn detect() -> Option<Self> {
                ($detect).then_some($make)
            }

            fn pairs(self, stream: &[u64], partners: Partners, out: &mut Vec<u64>) {
                $(#[target_feature(enable = $features)])?
                unsafe fn compiled(stream: &[u64], partners: Partners, out: &mut Vec<u64>) {
                    // SAFETY: this function is compiled for the instruction set.
                    unsafe { kernel::pairs::<$vector>(stream, partners, out) }
                }
                // SAFETY: `self` proves that the processor has the instruction set.
                unsafe { compiled(stream, partners, out) }
            }

            fn keep(self, patterns: &[u64], avoid: u64, out: &mut Vec<u64>) {
                $(#[target_feature(enable = $features)])?
                unsafe fn compiled(patterns: &[u64], avoid: u64, out: &mut Vec<u64>) {
                    // SAFETY: this function is compiled for the instruction set.
                    unsafe { kernel::keep::<$vector>(patterns, avoid, out) }
                }
                // SAFETY: `self` proves that the processor has the instruction set.
                unsafe { compiled(patterns, avoid, out) }
            }

            fn disjoint<const LISTS: usize>(
                self,
                lanes: &[u64],
                queries: [&[u64]; LISTS],
                windows: &Windows,
                tables: &mut Tables,
            ) -> [u64; LISTS] {
                $(#[target_feature(enable = $features)])?
                unsafe fn compiled<const LISTS: usize>(
                    lanes: &[u64],
                    queries: [&[u64]; LISTS],
                    windows: &Windows,
                    tables: &mut Tables,
                ) -> [u64; LISTS] {
                    // SAFETY: this function is compiled for the instruction set.
                    unsafe { kernel::disjoint::<$vector, LISTS>(lanes, queries, windows, tables) }
                }
                // SAFETY: `self` proves that the processor has the instruction set.
                unsafe { compiled(lanes, queries, windows, tables) }
            }
        }
    };
}
pub(super) use shell;
