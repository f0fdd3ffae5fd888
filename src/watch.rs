//! One handle to watch and to stop whatever takes long.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::interval::Interval;

/// Watches and stops long work from any thread: counts, estimates, audits, profiles, benchmarks, searches for a solution. `T` is
/// what the work is about to return; of what returns nothing before its end, it is `()`.
///
/// Clones watch the same work. If a watch is given to one piece of work after another, it shows the latest, and each is stopped
/// if it was.
///
/// ```
/// use queens::{Profile, Size, Watch};
/// let watch = Watch::default();
/// let profile = Profile::count(Size::new(8)?, None, 2, &watch)?;
/// assert_eq!((profile.placements[8], watch.progress().share), (92, 1.0));
/// watch.stop();
/// assert!(Profile::count(Size::new(9)?, None, 2, &watch).is_err());
/// # Ok::<(), queens::CountError>(())
/// ```
pub struct Watch<T = ()> {
    stop: Stop,
    work: Arc<Mutex<Option<Arc<dyn Watched<T>>>>>,
}

/// How far work is.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// What is being done, as in `recounting units`; empty before the work has begun.
    pub doing: String,
    /// How much of that is done, in units, runs or whatever else it consists of.
    pub done: u64,
    /// How much there is to do; 0 if nobody knows.
    pub total: u64,
    /// The share of the work that is done, or of the time that it may take, from 0 to 1.
    pub share: f64,
    /// The time since it began.
    pub elapsed: Duration,
    /// The time left in seconds, if enough is finished to estimate it; only of counts, as all that follows.
    pub left: Option<Interval>,
    /// The time of earlier runs on the same ledger.
    pub earlier: Duration,
    /// Solutions found so far.
    pub solutions: u128,
    /// Tasks solved by this run.
    pub tasks: u64,
    /// Tasks of earlier runs that a double check has recounted.
    pub recounted: u64,
    /// How many it recounts before this run goes on.
    pub to_recount: u64,
    /// Threads of the run; none before it begins.
    pub threads: usize,
}

impl Progress {
    /// Tasks solved per second.
    pub fn tasks_per_second(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        if seconds > 0.0 { self.tasks as f64 / seconds } else { 0.0 }
    }
}

/// Work that can be watched.
pub(crate) trait Watched<T>: Send + Sync {
    /// How far it is.
    fn progress(&self) -> Progress;

    /// What it would return if it ended now.
    fn known(&self) -> Option<T>;
}

/// Work in equal steps, of which nothing is known before its end.
pub(crate) struct Steps {
    doing: &'static str,
    begun: Instant,
    pub(crate) done: AtomicU64,
    total: u64,
}

impl Steps {
    /// Begins work in so many steps; 0 if nobody knows how many.
    pub(crate) fn begin(watch: &Watch, doing: &'static str, total: u64) -> Arc<Self> {
        let steps = Arc::new(Self { doing, begun: Instant::now(), done: AtomicU64::new(0), total });
        watch.begin(Arc::clone(&steps) as _);
        steps
    }
}

impl Watched<()> for Steps {
    fn progress(&self) -> Progress {
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total);
        let share = if total > 0 { done as f64 / total as f64 } else { 0.0 };
        let (doing, elapsed) = (self.doing.to_owned(), self.begun.elapsed());
        Progress { doing, done, total, share, elapsed, ..Progress::default() }
    }

    fn known(&self) -> Option<()> {
        None
    }
}

impl<T> Watch<T> {
    /// Asks the work to end soon: every thread after its current task. It then returns what is known by that time or, if that
    /// is nothing, that it was stopped.
    pub fn stop(&self) {
        self.stop.request();
    }

    /// Whether it was asked to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_requested()
    }

    /// How far the work is.
    pub fn progress(&self) -> Progress {
        self.work().map_or_else(Progress::default, |work| work.progress())
    }

    /// What is known so far, whatever the threads have in hand; `None` before the work has begun.
    pub fn known(&self) -> Option<T> {
        self.work()?.known()
    }

    /// Of this work, with the flag that stops it.
    pub(crate) fn of(stop: &Stop, work: Arc<dyn Watched<T>>) -> Self {
        Self { stop: stop.clone(), work: Arc::new(Mutex::new(Some(work))) }
    }

    /// The flag that stops the work.
    pub(crate) fn flag(&self) -> &Stop {
        &self.stop
    }

    /// The work begins that is watched from now on.
    pub(crate) fn begin(&self, work: Arc<dyn Watched<T>>) {
        *lock(&self.work) = Some(work);
    }

    fn work(&self) -> Option<Arc<dyn Watched<T>>> {
        lock(&self.work).clone()
    }
}

impl<T> Default for Watch<T> {
    fn default() -> Self {
        Self { stop: Stop::default(), work: Arc::default() }
    }
}

impl<T> Clone for Watch<T> {
    fn clone(&self) -> Self {
        Self { stop: self.stop.clone(), work: Arc::clone(&self.work) }
    }
}

impl<T> fmt::Debug for Watch<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stopped, progress) = (self.is_stopped(), self.progress());
        f.debug_struct("Watch").field("stopped", &stopped).field("progress", &progress).finish_non_exhaustive()
    }
}

/// Locks what threads share. If one of them has panicked with it, the work ends anyway.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A flag that is raised once and never lowered. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks every thread to end after its current task.
    pub(crate) fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was requested.
    pub(crate) fn is_requested(&self) -> bool {
        // Relaxed: the flag protects no other data, and one task more or less does not matter.
        self.0.load(Ordering::Relaxed)
    }
}
