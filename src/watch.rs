//! A handle to watch and stop long work.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::ledger::Ledger;

/// Watches and stops long work from any thread: counts, estimates, audits.
///
/// Clones watch the same work. A watch may be given to several works: it shows the one that started last, and a stop
/// ends all of them, later ones too. It does not show that work has ended; the call that does the work returns.
///
/// ```
/// use queens::{CountError, Request, Size, Watch};
/// let (watch, twelve) = (Watch::default(), Request::solutions(Size::new(12)?));
/// assert_eq!(twelve.run()?.count(&watch)?.count, 14_200);
/// assert_eq!(watch.progress().share, 1.0);
/// watch.stop();
/// assert!(matches!(twelve.run()?.count(&watch), Err(CountError::Stopped)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Watch {
    stop: Arc<AtomicBool>,
    work: Arc<Mutex<Option<Arc<dyn Watched>>>>,
}

/// The progress of work.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The number of finished steps: units, samples or cuts.
    pub done: u64,
    /// The number of all steps; 0 if unknown.
    pub total: u64,
    /// The fraction of the work done, or of its time limit used, from 0 to 1.
    pub share: f64,
    /// The time since the work began.
    pub elapsed: Duration,
    /// An estimate of the time left, once enough is done.
    pub left: Option<Duration>,
}

pub(crate) trait Watched: Debug + Send + Sync {
    fn progress(&self) -> Progress;

    /// A snapshot of the ledger of a run; other work has none.
    fn ledger(&self) -> Option<Ledger> {
        None
    }
}

impl Watch {
    /// Asks the work to end soon: every thread after its current task.
    pub fn stop(&self) {
        // Relaxed: the flag protects no other data, and a thread may finish one task more.
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether [`Self::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The progress of the watched work; all zero before any work.
    pub fn progress(&self) -> Progress {
        self.work().map_or_else(Progress::default, |work| work.progress())
    }

    /// A snapshot of the watched run's ledger, with every task finished so far; after the run it equals the
    /// [run's own](crate::Run::ledger). `None` if the watched work is not a run.
    pub fn ledger(&self) -> Option<Ledger> {
        self.work()?.ledger()
    }

    /// Watches this work from now on.
    pub(crate) fn begin<W: Watched + 'static>(&self, work: W) -> Arc<W> {
        let work = Arc::new(work);
        *lock(&self.work) = Some(Arc::clone(&work) as _);
        work
    }

    /// Watches no work until the next begins.
    pub(crate) fn clear(&self) {
        *lock(&self.work) = None;
    }

    fn work(&self) -> Option<Arc<dyn Watched>> {
        lock(&self.work).clone()
    }
}

/// Work in equal steps.
#[derive(Debug)]
pub(crate) struct Steps {
    begun: Instant,
    total: u64,
    within: Option<Duration>,
    done: AtomicU64,
}

impl Steps {
    /// Watches new work of `total` steps (0 if unknown) that is to end `within` this time, if given.
    pub(crate) fn begin(watch: &Watch, total: u64, within: Option<Duration>) -> Arc<Self> {
        watch.begin(Self { begun: Instant::now(), total, within, done: AtomicU64::new(0) })
    }

    pub(crate) fn add(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}

impl Watched for Steps {
    fn progress(&self) -> Progress {
        let (done, total, elapsed) = (self.done.load(Ordering::Relaxed), self.total, self.begun.elapsed());
        let of_steps = if total > 0 { done as f64 / total as f64 } else { 0.0 };
        let of_time = self.within.map_or(0.0, |time| elapsed.div_duration_f64(time));
        let share = of_steps.max(of_time).min(1.0);
        Progress { done, total, share, elapsed, left: left(elapsed, share) }
    }
}

/// The time left if this share of the work took `elapsed`; `None` if nothing is done.
pub(crate) fn left(elapsed: Duration, share: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(elapsed.as_secs_f64() * (1.0 - share) / share).ok()
}

/// Locks shared data, even if a thread panicked while it held the lock: the panic ends the work anyway.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
