//! Every parser on a fixed number of random texts: none panics, none hangs, and what is accepted prints back to itself.
//!
//! Random bytes alone seldom get past a first check, so most texts are right ones with a few changes, or are put
//! together from the parts that right ones have.

use std::time::Instant;

use proptest::prelude::*;
use queens::ledger::format::{decode, encode};
use queens::ledger::{Fingerprint, Ledger};
use queens::{BFile, Placement, Rotation, RotationalBoard, Shard, Size, Subject};
use sha2::{Digest, Sha256};

/// A thousand texts for each parser: about ten seconds in all, unoptimised.
fn budget() -> ProptestConfig {
    ProptestConfig::with_cases(1000)
}

/// A change of a text: at which byte, by what.
type Change = (usize, u8, Vec<u8>);

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let part = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..4),
        "[0-9,/+. \n-]{0,6}".prop_map(String::into_bytes),
        Just(b"99999999999999999999999999999999999999999".to_vec()),
        Just(b"unit 0 1\n".to_vec()),
    ];
    proptest::collection::vec((any::<usize>(), 0..4u8, part), 0..4)
}

/// Bytes overwritten, put in, taken out, or cut off.
fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for (at, how, part) in changes {
        let at = at % (bytes.len() + 1);
        let end = (at + part.len()).min(bytes.len());
        match how {
            0 => drop(bytes.splice(at..end, part.iter().copied())),
            1 => drop(bytes.splice(at..at, part.iter().copied())),
            2 => drop(bytes.drain(at..end)),
            _ => bytes.truncate(at.max(bytes.len() / 2)),
        }
    }
    bytes
}

/// The text with the checksum that it should have.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let end = bytes.windows(8).rposition(|window| window == b"\nsha256 ").map_or(bytes.len(), |at| at + 1);
    let mut text = bytes[..end].to_vec();
    let sum: Vec<String> = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
    text.extend_from_slice(format!("sha256 {}\n", sum.concat()).as_bytes());
    text
}

/// Whether a ledger, where these bytes are one, is written as these bytes again.
fn check_ledger(bytes: &[u8]) -> Result<(), TestCaseError> {
    let start = Instant::now();
    if let Ok(ledger) = decode(bytes) {
        let again = encode(&ledger);
        prop_assert_eq!(again.as_bytes(), bytes);
        // What reads it may ask anything of it.
        prop_assert!(ledger.finished() <= ledger.units());
        let _ = (ledger.total(), ledger.is_complete(), ledger.tallies().count());
    }
    // A guard against loops that never end; no measurement.
    prop_assert!(start.elapsed().as_secs() < 60);
    Ok(())
}

proptest! {
    #![proptest_config(budget())]

    #[test]
    fn ledgers(
        n in 0usize..=32,
        units in 0usize..40,
        index in 1u32..4,
        tallies in proptest::collection::vec(any::<u128>(), 0..12),
        changes in changes(),
        noise in proptest::collection::vec(any::<u8>(), 0..60),
    ) {
        let subject = match RotationalBoard::new(Rotation::Half, n) {
            Ok(board) if units % 2 == 1 => Subject::Rotational(board),
            _ => Placement::empty(Size::new(n).unwrap()).into(),
        };
        let fingerprint = Fingerprint { subject, engine: "join".into(), plan: "halves/1 N=9".into(), units };
        let mut ledger = Ledger::new(fingerprint, Shard::new(index, 3).unwrap());
        for (unit, tally) in ledger.todo().into_iter().zip(tallies) {
            ledger.record(unit, tally.into()).unwrap();
        }
        (0..units % 3).for_each(|_| ledger.begin_run(None));
        let text = encode(&ledger).into_bytes();
        check_ledger(&text)?;
        let other = changed(text, &changes);
        check_ledger(&other)?;
        check_ledger(&sealed(&other))?;
        check_ledger(&noise)?;
        check_ledger(&[b"queens ledger 1\n", &noise[..]].concat())?;
    }

    #[test]
    fn shards(text in prop_oneof!["[0-9]{0,8}/[0-9]{0,8}", "[ +0-9/-]{0,12}", ".{0,12}"]) {
        if let Ok(shard) = text.parse::<Shard>() {
            prop_assert!(1 <= shard.index() && shard.index() <= shard.of() && shard.of() <= Shard::MOST);
            prop_assert_eq!(shard.to_string().parse(), Ok(shard));
            // Zeros before and a plus sign are all that may be lost.
            let plain = |part: &str| part.trim_start_matches(['+', '0']).to_owned();
            let (index, of) = text.split_once('/').unwrap();
            prop_assert_eq!(format!("{}/{}", plain(index), plain(of)), shard.to_string());
        }
    }

    #[test]
    fn placements(
        n in 0usize..=32,
        text in prop_oneof!["[1-9]{0,9}", "([0-9]{1,2},){0,12}[0-9]{0,2}", "[0-9, +-]{0,20}", ".{0,20}"],
        rows in Just((1..=32usize).collect::<Vec<_>>()).prop_shuffle(),
        columns in 0usize..=32,
    ) {
        let size = Size::new(n).unwrap();
        for text in [text, rows[..columns].iter().map(usize::to_string).collect::<Vec<_>>().join(",")] {
            if let Ok(placement) = Placement::parse(&text, size) {
                let printed = placement.to_string();
                prop_assert_eq!(Placement::parse(&printed, size), Ok(placement));
                let digits = |text: &str| text.split(|c: char| !c.is_ascii_digit()).collect::<String>();
                let zeros = |text: &str| text.replace('0', "");
                prop_assert_eq!(zeros(&digits(&printed)), zeros(&digits(&text)), "no queen is lost or moved");
                prop_assert!(placement.squares().all(|square| (1..=n).contains(&square.row)));
            }
        }
    }

    #[test]
    fn b_files(
        first in 0usize..100,
        terms in proptest::collection::vec(any::<u128>(), 0..12),
        changes in changes(),
        noise in ".{0,60}",
    ) {
        let lines: Vec<String> = terms.iter().enumerate().map(|(at, term)| format!("{} {term}\n", first + at)).collect();
        let lines = lines.concat();
        if let Ok(file) = BFile::parse(&lines) {
            prop_assert!(terms.iter().enumerate().all(|(at, &term)| file.term(first + at) == Some(term)));
        } else {
            prop_assert!(terms.is_empty());
        }
        let other = changed(lines.into_bytes(), &changes);
        for text in [String::from_utf8_lossy(&other).into_owned(), noise] {
            let Ok(file) = BFile::parse(&text) else { continue };
            // The terms in the order of the lines that are not comments, and nothing else.
            let listed = text.lines().filter_map(|line| {
                let mut parts = line.trim_start_matches('\u{feff}').split('#').next()?.split_whitespace();
                Some((parts.next()?.parse::<usize>().ok()?, parts.next()?.parse::<u128>().ok()?))
            });
            let listed: Vec<_> = listed.collect();
            prop_assert!(!listed.is_empty());
            for &(index, term) in &listed {
                prop_assert_eq!(file.term(index), Some(term), "{}", text);
            }
            prop_assert_eq!(file.term(listed[0].0 + listed.len()), None);
        }
    }
}
