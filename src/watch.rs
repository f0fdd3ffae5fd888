//! One handle to watch and to stop whatever takes long.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::ledger::Ledger;

/// Watches and stops long work from any thread: counts, estimates, audits.
///
/// Clones watch the same work. A watch that several counts, estimates or audits were given shows the one that began last, and
/// stops all of them, also those that begin later. It does not show that work has ended: the work returns.
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

/// How far work is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// What is being done, as in `recounting units`; empty before the work has begun.
    pub doing: &'static str,
    /// How much of that is done, in units, samples or whatever else it consists of.
    pub done: u64,
    /// How much there is to do; 0 if nobody knows.
    pub total: u64,
    /// The share of the work that is done, or of the time that it may take, from 0 to 1.
    pub share: f64,
    /// The time since it began.
    pub elapsed: Duration,
    /// The time left, as soon as enough is done to tell.
    pub left: Option<Duration>,
}

/// Work that can be watched.
pub(crate) trait Watched: Debug + Send + Sync {
    /// How far it is.
    fn progress(&self) -> Progress;

    /// The ledger of a run at this moment; other work has none.
    fn ledger(&self) -> Option<Ledger> {
        None
    }
}

impl Watch {
    /// Asks the work to end soon: every thread after its current task.
    pub fn stop(&self) {
        // Relaxed: the flag protects no other data, and one task more or less does not matter.
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// How far the work is.
    pub fn progress(&self) -> Progress {
        self.work().map_or_else(Progress::default, |work| work.progress())
    }

    /// The ledger of the run that it watches, with every task that is finished at this moment. `None` unless it watches a run.
    /// After the end it is the [run's own](crate::Run::ledger).
    pub fn ledger(&self) -> Option<Ledger> {
        self.work()?.ledger()
    }

    /// The work begins that is watched from now on.
    pub(crate) fn begin<W: Watched + 'static>(&self, work: W) -> Arc<W> {
        let work = Arc::new(work);
        *lock(&self.work) = Some(Arc::clone(&work) as _);
        work
    }

    /// No work is watched until the next begins.
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
    doing: &'static str,
    begun: Instant,
    total: u64,
    within: Option<Duration>,
    done: AtomicU64,
}

impl Steps {
    /// Begins work in so many steps, 0 if nobody knows how many. If it is not done within this time, it ends.
    pub(crate) fn begin(watch: &Watch, doing: &'static str, total: u64, within: Option<Duration>) -> Arc<Self> {
        watch.begin(Self { doing, begun: Instant::now(), total, within, done: AtomicU64::new(0) })
    }

    /// One more is done.
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
        Progress { doing: self.doing, done, total, share, elapsed, left: left(elapsed, share) }
    }
}

/// The time left when this share is done after so long.
pub(crate) fn left(elapsed: Duration, share: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(elapsed.as_secs_f64() * (1.0 - share) / share).ok()
}

/// Locks what threads share. If one of them has panicked with it, the work ends anyway.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
