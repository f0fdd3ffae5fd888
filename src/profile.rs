//! The profile of the search: placements of k queens on the first k columns, for each k.

use std::time::Instant;

use crate::board::Size;
use crate::count::{CountError, Sum, Watched, thread_pool};
use crate::engine::backtrack::Backtrack;
use crate::engine::lanes::Isa;
use crate::engine::naive::Naive;
use crate::engine::{Choice, Engine, EngineKind, Method};
use crate::ledger::{Fingerprint, PROFILE};
use crate::placement::Placement;
use crate::plan::Weighted;
use crate::plan::prefixes::{Columns, PrefixPlan};
use crate::run::dispatch::Job;
use crate::run::gate;
use crate::run::progress::Watch;
use crate::tally::{Overflow, Tally};

/// The number of placements of k queens on the first k columns, none attacking another, for k = 0 to N: a row of OEIS
/// A319284, which ends with the number of solutions and adds up to the nodes of a plain backtracking search.
///
/// On this many threads, 0 for every core that the process may use; about 1.3 times the time that it takes to count the
/// solutions alone by backtracking. [`Profile`] has the choices.
///
/// ```
/// use queens::{Size, profile};
/// assert_eq!(profile(Size::new(8)?, 0)?, [1, 8, 42, 140, 344, 568, 550, 312, 92]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where a sum does not fit or no threads can be had.
pub fn profile(size: Size, threads: usize) -> Result<Vec<u128>, CountError> {
    Ok(Profile::new(size).threads(threads).run()?.placements)
}

/// A profile to be made, by the engine `backtrack`.
///
/// ```
/// use queens::{Profile, Size};
/// let report = Profile::new(Size::new(6)?).threads(2).run()?;
/// assert_eq!(report.placements, [1, 6, 20, 36, 46, 40, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    size: Size,
    isa: Option<Isa>,
    threads: usize,
    double_check: f64,
}

/// A profile that was made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProfileReport {
    /// Placements of 0, 1, ... N queens; of those units alone that the ledger has, where it has not all.
    pub placements: Vec<u128>,
    /// On which instruction set.
    pub isa: Isa,
    /// On how many threads.
    pub threads: usize,
    /// Wall time in seconds, gate and plan included, starting the threads not.
    pub seconds: f64,
    /// Units counted a second time by the engine `naive`.
    pub double_checked: usize,
}

impl Profile {
    /// What ledgers of profiles have for an engine: their units hold more than those of a count.
    pub const ENGINE: &str = PROFILE;

    /// Of a board of this size.
    pub fn new(size: Size) -> Self {
        Self { size, isa: None, threads: 0, double_check: 0.0 }
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

    /// Counts a random share of the units, 0 to 1, a second time by the oracle; the first difference ends the run.
    #[must_use]
    pub fn double_check(self, share: f64) -> Self {
        Self { double_check: share, ..self }
    }

    /// What pins the units that [`Profile::run_watched`] enters in a ledger.
    pub fn fingerprint(&self) -> Fingerprint {
        let prefix = Placement::empty(self.size);
        Fingerprint::new(prefix, Self::ENGINE, &PrefixPlan::new(&prefix, Columns::Two))
    }

    /// Makes the profile.
    ///
    /// Time grows about eightfold for each step of N; memory is under a megabyte a thread.
    ///
    /// # Errors
    /// Where the processor lacks the instruction set, the engine fails its check on 8×8, a sum does not fit in 128 bits,
    /// a double check fails, or no threads can be had.
    pub fn run(&self) -> Result<ProfileReport, CountError> {
        self.counted(None)
    }

    /// Does what the ledger of `watch` lacks, and enters it there; the report has the sums of the whole ledger. As
    /// [`Count::run_watched`](crate::Count::run_watched).
    ///
    /// # Errors
    /// As for [`Profile::run`], and where the ledger belongs to something else or the run is stopped.
    pub fn run_watched(&self, watch: &Watch) -> Result<ProfileReport, CountError> {
        self.counted(Some(watch))
    }

    fn counted(&self, watch: Option<&Watch>) -> Result<ProfileReport, CountError> {
        let (engine, isa) = self.engine()?;
        self.counted_by(&engine, isa, watch)
    }

    fn counted_by(
        &self,
        engine: &impl Engine<Task = Placement>,
        isa: Isa,
        watch: Option<&Watch>,
    ) -> Result<ProfileReport, CountError> {
        let empty = Placement::empty(self.size);
        let pool = thread_pool(self.threads)?;
        let threads = pool.current_num_threads();
        let columns = if watch.is_some() { Columns::Two } else { Columns::for_threads(self.size, threads) };
        let start = Instant::now();
        self.check(engine, columns)?;
        let watch = watch.map(|watch| Watched { watch, subject: empty.into(), engine: Self::ENGINE });
        let sum = Sum { pool: &pool, double_check: self.double_check, watch };
        let (total, double_checked) = sum.run(&PrefixPlan::new(&empty, columns), engine, &Levels(Naive))?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(ProfileReport { placements: self.row(&total), isa, threads, seconds, double_checked })
    }

    /// The engine and its instruction set.
    fn engine(&self) -> Result<(impl Engine<Task = Placement> + use<>, Isa), CountError> {
        let isa = Method::choose(Choice::Engine(EngineKind::Backtrack), self.isa, &Placement::empty(self.size))?.isa;
        Ok((Levels(Backtrack::new(isa).expect("the processor has the instruction set that was chosen")), isa))
    }

    /// Lets an engine count small boards by plans with these columns.
    fn check(&self, engine: &impl Engine<Task = Placement>, columns: Columns) -> Result<(), CountError> {
        for &board in gate::boards(self.size) {
            gate::check(board, &PrefixPlan::new(&Placement::empty(board.size()), columns), engine)?;
        }
        Ok(())
    }

    /// The engine, which has counted small boards right by plans with these columns, and its instruction set.
    pub(crate) fn checked_engine(
        &self,
        columns: Columns,
    ) -> Result<(impl Engine<Task = Placement> + use<>, Isa), CountError> {
        let (engine, isa) = self.engine()?;
        self.check(&engine, columns)?;
        Ok((engine, isa))
    }

    /// Of what size of board.
    pub(crate) fn size(&self) -> Size {
        self.size
    }

    /// The profile that all units together make.
    pub fn row(&self, total: &Tally) -> Vec<u128> {
        let n = self.size.get();
        let mut row = total.fewer().to_vec();
        row.resize(n, 0);
        row.push(total.get());
        // What the tasks have set already is not theirs to count: nothing, and the first queen anywhere.
        row[0] = 1;
        if n > 1 {
            row[1] = n as u128;
        }
        row
    }

    /// What a ledger is about, where it is about a profile.
    pub fn of(fingerprint: &Fingerprint) -> Option<Self> {
        let prefix = fingerprint.subject.placement().filter(|_| fingerprint.engine == Self::ENGINE)?;
        Some(Self::new(prefix.size()))
    }
}

/// An engine that counts the placements of fewer queens too.
struct Levels<E>(E);

/// The ways to set 1, 2, ... more queens on the columns after those of a placement.
trait EveryLevel: Engine<Task = Placement> {
    fn levels(&self, worker: &mut Self::Worker, task: &Placement) -> Vec<u64>;
}

impl EveryLevel for Backtrack {
    fn levels(&self, worker: &mut Self::Worker, task: &Placement) -> Vec<u64> {
        Self::levels(self, worker, task)
    }
}

impl EveryLevel for Naive {
    fn levels(&self, (): &mut (), task: &Placement) -> Vec<u64> {
        Self::levels(*self, task)
    }
}

impl<E: EveryLevel> Engine for Levels<E> {
    type Task = Placement;
    type Worker = E::Worker;

    fn worker(&self) -> E::Worker {
        self.0.worker()
    }

    fn count(&self, worker: &mut E::Worker, task: &Placement) -> u64 {
        self.0.levels(worker, task).last().copied().unwrap_or(1)
    }

    fn add_to(
        &self,
        tally: &mut Tally,
        worker: &mut E::Worker,
        &Weighted { task, weight }: &Weighted<Placement>,
    ) -> Result<(), Overflow> {
        // The task itself is one way to set its queens.
        let levels = std::iter::once(1).chain(self.0.levels(worker, &task));
        for (queens, count) in (task.len()..).zip(levels) {
            if queens < task.size().get() {
                tally.add_fewer(queens, count, weight)?;
            } else {
                tally.add(count, weight)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Ledger;
    use crate::plan::Plan;
    use crate::{Shard, oeis};

    fn size(n: usize) -> Size {
        Size::new(n).unwrap()
    }

    /// Plain search that finds a solution too many in each task of one board.
    struct WrongOn(usize);

    impl Engine for WrongOn {
        type Task = Placement;
        type Worker = ();

        fn worker(&self) {}

        fn count(&self, (): &mut (), task: &Placement) -> u64 {
            Levels(Naive).count(&mut (), task) + u64::from(task.size().get() == self.0)
        }
    }

    #[test]
    fn a_wrong_engine_makes_no_profile() {
        for (n, wrong_on, is_seen) in [(10, 8, true), (11, 8, true), (11, 9, true), (10, 9, false)] {
            let result = Profile::new(size(n)).threads(2).counted_by(&WrongOn(wrong_on), Isa::Portable, None);
            assert_eq!(matches!(result, Err(CountError::Gate(_))), is_seen, "N = {n}, wrong on {wrong_on}: {result:?}");
        }
    }

    #[test]
    fn the_published_triangle() {
        let mut published = oeis::PROFILE.terms;
        for n in 0..=12 {
            let row;
            (row, published) = published.split_at(n + 1);
            for threads in [1, 2, 3] {
                assert_eq!(profile(size(n), threads).unwrap(), row, "N = {n} on {threads} threads");
            }
        }
        assert!(published.is_empty());
    }

    /// Boards beyond the published triangle: the solutions at its end, pairs of rows more than one apart at level two.
    #[test]
    fn larger_boards_end_in_the_count() {
        for isa in Isa::available() {
            for n in [13, 14] {
                let report = Profile::new(size(n)).isa(isa).threads(2).run().unwrap();
                assert_eq!(report.isa, isa);
                assert_eq!(report.placements[n], oeis::QUEENS.term(n).unwrap());
                assert_eq!(report.placements[2], ((n - 1) * (n - 2)) as u128);
            }
        }
    }

    /// Every unit a second time by the oracle, level by level.
    #[test]
    fn the_oracle_agrees() {
        let report = Profile::new(size(9)).threads(2).double_check(1.0).run().unwrap();
        let units = PrefixPlan::new(&Placement::empty(size(9)), Columns::Two).units();
        assert_eq!((report.double_checked, report.placements[9]), (units, 352));
    }

    /// A flipped level, not only a flipped count, is told.
    #[test]
    fn a_flipped_level_is_told() {
        struct Flipped;
        impl Engine for Flipped {
            type Task = Placement;
            type Worker = ();
            fn worker(&self) {}
            fn count(&self, (): &mut (), task: &Placement) -> u64 {
                Levels(Naive).count(&mut (), task)
            }
            fn add_to(&self, tally: &mut Tally, (): &mut (), task: &Weighted<Placement>) -> Result<(), Overflow> {
                Levels(Naive).add_to(tally, &mut (), task)?;
                if task.task.rows().eq([3, 5]) { tally.add_fewer(4, 1, 1) } else { Ok(()) }
            }
        }
        let pool = thread_pool(1).unwrap();
        let plan = PrefixPlan::new(&Placement::empty(size(8)), Columns::Two);
        let halt =
            Sum { pool: &pool, double_check: 1.0, watch: None }.run(&plan, &Flipped, &Levels(Naive)).unwrap_err();
        assert!(halt.to_string().contains("(completions of 35)"), "{halt}");
    }

    #[test]
    fn shards_make_the_whole() {
        let profile = Profile::new(size(10)).threads(2);
        let whole = profile.run().unwrap().placements;
        let mut joined = Ledger::new(profile.fingerprint(), Shard::WHOLE);
        for index in 1..=3 {
            let watch = Watch::new(Ledger::new(profile.fingerprint(), Shard::new(index, 3).unwrap()));
            profile.run_watched(&watch).unwrap();
            joined.join(&watch.ledger()).unwrap();
        }
        let read = Profile::of(joined.fingerprint()).unwrap();
        assert_eq!(read.fingerprint(), *joined.fingerprint());
        assert_eq!(read.row(&joined.total().unwrap()), whole);
        // A count's ledger is none of a profile, nor the other way round.
        let count = crate::Count::new(size(10)).engine(Choice::Engine(EngineKind::Backtrack));
        let counted = Ledger::new(count.fingerprint().unwrap(), Shard::WHOLE);
        assert!(Profile::of(counted.fingerprint()).is_none());
        assert!(profile.run_watched(&Watch::new(counted)).is_err() && count.run_watched(&Watch::new(joined)).is_err());
    }
}
