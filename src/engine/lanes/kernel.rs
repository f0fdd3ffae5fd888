//! The algorithms, once for every instruction set.

use super::vector::Vector;
use super::{ENTRIES, KEY_BITS, Partners, Tables, Windows, rank};

/// Up to so many lanes are compared with the queries one by one: filling tables for them takes longer.
const FEW_LANES: usize = 24;

/// See [`super::Lanes::pairs`].
///
/// # Safety
/// The processor must have the instruction set of `V`.
#[inline(always)]
pub(super) unsafe fn pairs<V: Vector>(stream: &[u64], partners: Partners, out: &mut Vec<u64>) {
    let Some(last) = partners.starts.len().checked_sub(2) else { return };
    // The length stays in a register: through memory it would be the longest chain of the loop.
    let (mut len, mut capacity, mut to) = (out.len(), out.capacity(), out.as_mut_ptr());
    for &pattern in stream {
        let run = last - rank(pattern);
        let pattern = pattern & KEY_BITS;
        let (start, end) = (partners.starts[run] as usize, partners.starts[run + 1] as usize);
        let readable = &partners.patterns[start..];
        let partners = &readable[..end - start];
        if capacity - len < partners.len() + V::WORDS {
            // SAFETY: `len` words were written, no more than were reserved.
            unsafe { out.set_len(len) };
            out.reserve(partners.len() + V::WORDS);
            (capacity, to) = (out.capacity(), out.as_mut_ptr());
        }
        // SAFETY: there is room for every partner, and `V::WORDS` more.
        len += unsafe { V::compress(readable.as_ptr(), partners.len(), readable.len(), pattern, pattern, to.add(len)) };
    }
    // SAFETY: `len` words were written, no more than were reserved.
    unsafe { out.set_len(len) };
}

/// See [`super::Lanes::keep`].
///
/// # Safety
/// The processor must have the instruction set of `V`.
#[inline(always)]
pub(super) unsafe fn keep<V: Vector>(patterns: &[u64], avoid: u64, out: &mut Vec<u64>) {
    out.reserve(patterns.len() + V::WORDS);
    let len = out.len();
    // SAFETY: room was reserved for all patterns and `V::WORDS` more; as many words as are returned were written.
    unsafe {
        let kept = V::compress(patterns.as_ptr(), patterns.len(), patterns.len(), avoid, 0, out.as_mut_ptr().add(len));
        out.set_len(len + kept);
    }
}

/// See [`super::Lanes::disjoint`].
///
/// # Safety
/// The processor must have the instruction set of `V`.
#[inline(always)]
pub(super) unsafe fn disjoint<V: Vector, const LISTS: usize>(
    lanes: &[u64],
    queries: [&[u64]; LISTS],
    windows: &Windows,
    tables: &mut Tables,
) -> [u64; LISTS] {
    tables.words.resize(ENTRIES * V::WORDS + 8, 0);
    // Vectors that straddle cache lines would cost twice; eight words more leave room to begin at a line.
    let skip = tables.words.as_ptr().align_offset(64);
    let table = tables.words[skip..].as_mut_ptr();
    let mut counts = [0; LISTS];
    for block in lanes.chunks(64 * V::WORDS) {
        if block.len() <= FEW_LANES {
            for &lane in block {
                for (count, queries) in counts.iter_mut().zip(queries) {
                    // SAFETY: the pointer and the length are those of a slice.
                    *count += unsafe { V::count_disjoint(queries.as_ptr(), queries.len(), lane.reverse_bits()) };
                }
            }
            continue;
        }
        // SAFETY: the table has room for every window, and the block fits a vector.
        unsafe { tabulate::<V>(block, windows, table) };
        for (count, queries) in counts.iter_mut().zip(queries) {
            let pairs = (queries.len() * 64 * V::WORDS) as u64;
            // SAFETY: the tables of as many windows were just filled.
            let attacked = unsafe {
                match (windows.count, windows.sevens) {
                    (5, 0) => attacked::<V, 5, 0>(queries, windows, table),
                    (5, _) => attacked::<V, 5, 2>(queries, windows, table),
                    (6, _) => attacked::<V, 6, 0>(queries, windows, table),
                    (7, _) => attacked::<V, 7, 0>(queries, windows, table),
                    (8, _) => attacked::<V, 8, 0>(queries, windows, table),
                    _ => attacked::<V, 9, 0>(queries, windows, table),
                }
            };
            *count += pairs - attacked;
        }
    }
    counts
}

/// The sum over the queries of the lanes that share a key with it, lanes beyond the block included.
#[inline(always)]
unsafe fn attacked<V: Vector, const COUNT: usize, const SEVENS: usize>(
    queries: &[u64],
    windows: &Windows,
    table: *const u64,
) -> u64 {
    // SAFETY: each look-up stays in the table of its window.
    unsafe {
        let mut counts = V::no_counts();
        let mut eights = queries.chunks_exact(8);
        for eight in &mut eights {
            let look_up = |index: usize| look_up::<V, COUNT, SEVENS>(eight[index], windows, table);
            V::count8(
                &mut counts,
                [look_up(0), look_up(1), look_up(2), look_up(3), look_up(4), look_up(5), look_up(6), look_up(7)],
            );
        }
        for &query in eights.remainder() {
            V::count(&mut counts, look_up::<V, COUNT, SEVENS>(query, windows, table));
        }
        V::total(counts)
    }
}

/// The first entry of a window's table.
#[inline(always)]
const fn first_entry(window: usize, sevens: usize) -> usize {
    (window << 6) + ((if window < sevens { window } else { sevens }) << 6)
}

/// The lanes that share a key with the query.
#[inline(always)]
unsafe fn look_up<V: Vector, const COUNT: usize, const SEVENS: usize>(
    query: u64,
    windows: &Windows,
    table: *const u64,
) -> V {
    // Keys begin at bit 6 or above, so that one shift and one mask make the distance of an entry in bytes: this loop
    // is bound by the number of its instructions, and with an index to be multiplied it takes a quarter longer.
    let bytes = 8 * V::WORDS;
    let entry = |window: usize| {
        let shift = windows.shifts[window] - bytes.trailing_zeros();
        let last = if window < SEVENS { 127 } else { 63 };
        let distance = (query >> shift) as usize & (last * bytes);
        // SAFETY: the table of a window has `last + 1` vectors.
        unsafe { V::load(table.byte_add(first_entry(window, SEVENS) * bytes + distance)) }
    };
    // SAFETY: the caller's duty is the same.
    unsafe {
        let mut lanes = entry(0).or3(entry(1), entry(2));
        let mut window = 3;
        while window + 1 < COUNT {
            lanes = lanes.or3(entry(window), entry(window + 1));
            window += 2;
        }
        if window < COUNT { lanes.or(entry(window)) } else { lanes }
    }
}

/// Transposes a block of lanes and fills the table of each window. Lanes beyond the block share every key.
#[inline(always)]
unsafe fn tabulate<V: Vector>(block: &[u64], windows: &Windows, table: *mut u64) {
    // SAFETY: the rows and the tables have room for what is stored; nothing beyond the block is read.
    unsafe {
        let mut rows = [V::splat(0); 64];
        let whole = block.len() / V::WORDS;
        for (row, vector) in rows.iter_mut().enumerate().take(whole) {
            *vector = V::load(block.as_ptr().add(row * V::WORDS));
        }
        let mut rest = [0u64; 8];
        let left = &block[whole * V::WORDS..];
        if !left.is_empty() {
            rest[..left.len()].copy_from_slice(left);
            rows[whole] = V::load(rest.as_ptr());
        }
        step::<V, 32>(&mut rows);
        step::<V, 16>(&mut rows);
        step::<V, 8>(&mut rows);
        step::<V, 4>(&mut rows);
        step::<V, 2>(&mut rows);
        step::<V, 1>(&mut rows);
        // Lane l of word w is pattern l * WORDS + w of the block.
        let mut beyond = [0u64; 8];
        for (word, beyond) in beyond.iter_mut().enumerate().take(V::WORDS) {
            let lanes = (block.len() + V::WORDS - 1 - word) / V::WORDS;
            *beyond = if lanes == 64 { 0 } else { !0 << lanes };
        }
        for window in 0..windows.count {
            let table = table.add(first_entry(window, windows.sevens) * V::WORDS);
            let empty = if window == 0 { V::load(beyond.as_ptr()) } else { V::splat(0) };
            empty.store(table);
            // The queries are mirrored.
            let last = 63 - windows.shifts[window] as usize;
            double::<V, 0>(rows[last], table);
            double::<V, 1>(rows[last - 1], table);
            double::<V, 2>(rows[last - 2], table);
            double::<V, 3>(rows[last - 3], table);
            double::<V, 4>(rows[last - 4], table);
            double::<V, 5>(rows[last - 5], table);
            if window < windows.sevens {
                double::<V, 6>(rows[last - 6], table);
            }
        }
    }
}

/// Fills the upper half of a table of 2^(KEY + 1) entries: the lower half, and one more key.
#[inline(always)]
unsafe fn double<V: Vector, const KEY: usize>(row: V, table: *mut u64) {
    for subset in 0..1 << KEY {
        // SAFETY: the table has as many entries.
        unsafe {
            let lanes = V::load(table.add(subset * V::WORDS)).or(row);
            lanes.store(table.add((subset + (1 << KEY)) * V::WORDS));
        }
    }
}

/// One step in transposing the 64×64 bit matrices that each word position of the rows holds: swaps the blocks of
/// `STEP` rows and bits beside the diagonal.
#[inline(always)]
unsafe fn step<V: Vector, const STEP: usize>(rows: &mut [V; 64]) {
    // Bits 0 to STEP - 1 of every 2 * STEP.
    let mask = !0 / ((1 << STEP) + 1);
    for block in (0..64).step_by(2 * STEP) {
        for row in block..block + STEP {
            // SAFETY: the caller's duty is the same.
            unsafe {
                (rows[row], rows[row + STEP]) = rows[row].exchange::<STEP>(rows[row + STEP], V::splat(mask));
            }
        }
    }
}
