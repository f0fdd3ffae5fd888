//! Forged ledgers: a changed text with a right checksum is refused, or it is read and written again without a change.

use queens::ledger::{decode, encode};

use crate::common::{ledger_text, reseal};

#[test]
fn forged_ledgers_are_refused_or_read_exactly() {
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
        let text = reseal(&(lines.join("\n") + "\n"));
        if let Ok(ledger) = decode(text.as_bytes()) {
            assert_eq!(encode(&ledger).unwrap(), text);
            let _ =
                (ledger.total(), ledger.todo(), ledger.is_complete(), ledger.unfinished_shards(ledger.shard().of()));
            read += 1;
        }
    }
    assert!(read > 0, "no text was read");
}
