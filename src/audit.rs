//! An audit of a ledger: random units recounted by the engine, random tasks of these by the auditor.
//!
//! Two questions are answered apart. Does the ledger hold what the engine finds? Units are recounted as wholes, by the
//! engine, and compared with their tallies. Does the engine find what is there? Single tasks of the same units are
//! recounted by the [auditor](crate::auditor), which shares no code with it, and compared with what the engine has just
//! found for each. An error in all tasks, or in a share of them, shows in a few; an error in one unit of thousands
//! shows only if that unit is drawn, which the findings put in numbers.
//!
//! Which units are drawn must not be known to whoever could forge a ledger, so the seed is a random one unless it is
//! given. A seed puts all finished units in an order, and an audit takes the first of them, as many as it is told to or
//! has time for. So each audit with a seed of its own adds to what the earlier ones have shown: if one misses an error
//! with chance q, then k of them miss it with chance q^k.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::auditor::{self, Audited};
use crate::count::{CountError, thread_pool};
use crate::engine::lanes::{Isa, IsaError, Lanes};
use crate::engine::{Choice, Engine, Method, MethodError};
use crate::ledger::{Fingerprint, Ledger, LedgerError, Subject};
use crate::placement::Placement;
use crate::plan::prefixes::{Columns, PrefixPlan};
use crate::plan::{Plan, Weighted};
use crate::profile::Profile;
use crate::run::dispatch::{Job, dispatch};
use crate::run::gate;
use crate::tally::{Overflow, Tally};
use crate::turn::TurnBoard;
use crate::unchanged::{self, Cover, Cut, CutPlan, TurnCount, TurnJob};

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
    /// How many units are drawn at the most.
    pub units: usize,
    /// After this time no unit is begun but the first [`Audit::LEAST`]; those that were begun are finished.
    pub begin_within: Option<Duration>,
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
    /// The engine that recounted the units.
    pub engine: String,
    /// On which instruction set.
    pub isa: Isa,
    /// On how many threads.
    pub threads: usize,
    /// Wall time in seconds.
    pub seconds: f64,
    /// Finished units of the ledger.
    pub finished: usize,
    /// Units of which it has the first tasks.
    pub parts: usize,
    /// The solutions in the tallies of both.
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
    /// Its name for people; where only its first tasks are in the ledger, which alone were recounted, this says so.
    pub name: String,
    /// What the ledger says.
    pub tally: Tally,
    /// What the engine finds.
    pub recounted: Tally,
    /// The tasks that the auditor has counted.
    pub tasks: Vec<AuditedTask>,
}

/// A task that was counted by its definition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditedTask {
    /// Its place in the unit, from 0.
    pub index: u64,
    /// How many symmetric tasks it stands for.
    pub weight: u64,
    /// What the engine finds, taken once.
    pub engine: Tally,
    /// What the auditor finds, taken once.
    pub auditor: Tally,
}

/// Asked now and then whether to stop.
type Stopped<'a> = &'a (dyn Fn() -> bool + Sync);

impl<'a> Audit<'a> {
    /// Units that are begun however long they take, unless fewer are asked for.
    pub const LEAST: usize = 16;

    /// As many units as begin within a minute, [`Audit::LEAST`] at least, and a task of each, by a random seed.
    pub fn of(ledger: &'a Ledger) -> Self {
        // A number that people can type, and that every reader of JSON holds exactly.
        let seed = fastrand::u32(..).into();
        let begin_within = Some(Duration::from_mins(1));
        Self { ledger, units: usize::MAX, begin_within, tasks: 1, seed, threads: 0, isa: None }
    }

    /// Recounts. What is not finished when `stopped` says so, which is asked now and then, is left out of the findings.
    ///
    /// # Errors
    /// Where this program cannot recount such a ledger, the engine fails its self-check, or no threads can be had.
    /// A difference is no error but a finding.
    pub fn run(&self, stopped: Stopped) -> Result<Findings, CountError> {
        let Fingerprint { subject, engine, .. } = self.ledger.fingerprint();
        match subject {
            Subject::Unchanged(board) => self.turn(*board, stopped),
            Subject::Completions(prefix) => match Profile::of(self.ledger.fingerprint()) {
                Some(profile) => self.profile(&profile, stopped),
                None => self.count(engine, prefix, stopped),
            },
        }
    }

    /// Recounts by an engine of your own, as [`Count::run_by`](crate::Count::run_by) counts: for ledgers of the plan that
    /// cuts a board by its first columns, whatever engine they name.
    ///
    /// # Errors
    /// As for [`Audit::run`].
    pub fn run_by<E: Engine<Task = Placement>>(&self, engine: &E, stopped: Stopped) -> Result<Findings, CountError> {
        let Fingerprint { subject, engine: name, .. } = self.ledger.fingerprint();
        let Subject::Completions(prefix) = subject else {
            let (found, wanted) = ("what a turn leaves unchanged".to_owned(), "all solutions".to_owned());
            return Err(LedgerError::Foreign { what: "a count of", found, wanted }.into());
        };
        let recount = self.recount(name, Isa::Portable, stopped)?;
        for &board in gate::boards(prefix.size()) {
            gate::check(board, &PrefixPlan::new(&Placement::empty(board.size()), Columns::Two), engine)?;
        }
        recount.of(&PrefixPlan::new(prefix, Columns::Two), engine, by_definition)
    }

    fn count(&self, engine: &str, prefix: &Placement, stopped: Stopped) -> Result<Findings, CountError> {
        let engine = engine.parse::<Choice>().map_err(|_| CountError::UnknownEngine(engine.to_owned()))?;
        let method = Method::choose(engine, self.isa, prefix)?;
        let recount = self.recount(method.engine.info().name, method.isa, stopped)?;
        for &board in gate::boards(prefix.size()) {
            dispatch(method, &Placement::empty(board.size()), Columns::Two, Gate(board))?;
        }
        dispatch(method, prefix, Columns::Two, recount)
    }

    fn profile(&self, profile: &Profile, stopped: Stopped) -> Result<Findings, CountError> {
        let (engine, isa) = profile.isa(self.isa).checked_engine(Columns::Two)?;
        let plan = PrefixPlan::new(&Placement::empty(profile.size()), Columns::Two);
        self.recount(Profile::ENGINE, isa, stopped)?.of(&plan, &engine, auditor::levels)
    }

    fn turn(&self, board: TurnBoard, stopped: Stopped) -> Result<Findings, CountError> {
        let isa = self.isa.unwrap_or_else(Isa::best);
        if !isa.is_available() {
            return Err(MethodError::Isa(IsaError::Missing(isa)).into());
        }
        let recount = self.recount(TurnCount::ENGINE, isa, stopped)?;
        unchanged::check(board.turn(), isa)?;
        unchanged::dispatch(board, isa, Turned { board, recount })
    }

    fn recount<'r>(&'r self, engine: &'r str, isa: Isa, stopped: Stopped<'r>) -> Result<Recount<'r>, CountError> {
        let start = Instant::now();
        Ok(Recount { audit: self, engine, isa, pool: thread_pool(self.threads)?, start, stopped })
    }

    /// What the ledger has in the order in which it is taken: finished units, and of others the first tasks, so many.
    fn order(&self) -> Vec<(usize, Option<u64>, Tally)> {
        let finished = self.ledger.tallies().map(|(unit, tally)| (unit, None, tally));
        let parts = self.ledger.partials().map(|(unit, part)| (unit, Some(part.tasks), part.tally.clone()));
        let mut units: Vec<_> = finished.chain(parts).collect();
        fastrand::Rng::with_seed(self.seed).shuffle(&mut units);
        units.truncate(self.units);
        units
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

/// An audit with all that it needs besides a plan, an engine and an auditor.
struct Recount<'a> {
    audit: &'a Audit<'a>,
    engine: &'a str,
    isa: Isa,
    pool: rayon::ThreadPool,
    start: Instant,
    stopped: Stopped<'a>,
}

impl Job for Recount<'_> {
    type Output = Result<Findings, CountError>;

    fn run<P, E, S>(self, plan: &P, engine: &E, _second: &S) -> Self::Output
    where
        P: Plan<Task: Audited>,
        E: Engine<Task = P::Task>,
        S: Engine<Task = P::Task>,
    {
        self.of(plan, engine, by_definition)
    }
}

/// An audit of what a turn leaves unchanged.
struct Turned<'a> {
    board: TurnBoard,
    recount: Recount<'a>,
}

impl TurnJob for Turned<'_> {
    type Output = Result<Findings, CountError>;

    fn run<L: Lanes>(self, engine: &Cover<L>, _second: &unchanged::Search) -> Self::Output {
        self.recount.of_turn(self.board, engine.plan(), engine)
    }
}

/// The auditor's tally of a task, taken once.
fn by_definition(task: &impl Audited, stopped: &dyn Fn() -> bool) -> Option<Tally> {
    auditor::count(task, stopped).map(|count| u128::from(count).into())
}

impl Recount<'_> {
    /// The same for a count of what a turn leaves unchanged.
    fn of_turn<E: Engine<Task = Cut>>(
        self,
        board: TurnBoard,
        plan: &CutPlan,
        engine: &E,
    ) -> Result<Findings, CountError> {
        let auditor = |task: &Cut, stopped: &dyn Fn() -> bool| {
            auditor::turns::count(board, plan, task, stopped).map(|count| u128::from(count).into())
        };
        self.of(plan, engine, auditor)
    }

    /// Recounts units of this plan by this engine, and tasks of them by this auditor. Whatever is audited comes here.
    fn of<P, E, A>(self, plan: &P, engine: &E, auditor: A) -> Result<Findings, CountError>
    where
        P: Plan,
        E: Engine<Task = P::Task>,
        A: Fn(&P::Task, &dyn Fn() -> bool) -> Option<Tally> + Sync,
    {
        let Audit { ledger, begin_within, .. } = *self.audit;
        ledger.fingerprint().check(&Fingerprint::new(ledger.fingerprint().subject, self.engine, plan))?;
        ledger.check_partials(plan)?;
        let order = self.audit.order();
        let (next, recounted) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let late = || begin_within.is_some_and(|time| self.start.elapsed() >= time);
        // Every thread takes the next unit of the order when it has finished one.
        let work = || -> Result<(), Overflow> {
            let mut worker = engine.worker();
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(part) = order.get(place) else { return Ok(()) };
                if place >= Audit::LEAST && late() {
                    return Ok(());
                }
                let Some(found) = self.unit(plan, engine, &mut worker, &auditor, part)? else { return Ok(()) };
                recounted.lock().expect("no thread panics with it").push(found);
            }
        };
        self.pool.broadcast(|_| work()).into_iter().collect::<Result<(), Overflow>>()?;
        let mut units = recounted.into_inner().expect("no thread panics with it");
        units.sort_unstable_by_key(|unit| unit.unit);
        Ok(Findings {
            engine: self.engine.to_owned(),
            isa: self.isa,
            threads: self.pool.current_num_threads(),
            seconds: self.start.elapsed().as_secs_f64(),
            finished: ledger.finished(),
            parts: ledger.partials().count(),
            total: ledger.partials().try_fold(ledger.total()?, |sum, (_, part)| sum.join(&part.tally))?.get(),
            units,
        })
    }

    /// One unit, or its first tasks; none where it was stopped before the end.
    fn unit<P, E, A>(
        &self,
        plan: &P,
        engine: &E,
        worker: &mut E::Worker,
        auditor: &A,
        &(unit, part, ref tally): &(usize, Option<u64>, Tally),
    ) -> Result<Option<Recounted>, Overflow>
    where
        P: Plan,
        E: Engine<Task = P::Task>,
        A: Fn(&P::Task, &dyn Fn() -> bool) -> Option<Tally>,
    {
        let (mut sum, mut found) = (Tally::default(), Vec::new());
        let tasks = part.unwrap_or_else(|| plan.tasks(unit));
        for Weighted { task, weight } in plan.unit(unit).take(tasks as usize) {
            if (self.stopped)() {
                return Ok(None);
            }
            let mut once = Tally::default();
            engine.add_to(&mut once, worker, &Weighted { task, weight: 1 })?;
            add_times(&mut sum, &once, weight)?;
            found.push(once);
        }
        let mut random = fastrand::Rng::with_seed(self.audit.seed ^ (unit as u64 + 1) << 32);
        let number = self.audit.tasks.min(found.len() as u64) as usize;
        let chosen = random.choose_multiple(0..found.len(), number);
        let audited = chosen.into_iter().map_while(|place| {
            let (index, engine) = (place as u64, found[place].clone());
            let Weighted { task, weight } = plan.task(unit, index);
            Some(AuditedTask { index, weight, engine, auditor: auditor(&task, &self.stopped)? })
        });
        let tasks = audited.collect();
        let name = part.map_or_else(|| plan.name(unit), |part| format!("{}, its first {part} tasks,", plan.name(unit)));
        Ok(Some(Recounted { unit, name, tally: tally.clone(), recounted: sum, tasks }))
    }
}

/// Adds what a task counts, taken so many times.
fn add_times(sum: &mut Tally, once: &Tally, weight: u64) -> Result<(), Overflow> {
    let small = |count: u128| u64::try_from(count).map_err(|_| Overflow);
    for (queens, &count) in once.fewer().iter().enumerate() {
        sum.add_fewer(queens, small(count)?, weight)?;
    }
    sum.add(small(once.get())?, weight)
}

impl AuditedTask {
    /// Whether the engine and the auditor find the same.
    pub fn agrees(&self) -> bool {
        self.engine == self.auditor
    }
}

impl Recounted {
    /// Whether the ledger has what the engine finds.
    pub fn is_confirmed(&self) -> bool {
        self.tally == self.recounted
    }

    /// Whether all agrees.
    pub fn agrees(&self) -> bool {
        self.is_confirmed() && self.tasks.iter().all(AuditedTask::agrees)
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
        self.units.iter().filter(|unit| unit.is_confirmed()).map(|unit| unit.tally.get()).sum()
    }

    /// Solutions of the ledger that the auditor has found too, in tasks of units whose tallies the engine confirms.
    pub fn audited(&self) -> u128 {
        let confirmed = self.units.iter().filter(|unit| unit.agrees()).flat_map(|unit| &unit.tasks);
        confirmed.map(|task| task.auditor.get() * u128::from(task.weight)).sum()
    }

    /// How likely such an audit draws at least one of so many units with a wrong tally, and so finds it.
    ///
    /// Of U units, finished ones and those of which there is a part, u were drawn, each set of u as likely as any other. With w wrong ones the drawn are all right
    /// with the chance C(U - w, u) / C(U, u), which is the product of (U - w - i) / (U - i) over i = 0 to u - 1.
    pub fn chance_to_find(&self, wrong: usize) -> f64 {
        let all_right = (0..self.units.len()).map(|drawn| {
            let left = self.finished + self.parts - drawn;
            left.saturating_sub(wrong) as f64 / left as f64
        });
        1.0 - all_right.product::<f64>()
    }

    /// So many of the units, rounded up.
    pub fn share_of_units(&self, share: f64) -> usize {
        (share * (self.finished + self.parts) as f64).ceil() as usize
    }
}

#[cfg(test)]
mod tests;
