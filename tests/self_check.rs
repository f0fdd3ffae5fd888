//! The self-check, through the entry point that everybody uses: a wrong engine counts nothing.

use std::sync::atomic::{AtomicBool, Ordering};

use queens::engine::Engine;
use queens::engine::backtrack::Backtrack;
use queens::{CountError, Placement, Request, Size};

/// Right on every board but one; notes whether it was given any task of a board beyond the self-check's.
struct WrongOn {
    n: usize,
    counted: AtomicBool,
}

impl WrongOn {
    fn new(n: usize) -> Self {
        Self { n, counted: AtomicBool::new(false) }
    }
}

impl Engine for WrongOn {
    type Task = Placement;
    type Worker = <Backtrack as Engine>::Worker;

    fn worker(&self) -> Self::Worker {
        Backtrack::default().worker()
    }

    fn count(&self, worker: &mut Self::Worker, task: &Placement) -> u64 {
        let n = task.size().get();
        self.counted.fetch_or(n > 9, Ordering::Relaxed);
        Backtrack::default().count(worker, task) + u64::from(n == self.n)
    }
}

#[test]
fn a_wrong_engine_counts_nothing() {
    // Which board shows that the engine is wrong, if any does, before a board of size n is counted.
    for (n, wrong_on, shown_on) in [(10, 8, Some(8)), (10, 9, None), (11, 8, Some(8)), (11, 9, Some(9)), (12, 0, None)]
    {
        let engine = WrongOn::new(wrong_on);
        let result = Request::solutions(Size::new(n).unwrap()).threads(2).prepare_by(&engine).unwrap().count();
        let counted = engine.counted.into_inner();
        let Some(board) = shown_on else {
            assert_eq!(result.unwrap().count, queens::oeis::QUEENS.term(n).unwrap());
            assert!(counted);
            continue;
        };
        let error = result.unwrap_err();
        assert!(matches!(error, CountError::SelfCheck(_)), "{error}");
        assert!(error.to_string().contains(&format!("{board}×{board}")), "{error}");
        assert!(!counted, "a board of {n} was begun by an engine wrong on {wrong_on}");
    }
}

/// With queens given, too: the self-check is the empty board.
#[test]
fn completions_pass_the_self_check() {
    let prefix = Placement::parse("1,3,5", Size::new(11).unwrap()).unwrap();
    let engine = WrongOn::new(9);
    assert!(matches!(Request::completions(prefix).prepare_by(&engine).unwrap().count(), Err(CountError::SelfCheck(_))));
    assert!(!engine.counted.into_inner());
}
