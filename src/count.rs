//! Counting, in one call: choose the engine, pass the gate, run the plan, say how long it took.

use std::time::Instant;

use crate::board::{Size, SizeError};
use crate::engine::lanes::Isa;
use crate::engine::naive::Naive;
use crate::engine::{Choice, Engine, Method, MethodError};
use crate::ledger::{Fingerprint, LedgerError, Subject};
use crate::placement::Placement;
use crate::plan::Plan;
use crate::plan::prefixes::{Columns, PrefixPlan};
use crate::run::dispatch::{Job, dispatch};
use crate::run::gate::{self, Board, GateError};
use crate::run::progress::Watch;
use crate::run::recheck::{Recheck, Reread};
use crate::run::{Halt, run};
use crate::tally::{Overflow, Tally};

/// A count to be made: of what, by which engine, on how many threads.
///
/// ```
/// use queens::{Choice, Count, EngineKind, Placement, Size};
/// let eight = Size::new(8)?;
/// assert_eq!(Count::new(eight).run()?.count, 92);
/// let oracle = Count::new(eight).engine(Choice::Engine(EngineKind::Naive)).threads(2).run()?;
/// assert_eq!((oracle.count, oracle.threads), (92, 2));
/// assert_eq!(Count::completions(Placement::parse("158", eight)?).run()?.count, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Count {
    prefix: Placement,
    engine: Choice,
    isa: Option<Isa>,
    threads: usize,
    double_check: f64,
}

/// Why a count was not made. None of these leaves a wrong number behind.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CountError {
    /// No board has this size.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The engine can't count this, or not on this processor.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// The engine failed on a small board.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// The run ended early: it was stopped, its sum is too large, or a double check failed.
    #[error(transparent)]
    Halt(#[from] Halt),
    /// The ledger to go on from, or to audit, belongs to something else.
    #[error("this ledger is of no use here: {0}")]
    Ledger(#[from] LedgerError),
    /// The ledger was made by another engine than there are.
    #[error("this program has no engine '{0}'")]
    UnknownEngine(String),
    /// The threads could not be started.
    #[error("the threads could not be started: {0}")]
    Threads(String),
}

impl From<rayon::ThreadPoolBuildError> for CountError {
    fn from(error: rayon::ThreadPoolBuildError) -> Self {
        Self::Threads(error.to_string())
    }
}

impl From<Overflow> for CountError {
    fn from(overflow: Overflow) -> Self {
        Self::Halt(overflow.into())
    }
}

/// A count that was made.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Report {
    /// What was counted: the completions of this placement, which may be empty.
    pub prefix: Placement,
    /// The number of solutions.
    pub count: u128,
    /// By which engine, on which instruction set.
    pub method: Method,
    /// On how many threads.
    pub threads: usize,
    /// Wall time in seconds, gate and plan included, starting the threads not.
    pub seconds: f64,
    /// Units counted a second time by another engine, see [`Count::double_check`].
    pub double_checked: usize,
}

impl Count {
    /// All solutions on a board of this size.
    pub fn new(size: Size) -> Self {
        Self::completions(Placement::empty(size))
    }

    /// The solutions whose first queens stand as in `prefix`.
    pub fn completions(prefix: Placement) -> Self {
        Self { prefix, engine: Choice::Auto, isa: None, threads: 0, double_check: 0.0 }
    }

    /// The completions of `prefix` by the engine of this name, as a ledger has them. Whether the ledger's plan is the one
    /// that such a count has is another question: [`Fingerprint::check`] answers it with [`Count::fingerprint`].
    ///
    /// # Errors
    /// Where no engine has that name, or it cannot count this.
    pub fn of(prefix: Placement, engine: &str) -> Result<Self, MethodError> {
        let engine = engine.parse().map_err(MethodError::Unknown)?;
        let count = Self::completions(prefix).engine(engine);
        Method::choose(engine, None, &prefix).map(|_| count)
    }

    /// By this engine instead of the fastest.
    #[must_use]
    pub fn engine(self, engine: Choice) -> Self {
        Self { engine, ..self }
    }

    /// On this instruction set instead of the best that the processor has.
    #[must_use]
    pub fn isa(self, isa: impl Into<Option<Isa>>) -> Self {
        Self { isa: isa.into(), ..self }
    }

    /// On this many threads; 0, the default, is every core that the process may use.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Counts a random share of the units, 0 to 1, a second time by another engine; the first difference ends the run.
    #[must_use]
    pub fn double_check(self, share: f64) -> Self {
        Self { double_check: share, ..self }
    }

    /// What pins the units that [`Count::run_watched`] enters in a ledger.
    ///
    /// # Errors
    /// Where the engine and the prefix do not go together.
    pub fn fingerprint(&self) -> Result<Fingerprint, MethodError> {
        let method = Method::choose(self.engine, self.isa, &self.prefix)?;
        let print = Print { subject: self.prefix.into(), engine: method.engine.info().name };
        Ok(dispatch(method, &self.prefix, Columns::Two, print))
    }

    /// Counts.
    ///
    /// Time grows about tenfold for each step of N. Memory is under a megabyte a thread by backtracking; the join keeps
    /// up to 140 MB of tables for N ≤ 20 and at most 60 MB a thread at N = 22, 150 at 24 and 450 at 28.
    ///
    /// # Errors
    /// Where the engine fails its check on 8×8 (and 9×9, for odd boards), the count does not fit in 128 bits, a double check fails, or no
    /// threads can be had.
    pub fn run(&self) -> Result<Report, CountError> {
        self.counted(None)
    }

    /// Counts by an engine of your own, which passes the same gate as those that are built in.
    ///
    /// ```
    /// use queens::engine::Engine;
    /// use queens::{Count, Placement, Size};
    ///
    /// /// Tries every row of the next column.
    /// struct Plain;
    ///
    /// impl Engine for Plain {
    ///     type Task = Placement;
    ///     type Worker = ();
    ///     fn worker(&self) {}
    ///     fn count(&self, (): &mut (), task: &Placement) -> u64 {
    ///         let rows = 1..=task.size().get();
    ///         if task.is_solution() { 1 } else { rows.flat_map(|row| task.with(row)).map(|next| self.count(&mut (), &next)).sum() }
    ///     }
    /// }
    ///
    /// assert_eq!(Count::new(Size::new(9)?).run_by(&Plain)?, 352);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Count::run`].
    pub fn run_by<E: Engine<Task = Placement>>(&self, engine: &E) -> Result<u128, CountError> {
        Ok(self.counted_by(&Own(engine), None)?.tally.get())
    }

    /// Counts what the ledger of `watch` lacks, and enters it there; the report has the sum of the whole ledger.
    ///
    /// The units do not depend on the number of threads, so that any machine can go on with the ledger. Progress and
    /// ledger can be read from `watch` meanwhile, and it can stop the run.
    ///
    /// ```
    /// use queens::ledger::Ledger;
    /// use queens::run::progress::Watch;
    /// use queens::{Count, Shard, Size};
    /// let count = Count::new(Size::new(10)?);
    /// let mut whole = Ledger::new(count.fingerprint()?, Shard::WHOLE);
    /// for shard in [Shard::new(1, 2)?, Shard::new(2, 2)?] {
    ///     let watch = Watch::new(Ledger::new(count.fingerprint()?, shard));
    ///     count.run_watched(&watch)?;
    ///     whole.join(&watch.ledger())?;
    /// }
    /// assert_eq!(whole.total()?.get(), 724);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Count::run`], and where the ledger belongs to another count or the run is stopped.
    pub fn run_watched(&self, watch: &Watch) -> Result<Report, CountError> {
        self.counted(Some(watch))
    }

    fn counted(&self, watch: Option<&Watch>) -> Result<Report, CountError> {
        let method = Method::choose(self.engine, self.isa, &self.prefix)?;
        let watched =
            watch.map(|watch| Watched { watch, subject: self.prefix.into(), engine: method.engine.info().name });
        let Counted { tally, threads, seconds, double_checked } = self.counted_by(&method, watched)?;
        Ok(Report { prefix: self.prefix, count: tally.get(), method, threads, seconds, double_checked })
    }

    fn counted_by(&self, means: &impl Means, watch: Option<Watched>) -> Result<Counted, CountError> {
        let pool = thread_pool(self.threads)?;
        let threads = pool.current_num_threads();
        let columns = if watch.is_some() { Columns::Two } else { Columns::for_threads(self.prefix.size(), threads) };
        let start = Instant::now();
        for &board in gate::boards(self.prefix.size()) {
            means.run(&Placement::empty(board.size()), columns, Gate(board))?;
        }
        let sum = Sum { pool: &pool, double_check: self.double_check, watch };
        let (tally, double_checked) = means.run(&self.prefix, columns, sum)?;
        Ok(Counted { tally, threads, seconds: start.elapsed().as_secs_f64(), double_checked })
    }
}

/// What a count has come to.
struct Counted {
    tally: Tally,
    threads: usize,
    seconds: f64,
    double_checked: usize,
}

/// An engine with its plan for whatever is to be counted.
trait Means {
    fn run<J: Job>(&self, prefix: &Placement, columns: Columns, job: J) -> J::Output;
}

impl Means for Method {
    fn run<J: Job>(&self, prefix: &Placement, columns: Columns, job: J) -> J::Output {
        dispatch(*self, prefix, columns, job)
    }
}

/// An engine from outside.
struct Own<'a, E>(&'a E);

impl<E: Engine<Task = Placement>> Means for Own<'_, E> {
    fn run<J: Job>(&self, prefix: &Placement, columns: Columns, job: J) -> J::Output {
        job.run(&PrefixPlan::new(prefix, columns), self.0, &Naive)
    }
}

/// This many threads; 0 is every core that the process may use.
pub(crate) fn thread_pool(threads: usize) -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    let threads = if threads == 0 { available_threads() } else { threads };
    rayon::ThreadPoolBuilder::new().num_threads(threads).build()
}

/// The cores this process may use, by affinity and control group; 1 where the system does not say.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The number of solutions of the N-queens problem (OEIS A000170), by the fastest engine on every core.
///
/// ```
/// assert_eq!(queens::count(10)?, 724);
/// assert!(queens::count(33).is_err());
/// # Ok::<(), queens::CountError>(())
/// ```
///
/// # Errors
/// Where `n` is more than 32, and as for [`Count::run`].
pub fn count(n: usize) -> Result<u128, CountError> {
    Ok(Count::new(Size::new(n)?).run()?.count)
}

struct Gate(Board);

impl Job for Gate {
    type Output = Result<(), GateError>;

    fn run<P, E, S>(self, plan: &P, engine: &E, _second: &S) -> Self::Output
    where
        P: Plan,
        E: Engine<Task = P::Task>,
        S: Engine<Task = P::Task>,
    {
        gate::check(self.0, plan, engine)
    }
}

struct Print {
    subject: Subject,
    engine: &'static str,
}

impl Job for Print {
    type Output = Fingerprint;

    fn run<P, E, S>(self, plan: &P, _engine: &E, _second: &S) -> Fingerprint
    where
        P: Plan,
        E: Engine<Task = P::Task>,
        S: Engine<Task = P::Task>,
    {
        Fingerprint::new(self.subject, self.engine, plan)
    }
}

/// A watch, and whose its ledger has to be.
pub(crate) struct Watched<'a> {
    pub(crate) watch: &'a Watch,
    pub(crate) subject: Subject,
    pub(crate) engine: &'static str,
}

/// Sums up a plan, or what the ledger of a watch lacks of it; also tells how many units were counted twice.
pub(crate) struct Sum<'a> {
    pub(crate) pool: &'a rayon::ThreadPool,
    pub(crate) double_check: f64,
    pub(crate) watch: Option<Watched<'a>>,
}

impl Job for Sum<'_> {
    type Output = Result<(Tally, usize), CountError>;

    fn run<P, E, S>(self, plan: &P, engine: &E, second: &S) -> Self::Output
    where
        P: Plan,
        E: Engine<Task = P::Task>,
        S: Engine<Task = P::Task>,
    {
        self.of(plan, engine, second)
    }
}

impl Sum<'_> {
    /// The sum, and how many units were counted twice.
    pub(crate) fn of<P, E, S>(self, plan: &P, engine: &E, second: &S) -> Result<(Tally, usize), CountError>
    where
        P: Plan,
        E: Engine<Task = P::Task>,
        S: Engine<Task = P::Task>,
    {
        let Some(Watched { watch, subject, engine: name }) = self.watch else {
            let units: Vec<usize> = (0..plan.units()).collect();
            let recheck = Recheck::new(plan, second, &units, self.double_check, &());
            return Ok((run(plan, engine, self.pool, &units, &recheck)?, recheck.units()));
        };
        let ledger = watch.ledger();
        ledger.fingerprint().check(&Fingerprint::new(subject, name, plan))?;
        ledger.check_partials(plan)?;
        let observer = watch.start(plan, self.pool.current_num_threads());
        // What a file says of units that an earlier run finished is held to the same as what this run finds.
        let earlier = Reread::new(plan, &ledger, self.double_check, &observer);
        run(plan, second, self.pool, earlier.units(), &earlier)?;
        let units = ledger.todo();
        let recheck = Recheck::new(plan, second, &units, self.double_check, &observer);
        run(plan, engine, self.pool, &units, &recheck)?;
        Ok((watch.ledger().total()?, earlier.units().len() + recheck.units()))
    }
}

#[cfg(test)]
mod tests;
