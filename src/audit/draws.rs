//! The random numbers of an audit: the same for the same ledger and seed, on every machine and in every later version.
//!
//! Draw i is the first 8 bytes of the SHA-256 of a text that ends with i:
//!
//! ```text
//! plan halves/2 N=24      the plan, the finished units and the partial units, as in a ledger
//! unit 18 4518
//! part 34 5 950
//! seed 7
//! audit of unit 18        in the draws for this unit; not in the draws for the order of units
//! draw 1
//! ```
//!
//! The text contains the tallies, so that nobody can prepare a seed before the ledger is complete. It does not contain
//! the runs, because copies of one ledger may differ in them.

use hmac_sha256::Hash;

use crate::ledger::Ledger;

/// Random numbers that a text determines.
#[derive(Clone)]
pub(super) struct Draws {
    text: Hash,
    made: u64,
}

fn extended(mut hash: Hash, text: &str) -> Hash {
    hash.update(text);
    hash
}

impl Draws {
    /// The draws for the order of the units.
    pub(super) fn new(ledger: &Ledger, seed: u64) -> Self {
        let plan = format!("plan {}\n", ledger.plan().fingerprint());
        let units = ledger.tallies().map(|(unit, tally)| format!("unit {unit} {tally}\n"));
        let parts = ledger.partials().map(|(unit, part)| format!("part {unit} {} {}\n", part.tasks, part.tally));
        Self::by(&[plan].into_iter().chain(units).chain(parts).chain([format!("seed {seed}\n")]).collect::<String>())
    }

    /// The draws that this text determines.
    pub(super) fn by(text: &str) -> Self {
        Self { text: extended(Hash::new(), text), made: 0 }
    }

    /// The draws within a unit, whatever its place in the order.
    pub(super) fn within(&self, unit: usize) -> Self {
        Self { text: extended(self.text, &format!("audit of unit {unit}\n")), made: 0 }
    }

    /// A number below `below`, each with the same probability.
    pub(super) fn below(&mut self, below: usize) -> usize {
        let below = below as u64;
        loop {
            self.made += 1;
            let hash = extended(self.text, &format!("draw {}\n", self.made)).finalize();
            let drawn = u64::from_be_bytes(hash[..8].try_into().expect("a hash has 32 bytes"));
            // Numbers beyond the largest multiple of `below` are refused: they have only small remainders.
            if drawn < u64::MAX - u64::MAX % below {
                return (drawn % below) as usize;
            }
        }
    }

    /// Shuffles a list, each order with the same probability (Fisher and Yates).
    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for left in (2..=list.len()).rev() {
            list.swap(left - 1, self.below(left));
        }
    }
}
