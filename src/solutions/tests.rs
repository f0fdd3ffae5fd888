//! Compares listed solutions with a search that uses only the attack check of [`Placement`].

use std::collections::BTreeMap;

use fastrand::Rng;

use super::*;
use crate::oeis;

fn size(n: usize) -> Size {
    Size::new(n).unwrap()
}

/// All completions, in order.
fn all(begun: Placement) -> Vec<Placement> {
    if begun.is_solution() { vec![begun] } else { begun.extensions().flat_map(all).collect() }
}

/// At most `most` queens on random squares, none attacking another.
fn random_queens(n: usize, most: usize, random: &mut Rng) -> Vec<Square> {
    let mut queens: Vec<Square> = Vec::new();
    for _ in 0..most {
        let square = Square { column: random.usize(1..=n), row: random.usize(1..=n) };
        if queens.iter().all(|queen| queen.check_apart(square).is_ok()) {
            queens.push(square);
        }
    }
    queens
}

/// Queens in random free rows of the first columns, at most `most`.
fn random_start(n: usize, most: usize, random: &mut Rng) -> Placement {
    let mut start = Placement::empty(size(n));
    for _ in 0..most {
        let longer: Vec<_> = start.extensions().collect();
        start = random.choice(longer).unwrap_or(start);
    }
    start
}

#[test]
fn every_solution_is_listed_once_and_in_order() {
    for n in 0..=9 {
        assert!(Solutions::new(size(n)).eq(all(Placement::empty(size(n)))), "N = {n}");
    }
    let mut twelve = Solutions::new(size(12));
    assert!(twelve.clone().is_sorted_by(|a, b| a < b));
    assert_eq!(twelve.by_ref().count() as u128, oeis::QUEENS.term(12).unwrap());
    assert_eq!(twelve.next(), None, "nothing follows the end");
}

#[test]
fn given_queens_and_a_start_filter_all_solutions() {
    let (mut random, mut listed) = (Rng::with_seed(1), 0);
    for n in 1..=10 {
        let all = all(Placement::empty(size(n)));
        for tried in 0..200 {
            let (given, start) =
                (random_queens(n, tried % 5, &mut random), random_start(n, tried / 5 % 12, &mut random));
            let has = |solution: &&Placement| given.iter().all(|queen| solution.squares().any(|other| other == *queen));
            let expected: Vec<_> = all.iter().filter(has).filter(|solution| **solution >= start).copied().collect();
            let found = Solutions::having(size(n), given.iter().copied()).starting_at(start);
            assert!(found.eq(expected.iter().copied()), "{given:?} from {start:?}");
            listed += expected.len();
        }
    }
    assert!(listed > 10_000, "{listed}");
}

/// On every board. Without the test of rows it takes three times as long, without either test eight times.
#[test]
fn the_first_solution_is_found_quickly() {
    for n in (0..=32).filter(|n| ![2, 3].contains(n)) {
        let first = Solutions::new(size(n)).next().unwrap();
        let rows: Vec<usize> = first.rows().collect();
        assert_eq!((Placement::new(first.size(), &rows), rows.len()), (Ok(first), n));
        let thirty = "1,3,5,2,4,9,11,13,15,7,23,26,28,25,22,24,30,27,29,16,12,10,8,6,18,20,17,14,21,19";
        assert!(n != 30 || first.to_string() == thirty, "{first}");
    }
}

#[test]
fn the_first_solution_with_given_queens_is_found_quickly() {
    let mut random = Rng::with_seed(2);
    for n in 20..=32 {
        let given = random_queens(n, 4, &mut random);
        let first = Solutions::having(size(n), given.iter().copied()).next().expect("a few queens leave solutions");
        assert!(given.iter().all(|queen| first.squares().any(|other| other == *queen)), "{given:?}: {first}");
        let start = random_start(n, n / 2, &mut random);
        let after = Solutions::new(size(n)).starting_at(start).next().expect("the last solution is later");
        assert!(after.is_solution() && after >= start, "{after} from {start}");
    }
}

/// Collects every solution under its canonical image: these must be the fundamental solutions.
#[test]
fn each_orbit_has_one_fundamental_solution() {
    for n in 0..=10 {
        let mut orbits: BTreeMap<Placement, usize> = BTreeMap::new();
        for solution in Solutions::new(size(n)) {
            *orbits.entry(Orbit::of(&solution).unwrap().canonical()).or_default() += 1;
        }
        let with_size = |solution| (solution, Orbit::of(&solution).unwrap().images().len());
        assert!(Solutions::new(size(n)).fundamental().map(with_size).eq(orbits), "N = {n}");
        let from_the_middle = Solutions::new(size(n)).starting_at(random_start(n, n, &mut Rng::with_seed(3)));
        let filtered = from_the_middle.clone().filter(|solution| Orbit::of(solution).unwrap().is_fundamental());
        assert!(from_the_middle.fundamental().eq(filtered), "N = {n}");
    }
    assert_eq!(Solutions::new(size(12)).fundamental().count() as u128, oeis::UNIQUE.term(12).unwrap());
}
