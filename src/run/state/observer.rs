//! What the threads of a run tell its state.

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::hand::{Hand, Hands, share};
use super::{RunState, lock};
use crate::ledger::Partial;
use crate::plan::Plan;
use crate::run::{Observer, RunError};
use crate::tally::Tally;

/// Observes a run for a [`RunState`].
#[derive(Debug)]
pub(crate) struct RunObserver<'a, P> {
    state: &'a RunState,
    plan: &'a P,
    pub(super) hands: Hands,
}

impl<'a, P: Plan> RunObserver<'a, P> {
    pub(super) fn new(state: &'a RunState, plan: &'a P, hands: Hands) -> Self {
        Self { state, plan, hands }
    }
}

impl<P: Plan> Observer for RunObserver<'_, P> {
    fn begun(&self, thread: usize, unit: usize) -> Partial {
        let (now, of) = (Instant::now(), self.plan.tasks(unit));
        let mut state = self.state.state();
        let finished = state.ledger.partial(unit);
        state.parts -= state.works[unit] * share(finished.tasks, of);
        let hand = Hand { unit, of, earlier: finished.tasks, finished: finished.clone(), begun: now };
        *lock(&self.hands[thread]) = Some(hand);
        finished
    }

    fn stopped(&self) -> bool {
        self.state.stop.is_requested()
    }

    fn advanced(&self, thread: usize, partial: &Partial) {
        if let Some(hand) = &mut *lock(&self.hands[thread]) {
            hand.finished.clone_from(partial);
        }
    }

    fn finished(&self, thread: usize, unit: usize, tally: Tally) -> Result<(), RunError> {
        let now = Instant::now();
        let mut state = self.state.state();
        let solutions = tally.get();
        state.ledger.record(unit, tally)?;
        state.solutions = state.solutions.saturating_add(solutions);
        state.done += state.works[unit];
        if let Some(hand) = lock(&self.hands[thread]).take() {
            state.tasks += hand.finished.tasks - hand.earlier;
            if let Some(sample) = hand.sample(&state, now) {
                state.pace.add(sample);
            }
        }
        Ok(())
    }

    fn recounts(&self, tasks: u64) {
        self.state.to_recount.store(tasks, Ordering::Relaxed);
    }

    fn recounted(&self) {
        self.state.recounted.fetch_add(1, Ordering::Relaxed);
    }

    fn disproved(&self, unit: usize) {
        self.state.state().ledger.forget_partial(unit);
    }
}
