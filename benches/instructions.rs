//! Instructions of the hot kernels on each instruction set, counted by callgrind, so that a regression shows on a noisy
//! machine too. `scripts/bench-regress instructions` installs what that needs, runs it, and compares the figures with
//! those recorded and the sets with each other; `cargo bench --bench instructions` shows the figures alone.
//!
//! Needs valgrind and gungraun's runner (`cargo install gungraun-runner`, the version that Cargo.lock has of it), and
//! fails where they are missing: what may be skipped is skipped, and nobody sees it. Valgrind knows AVX2 but not AVX-512.

/// Whether a program can be started.
fn is_installed(program: &str) -> bool {
    std::process::Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn main() {
    let is_given = |flag| std::env::args().any(|argument| argument == flag);
    if is_given("--gungraun-run") {
        return kernels::run();
    }
    if is_given("--test") {
        // Each benchmark once, as a test of its answer: the same work without valgrind.
        return kernels::test();
    }
    // The runner is found as gungraun finds it.
    let runner = option_env!("GUNGRAUN_RUNNER").map(str::to_owned).or(std::env::var("GUNGRAUN_RUNNER").ok());
    let runner = runner.unwrap_or_else(|| "gungraun-runner".to_owned());
    for program in ["valgrind", &runner] {
        if !is_installed(program) {
            eprintln!(
                "error: instructions can't be counted, for {program} is not installed; \
                 scripts/bench-regress instructions installs it"
            );
            std::process::exit(1);
        }
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
    #[cfg(target_arch = "aarch64")]
    use queens::engine::lanes::Neon;
    use queens::engine::lanes::{Isa, Lanes, Partners, Portable, Tables, WithLanes, ranked};
    use queens::plan::Plan;
    use queens::plan::halves::HalvesPlan;
    use queens::plan::prefixes::PrefixPlan;
    use queens::{Placement, Size, oeis};

    /// The board that backtracking counts, and the one that the join counts: large enough for the kernels to decide.
    const BACKTRACK_N: usize = 12;
    const JOIN_N: usize = 15;

    /// How many patterns the kernels are given.
    const PATTERNS: usize = 4096;

    /// Every solution of a small board, each task with the same worker.
    fn solutions<P: Plan, E: Engine<Task = P::Task>>(n: usize, plan: &P, engine: &E) {
        let mut worker = engine.worker();
        let tasks = (0..plan.units()).flat_map(|unit| plan.unit(unit));
        let count: u128 =
            tasks.map(|task| u128::from(task.weight) * u128::from(engine.count(&mut worker, &task.task))).sum();
        assert_eq!(Some(black_box(count)), oeis::QUEENS.term(n));
    }

    fn backtracking(isa: Isa) -> (PrefixPlan, Backtrack) {
        let plan = PrefixPlan::new(&Placement::empty(Size::new(BACKTRACK_N).unwrap()));
        (plan, Backtrack::new(isa).expect("the processor has the instructions"))
    }

    fn lanes<L: Lanes>() -> L {
        L::detect().expect("the processor has the instructions")
    }

    fn halves<L: Lanes>() -> (HalvesPlan, Join<L>) {
        let size = Size::new(JOIN_N).unwrap();
        (HalvesPlan::new(size), Join::new(size, lanes()))
    }

    /// Eighteen keys of each kind in the middle of the word.
    const KEYS: u64 = 0x0003_ffff_ffff_c000;

    /// Patterns with about a third of the keys set, the same ones every time.
    fn patterns(count: usize) -> Vec<u64> {
        let mut state = 1u64;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let high = state ^ state >> 29;
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            high & (state >> 7 | high >> 11) & KEYS
        };
        (0..count).map(|_| word()).collect()
    }

    /// A sixteenth of the patterns, thinned so that they find partners, each for one of the runs of the rest.
    fn quadrants(count: usize) -> (Vec<u64>, Vec<u64>) {
        let (mut stream, partners) = (patterns(count), patterns(count));
        stream.truncate(count / RUN);
        let stream = stream.iter().zip(0..).map(|(pattern, run)| ranked(pattern & pattern >> 5, run)).collect();
        (stream, partners)
    }

    /// How many partners a run has.
    const RUN: usize = 16;

    fn pairs<L: Lanes>(isa: L, (stream, patterns): &(Vec<u64>, Vec<u64>)) -> Vec<u64> {
        let starts: Vec<u32> = (0..=patterns.len()).step_by(RUN).map(|start| start as u32).collect();
        let mut out = Vec::with_capacity(patterns.len());
        isa.pairs(stream, Partners { patterns, starts: &starts }, &mut out);
        out
    }

    fn retain<L: Lanes>(isa: L, patterns: &[u64]) -> Vec<u64> {
        let mut out = Vec::with_capacity(patterns.len());
        isa.retain(patterns, 1 << 20 | 1 << 40, &mut out);
        out
    }

    fn disjoint<L: Lanes>(isa: L, patterns: &[u64]) -> u64 {
        let (build, probe) = patterns.split_at(PATTERNS / 4);
        isa.disjoint(KEYS, build, [probe], &mut Tables::default())[0]
    }

    /// The benchmarks of one instruction set.
    macro_rules! benchmarks {
        ($group:ident, $lanes:ident: $backtrack:ident, $join:ident, $pairs:ident, $retain:ident, $disjoint:ident) => {
            #[library_benchmark]
            #[bench::n12(args = (Isa::$lanes), setup = backtracking)]
            fn $backtrack((plan, backtrack): (PrefixPlan, Backtrack)) {
                solutions(BACKTRACK_N, &plan, &backtrack);
            }

            #[library_benchmark]
            #[bench::n15(setup = halves::<$lanes>)]
            fn $join((plan, join): (HalvesPlan, Join<$lanes>)) {
                solutions(JOIN_N, &plan, &join);
            }

            #[library_benchmark]
            #[bench::pairs(args = (PATTERNS), setup = quadrants)]
            fn $pairs(quadrants: (Vec<u64>, Vec<u64>)) -> Vec<u64> {
                black_box(pairs(lanes::<$lanes>(), &quadrants))
            }

            #[library_benchmark]
            #[bench::retain(args = (PATTERNS), setup = patterns)]
            fn $retain(patterns: Vec<u64>) -> Vec<u64> {
                black_box(retain(lanes::<$lanes>(), &patterns))
            }

            #[library_benchmark]
            #[bench::disjoint(args = (PATTERNS), setup = patterns)]
            fn $disjoint(patterns: Vec<u64>) -> u64 {
                black_box(disjoint(lanes::<$lanes>(), &patterns))
            }

            library_benchmark_group!(name = $group, benchmarks = [$backtrack, $join, $pairs, $retain, $disjoint]);
        };
    }

    benchmarks!(portable, Portable: backtrack_portable, join_portable, pairs_portable, retain_portable, disjoint_portable);
    #[cfg(target_arch = "x86_64")]
    benchmarks!(avx2, Avx2: backtrack_avx2, join_avx2, pairs_avx2, retain_avx2, disjoint_avx2);
    #[cfg(target_arch = "aarch64")]
    benchmarks!(neon, Neon: backtrack_neon, join_neon, pairs_neon, retain_neon, disjoint_neon);

    #[cfg(target_arch = "x86_64")]
    gungraun::main!(library_benchmark_groups = portable, avx2);
    #[cfg(target_arch = "aarch64")]
    gungraun::main!(library_benchmark_groups = portable, neon);
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    gungraun::main!(library_benchmark_groups = portable);

    pub(super) fn run() {
        main();
    }

    /// What the kernels of one instruction set find.
    struct Found;

    impl WithLanes for Found {
        type Output = (Vec<u64>, Vec<u64>, u64);

        fn with<L: Lanes>(self, isa: L) -> Self::Output {
            let (plan, join) = halves::<L>();
            solutions(JOIN_N, &plan, &join);
            let patterns = patterns(PATTERNS);
            (pairs(isa, &quadrants(PATTERNS)), retain(isa, &patterns), disjoint(isa, &patterns))
        }
    }

    /// The same answers on every instruction set, and not empty ones.
    pub(super) fn test() {
        for isa in Isa::available() {
            let (plan, backtrack) = backtracking(isa);
            solutions(BACKTRACK_N, &plan, &backtrack);
        }
        let expected = Isa::Portable.with(Found).expect("every processor is portable");
        assert!(expected.0.len() > PATTERNS / 16 && expected.1.len() > PATTERNS / 16 && expected.2 > 0);
        for isa in Isa::available() {
            assert!(isa.with(Found).as_ref() == Some(&expected), "{isa} finds something else");
            println!("test {isa} ... ok");
        }
    }
}
