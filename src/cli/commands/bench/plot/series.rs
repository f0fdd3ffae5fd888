//! What is drawn in one colour.

use std::collections::BTreeMap;

use queens::{ENGINES, Isa};

use crate::cli::commands::bench::measurement::Measurement;
use crate::cli::commands::bench::results::BenchResults;

/// Of the style sheet.
const COLOURS: usize = 6;

/// An engine on a machine, and on one instruction set where several were timed: what is drawn in one colour.
pub(super) struct Series<'a> {
    pub(super) label: String,
    pub(super) colour: usize,
    /// By threads, then by N.
    pub(super) points: Vec<&'a Measurement>,
}

impl<'a> Series<'a> {
    /// By machine, then engine. One machine's engines have colours of their own, the same in every picture; several
    /// machines are told apart by colours, and their engines by name.
    pub(super) fn all(machines: &'a [BenchResults]) -> Vec<Self> {
        // Engines and sets in the order of the library's tables, unknown ones behind.
        let isa = |name: &str| Isa::ALL.iter().position(|isa| isa.name() == name).unwrap_or(Isa::ALL.len());
        let mut engines: BTreeMap<_, BTreeMap<_, Vec<&Measurement>>> = BTreeMap::new();
        for (index, machine) in machines.iter().enumerate() {
            for point in &machine.results {
                let isas = engines.entry((index, engine(&point.engine), &point.engine)).or_default();
                isas.entry((isa(&point.isa), &point.isa)).or_default().push(point);
            }
        }
        let mut all = Vec::new();
        for ((machine, engine, name), isas) in engines {
            let sets = isas.len();
            for (index, ((_, isa), mut points)) in isas.into_iter().enumerate() {
                points.sort_by_key(|point| (point.threads, point.n));
                let mut label = name.clone();
                if sets > 1 {
                    label = format!("{label}, {isa}");
                }
                // The best set has the colour of its engine, for that is what runs where nobody chooses.
                let mut colour = if index + 1 == sets { engine } else { ENGINES.len() + index };
                if machines.len() > 1 {
                    label = format!("{label}, {}", machines[machine].name());
                    colour = all.len();
                }
                all.push(Self { label, colour: colour % COLOURS, points });
            }
        }
        all
    }
}

/// The position of an engine in [`ENGINES`].
fn engine(name: &str) -> usize {
    ENGINES.iter().position(|info| info.name == name).unwrap_or(ENGINES.len())
}
