//! Queens fixed on any squares: counts of their completions against all solutions, against other code, and as users run them.

#[cfg(feature = "cli")]
use crate::common::{forged, output};
use fastrand::Rng;
use queens::engine::Engine;
use queens::engine::naive::Naive;
use queens::{
    CountError, EngineKind, FixedQueens, Isa, MethodError, Placement, Request, Share, Size, Solutions, Square, auditor,
    oeis,
};

fn empty(n: usize) -> FixedQueens {
    Placement::empty(Size::new(n).unwrap()).into()
}

fn square(column: usize, row: usize) -> Square {
    Square { column, row }
}

fn squares(n: usize) -> impl Iterator<Item = Square> {
    (1..=n).flat_map(move |column| (1..=n).map(move |row| square(column, row)))
}

fn count(fixed: FixedQueens, engine: EngineKind) -> u128 {
    Request::completions(fixed).engine(engine).threads(1).count().unwrap().count
}

/// By both engines and by the auditor.
fn by_all(fixed: FixedQueens) -> [u128; 3] {
    let auditor = auditor::count(&fixed, &|| false).unwrap();
    [count(fixed, EngineKind::Backtrack), count(fixed, EngineKind::Naive), auditor.into()]
}

/// At most so many queens on random squares, none attacking another.
fn random(n: usize, queens: usize, random: &mut Rng) -> FixedQueens {
    let tried = (0..queens).map(|_| square(random.usize(1..=n), random.usize(1..=n)));
    tried.fold(empty(n), |fixed, queen| fixed.with(queen).unwrap_or(fixed))
}

/// Every two squares on every board up to 10×10 are in as many solutions as the list has with them.
#[test]
fn two_queens_are_in_as_many_solutions_as_the_list_has() {
    let mut pairs = 0;
    for n in 2..=10 {
        let size = Size::new(n).unwrap();
        let mut expected = vec![0; n * n * n * n];
        let index = |a: Square, b: Square| {
            [a.column, a.row, b.column, b.row].iter().fold(0, |index, number| index * n + number - 1)
        };
        for solution in Solutions::new(size) {
            for a in solution.squares() {
                solution.squares().for_each(|b| expected[index(a, b)] += 1);
            }
        }
        for (a, b) in squares(n).flat_map(|a| squares(n).map(move |b| (a, b))).filter(|(a, b)| a.column < b.column) {
            let Ok(fixed) = empty(n).with(a).unwrap().with(b) else {
                assert_eq!(expected[index(a, b)], 0);
                continue;
            };
            let expected = expected[index(a, b)];
            if n < 8 || pairs % 16 == 0 {
                assert_eq!(by_all(fixed), [expected; 3], "{fixed:?}");
            } else {
                assert_eq!(count(fixed, EngineKind::Backtrack), expected, "{fixed:?}");
            }
            pairs += 1;
        }
    }
    assert_eq!(pairs, 8184);
}

/// Any number of queens, against the list, by every instruction set.
#[test]
fn random_queens_are_in_as_many_solutions_as_the_list_has() {
    let rng = &mut Rng::with_seed(1);
    let mut largest = 0;
    for n in (0..=10).flat_map(|n| [n; 30]) {
        let fixed = if n == 0 { empty(0) } else { random(n, rng.usize(0..=2 * n), rng) };
        let expected = Solutions::new(fixed.size()).filter(|solution| fixed.is_part_of(solution)).count() as u128;
        assert_eq!(by_all(fixed), [expected; 3], "{fixed:?}");
        for isa in Isa::available() {
            assert_eq!(Request::completions(fixed).isa(isa).count().unwrap().count, expected, "{fixed:?} by {isa}");
        }
        largest = largest.max(fixed.len());
    }
    assert!(largest > 5);
}

/// On the largest boards diagonals come from far outside; of a solution that is known, all but a few queens stay.
#[test]
fn wide_boards_are_counted_as_by_other_code() {
    let rng = &mut Rng::with_seed(2);
    for n in [17, 22, 31, 32].into_iter().flat_map(|n| [n; 10]) {
        // Knight's moves, which fit these sizes as they fit all even ones but 2 and 3 more than multiples of 6.
        let even = n / 2 * 2;
        let rows = if even % 6 == 2 { None } else { Some((2..=even).step_by(2).chain((1..=even).step_by(2))) };
        let known: Vec<Square> = match rows {
            Some(rows) => (1..).zip(rows).map(|(column, row)| square(column, row)).collect(),
            None => Solutions::new(Size::new(n).unwrap()).next().unwrap().squares().collect(),
        };
        let left = rng.choose_multiple(known.iter(), 11);
        let kept = known.iter().filter(|queen| !left.contains(queen));
        let fixed = kept.fold(empty(n), |fixed, queen| fixed.with(*queen).unwrap());
        let [backtrack, naive, auditor] = by_all(fixed);
        assert!(backtrack > 0 && backtrack == naive && naive == auditor, "{fixed:?}: {backtrack} {naive} {auditor}");
    }
}

/// Each solution has one queen in each column.
#[test]
fn the_rows_of_a_column_add_up() {
    for n in 1..=11 {
        for column in 1..=n {
            let with = |row| count(empty(n).with(square(column, row)).unwrap(), EngineKind::Backtrack);
            let sum: u128 = (1..=n).map(with).sum();
            assert_eq!(Some(sum), oeis::QUEENS.term(n), "column {column} of {n}");
        }
    }
    let with = |row| count(empty(15).with(square(8, row)).unwrap(), EngineKind::Backtrack);
    assert_eq!(Some((1..=15).map(with).sum()), oeis::QUEENS.term(15));
}

/// However the board is turned or reflected.
#[test]
fn images_have_as_many_completions() {
    let rng = &mut Rng::with_seed(3);
    for n in [8, 9, 12, 13].into_iter().flat_map(|n| [n; 12]) {
        let fixed = random(n, 3, rng);
        let first = count(fixed, EngineKind::Backtrack);
        for (left, up, across) in (0..8).map(|image| (image & 1 == 1, image & 2 == 2, image & 4 == 4)) {
            let image = fixed.squares().fold(empty(n), |image, Square { column, row }| {
                let (column, row) = if across { (row, column) } else { (column, row) };
                let turned = square(if left { n + 1 - column } else { column }, if up { n + 1 - row } else { row });
                image.with(turned).unwrap()
            });
            assert_eq!(count(image, EngineKind::Backtrack), first, "{fixed:?} as {image:?}");
        }
    }
}

/// Queens that fill the first columns are a placement, however they are given, with its plan and its engines.
#[test]
fn queens_in_the_first_columns_are_a_placement() {
    let placement = Placement::parse("2,4", Size::new(12).unwrap()).unwrap();
    let fixed = empty(12).with(square(2, 4)).unwrap().with(square(1, 2)).unwrap();
    let [ours, theirs] = [Request::completions(fixed), Request::completions(placement)];
    assert_eq!(ours.fingerprint(), theirs.fingerprint());
    assert_eq!((ours.subject().prefix(), ours.subject().queens()), (Some(placement), None));
    assert_eq!(ours.count().unwrap().count, u128::from(Naive.count(&mut (), &placement)));
    let anywhere = Request::completions(empty(12).with(square(2, 4)).unwrap());
    assert_ne!(anywhere.fingerprint(), Request::solutions(placement.size()).fingerprint());
    assert_eq!(anywhere.prepare_by(&Naive).unwrap_err(), MethodError::OnlyPlacements);
    assert_eq!(anywhere.engine(EngineKind::Join).method(), Err(MethodError::NotForJoin));
    // All is counted twice, by the auditor.
    let report = anywhere.double_check(Share::ALL).count().unwrap();
    assert_eq!((report.count, report.double_checked), (1275, 62));
}

/// A ledger of other queens is of no use.
#[test]
fn ledgers_name_their_queens() {
    let with = |row| Request::completions(empty(12).with(square(4, row)).unwrap());
    let run = with(2).prepare().unwrap();
    run.count().unwrap();
    let error = with(3).prepare().unwrap().resume(run.ledger()).unwrap_err();
    assert_eq!(error.to_string(), "it is for completions of 4,2, not 4,3");
    let whole = Request::solutions(Size::new(12).unwrap()).prepare().unwrap().resume(run.ledger()).unwrap_err();
    assert_eq!(whole.to_string(), "it is for completions of 4,2, not the empty board");
    let again = with(2).prepare().unwrap().resume(run.ledger()).unwrap();
    assert_eq!(again.count().map(|report| report.count), Ok::<_, CountError>(run.ledger().total().unwrap().get()));
    // The plan may be that of an image; the ledger has the queens that were given.
    let of = |column, row| Request::completions(empty(12).with(square(column, row)).unwrap()).prepare().unwrap();
    let [east, west] = [of(12, 9), of(1, 4)];
    assert_eq!(east.fingerprint().plan, west.fingerprint().plan);
    assert_eq!([&east, &west].map(|run| run.count().unwrap().count), [1359; 2]);
    let error = west.resume(east.ledger()).unwrap_err();
    assert_eq!(error.to_string(), "it is for completions of 12,9, not 4");
}

#[cfg(feature = "cli")]
#[test]
fn queens_on_any_squares_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    for (line, count) in [
        ("count 8 --queen d4", 8),
        ("count 8 --queen 4,5", 8),
        ("count 8 --queen 4,2 --queen h5", 3),
        ("count 8 --prefix 1 --queen 8,4", 1),
        ("count 8 --queen 2,5 --queen 1,1 --queen 3,8", 1),
        ("count 8 --queen 1,1 --queen 4,5", 0),
        ("count 1 --queen a1", 1),
        ("count 12 --queen 6,6 --engine naive", 908),
    ] {
        assert_eq!(output(folder.path(), line), (Some(0), format!("{count}\n"), String::new()), "{line}");
    }
    let (code, _, err) = output(folder.path(), "count 8 --queen 1,1 --queen 4,5 --queen 8,8");
    let both = "invalid value '8,8' for '--queen <C,R>': the queens on 1,1 and 8,8 share a diagonal\n";
    assert!(code == Some(2) && err.ends_with(both), "{err}");
}

/// Stopped and resumed, cut in shards and merged, doubted and audited.
#[cfg(feature = "cli")]
#[test]
fn a_count_with_queens_is_a_long_run_like_others() {
    let folder = tempfile::tempdir().unwrap();
    let run = |line: &str, code: i32| {
        let (found, out, err) = output(folder.path(), line);
        assert_eq!(found, Some(code), "{line}: {out}{err}");
        out + &err
    };
    let queens = "--queen 7,2 --queen d12";
    let whole = run(&format!("count 14 {queens} --checkpoint c --double-check 3%"), 0);
    assert_eq!(whole, "3440\n");
    for k in 1..=3 {
        run(&format!("count 14 {queens} --shard {k}/3 --out s{k}"), 0);
    }
    assert_eq!(run("merge s1 s2 s3", 0), whole);
    assert!(run("status c", 0).contains("N = 14, queens 4,3 7,2, backtrack"));
    assert!(run("audit s2 --units 2 --seed 1", 0).contains("queens     4,3 7,2\n"));
    forged(folder.path(), "c", "forged", |unit, tally| if unit == 40 { tally + 1 } else { tally });
    assert!(run("audit forged --tasks 0", 3).contains("unit 40"));
    let refused = run("count 14 --queen 7,2 --checkpoint c --resume", 1);
    assert!(refused.contains("c: it is for completions of 4,3 7,2, not 7,2"), "{refused}");
    let of_time = |line: &str| {
        // Twice as long each time, until a task is finished in it on this machine.
        let mut times = (4..17).map(|doubled| format!("{line} --max-time {}ms", 1 << doubled));
        let stopped = times.find_map(|line| {
            let (code, _, err) = output(folder.path(), &line);
            (code == Some(75)).then_some((line, err))
        });
        stopped.expect("it is stopped")
    };
    let (line, stopped) = of_time("count 16 --queen 9,2 --engine naive --threads 1");
    let resumed = "--checkpoint queens-16-9.2.ledger --resume";
    assert!(stopped.contains(&format!("{line} {resumed}\n")), "{stopped}");
    of_time(&format!("count 16 --queen 9,2 --engine naive --threads 1 {resumed}"));
}
