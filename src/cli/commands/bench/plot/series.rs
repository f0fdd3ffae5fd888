//! What is drawn in one colour.

use queens::{ENGINES, Isa};

use super::{Machine, Point};

/// Of the style sheet.
const COLOURS: usize = 6;

/// An engine on a machine, and on one instruction set where several were timed: what is drawn in one colour.
pub(super) struct Series<'a> {
    pub(super) label: String,
    pub(super) colour: usize,
    pub(super) points: Vec<&'a Point>,
}

impl<'a> Series<'a> {
    /// By machine, then engine. One machine's engines have colours of their own, the same in every picture; several
    /// machines are told apart by colours, and their engines by name.
    pub(super) fn all(machines: &'a [Machine]) -> Vec<Self> {
        let mut all = Vec::new();
        for machine in machines {
            let mut engines: Vec<&str> = machine.points.iter().map(|point| point.engine.as_str()).collect();
            engines.sort_by_key(|engine| position(engine));
            engines.dedup();
            for engine in engines {
                let mut isas: Vec<&str> = machine
                    .points
                    .iter()
                    .filter(|point| point.engine == engine)
                    .map(|point| point.isa.as_str())
                    .collect();
                isas.sort_by_key(|isa| Isa::ALL.iter().position(|known| known.name() == *isa));
                isas.dedup();
                for (index, &isa) in isas.iter().enumerate() {
                    let is_it = |point: &&Point| point.engine == engine && point.isa == isa;
                    let points = machine.points.iter().filter(is_it).collect();
                    let mut label = engine.to_owned();
                    if isas.len() > 1 {
                        label = format!("{label}, {isa}");
                    }
                    // The best set has the colour of its engine, for that is what runs where nobody chooses.
                    let is_best = index + 1 == isas.len();
                    let mut colour = if is_best { position(engine) } else { ENGINES.len() + index };
                    if machines.len() > 1 {
                        label = format!("{label}, {}", machine.name);
                        colour = all.len();
                    }
                    all.push(Self { label, colour: colour % COLOURS, points });
                }
            }
        }
        all
    }

    /// The points on so many threads, by N.
    pub(super) fn on(&self, threads: usize) -> Vec<&'a Point> {
        let mut line: Vec<&Point> = self.points.iter().copied().filter(|point| point.threads == threads).collect();
        line.sort_by_key(|point| point.n);
        line
    }

    /// Every number of threads, the most first.
    pub(super) fn threads(&self) -> Vec<usize> {
        let mut threads: Vec<usize> = self.points.iter().map(|point| point.threads).collect();
        threads.sort_unstable_by(|a, b| b.cmp(a));
        threads.dedup();
        threads
    }
}

/// Each value once, in order.
pub(super) fn distinct(values: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut values: Vec<usize> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// Where an engine stands in [`ENGINES`], and after them all where it does not.
fn position(engine: &str) -> usize {
    ENGINES.iter().position(|info| info.name == engine).unwrap_or(ENGINES.len())
}
