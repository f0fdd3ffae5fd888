//! Filtering lists, for any `Vector` with a `compress`.

/// Expands `keep`; `$features` as in [`kernels!`](super::kernels).
macro_rules! keeping {
    ($features:meta) => {
        /// See [`Lanes::keep`].
        #[$features]
        #[inline]
        fn keep(patterns: &[u64], avoid: u64, out: &mut Vec<u64>) {
            out.reserve(patterns.len() + Vector::WORDS);
            let len = out.len();
            // SAFETY: room was reserved for all patterns and `WORDS` more; as many words as are returned were written.
            unsafe {
                let to = out.as_mut_ptr().add(len);
                let kept = compress(patterns.as_ptr(), patterns.len(), patterns.len(), avoid, 0, to);
                out.set_len(len + kept);
            }
        }
    };
}
pub(super) use keeping;
