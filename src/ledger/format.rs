//! Ledgers as text, in format 2; `docs/formats.md` explains each line.
//!
//! Each ledger has exactly one text, and [`decode`] accepts no other: it encodes the decoded ledger and compares. With
//! the checksum, this refuses a file that is truncated anywhere or has any byte changed. A program that does not know
//! the format's number refuses the file unread.

use std::collections::HashSet;
use std::io;
use std::str::FromStr;
use std::time::Duration;

use hmac_sha256::Hash;

use super::{Fingerprint, Ledger, LedgerError, Partial, RunRecord, Shard};
use crate::board::{Placement, Size};

/// The number of the format follows. Every change that an older program would misread gets a new number.
pub(super) const MAGIC: &str = "queens ledger ";
const VERSION: &str = "2";
const CHECKSUM: &str = "sha256 ";
/// Stands for a value that is absent or unknown.
const NONE: &str = "-";

/// The text of a ledger.
///
/// # Errors
/// If [`decode`] refuses the text, as when two runs have the same identity.
pub fn encode(ledger: &Ledger) -> io::Result<String> {
    let text = text(ledger);
    let unreadable = |error| io::Error::new(io::ErrorKind::InvalidData, format!("it could not be read again: {error}"));
    decode(text.as_bytes()).map(|_| text).map_err(unreadable)
}

fn text(ledger: &Ledger) -> String {
    let (Fingerprint { prefix, engine }, units) = (ledger.fingerprint(), ledger.plan.units());
    let (n, shard, plan) = (prefix.size(), ledger.shard(), ledger.plan.fingerprint());
    let prefix = known(Some(prefix).filter(|prefix| !prefix.is_empty()));
    let mut text = format!(
        "{MAGIC}{VERSION}\nn {n}\nprefix {prefix}\nengine {engine}\nplan {plan}\nunits {units}\nshard {shard}\n"
    );
    let lines = ledger.runs().iter().map(run_line);
    let lines = lines.chain(ledger.tallies().map(|(unit, tally)| format!("unit {unit} {tally}\n")));
    let parts = ledger.partials().map(|(unit, Partial { tasks, tally })| format!("part {unit} {tasks} {tally}\n"));
    text.extend(lines.chain(parts));
    let checksum = checksum(&text);
    text + &checksum
}

/// Reads the text of a ledger, which must be exactly as [`encode`] writes it.
pub fn decode(bytes: &[u8]) -> Result<Ledger, LedgerError> {
    let rest = bytes.strip_prefix(MAGIC.as_bytes()).ok_or(LedgerError::NotALedger)?;
    // The version goes into a message, so control characters end it: they must not reach a terminal.
    let version: String =
        rest.iter().map(|&byte| byte as char).take_while(|byte| !byte.is_control()).take(20).collect();
    if version != VERSION {
        return Err(LedgerError::Version { found: version, wanted: VERSION });
    }
    let text = std::str::from_utf8(bytes).map_err(|_| LedgerError::Damaged)?;
    let (body, last) = text.split_at(text.rfind(CHECKSUM).unwrap_or(0));
    if last != checksum(body) {
        return Err(LedgerError::Damaged);
    }
    read(body).and_then(|ledger| if self::text(&ledger) == text { Ok(ledger) } else { Err(LedgerError::Contents) })
}

/// The last line: the SHA-256 of all lines before it.
fn checksum(body: &str) -> String {
    let digits: Vec<String> = Hash::hash(body.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{CHECKSUM}{}\n", digits.concat())
}

fn run_line(run: &RunRecord) -> String {
    let RunRecord { begun, saved, elapsed, cpu_time, units, program, host, processor } = run;
    let seconds = |time: &Duration| format!("{:.3}", time.as_secs_f64());
    let values = [
        name(begun.as_deref()),
        known(*saved),
        seconds(elapsed),
        known(cpu_time.as_ref().map(seconds)),
        known(*units),
        name(program.as_deref()),
        name(host.as_deref()),
        name(processor.as_deref()),
    ];
    format!("run\t{}\n", values.join("\t"))
}

/// The value as text, or a dash if it is unknown.
fn known(value: Option<impl ToString>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| value.to_string())
}

/// A name without control characters, which would break its line or a column, or a dash.
fn name(name: Option<&str>) -> String {
    let name = name.unwrap_or_default().replace(char::is_control, " ");
    let words: Vec<&str> = name.split_whitespace().collect();
    known(Some(words.join(" ")).filter(|name| !name.is_empty()))
}

/// Parses the lines before the checksum. It accepts other spellings too; [`decode`] refuses those.
fn read(body: &str) -> Result<Ledger, LedgerError> {
    let mut lines = body.lines().skip(1);
    let (fingerprint, found, shard) = header(&mut lines).ok_or(LedgerError::Contents)?;
    let mut ledger = Ledger::new(fingerprint, shard);
    let wanted = ledger.plan.fingerprint();
    if found != wanted {
        return Err(LedgerError::Plan { found: found.to_owned(), wanted });
    }
    let is_read = lines.try_for_each(|line| entry(line, &mut ledger)).is_some();
    let runs: HashSet<RunRecord> = ledger.runs.iter().map(RunRecord::identity).collect();
    if is_read && runs.len() == ledger.runs.len() { Ok(ledger) } else { Err(LedgerError::Contents) }
}

/// The fingerprint, the line of the plan, and the shard.
fn header<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Option<(Fingerprint, &'a str, Shard)> {
    let mut field = |key: &str| lines.next()?.strip_prefix(key)?.strip_prefix(' ');
    let (size, prefix): (Size, _) = (field("n")?.parse().ok()?, field("prefix")?);
    let prefix = if prefix == NONE { Placement::empty(size) } else { Placement::parse(prefix, size).ok()? };
    let fingerprint = Fingerprint { prefix, engine: field("engine")?.parse().ok()? };
    // The number of units follows from the plan, so it is not parsed; `decode` compares it.
    let (plan, _, shard) = (field("plan")?, field("units")?, field("shard")?.parse().ok()?);
    fingerprint.engine.counts(&prefix).then_some((fingerprint, plan, shard))
}

/// Adds the contents of a line after the header.
fn entry(line: &str, ledger: &mut Ledger) -> Option<()> {
    let values: Vec<&str> = line.split(if line.starts_with("run\t") { '\t' } else { ' ' }).collect();
    let (unit, part) = match values[..] {
        ["run", begun, saved, elapsed, cpu_time, units, program, host, processor] => {
            let seconds = |time| Duration::try_from_secs_f64(time).ok();
            ledger.runs.push(RunRecord {
                begun: if_known(begun).ok()?,
                saved: if_known(saved).ok()?,
                elapsed: seconds(elapsed.parse().ok()?)?,
                cpu_time: if_known(cpu_time).ok()?.and_then(seconds),
                units: if_known(units).ok()?,
                program: if_known(program).ok()?,
                host: if_known(host).ok()?,
                processor: if_known(processor).ok()?,
            });
            return Some(());
        }
        ["unit", unit, tally] => (unit, Partial { tasks: Partial::WHOLE, tally: tally.parse().ok()? }),
        ["part", unit, tasks, tally] => (unit, Partial { tasks: tasks.parse().ok()?, tally: tally.parse().ok()? }),
        _ => return None,
    };
    let unit = unit.parse().ok().filter(|&unit| unit < ledger.plan.units() && ledger.shard.contains(unit))?;
    let is_of_unit = part.is_whole() || part.tasks < ledger.plan.tasks(unit);
    is_of_unit.then(|| ledger.record(unit, part).ok())?
}

/// The parsed value, or `None` for a dash.
fn if_known<T: FromStr>(text: &str) -> Result<Option<T>, T::Err> {
    if text == NONE { Ok(None) } else { text.parse().map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Shard;
    use crate::tests::cases;
    use crate::{EngineKind, Size};

    fn small() -> Ledger {
        let prefix = Placement::parse("1,3", Size::new(24).unwrap()).unwrap();
        let fingerprint = Fingerprint { prefix, engine: EngineKind::Naive };
        let mut ledger = Ledger::new(fingerprint, Shard::new(2, 3).unwrap());
        ledger.set(7, Partial { tasks: Partial::WHOLE, tally: 3 });
        ledger.set(1, Partial { tasks: Partial::WHOLE, tally: u128::MAX });
        ledger.set(4, Partial { tasks: 17, tally: 5 });
        ledger.runs.push(RunRecord {
            begun: Some("1795551221.045678901".into()),
            saved: Some(1_795_551_234),
            elapsed: Duration::from_millis(1500),
            cpu_time: Some(Duration::from_millis(2750)),
            units: Some(2),
            program: Some("queens 2.0.0".into()),
            host: Some("a b".into()),
            processor: Some("a processor".into()),
        });
        ledger.runs.push(RunRecord { elapsed: Duration::from_millis(250), ..RunRecord::default() });
        ledger
    }

    const BODY: &str = "queens ledger 2\nn 24\nprefix 1,3\nengine naive\nplan rows/1 N=24 prefix=1,3 lines=2\n\
        units 344\nshard 2/3\nrun\t1795551221.045678901\t1795551234\t1.500\t2.750\t2\tqueens 2.0.0\ta b\ta processor\n\
        run\t-\t-\t0.250\t-\t-\t-\t-\t-\nunit 1 340282366920938463463374607431768211455\nunit 7 3\npart 4 17 5\n";

    /// Decodes this body with a valid checksum.
    fn sealed(body: &str) -> Result<Ledger, LedgerError> {
        decode((body.to_owned() + &checksum(body)).as_bytes())
    }

    #[test]
    fn the_text_is_as_documented() {
        // From `sha256sum`.
        let sum = "sha256 29acaf6af7d87435ca4f1dfce6a2c2a4bc73078a7becc90f9454d351c9b2de12\n";
        assert_eq!(text(&small()), format!("{BODY}{sum}"));
        assert_eq!(decode(encode(&small()).unwrap().as_bytes()), Ok(small()));
    }

    /// The format is final: ledgers of earlier versions stay readable.
    #[test]
    fn the_ledgers_of_the_repository_are_read() {
        let ledger = decode(include_bytes!("../../docs/results/a000170-23.ledger")).unwrap();
        assert_eq!(ledger.total(), crate::oeis::QUEENS.term(23));
        let ledger = decode(include_bytes!("../../docs/results/a000170-24.ledger")).unwrap();
        assert_eq!(ledger.total(), crate::oeis::QUEENS.term(24));
    }

    #[test]
    fn every_truncation_and_every_flipped_bit_is_refused() {
        let bytes = text(&small()).into_bytes();
        for length in MAGIC.len() + 1..bytes.len() {
            assert_eq!(decode(&bytes[..length]), Err(LedgerError::Damaged), "{length}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&flipped).is_err(), "bit {bit}");
        }
        // More than one bit, too.
        let damaged = text(&small()).replace("unit 7 3", "unit 7 4");
        assert_eq!(decode(damaged.as_bytes()), Err(LedgerError::Damaged));
    }

    #[test]
    fn truncated_foreign_and_newer_files_have_different_errors() {
        let error = |bytes: &[u8]| decode(bytes).unwrap_err().to_string();
        for cut in [&b"queens ledger 2\nn 8\n"[..], b"queens ledger 2\r\nn 8\r\n"] {
            assert!(error(cut).starts_with("damaged: "));
        }
        for other in [&b"\x7fELF\x02"[..], b"queens led", b""] {
            assert_eq!(error(other), "not a ledger of queens");
        }
        assert_eq!(error(b"queens ledger 1\nn 8"), "ledger format 1; this program reads format 2");
        assert_eq!(error(b"queens ledger 22\n"), "ledger format 22; this program reads format 2");
        for control in ["3\x1b[31m", "3\u{9b}31m", "3\r"] {
            let text = format!("queens ledger {control}\n");
            assert!(!error(text.as_bytes()).contains(char::is_control), "{control:?}");
        }
    }

    /// Contents that this program would not write are refused even with the right checksum.
    #[test]
    fn there_is_one_way_to_write_a_ledger() {
        assert_eq!(sealed(BODY), Ok(small()));
        let (run, unit) = (BODY.find("run").unwrap(), BODY.find("unit 1").unwrap());
        let runs = &BODY[run..unit];
        for (from, to) in [
            ("n 24", "n 33"),
            ("prefix 1,3", "prefix 1,03"),
            ("prefix 1,3", "prefix 1,2"),
            ("engine naive", "engine nave"),
            ("engine naive", "engine join"),
            ("shard 2/3", "shard 1/3"),
            ("units 344", "units 343"),
            ("unit 7 3", "unit 8 3"),
            ("unit 7 3", "unit 346 3"),
            ("unit 7 3", "unit 7 3 4"),
            ("unit 7 3", "unit\t7\t3"),
            ("unit 7 3\n", "unit 7 3\nunit 7 3\n"),
            ("unit 7 3", "unit 7 340282366920938463463374607431768211456"),
            ("part 4 17 5\n", "part 4 0 0\n"),
            ("part 4 17 5\n", "part 4 202 5\n"),
            ("part 4 17 5\n", "part 4 17\n"),
            ("part 4 17 5\n", "part 4 16 5\npart 4 17 5\n"),
            ("part 4 17 5\n", "part 7 1 1\n"),
            ("part 4 17 5\n", "piece 4 17 5\n"),
            ("unit 7 3\npart 4 17 5\n", "part 4 17 5\nunit 7 3\n"),
            ("\ta b", "\ta  b"),
            ("\ta b", "\t"),
            ("\ta b", ""),
            ("\ta b", "\ta\u{1b}b"),
            ("run\t1", "run 1"),
            ("1795551234", "4294967296"),
            ("1.500", "NaN"),
            ("1.500", "18446744073709551616.000"),
            ("1.500", "-1.500"),
            ("1.500", "-"),
            ("2.750", ""),
            (runs, &runs.repeat(2)),
            (runs, &format!("unit 1 340282366920938463463374607431768211455\n{runs}")),
        ] {
            assert!(BODY.contains(from));
            let read = sealed(&BODY.replacen(from, to, 1));
            assert!(matches!(read, Err(LedgerError::Contents)), "{from} -> {to}: {read:?}");
        }
        let other = sealed(&BODY.replace("rows/1", "rows/0")).unwrap_err().to_string();
        let wanted = "rows/1 N=24 prefix=1,3 lines=2";
        assert_eq!(other, format!("made with plan {}; this program uses {wanted}", wanted.replace("/1", "/0")));
    }

    /// Two records of one run, as a clock that stands still would make them.
    #[test]
    fn unreadable_ledgers_are_not_written() {
        let mut ledger = small();
        ledger.runs.push(RunRecord { host: Some("b".into()), ..ledger.runs[0].clone() });
        assert!(encode(&ledger).is_ok());
        ledger.runs.push(RunRecord { units: None, ..ledger.runs[0].clone() });
        let error = encode(&ledger).unwrap_err().to_string();
        assert_eq!(error, "it could not be read again: not written by this program");
    }

    #[test]
    fn writing_and_reading_are_inverse() {
        for mut random in cases() {
            let prefix = Placement::empty(Size::new(24).unwrap());
            let mut ledger = Ledger::new(Fingerprint { prefix, engine: EngineKind::Join }, Shard::WHOLE);
            for _ in 0..random.usize(..3) {
                ledger.set(random.usize(..1000), Partial { tasks: random.u64(1..9), tally: random.u128(..) });
            }
            // These replace partial units: a finished unit cannot have a partial one.
            for _ in 0..random.usize(..40) {
                ledger.set(random.usize(..1000), Partial { tasks: Partial::WHOLE, tally: random.u128(..) });
            }
            for number in 0..random.usize(..4) {
                let mut some = || random.bool().then(|| random.u32(..));
                let (saved, cpu_time) = (some(), some().map(|time| Duration::from_millis(time.into())));
                let elapsed = Duration::from_millis(random.u32(..).into());
                // Each record has another identity.
                let (begun, units, program) = (Some(format!("1.{number}")), saved.map(u64::from), None);
                // Any characters, half of them ASCII.
                let host = (0..random.usize(..18))
                    .map(|_| if random.bool() { random.char(..) } else { random.char('\0'..'~') });
                let (host, processor) = (Some(host.collect()), None);
                ledger.runs.push(RunRecord { begun, elapsed, saved, cpu_time, units, program, host, processor });
            }
            let text = text(&ledger);
            let read = decode(text.as_bytes()).unwrap();
            assert_eq!(self::text(&read), text);
            assert!(read.tallies().eq(ledger.tallies()) && read.partials().eq(ledger.partials()));
        }
    }
}
