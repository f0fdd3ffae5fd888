//! A request: what to count and by which engine; and a run, which counts it.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::audit::{self, AuditOptions, Findings};
use crate::board::{FixedQueens, Placement, RotationalBoard, Size};
use crate::engine::lanes::Isa;
use crate::engine::{Engine, EngineKind, Method, MethodError};
use crate::estimate::{self, Prediction, Sampling};
use crate::ledger::shard::Shard;
use crate::ledger::{Fingerprint, Ledger, LedgerError};
use crate::run::counting::{Counter, Counting};
use crate::run::state::RunState;
use crate::run::{self, CountError, SelfCheckError, Share, self_check, threads};
use crate::subject::Subject;
use crate::watch::{Stop, Watch};

/// A count to make: its subject, engine, instruction set and number of threads.
///
/// ```
/// use queens::{EngineKind, FixedQueens, Placement, Request, Rotation, RotationalBoard, Size, Square};
/// let eight = Size::new(8)?;
/// assert_eq!(Request::solutions(eight).count()?.count, 92);
/// let oracle = Request::solutions(eight).engine(EngineKind::Naive).threads(2).count()?;
/// assert_eq!((oracle.count, oracle.engine, oracle.threads), (92, "naive", 2));
/// assert_eq!(Request::completions(Placement::parse("158", eight)?).count()?.count, 1);
/// let queen = FixedQueens::from(Placement::empty(eight)).with(Square::parse("d4", eight)?)?;
/// assert_eq!(Request::completions(queen).count()?.count, 8);
/// let quarter = RotationalBoard::new(Rotation::Quarter, 36)?;
/// assert_eq!(Request::rotational(quarter).count()?.count, 5_845_504);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Request {
    subject: Subject,
    engine: Option<EngineKind>,
    isa: Option<Isa>,
    threads: usize,
    double_check: Share,
}

/// The result of a count.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// What was counted.
    pub subject: Subject,
    /// The number of solutions.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::tally::as_text"))]
    pub count: u128,
    /// The engine, by its name in ledgers.
    pub engine: &'static str,
    /// The instruction set.
    pub isa: Isa,
    /// The number of threads.
    pub threads: usize,
    /// Wall time. It includes the self-check and the plan, but not starting the threads.
    pub elapsed: Duration,
    /// How many units were counted a second time as a whole, see [`Request::double_check`].
    pub double_checked: usize,
    /// How many tasks were counted a second time; these units have some of them.
    pub double_checked_tasks: u64,
}

impl Request {
    fn new(subject: impl Into<Subject>) -> Self {
        Self { subject: subject.into(), engine: None, isa: None, threads: 0, double_check: Share::NONE }
    }

    /// All solutions on a board of this size.
    pub fn solutions(size: Size) -> Self {
        Self::new(size)
    }

    /// The solutions that have these queens: a [`Placement`] with which they begin, or [`FixedQueens`] on any squares.
    pub fn completions(fixed: impl Into<FixedQueens>) -> Self {
        Self::new(fixed.into())
    }

    /// The solutions that a turn leaves unchanged.
    pub fn rotational(board: RotationalBoard) -> Self {
        Self::new(board)
    }

    /// Uses this engine instead of the fastest.
    #[must_use]
    pub fn engine(self, engine: impl Into<Option<EngineKind>>) -> Self {
        Self { engine: engine.into(), ..self }
    }

    /// Uses this instruction set instead of the best that the processor has.
    #[must_use]
    pub fn isa(self, isa: impl Into<Option<Isa>>) -> Self {
        Self { isa: isa.into(), ..self }
    }

    /// Uses this many threads; with 0, as without it, one for every core that the process may use.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Counts a random share of the tasks a second time by another engine, right after the first time. Up to N = 22 the
    /// tasks of a unit, or most of them, are drawn together. If the run resumes a ledger, a share of the units and parts
    /// of units there is recounted before, rounded down to whole ones. The first difference ends the run.
    #[must_use]
    pub fn double_check(self, share: Share) -> Self {
        Self { double_check: share, ..self }
    }

    /// The subject to count.
    pub fn subject(&self) -> Subject {
        self.subject
    }

    /// The engine and the instruction set that will count.
    ///
    /// # Errors
    /// If the engine, the instruction set, the processor and the subject do not go together.
    pub fn method(&self) -> Result<Method, MethodError> {
        Method::choose(self.engine, self.isa, self.subject)
    }

    /// Counts.
    ///
    /// The time grows about tenfold with each further N. Backtracking takes less than a
    /// megabyte of memory for each thread. The join keeps up to 140 MB of tables for N ≤ 20; each thread takes at most
    /// 60 MB at N = 22, 150 at 24 and 450 at 28.
    ///
    /// Counting the solutions that a turn leaves unchanged takes, on one Zen 4 core with AVX-512: for half turns, half
    /// a second at N = 26 and ten minutes at N = 32; for quarter turns, a third of a second at N = 45 and five hours at
    /// N = 68.
    ///
    /// # Errors
    /// If the engine cannot count this subject or fails its self-check, the count does not fit in 128 bits, a double
    /// check fails, or the threads cannot be started.
    pub fn count(&self) -> Result<Report, CountError> {
        self.prepare()?.count()
    }

    /// Makes the plan and the engines of a count that other threads can watch, stop and save.
    ///
    /// ```
    #[doc = include_str!("../../examples/progress.rs")]
    /// ```
    ///
    /// # Errors
    /// As for [`Request::method`].
    pub fn prepare(&self) -> Result<Run<'static>, MethodError> {
        self.prepare_until(&Stop::default())
    }

    /// The same, of a count that ends when this flag is raised.
    pub(crate) fn prepare_until(&self, stop: &Stop) -> Result<Run<'static>, MethodError> {
        Ok(Run::new(*self, Counter::new(self.method()?), stop))
    }

    /// The same by an engine of your own. It must pass the same self-check as the built-in engines.
    ///
    /// ```
    /// use queens::engine::Engine;
    /// use queens::{Placement, Request, Size};
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
    /// assert_eq!(Request::solutions(Size::new(9)?).prepare_by(&Plain)?.count()?.count, 352);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the subject is the completions of queens that do not fill the first columns, or the solutions that a turn leaves
    /// unchanged: their tasks are of another kind.
    pub fn prepare_by<'a, E: Engine<Task = Placement>>(&self, engine: &'a E) -> Result<Run<'a>, MethodError> {
        match self.subject {
            Subject::Completions(fixed) if fixed.as_placement().is_some() => {
                Ok(Run::new(*self, Counter::own(engine), &Stop::default()))
            }
            _ => Err(MethodError::OnlyPlacements),
        }
    }

    /// The fingerprint of the units that its [runs](Run) enter in a ledger.
    ///
    /// # Errors
    /// As for [`Request::method`].
    pub fn fingerprint(&self) -> Result<Fingerprint, MethodError> {
        Ok(self.prepare()?.fingerprint())
    }

    /// Predicts the count and its time on this machine from random samples. If it is stopped, the prediction is that of the
    /// samples drawn by then.
    ///
    /// ```
    #[doc = include_str!("../../examples/estimate.rs")]
    /// ```
    ///
    /// # Errors
    /// If the engine cannot count this subject or fails its self-check, or the threads cannot be started.
    pub fn estimate(&self, sampling: &Sampling, watch: &Watch<Prediction>) -> Result<Prediction, CountError> {
        estimate::predict(&self.subject, self.method()?, self.threads, sampling, watch)
    }
}

/// A count with its plan and its engines, made by [`Request::prepare`]. Other threads can watch it and take its ledger while it
/// goes on.
#[must_use = "nothing is counted until it is told to count"]
pub struct Run<'a> {
    request: Request,
    counter: Counter<'a>,
    counting: Box<dyn Counting + 'a>,
    watch: Watch<Ledger>,
    state: Arc<RunState>,
}

impl<'a> Run<'a> {
    fn new(request: Request, counter: Counter<'a>, stop: &Stop) -> Self {
        let counting = counter.counting(&request.subject);
        let plan = counting.plan();
        let ledger = Ledger::new(counter.fingerprint(&request.subject, &*plan), Shard::WHOLE);
        let state = Arc::new(RunState::new(ledger, plan, stop.clone()));
        Self { request, counter, counting, watch: Watch::of(stop, Arc::clone(&state) as _), state }
    }

    /// What it was made from. An engine of your own is not in it.
    pub fn request(&self) -> Request {
        self.request
    }

    /// The fingerprint of its ledgers.
    pub fn fingerprint(&self) -> Fingerprint {
        self.counter.fingerprint(&self.request.subject, &*self.counting.plan())
    }

    /// Lets it count only the units that this ledger lacks. The report has the sum of the whole ledger.
    ///
    /// The units do not depend on the number of threads, so any machine can continue with the ledger.
    ///
    /// ```
    #[doc = include_str!("../../examples/shards.rs")]
    /// ```
    ///
    /// # Errors
    /// If the ledger belongs to another count.
    pub fn resume(mut self, ledger: Ledger) -> Result<Self, LedgerError> {
        ledger.fingerprint().check(&self.fingerprint())?;
        self.state = Arc::new(RunState::new(ledger, self.counting.plan(), self.watch.flag().clone()));
        self.watch.begin(Arc::clone(&self.state) as _);
        Ok(self)
    }

    /// Watches and stops it, from any thread.
    pub fn watch(&self) -> Watch<Ledger> {
        self.watch.clone()
    }

    /// The ledger at this moment: what is finished, also of the units in hand.
    pub fn ledger(&self) -> Ledger {
        self.state.ledger()
    }

    /// Does what each count does before it begins: small boards are counted and the kernels checked, by the engine that will
    /// count and by that of double checks, if any are asked for. For whoever writes files before the count.
    ///
    /// # Errors
    /// If an engine fails.
    pub fn self_check(&self) -> Result<(), SelfCheckError> {
        self_check::check(&self.counter, &self.request.subject, self.request.double_check != Share::NONE)
    }

    /// Counts, on the threads of the request. If it is stopped, that is an error too: its [ledger](Run::ledger) then has what is
    /// finished, from which another run goes on.
    ///
    /// # Errors
    /// As for [`Request::count`], if the ledger does not fit the plan, and if it has counted before.
    pub fn count(&self) -> Result<Report, CountError> {
        let Request { subject, threads, double_check, .. } = self.request;
        self.state.begin()?;
        let pool = threads::pool(threads)?;
        self.self_check()?;
        let start = Instant::now();
        let (tally, checked) = run::count(&*self.counting, &pool, double_check, &self.state)?;
        Ok(Report {
            subject,
            count: tally.get(),
            engine: self.counter.name,
            isa: self.counter.isa(),
            threads: pool.current_num_threads(),
            elapsed: start.elapsed(),
            double_checked: checked.units,
            double_checked_tasks: checked.tasks,
        })
    }

    /// Recounts random units of a ledger by the engine, and random tasks of these units by the [auditor](crate::auditor). If it
    /// is stopped, it finds what it has recounted by then.
    ///
    /// An engine of your own audits the ledger of any engine with the same plan.
    ///
    /// ```
    #[doc = include_str!("../../examples/audit.rs")]
    /// ```
    ///
    /// # Errors
    /// If the ledger is for something else, the engine fails its self-check, or the threads cannot be started. A
    /// difference is not an error but a finding.
    pub fn audit(
        &self,
        ledger: &Ledger,
        options: &AuditOptions,
        watch: &Watch<Findings>,
    ) -> Result<Findings, CountError> {
        let mut wanted = self.fingerprint();
        if self.counter.method.is_none() {
            wanted.engine.clone_from(&ledger.fingerprint().engine);
        }
        ledger.fingerprint().check(&wanted)?;
        audit::audit(&self.counter, &*self.counting, ledger, options, self.request.threads, watch)
    }
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("request", &self.request).field("watch", &self.watch).finish_non_exhaustive()
    }
}

/// The request of a ledger: its subject, by the engine that it names. This does not check that the plan of the ledger
/// is the plan of this request; [`Fingerprint::check`] with [`Request::fingerprint`] does.
impl TryFrom<&Fingerprint> for Request {
    type Error = MethodError;

    fn try_from(found: &Fingerprint) -> Result<Self, MethodError> {
        let request = Self::new(found.subject);
        let request = match found.subject {
            Subject::Completions(_) => request.engine(found.engine.parse::<EngineKind>()?),
            // There is only one engine for these, whatever the ledger says.
            Subject::Rotational(_) => request,
        };
        request.method().map(|_| request)
    }
}

/// The number of solutions of the N-queens problem (OEIS A000170), counted by the fastest engine on every core.
///
/// ```
/// assert_eq!(queens::count(10)?, 724);
/// assert!(queens::count(33).is_err());
/// # Ok::<(), queens::CountError>(())
/// ```
///
/// # Errors
/// If `n` is more than 32, or as for [`Request::count`].
pub fn count(n: usize) -> Result<u128, CountError> {
    Ok(Request::solutions(Size::new(n)?).count()?.count)
}

#[cfg(test)]
mod tests;
