//! A request: what to count and by which engine, and the calls that count, resume, estimate and audit it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::audit::{self, AuditOptions, Findings};
use crate::board::{Placement, RotationalBoard, Size};
use crate::engine::lanes::Isa;
use crate::engine::{Engine, EngineKind, Method, MethodError};
use crate::estimate::{self, EstimateState, Prediction, Sampling};
use crate::ledger::shard::Shard;
use crate::ledger::{Fingerprint, Ledger, LedgerError};
use crate::run::counting::{By, Counting};
use crate::run::state::RunState;
use crate::run::{self, CountError, SelfCheckError, Share, Stop, self_check, threads};
use crate::subject::Subject;
use crate::watch::Watch;

/// A count to make: its subject, engine, instruction set and number of threads.
///
/// ```
/// use queens::{EngineKind, Placement, Request, Rotation, RotationalBoard, Size};
/// let eight = Size::new(8)?;
/// assert_eq!(Request::solutions(eight).count()?.count, 92);
/// let oracle = Request::solutions(eight).engine(EngineKind::Naive).threads(2).count()?;
/// assert_eq!((oracle.count, oracle.engine, oracle.threads), (92, "naive", 2));
/// assert_eq!(Request::completions(Placement::parse("158", eight)?).count()?.count, 1);
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

    /// The solutions that begin with the queens of `prefix`.
    pub fn completions(prefix: Placement) -> Self {
        Self::new(prefix)
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

    /// The fingerprint of the units that [`Request::resume`] enters in a ledger.
    pub fn fingerprint(&self) -> Result<Fingerprint, MethodError> {
        Ok(self.cut(&self.method()?.into()).1)
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
        self.start()?.wait()
    }

    /// Begins a count that other threads can watch, stop and save.
    ///
    /// ```
    #[doc = include_str!("../../examples/progress.rs")]
    /// ```
    ///
    /// # Errors
    /// As for [`Request::method`].
    pub fn start(&self) -> Result<Run<'static>, CountError> {
        Ok(self.run(self.method()?.into(), None, &Stop::default())?)
    }

    /// Begins a count of the units that this ledger lacks. The report has the sum of the whole ledger.
    ///
    /// The units do not depend on the number of threads, so any machine can continue with the ledger.
    ///
    /// ```
    #[doc = include_str!("../../examples/shards.rs")]
    /// ```
    ///
    /// # Errors
    /// As for [`Request::method`], and if the ledger belongs to another count.
    pub fn resume(&self, ledger: Ledger) -> Result<Run<'static>, CountError> {
        Ok(self.run(self.method()?.into(), Some(ledger), &Stop::default())?)
    }

    /// Counts, unless it is stopped before the end.
    pub(crate) fn count_until(&self, stop: &Stop) -> Result<Report, CountError> {
        self.run(self.method()?.into(), None, stop)?.wait()
    }

    /// Counts by an engine of your own. It must pass the same self-check as the built-in engines.
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
    /// assert_eq!(Request::solutions(Size::new(9)?).count_by(&Plain)?.count, 352);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Request::count`], and if the subject is the solutions that a turn leaves unchanged: their tasks are of
    /// another kind.
    pub fn count_by<E: Engine<Task = Placement>>(&self, engine: &E) -> Result<Report, CountError> {
        self.run(self.own(engine)?, None, &Stop::default())?.wait()
    }

    /// Does what each count does before it begins: small boards are counted and the kernels checked, by the engine that will
    /// count and by that of double checks, if any are asked for. For whoever writes files before the count.
    ///
    /// # Errors
    /// If the engine cannot count this subject or fails its self-check.
    pub fn self_check(&self) -> Result<(), CountError> {
        Ok(self.check(&self.method()?.into())?)
    }

    fn check(&self, by: &By<'_>) -> Result<(), SelfCheckError> {
        self_check::check(by, &self.subject, self.double_check != Share::NONE)
    }

    /// Predicts the count and its time on this machine from random samples.
    ///
    /// ```
    #[doc = include_str!("../../examples/estimate.rs")]
    /// ```
    ///
    /// # Errors
    /// If the engine cannot count this subject or the threads cannot be started.
    pub fn estimate(&self, sampling: &Sampling) -> Result<Prediction, CountError> {
        self.estimate_with(sampling, &EstimateState::default())
    }

    /// The same, with the samples in a new `state` that can be asked what they say so far, and can stop the drawing.
    ///
    /// # Errors
    /// As for [`Request::estimate`], and if the state is that of another estimate.
    pub fn estimate_with(&self, sampling: &Sampling, state: &EstimateState) -> Result<Prediction, CountError> {
        estimate::predict(&self.subject, self.method()?, self.threads, sampling, state)
    }

    /// Recounts random units of a ledger by the engine, and random tasks of these units by the [auditor](crate::auditor). If it
    /// is stopped, it finds what it has recounted by then.
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
        self.audit_as(&self.method()?.into(), ledger, options, watch)
    }

    /// Audits by an engine of your own, as for [`Request::count_by`]. The ledger may be of any engine with the same
    /// plan.
    ///
    /// # Errors
    /// As for [`Request::audit`] and [`Request::count_by`].
    pub fn audit_by<E: Engine<Task = Placement>>(
        &self,
        engine: &E,
        ledger: &Ledger,
        options: &AuditOptions,
        watch: &Watch<Findings>,
    ) -> Result<Findings, CountError> {
        self.audit_as(&self.own(engine)?, ledger, options, watch)
    }

    fn audit_as(
        &self,
        by: &By<'_>,
        ledger: &Ledger,
        options: &AuditOptions,
        watch: &Watch<Findings>,
    ) -> Result<Findings, CountError> {
        let (counting, mut wanted) = self.cut(by);
        if by.method.is_none() {
            wanted.engine.clone_from(&ledger.fingerprint().engine);
        }
        ledger.fingerprint().check(&wanted)?;
        audit::audit(by, &*counting, ledger, options, self.threads, watch)
    }

    /// The count, and the fingerprint of its ledgers.
    fn cut<'a>(&self, by: &By<'a>) -> (Box<dyn Counting + 'a>, Fingerprint) {
        let counting = by.counting(&self.subject);
        let fingerprint = by.fingerprint(&self.subject, &*counting.plan());
        (counting, fingerprint)
    }

    fn own<'a, E: Engine<Task = Placement>>(&self, engine: &'a E) -> Result<By<'a>, MethodError> {
        match self.subject {
            Subject::Completions(_) => Ok(By::own(engine)),
            Subject::Rotational(_) => Err(MethodError::NotForTurns),
        }
    }

    /// From this ledger, or from the beginning, until this flag stops it.
    fn run<'a>(&self, by: By<'a>, ledger: Option<Ledger>, stop: &Stop) -> Result<Run<'a>, LedgerError> {
        let (counting, wanted) = self.cut(&by);
        let ledger = match ledger {
            Some(ledger) => ledger.fingerprint().check(&wanted).map(|()| ledger)?,
            None => Ledger::new(wanted, Shard::WHOLE),
        };
        let state = Arc::new(RunState::new(ledger, counting.plan(), stop.clone()));
        Ok(Run { request: *self, by, counting, state })
    }
}

/// A count that was begun, by [`Request::start`] or [`Request::resume`]. It counts where it is waited for.
pub struct Run<'a> {
    request: Request,
    by: By<'a>,
    counting: Box<dyn Counting + 'a>,
    state: Arc<RunState>,
}

impl Run<'_> {
    /// Its progress, its ledger, and the flag that stops it: for any thread.
    pub fn state(&self) -> Arc<RunState> {
        Arc::clone(&self.state)
    }

    /// Counts, on the threads of the request. If it is stopped, that is an error too: the ledger of its [state](Run::state)
    /// then has what is finished, from which [`Request::resume`] goes on.
    ///
    /// # Errors
    /// As for [`Request::count`], and if the ledger does not fit the count.
    pub fn wait(self) -> Result<Report, CountError> {
        let Self { request: Request { subject, threads, double_check, .. }, by, counting, state } = &self;
        let pool = threads::pool(*threads)?;
        self.request.check(by)?;
        let start = Instant::now();
        let (tally, checked) = run::count(&**counting, &pool, *double_check, state)?;
        Ok(Report {
            subject: *subject,
            count: tally.get(),
            engine: by.name,
            isa: by.isa,
            threads: pool.current_num_threads(),
            elapsed: start.elapsed(),
            double_checked: checked.units,
            double_checked_tasks: checked.tasks,
        })
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
