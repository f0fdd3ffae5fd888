//! What is drawn as one line: a hue for each engine, a stroke for each machine.

use std::collections::{BTreeMap, BTreeSet};

use queens::{ENGINES, Isa};

use crate::cli::commands::bench::measurement::Measurement;
use crate::cli::commands::bench::results::BenchResults;

/// Of the style sheet.
const HUES: usize = 9;
const STROKES: usize = 4;
const TINTS: usize = 4;

/// An engine on a machine, and on one instruction set where several were timed.
pub(super) struct Series<'a> {
    pub(super) label: String,
    /// Its classes in the style sheet.
    pub(super) class: String,
    pub(super) machine: &'a BenchResults,
    /// By threads, then by N.
    pub(super) points: Vec<&'a Measurement>,
}

impl<'a> Series<'a> {
    /// By machine, then engine. An engine has its hue in every picture, other programs those behind the engines' in the
    /// order of their names; its instruction sets are paler the simpler they are.
    pub(super) fn all(machines: &'a [BenchResults]) -> Vec<Self> {
        let points = || machines.iter().flat_map(|machine| &machine.results);
        let known = |name: &str| ENGINES.iter().position(|info| info.name == name);
        let others: BTreeSet<&str> =
            points().map(|of| of.engine.as_str()).filter(|name| known(name).is_none()).collect();
        let others: Vec<&str> = others.into_iter().collect();
        let hue =
            |name: &str| known(name).or_else(|| Some(ENGINES.len() + others.iter().position(|other| *other == name)?));
        // Sets in the order of the library's table, unknown ones behind.
        let isa = |name: &str| Isa::ALL.iter().position(|isa| isa.name() == name).unwrap_or(Isa::ALL.len());
        let mut engines: BTreeMap<_, BTreeMap<_, Vec<&Measurement>>> = BTreeMap::new();
        for (index, machine) in machines.iter().enumerate() {
            for point in &machine.results {
                let isas = engines.entry((index, hue(&point.engine), &point.engine)).or_default();
                isas.entry((isa(&point.isa), &point.isa)).or_default().push(point);
            }
        }
        let mut all = Vec::new();
        for ((index, hue, name), isas) in engines {
            let sets = isas.len();
            for (set, ((_, isa), mut points)) in isas.into_iter().enumerate() {
                points.sort_by_key(|point| (point.threads, point.n));
                let machine = &machines[index];
                let set_name = if sets > 1 { format!(", {isa}") } else { String::new() };
                let machine_name = if machines.len() > 1 { format!(", {}", machine.name()) } else { String::new() };
                let (hue, tint) = (hue.unwrap_or_default() % HUES, (sets - 1 - set).min(TINTS - 1));
                all.push(Self {
                    label: format!("{name}{set_name}{machine_name}"),
                    class: format!("series{hue} stroke{} tint{tint}", index % STROKES),
                    machine,
                    points,
                });
            }
        }
        all
    }
}
