//! An audit of a ledger: random units recounted by the engine, random tasks of these by the auditor.
//!
//! Two questions are answered apart. Does the ledger hold what the engine finds? Units are recounted as wholes, by the
//! engine, and compared with their tallies. Does the engine find what is there? Single tasks of the same units are
//! recounted by the [auditor](crate::auditor), which shares no code with it, and compared with what the engine has just
//! found for each. An error in all tasks, or in a share of them, shows in a few; an error in one unit of thousands
//! shows only if that unit is drawn, which the findings put in numbers.

use std::time::Instant;

use rayon::prelude::*;

use crate::auditor::{self, Audited};
use crate::count::{CountError, thread_pool};
use crate::engine::lanes::Isa;
use crate::engine::{Choice, Engine, Method};
use crate::ledger::{Fingerprint, Ledger, Subject};
use crate::placement::Placement;
use crate::plan::Plan;
use crate::plan::rows::Lines;
use crate::run::dispatch::{Job, dispatch};
use crate::run::gate;
use crate::tally::{Overflow, Tally};

/// What to recount of a ledger.
///
/// ```
/// use queens::ledger::Ledger;
/// use queens::run::progress::Watch;
/// use queens::{Audit, Count, Shard, Size};
/// let count = Count::new(Size::new(9)?);
/// let watch = Watch::new(Ledger::new(count.fingerprint()?, Shard::WHOLE));
/// count.run_watched(&watch)?;
/// let ledger = watch.ledger();
/// let findings = Audit { units: 5, tasks: 1, ..Audit::of(&ledger) }.run(&|| false)?;
/// assert_eq!((findings.units.len(), findings.differences().count()), (5, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Audit<'a> {
    /// What is audited: finished units and their tallies.
    pub ledger: &'a Ledger,
    /// How many units are drawn, or all that are finished.
    pub units: usize,
    /// How many tasks of each are recounted by the auditor, or all that it has.
    pub tasks: u64,
    /// Other units and tasks for another seed, the same for the same.
    pub seed: u64,
    /// On this many threads; 0 is every core.
    pub threads: usize,
    /// The instruction set of the engine, or the best.
    pub isa: Option<Isa>,
}

/// What an audit has found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Findings {
    /// How the units were recounted.
    pub method: Method,
    /// On how many threads.
    pub threads: usize,
    /// Wall time in seconds.
    pub seconds: f64,
    /// Finished units of the ledger.
    pub finished: usize,
    /// The sum of their tallies.
    pub total: u128,
    /// The units that were recounted, in the order of the plan.
    pub units: Vec<Recounted>,
}

/// A unit that was recounted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recounted {
    /// Which.
    pub unit: usize,
    /// Its name for people.
    pub name: String,
    /// What the ledger says.
    pub tally: u128,
    /// What the engine finds.
    pub recounted: u128,
    /// The tasks that the auditor has counted.
    pub tasks: Vec<AuditedTask>,
}

/// A task that was counted by its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditedTask {
    /// Its place in the unit, from 0.
    pub index: u64,
    /// How many symmetric tasks it stands for.
    pub weight: u64,
    /// What the engine finds.
    pub engine: u64,
    /// What the auditor finds.
    pub auditor: u64,
}

impl<'a> Audit<'a> {
    /// Sixteen units and a task of each.
    pub fn of(ledger: &'a Ledger) -> Self {
        Self { ledger, units: 16, tasks: 1, seed: 1, threads: 0, isa: None }
    }

    /// Recounts. What is not finished when `stopped` says so, which is asked now and then, is left out of the findings.
    ///
    /// # Errors
    /// Where this program cannot recount such a ledger, the engine fails its self-check, or no threads can be had.
    /// A difference is no error but a finding.
    pub fn run(&self, stopped: &(dyn Fn() -> bool + Sync)) -> Result<Findings, CountError> {
        let Fingerprint { subject, engine, .. } = self.ledger.fingerprint();
        let prefix = match subject {
            Subject::Completions(prefix) => prefix,
            Subject::Unchanged(board) => return Err(CountError::NotAudited(*board)),
        };
        let engine = engine.parse::<Choice>().map_err(|_| CountError::UnknownEngine(engine.clone()))?;
        let method = Method::choose(engine, self.isa, prefix)?;
        let pool = thread_pool(self.threads)?;
        let start = Instant::now();
        for &board in gate::boards(prefix.size()) {
            dispatch(method, &Placement::empty(board.size()), Lines::Two, Gate(board))?;
        }
        let recount = Recount { audit: self, name: method.engine.info().name, pool: &pool, stopped };
        let units = dispatch(method, prefix, Lines::Two, recount)?;
        Ok(Findings {
            method,
            threads: pool.current_num_threads(),
            seconds: start.elapsed().as_secs_f64(),
            finished: self.ledger.finished(),
            total: self.ledger.total()?.get(),
            units,
        })
    }

    /// Some of the finished units.
    fn draw(&self) -> Vec<(usize, Tally)> {
        let mut random = fastrand::Rng::with_seed(self.seed);
        let mut drawn = random.choose_multiple(self.ledger.tallies(), self.units.min(self.ledger.finished()));
        drawn.sort_unstable_by_key(|unit| unit.0);
        // Where the time is not enough for all, those left out are random ones.
        random.shuffle(&mut drawn);
        drawn
    }
}

struct Gate(gate::Board);

impl Job for Gate {
    type Output = Result<(), gate::GateError>;

    fn run<P, E, S>(self, plan: &P, engine: &E, _second: &S) -> Self::Output
    where
        P: Plan,
        E: Engine<Task = P::Task>,
        S: Engine<Task = P::Task>,
    {
        gate::check(self.0, plan, engine)
    }
}

struct Recount<'a> {
    audit: &'a Audit<'a>,
    name: &'static str,
    pool: &'a rayon::ThreadPool,
    stopped: &'a (dyn Fn() -> bool + Sync),
}

impl Job for Recount<'_> {
    type Output = Result<Vec<Recounted>, CountError>;

    fn run<P, E, S>(self, plan: &P, engine: &E, _second: &S) -> Self::Output
    where
        P: Plan<Task: Audited>,
        E: Engine<Task = P::Task>,
        S: Engine<Task = P::Task>,
    {
        let ledger = self.audit.ledger.fingerprint();
        ledger.check(&Fingerprint::new(ledger.subject, self.name, plan))?;
        let recount = |(unit, tally): (usize, Tally)| self.unit(plan, engine, unit, &tally).transpose();
        let drawn = self.audit.draw();
        let units: Result<Vec<Recounted>, Overflow> =
            self.pool.install(|| drawn.into_par_iter().with_max_len(1).filter_map(recount).collect());
        let mut units = units?;
        units.sort_unstable_by_key(|unit| unit.unit);
        Ok(units)
    }
}

impl Recount<'_> {
    /// One unit; none where it was stopped before the end.
    fn unit<P, E>(&self, plan: &P, engine: &E, unit: usize, tally: &Tally) -> Result<Option<Recounted>, Overflow>
    where
        P: Plan<Task: Audited>,
        E: Engine<Task = P::Task>,
    {
        let mut worker = engine.worker();
        let (mut sum, mut counts) = (Tally::default(), Vec::new());
        for weighted in plan.unit(unit) {
            if (self.stopped)() {
                return Ok(None);
            }
            let count = engine.count(&mut worker, &weighted.task);
            sum.add(count, weighted.weight)?;
            counts.push(count);
        }
        let mut random = fastrand::Rng::with_seed(self.audit.seed ^ (unit as u64 + 1) << 32);
        let chosen = random.choose_multiple(0..counts.len(), self.audit.tasks.min(counts.len() as u64) as usize);
        let audited = chosen.into_iter().map_while(|index| {
            let weighted = plan.task(unit, index as u64);
            let auditor = auditor::count(&weighted.task, &self.stopped)?;
            Some(AuditedTask { index: index as u64, weight: weighted.weight, engine: counts[index], auditor })
        });
        let tasks = audited.collect();
        Ok(Some(Recounted { unit, name: plan.name(unit), tally: tally.get(), recounted: sum.get(), tasks }))
    }
}

impl Recounted {
    /// Whether all agrees.
    pub fn agrees(&self) -> bool {
        self.tally == self.recounted && self.tasks.iter().all(|task| task.engine == task.auditor)
    }
}

impl Findings {
    /// The units in which something differs.
    pub fn differences(&self) -> impl Iterator<Item = &Recounted> {
        self.units.iter().filter(|unit| !unit.agrees())
    }

    /// Tasks that the auditor has counted.
    pub fn tasks(&self) -> usize {
        self.units.iter().map(|unit| unit.tasks.len()).sum()
    }

    /// Solutions of the ledger that the engine has found again.
    pub fn recounted(&self) -> u128 {
        self.units.iter().filter(|unit| unit.tally == unit.recounted).map(|unit| unit.tally).sum()
    }

    /// Solutions of the ledger that the auditor has found too, in tasks of units whose tallies the engine confirms.
    pub fn audited(&self) -> u128 {
        let confirmed = self.units.iter().filter(|unit| unit.agrees()).flat_map(|unit| &unit.tasks);
        confirmed.map(|task| u128::from(task.auditor) * u128::from(task.weight)).sum()
    }

    /// How likely at least one wrong unit would have been drawn if this share of them were wrong.
    pub fn chance_to_see(&self, share: f64) -> f64 {
        let wrong = (share * self.finished as f64).ceil() as usize;
        let all_right = (0..self.units.len()).map(|drawn| {
            let left = self.finished - drawn;
            left.saturating_sub(wrong) as f64 / left as f64
        });
        1.0 - all_right.product::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::progress::Watch;
    use crate::{Count, EngineKind, Shard, Size};

    fn counted(n: usize, engine: EngineKind) -> Ledger {
        let count = Count::new(Size::new(n).unwrap()).engine(Choice::Engine(engine));
        let watch = Watch::new(Ledger::new(count.fingerprint().unwrap(), Shard::WHOLE));
        count.run_watched(&watch).unwrap();
        watch.ledger()
    }

    /// The ledger with another tally for one unit.
    fn forged(ledger: &Ledger, forged: usize, by: u128) -> Ledger {
        let mut other = Ledger::new(ledger.fingerprint().clone(), ledger.shard());
        for (unit, tally) in ledger.tallies() {
            let more = if unit == forged { by } else { 0 };
            other.record(unit, (tally.get() + more).into()).unwrap();
        }
        other
    }

    #[test]
    fn what_every_engine_counts_is_confirmed() {
        for (n, engine) in
            [(12, EngineKind::Join), (13, EngineKind::Join), (10, EngineKind::Backtrack), (9, EngineKind::Naive)]
        {
            let ledger = counted(n, engine);
            let all = Audit { units: usize::MAX, tasks: u64::MAX, threads: 2, ..Audit::of(&ledger) };
            let findings = all.run(&|| false).unwrap();
            assert_eq!(findings.units.len(), ledger.finished());
            assert_eq!(findings.differences().count(), 0);
            // All of it twice: the sums over the plan, by the engine and by the auditor.
            assert_eq!([findings.recounted(), findings.audited()], [findings.total; 2], "{engine} for N = {n}");
            assert!((findings.chance_to_see(0.01) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_forged_tally_is_found_when_its_unit_is_drawn() {
        let ledger = counted(12, EngineKind::Join);
        let (wrong, tally) = ledger.tallies().nth(100).unwrap();
        let other = forged(&ledger, wrong, 8);
        let mut seen = 0;
        for seed in 0..20 {
            let findings = Audit { units: ledger.finished() / 2, seed, ..Audit::of(&other) }.run(&|| false).unwrap();
            let differences: Vec<_> = findings.differences().collect();
            assert_eq!(differences.is_empty(), findings.units.iter().all(|unit| unit.unit != wrong));
            for unit in differences {
                assert_eq!((unit.unit, unit.tally, unit.recounted), (wrong, tally.get() + 8, tally.get()));
                seen += 1;
            }
        }
        assert!((3..=17).contains(&seen), "half of the units are drawn, and it was seen {seen} times in 20");
    }

    #[test]
    fn the_same_seed_draws_the_same() {
        let ledger = counted(12, EngineKind::Join);
        let drawn = |seed, threads| {
            let findings = Audit { seed, threads, ..Audit::of(&ledger) }.run(&|| false).unwrap();
            findings.units.iter().map(|unit| (unit.unit, unit.tasks.clone())).collect::<Vec<_>>()
        };
        assert_eq!(drawn(1, 1), drawn(1, 3));
        assert_ne!(drawn(1, 1), drawn(2, 1));
    }

    #[test]
    fn what_is_stopped_is_left_out() {
        let ledger = counted(12, EngineKind::Join);
        let findings = Audit::of(&ledger).run(&|| true).unwrap();
        assert!(findings.units.is_empty());
        assert_eq!((findings.recounted(), findings.chance_to_see(0.5)), (0, 0.0));
    }

    #[test]
    fn ledgers_of_something_else_are_refused() {
        let ledger = counted(9, EngineKind::Join);
        let refused = |change: &dyn Fn(&mut Fingerprint)| {
            let mut fingerprint = ledger.fingerprint().clone();
            change(&mut fingerprint);
            let other = Ledger::new(fingerprint, Shard::WHOLE);
            Audit::of(&other).run(&|| false).unwrap_err().to_string()
        };
        assert!(refused(&|print| print.plan = "halves/0 N=9".into()).contains("it is for the plan halves/0 N=9, not "));
        assert_eq!(refused(&|print| print.engine = "abacus".into()), "this program has no engine 'abacus'");
    }
}
