//! The algorithms, once for every instruction set.

use std::ops::Range;

use super::vector::Vector;
use super::{Runs, Tables, Windows};

/// Entries of a window's table: every subset of six keys.
const ENTRIES: usize = 64;

/// See [`super::Lanes::pairs`].
///
/// # Safety
/// The processor must have the instruction set of `V`.
#[inline(always)]
pub(super) unsafe fn pairs<V: Vector>(forward: Runs, backward: Runs, sets: Range<usize>, out: &mut Vec<u64>) {
    let last = forward.sets() - 1;
    for set in sets {
        let (mut outer, mut inner) = (forward.of(set), backward.of(last - set));
        // The vectors run along the longer list.
        if outer.len() > inner.len() {
            std::mem::swap(&mut outer, &mut inner);
        }
        out.reserve(outer.len() * inner.len() + V::WORDS);
        let mut len = out.len();
        for &pattern in outer {
            // SAFETY: room for every pair was reserved, and `V::WORDS` more.
            len += unsafe { V::compress(inner.as_ptr(), inner.len(), pattern, pattern, out.as_mut_ptr().add(len)) };
        }
        // SAFETY: `len` words were written, no more than were reserved.
        unsafe { out.set_len(len) };
    }
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
        let kept = V::compress(patterns.as_ptr(), patterns.len(), avoid, 0, out.as_mut_ptr().add(len));
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
    tables.words.resize(super::WINDOWS * ENTRIES * V::WORDS + 8, 0);
    // Vectors that straddle cache lines would cost twice; eight words more leave room to begin at a line.
    let skip = tables.words.as_ptr().align_offset(64);
    let table = tables.words[skip..].as_mut_ptr();
    let mut counts = [0; LISTS];
    for block in lanes.chunks(64 * V::WORDS) {
        // SAFETY: the table has room for every window, and the block fits a vector.
        unsafe { tabulate::<V>(block, windows, table) };
        for (count, queries) in counts.iter_mut().zip(queries) {
            let pairs = (queries.len() * 64 * V::WORDS) as u64;
            // SAFETY: the tables of as many windows were just filled.
            let attacked = unsafe {
                match windows.count {
                    6 => attacked::<V, 6>(queries, windows, table),
                    _ => attacked::<V, 8>(queries, windows, table),
                }
            };
            *count += pairs - attacked;
        }
    }
    counts
}

/// The sum over the queries of the lanes that share a key with it, lanes beyond the block included.
#[inline(always)]
unsafe fn attacked<V: Vector, const COUNT: usize>(queries: &[u64], windows: &Windows, table: *const u64) -> u64 {
    // SAFETY: each look-up stays in the table of its window.
    unsafe {
        let mut counts = V::no_counts();
        let mut eights = queries.chunks_exact(8);
        for eight in &mut eights {
            let look_up = |index: usize| look_up::<V, COUNT>(eight[index], windows, table);
            V::count8(
                &mut counts,
                [look_up(0), look_up(1), look_up(2), look_up(3), look_up(4), look_up(5), look_up(6), look_up(7)],
            );
        }
        for &query in eights.remainder() {
            V::count(&mut counts, look_up::<V, COUNT>(query, windows, table));
        }
        V::total(counts)
    }
}

/// The lanes that share a key with the query.
#[inline(always)]
unsafe fn look_up<V: Vector, const COUNT: usize>(query: u64, windows: &Windows, table: *const u64) -> V {
    let entry = |window: usize| {
        let subset = (query >> windows.shifts[window]) as usize % ENTRIES;
        // SAFETY: the table has `ENTRIES` vectors for each window.
        unsafe { V::load(table.add((window * ENTRIES + subset) * V::WORDS)) }
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
    // SAFETY: `rows` and the tables have room for what is stored.
    unsafe {
        let mut rows = [V::splat(0); 64];
        let mut padded = [0u64; 64 * 8];
        let from = if block.len() == 64 * V::WORDS {
            block.as_ptr()
        } else {
            padded[..block.len()].copy_from_slice(block);
            padded.as_ptr()
        };
        for (row, vector) in rows.iter_mut().enumerate() {
            *vector = V::load(from.add(row * V::WORDS));
        }
        transpose(&mut rows);
        // Lane l of word w is pattern l * WORDS + w of the block.
        let mut beyond = [0u64; 8];
        for (word, beyond) in beyond.iter_mut().enumerate().take(V::WORDS) {
            let lanes = (block.len() + V::WORDS - 1 - word) / V::WORDS;
            *beyond = if lanes == 64 { 0 } else { !0 << lanes };
        }
        for window in 0..windows.count {
            let table = table.add(window * ENTRIES * V::WORDS);
            let empty = if window == 0 { V::load(beyond.as_ptr()) } else { V::splat(0) };
            empty.store(table);
            for key in 0..6 {
                let row = rows[(windows.shifts[window] + key) as usize];
                for subset in 0..1 << key {
                    let lanes = V::load(table.add(subset * V::WORDS)).or(row);
                    lanes.store(table.add((subset + (1 << key)) * V::WORDS));
                }
            }
        }
    }
}

/// Transposes the 64×64 bit matrices that each word position of the rows holds.
#[inline(always)]
unsafe fn transpose<V: Vector>(rows: &mut [V; 64]) {
    let mut step = 32;
    let mut mask = 0xffff_ffff_u64;
    while step > 0 {
        // SAFETY: the caller's duty is the same.
        unsafe {
            let low = V::splat(mask);
            let mut row = 0;
            while row < 64 {
                let (a, b) = (rows[row], rows[row + step]);
                let swap = a.shr(step as u32).xor(b).and(low);
                rows[row + step] = b.xor(swap);
                rows[row] = a.xor(swap.shl(step as u32));
                row = (row + step + 1) & !step;
            }
        }
        step /= 2;
        mask ^= mask << step;
    }
}
