//! Damaged and forged ledgers: what is damaged is refused, and what is forged with a right checksum is found by an
//! audit.

use std::fs;

use queens::ledger::{decode, encode};

use crate::common::{ledger_text, output, resealed};

/// Whatever is written in it, with a right checksum: no command panics or hangs on it, and what is read is written as
/// it was.
#[test]
fn no_text_breaks_the_reader() {
    let text = ledger_text("count 9 --engine backtrack --shard 1/3");
    let lines: Vec<&str> = text.lines().collect();
    let mut random = fastrand::Rng::with_seed(73);
    let (mut read, parts) =
        (0, ["", "-", "0", "1", "99999999999999999999", "1.5", "unit 0 1", "join", "\t", "É", "4294967295/4294967295"]);
    for _ in 0..3000 {
        let mut lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
        for _ in 0..random.usize(1..=2) {
            let at = random.usize(0..lines.len());
            let mut words: Vec<&str> = lines[at].split(' ').collect();
            let word = random.usize(0..words.len());
            let changed = match random.u8(0..4) {
                0 => {
                    words[word] = random.choice(parts).unwrap();
                    words.join(" ")
                }
                1 => {
                    words.remove(word);
                    words.join(" ")
                }
                2 => format!("{0}\n{0}", lines[at]),
                _ => lines[random.usize(0..lines.len())].clone(),
            };
            lines[at] = changed;
        }
        let text = resealed(&(lines.join("\n") + "\n"));
        if let Ok(ledger) = decode(text.as_bytes()) {
            assert_eq!(encode(&ledger).unwrap(), text);
            let _ =
                (ledger.total(), ledger.todo(), ledger.is_complete(), ledger.unfinished_shards(ledger.shard().of()));
            read += 1;
        }
    }
    assert!(read > 0, "no text was read");
}

/// Tallies that were changed, with the checksum made right, so that the total is still one that symmetry allows.
#[test]
fn forged_tallies_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = fastrand::Rng::with_seed(74);
    for line in ["count 12 --engine backtrack", "count 12 --engine join", "count 11 --engine naive"] {
        let text = ledger_text(line);
        let units: Vec<&str> = text.lines().filter(|line| line.starts_with("unit ")).collect();
        let [raised, lowered] = [0, units.len() / 2].map(|from| units[random.usize(from..from + units.len() / 2)]);
        let changed = |line: &str, change: fn(u128) -> u128| {
            let (unit, tally) = line.rsplit_once(' ').unwrap();
            (format!("\n{line}\n"), format!("\n{unit} {}\n", change(tally.parse().unwrap())))
        };
        let mut forged = text.clone();
        for (from, to) in [changed(raised, |tally| tally + 8), changed(lowered, |tally| tally.saturating_sub(8))] {
            forged = forged.replace(&from, &to);
        }
        fs::write(folder.path().join("right"), &text).unwrap();
        fs::write(folder.path().join("forged"), resealed(&forged)).unwrap();
        assert_eq!(output(folder.path(), "audit right --share 100%").0, Some(0), "{line}");
        let (code, out, err) = output(folder.path(), "audit forged --share 100%");
        assert_eq!(code, Some(3), "{line}: {out}{err}");
        // All that differ are listed, not only the first.
        for unit in [raised, lowered].map(|line| line.rsplit_once(' ').unwrap().0) {
            assert!(format!("{out}{err}").contains(unit), "{line}, {unit}: {out}{err}");
        }
    }
}
