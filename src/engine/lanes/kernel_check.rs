//! The self-check of matching: made-up lists go through every matcher, and a plain loop says what is right.
//!
//! A small board takes the steps of a large one if [forced](crate::engine::Method::forced) to, but its lists have fewer
//! keys. So each matcher is called with each number of windows that the [costs](super::cost) choose, with few keys and many.

use fastrand::Rng;

use super::cost::{Cost, Matcher, Permuted};
use super::windows::{MOST_WINDOWS, Windows};
use super::{Call, KEY_BITS, Lanes, Tables, disjoint};

/// Has these lanes match lists in each way, and compares what they find with a plain loop. An error is the operation that
/// went wrong, in a few words.
pub(crate) fn check<L: Lanes>(lanes: L) -> Result<(), String> {
    let (random, tables) = (&mut Rng::with_seed(8), &mut Tables::default());
    // Few keys in each window, and as many as there can be.
    for (keys, count) in (1..=MOST_WINDOWS)
        .flat_map(|count| [5 * count - count / 2, L::COST.largest * count].map(|keys| (keys.min(52), count)))
    {
        let active = if count % 3 == 0 { spread(keys) } else { adjacent(keys) };
        let blocks = Trial::new(Windows { active, count }, L::COST.block.lanes - 5, random);
        let cost = Cost { only: Some(Matcher::Blocks { windows: count, fewest: 0 }), ..L::COST };
        blocks.check(lanes, cost, tables, || format!("matching blocks in {count} windows of {keys} keys"))?;
    }
    if let Some(permuted) = L::COST.permuted {
        permutes(lanes, permuted, tables, random)?;
    }
    // As the splitter calls it, with either side the longer one and tabulated in blocks.
    for keys in [22, 26, 30].map(spread) {
        for lengths in [[600, 90], [70, 400]] {
            let [patterns, queries] =
                lengths.map(|length| (0..length).map(|_| random.u64(..) & random.u64(..) & keys).collect::<Vec<u64>>());
            let trial = Trial { keys, patterns: patterns.into_iter().map(u64::reverse_bits).collect(), queries };
            trial.check(lanes, Cost { permuted: None, ..L::COST }, tables, || "matching two lists".to_owned())?;
        }
    }
    Ok(())
}

/// Matches by permuting bytes with every number of windows, in classes by few, some and many keys.
fn permutes<L: Lanes>(lanes: L, permuted: Permuted, tables: &mut Tables, random: &mut Rng) -> Result<(), String> {
    let [fewest, most] = Permuted::dense_range(permuted.keys);
    // By ten keys a thread touches three megabytes more, which a user's count of N = 14 need not wait for; tests do.
    let many = if cfg!(debug_assertions) { most } else { 8 };
    for dense in [fewest, 3, many] {
        // From a single key on; windows with no key, with as many as there can be, and with one less.
        let counts = 1..=Permuted::windows_range(permuted.keys)[1];
        let all = [1, dense].into_iter().chain(counts.map(|count| count * permuted.keys + dense - count % 2));
        for keys in all.step_by(if dense == fewest { 1 } else { 4 }).map(|keys| keys.min(52)) {
            let active = if keys % 2 == 0 { spread(keys as usize) } else { adjacent(keys as usize) };
            // Whole blocks of queries and not, either side the shorter one. In the fewest classes more groups of lanes than a
            // byte has room for the sums of, and once more than have tables at a time.
            let longer = match (dense == fewest, keys) {
                (true, 26) => (800, 900),
                (true, _) => (280, 290),
                _ => (200, 90),
            };
            let cost = Cost { only: Some(Matcher::Permuted(dense)), ..L::COST };
            for (patterns, queries) in [(90, 300), longer] {
                let mut trial = Trial::new(Windows { active, count: 1 }, patterns, random);
                trial.queries = (0..queries).map(|_| random.u64(..) & KEY_BITS & (active | !spread(26))).collect();
                trial.check(lanes, cost, tables, || format!("permuting bytes of {keys} keys in classes by {dense}"))?;
            }
        }
    }
    Ok(())
}

/// So many keys side by side.
fn adjacent(keys: usize) -> u64 {
    (((1 << keys) - 1) << 6) << ((52 - keys) / 2)
}

/// So many keys, spread over all that there may be.
fn spread(keys: usize) -> u64 {
    (0..keys).map(|key| 1 << (6 + key * 52 / keys)).sum()
}

/// Patterns and queries for a matcher, and the keys that both hold.
struct Trial {
    keys: u64,
    patterns: Vec<u64>,
    queries: Vec<u64>,
}

impl Trial {
    /// So many patterns of one to three of the active keys; in the commonest number of windows and in the most, as many
    /// queries as a table has entries, so that each is looked up. Both hold other keys too, which the other side does
    /// not.
    fn new(windows: Windows, patterns: usize, random: &mut Rng) -> Self {
        let active: Vec<u64> = (0..64).map(|place| 1 << place).filter(|key| windows.active & key != 0).collect();
        let others = KEY_BITS & !windows.active;
        let (of_patterns, of_queries) = (spread(26) & others, !spread(26) & others);
        let patterns = (0..patterns).map(|_| {
            let keys = (0..random.usize(1..=3)).fold(0, |keys, _| keys | active[random.usize(..active.len())]);
            (keys | random.u64(..) & of_patterns).reverse_bits()
        });
        let patterns = patterns.collect();
        // Eight at a time, and three more.
        let asked = if [4, MOST_WINDOWS].contains(&windows.count) { 1 << windows.keys(0).len() } else { 35 };
        let queries = (0..asked).map(|query: usize| {
            // An odd factor makes another order of all entries, in each window one of its own.
            let entry = |window: usize| query * 37 + window * 11;
            let asks = |window, place| entry(window) >> place & 1 == 1;
            let windows = (0..windows.count).map(|window| (window, &active[windows.keys(window)]));
            let keys = windows
                .flat_map(|(window, keys)| keys.iter().enumerate().filter(move |(place, _)| asks(window, *place)));
            keys.fold(random.u64(..) & of_queries, |keys, (_, key)| keys | key)
        });
        Self { keys: windows.active, patterns, queries: queries.collect() }
    }

    /// Whether that is right which these costs choose; with the queries in one list and in as many as the join has.
    fn check<L: Lanes>(
        &self,
        lanes: L,
        cost: Cost,
        tables: &mut Tables,
        operation: impl Fn() -> String,
    ) -> Result<(), String> {
        let (keys, patterns, all) = (self.keys, &self.patterns[..], &self.queries[..]);
        let (few, rest) = all.split_at(all.len() / 3);
        let [found_few, found_rest, none] =
            disjoint(lanes, &cost, Call { keys, patterns, queries: [few, rest, &[]] }, tables);
        let [all] = disjoint(lanes, &cost, Call { keys, patterns, queries: [all] }, tables);
        // Each pair is looked at.
        let with = |query: u64| patterns.iter().map(|pattern| u64::from(pattern & query == 0)).sum::<u64>();
        let [few, rest] =
            [few, rest].map(|queries| queries.iter().map(|query| with(query.reverse_bits())).sum::<u64>());
        let is_right = [found_few, found_rest, none, all] == [few, rest, 0, few + rest];
        if is_right { Ok(()) } else { Err(operation()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::lanes::{Isa, fault};
    use crate::with_lanes;

    #[test]
    fn every_wrong_matcher_is_seen_on_every_set() {
        for isa in Isa::available() {
            assert_eq!(with_lanes!(isa, check), Some(Ok(())), "{isa}");
            for name in fault::of(isa) {
                let is_of_boards = matches!(name, "expand" | "last-columns" | "joined-quadrants" | "retain" | "union");
                let seen = fault::with(name, || with_lanes!(isa, check).unwrap());
                assert_eq!(seen.is_err(), !is_of_boards, "{name} on {isa}");
            }
        }
    }
}
