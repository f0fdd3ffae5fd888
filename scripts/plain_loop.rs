//! The yardstick: the textbook recursive bitboard loop with mirror symmetry, one thread, nothing else.
//! `scripts/vs-peers` compiles it on its own and times the engines against it.

fn place(all: u32, rows: u32, down: u32, up: u32) -> u64 {
    if rows == all {
        return 1;
    }
    let mut free = all & !(rows | down | up);
    let mut solutions = 0;
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        solutions += place(all, rows | queen, (down | queen) << 1, (up | queen) >> 1);
    }
    solutions
}

fn main() {
    let n: u32 = std::env::args().nth(1).and_then(|n| n.parse().ok()).expect("usage: plain_loop N");
    assert!((1..=31).contains(&n), "N is a whole number from 1 to 31");
    let all = (1 << n) - 1;
    let first = |row: u32| place(all, 1 << row, 1 << row << 1, 1 << row >> 1);
    let half: u64 = (0..n / 2).map(first).sum();
    println!("{}", 2 * half + if n % 2 == 1 { first(n / 2) } else { 0 });
}
