//! What each step of the join costs: `cargo bench --bench join_steps [-- N...]`, one thread, N = 16 to 20 if not said.
//!
//! Wraps the lanes of the best instruction set in a meter that times each call and counts what it is given. Every
//! `every_unit`-th unit is run where all would take minutes. Prints one JSON object for each N; `benches/join-steps.json`
//! holds the lines of one run.

use std::cell::Cell;
use std::time::Instant;

use queens::engine::Engine;
use queens::engine::join::Join;
use queens::engine::lanes::{Cost, Isa, Lanes, Matcher, Partners, Tables, Windows, WithLanes};
use queens::plan::halves::HalvesPlan;
use queens::plan::{Plan, Units};
use queens::{Size, oeis};

/// Calls of a step, nanoseconds in it, and what it was given and gave.
#[derive(Clone, Copy, Default)]
struct Step {
    calls: u64,
    nanoseconds: u64,
    input: u64,
    output: u64,
}

thread_local! {
    static STEPS: Cell<[Step; 4]> = const { Cell::new([Step { calls: 0, nanoseconds: 0, input: 0, output: 0 }; 4]) };
}

/// Runs one call of a step, which returns its result, its input and its output.
fn metered<T>(step: usize, call: impl FnOnce() -> (T, usize, usize)) -> T {
    let start = Instant::now();
    let (result, input, output) = call();
    let nanoseconds = start.elapsed().as_nanos() as u64;
    let mut steps = STEPS.get();
    let step = &mut steps[step];
    step.calls += 1;
    step.nanoseconds += nanoseconds;
    step.input += input as u64;
    step.output += output as u64;
    STEPS.set(steps);
    result
}

/// Lanes with a meter. Every method and constant is that of the lanes inside, so that the join cuts its lists and
/// matches them as it does without a meter; [`Lanes`] has no defaults, and what is missing here does not compile.
#[derive(Clone, Copy, Debug)]
struct Metered<L>(L);

impl<L: Lanes> Lanes for Metered<L> {
    const NAME: &'static str = L::NAME;
    const COST: Cost = L::COST;

    fn detect() -> Option<Self> {
        L::detect().map(Self)
    }

    fn pairs(self, stream: &[u64], partners: Partners, out: &mut Vec<u64>) {
        let before = out.len();
        metered(0, || {
            self.0.pairs(stream, partners, out);
            ((), stream.len(), out.len() - before)
        });
    }

    fn retain(self, patterns: &[u64], avoid: u64, out: &mut Vec<u64>) {
        let before = out.len();
        metered(1, || {
            self.0.retain(patterns, avoid, out);
            ((), patterns.len(), out.len() - before)
        });
    }

    fn union(self, patterns: &[u64]) -> u64 {
        metered(3, || (self.0.union(patterns), patterns.len(), 1))
    }

    fn disjoint<const LISTS: usize>(
        self,
        keys: u64,
        build: &[u64],
        probe: [&[u64]; LISTS],
        tables: &mut Tables,
    ) -> [u64; LISTS] {
        metered(2, || (self.0.disjoint(keys, build, probe, tables), build.len(), look_ups::<L>(build, &probe)))
    }

    fn attacked_by<const LISTS: usize>(
        self,
        by: (Matcher, Windows),
        build: &[u64],
        probe: [&[u64]; LISTS],
        tables: &mut Tables,
    ) -> [u64; LISTS] {
        self.0.attacked_by(by, build, probe, tables)
    }
}

/// Blocks of the build side times patterns of the probe side.
fn look_ups<L: Lanes>(build: &[u64], probe: &[&[u64]]) -> usize {
    build.len().div_ceil(L::COST.block.lanes) * probe.iter().map(|list| list.len()).sum::<usize>()
}

/// Counts with a meter on boards of this size.
struct Measure(usize);

impl WithLanes for Measure {
    type Output = ();

    fn with<L: Lanes>(self, lanes: L) {
        measure(self.0, lanes);
    }
}

fn measure<L: Lanes>(n: usize, lanes: L) {
    let size = Size::new(n).expect("a size");
    let plan = HalvesPlan::new(size);
    let join = Join::new(size, Metered(lanes));
    let mut worker = join.worker();
    STEPS.set(Default::default());
    // Every so many units: some seconds for each N.
    let step = match n {
        ..=18 => 1,
        19 => 4,
        20 => 16,
        _ => 32 << (2 * (n - 20)),
    };
    let (mut tasks, mut total) = (0u64, 0u64);
    let start = Instant::now();
    for unit in (0..plan.units()).step_by(step) {
        for weighted in plan.unit(unit) {
            total += weighted.weight * join.count(&mut worker, &weighted.task);
            tasks += 1;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    if step == 1 {
        assert_eq!(Some(u128::from(total)), oeis::QUEENS.term(n), "N = {n}");
    }
    let [list, prune, matching, union] = STEPS.get();
    let object = |step: Step, input: &str, output: &str| {
        serde_json::json!({
            "calls": step.calls, "seconds": step.nanoseconds as f64 / 1e9, input: step.input, output: step.output,
        })
    };
    let line = serde_json::json!({
        "n": n, "isa": L::NAME, "every_unit": step, "tasks": tasks, "seconds": seconds,
        "listing": object(list, "placements", "halves"),
        "pruning": object(prune, "read", "retained"),
        "unions": object(union, "read", "unions"),
        "matching": object(matching, "build", "look_ups"),
    });
    println!("{line}");
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let sizes: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = match (sizes.is_empty(), arguments.iter().any(|argument| argument == "--test")) {
        (false, _) => sizes,
        (true, true) => vec![14],
        (true, false) => (16..=20).collect(),
    };
    for n in sizes {
        Isa::best().with(Measure(n)).expect("it is the best");
    }
}
