//! Instructions of the hot kernels, counted by callgrind, so that a regression shows on a noisy machine too:
//! `cargo bench --bench instructions`.
//!
//! Needs valgrind and gungraun's runner (`cargo install gungraun-runner`, the version that Cargo.lock has of gungraun);
//! says so and ends well where they are missing. Valgrind knows AVX2 but not AVX-512.

/// Whether a program can be started.
fn is_installed(program: &str) -> bool {
    std::process::Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let inside = arguments.iter().any(|argument| argument == "--gungraun-run");
    // The runner is found as gungraun finds it.
    let runner = option_env!("GUNGRAUN_RUNNER").map(str::to_owned).or(std::env::var("GUNGRAUN_RUNNER").ok());
    let runner = runner.unwrap_or_else(|| "gungraun-runner".to_owned());
    if inside {
        return kernels::run();
    }
    for program in ["valgrind", &runner] {
        if !is_installed(program) {
            eprintln!("skipped: the instructions are not counted, for {program} is not installed");
            return;
        }
    }
    if arguments.iter().any(|argument| argument == "--test") {
        eprintln!("skipped: the engines bench asserts the same answers without valgrind");
        return;
    }
    kernels::run();
}

mod kernels {
    #![expect(unused_qualifications, reason = "the macros of gungraun qualify names that need none")]

    use std::hint::black_box;

    use gungraun::prelude::*;
    use queens::engine::Engine;
    use queens::engine::backtrack::Backtrack;
    use queens::engine::join::Join;
    #[cfg(target_arch = "x86_64")]
    use queens::engine::lanes::Avx2;
    use queens::engine::lanes::{Lanes, Portable, Tables};
    use queens::plan::Plan;
    use queens::plan::halves::HalvesPlan;
    use queens::plan::rows::{Lines, RowsPlan};
    use queens::{Placement, Size, oeis};

    const N: usize = 12;

    /// Every solution of a small board, each task with the same worker.
    fn solutions<P: Plan, E: Engine<Task = P::Task>>(plan: &P, engine: &E) -> u128 {
        let mut worker = engine.worker();
        let tasks = (0..plan.units()).flat_map(|unit| plan.unit(unit));
        tasks.map(|task| u128::from(task.weight) * u128::from(engine.count(&mut worker, &task.task))).sum()
    }

    fn expected() -> Option<u128> {
        oeis::QUEENS.term(N)
    }

    fn rows() -> RowsPlan {
        RowsPlan::new(&Placement::empty(Size::new(N).unwrap()), Lines::Two)
    }

    #[library_benchmark]
    #[bench::n12(setup = rows)]
    fn backtrack(plan: RowsPlan) {
        assert_eq!(Some(black_box(solutions(&plan, &Backtrack))), expected());
    }

    fn halves<L: Lanes>() -> (HalvesPlan, Join<L>) {
        let size = Size::new(N).unwrap();
        (HalvesPlan::new(size), Join::new(size, L::detect().expect("the processor has the instructions")))
    }

    #[library_benchmark]
    #[bench::n12(setup = halves::<Portable>)]
    fn join_portable((plan, join): (HalvesPlan, Join<Portable>)) {
        assert_eq!(Some(black_box(solutions(&plan, &join))), expected());
    }

    #[cfg(target_arch = "x86_64")]
    #[library_benchmark]
    #[bench::n12(setup = halves::<Avx2>)]
    fn join_avx2((plan, join): (HalvesPlan, Join<Avx2>)) {
        assert_eq!(Some(black_box(solutions(&plan, &join))), expected());
    }

    /// Patterns with about a third of the keys set, the same ones every time.
    fn patterns(count: usize) -> Vec<u64> {
        let mut state = 1u64;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let high = state ^ state >> 29;
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Eighteen keys of each kind in the middle of the word, none outside.
            high & (state >> 7 | high >> 11) & 0x0003_ffff_ffff_c000
        };
        (0..count).map(|_| word()).collect()
    }

    fn keep<L: Lanes>(patterns: &[u64]) -> usize {
        let mut out = Vec::with_capacity(patterns.len());
        L::detect().expect("the processor has the instructions").keep(patterns, 1 << 20 | 1 << 40, &mut out);
        out.len()
    }

    fn disjoint<L: Lanes>(patterns: &[u64]) -> u64 {
        let (lanes, queries) = patterns.split_at(1024);
        let lanes_of = L::detect().expect("the processor has the instructions");
        lanes_of.disjoint(lanes, [queries], &mut Tables::default())[0]
    }

    #[library_benchmark]
    #[bench::keep(args = (4096), setup = patterns)]
    fn keep_portable(patterns: Vec<u64>) -> usize {
        black_box(keep::<Portable>(&patterns))
    }

    #[library_benchmark]
    #[bench::disjoint(args = (4096), setup = patterns)]
    fn disjoint_portable(patterns: Vec<u64>) -> u64 {
        black_box(disjoint::<Portable>(&patterns))
    }

    #[cfg(target_arch = "x86_64")]
    #[library_benchmark]
    #[bench::keep(args = (4096), setup = patterns)]
    fn keep_avx2(patterns: Vec<u64>) -> usize {
        black_box(keep::<Avx2>(&patterns))
    }

    #[cfg(target_arch = "x86_64")]
    #[library_benchmark]
    #[bench::disjoint(args = (4096), setup = patterns)]
    fn disjoint_avx2(patterns: Vec<u64>) -> u64 {
        black_box(disjoint::<Avx2>(&patterns))
    }

    library_benchmark_group!(
        name = portable,
        benchmarks = [backtrack, join_portable, keep_portable, disjoint_portable]
    );
    #[cfg(target_arch = "x86_64")]
    library_benchmark_group!(name = avx2, benchmarks = [join_avx2, keep_avx2, disjoint_avx2]);

    #[cfg(target_arch = "x86_64")]
    gungraun::main!(library_benchmark_groups = portable, avx2);
    #[cfg(not(target_arch = "x86_64"))]
    gungraun::main!(library_benchmark_groups = portable);

    pub(super) fn run() {
        main();
    }
}
