//! A ledger as text, in format 2.
//!
//! ```text
//! queens ledger 2
//! n 16
//! prefix -
//! engine backtrack
//! plan rows/1 N=16 prefix= lines=2
//! units 105
//! shard 1/1
//! run→1795551221.345678901→1795551234→12.345→24.102→17→queens 2.0.0→cassini→AMD EPYC 9B14
//! unit 0 106484
//! part 4 17 51240
//! sha256 4b43…
//! ```
//!
//! `docs/formats.md` says what each line means; `→` stands for a tab here. The text is UTF-8, its lines end in a newline, and
//! they are in this order: any number of runs, of units and of parts, the last two ascending. A `-` is in place of what there
//! is not or is not known. There is only one way to write a given ledger, and [`decode`] accepts nothing else: it encodes
//! what it has read again and compares. So a file that is truncated anywhere, or has any byte changed, is refused. A program
//! that does not know the number of the format refuses the file unread.

use std::fmt::Write;
use std::str::FromStr;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::{Fingerprint, Ledger, Partial, RunRecord};
use crate::board::Placement;

/// Before the number of the format. Every change that an older program would misread gets a new number.
pub(super) const MAGIC: &str = "queens ledger ";
const VERSION: &str = "2";
const CHECKSUM: &str = "sha256 ";
/// In place of a value: there is none, or it is not known.
const NONE: &str = "-";
/// No time is longer, and no moment later since 1970: the end of the year 9999, in seconds. So no sum of times is too long.
const LONGEST: u64 = 253_402_300_799;
/// The digits of a second that the text has of times, and of the beginning of a run.
const MILLISECONDS: u32 = 3;
const NANOSECONDS: u32 = 9;

/// Why some bytes are not a ledger.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// They are something else altogether.
    #[error("not a ledger of queens; choose another file")]
    NotALedger,
    /// They are in the format of another version.
    #[error("ledger format {0}; this program reads format {VERSION}")]
    Version(String),
    /// The end is missing.
    #[error("damaged: its end is missing; remove it and count it again")]
    Cut,
    /// Some byte has changed since it was written.
    #[error("damaged: the checksum does not match the contents; remove it and count it again")]
    Checksum,
    /// The checksum is right, but this program would not write such contents.
    #[error("not written by this program: {0}")]
    Contents(String),
}

/// The text of a ledger.
pub fn encode(ledger: &Ledger) -> String {
    let Fingerprint { prefix, engine, plan, units } = ledger.fingerprint();
    let (n, shard) = (prefix.size(), ledger.shard());
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
pub fn decode(bytes: &[u8]) -> Result<Ledger, FormatError> {
    if MAGIC.as_bytes().starts_with(bytes) {
        return Err(FormatError::Cut);
    }
    let rest = bytes.strip_prefix(MAGIC.as_bytes()).ok_or(FormatError::NotALedger)?;
    let version = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if version != VERSION.as_bytes() {
        return Err(FormatError::Version(String::from_utf8_lossy(version).chars().take(20).collect()));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| FormatError::Checksum)?;
    let (body, last) = text.strip_suffix('\n').and_then(|text| text.rsplit_once('\n')).ok_or(FormatError::Cut)?;
    if !last.starts_with(CHECKSUM) {
        return Err(FormatError::Cut);
    }
    let body = &text[..=body.len()];
    if text[body.len()..] != checksum(body) {
        return Err(FormatError::Checksum);
    }
    let ledger = read(body).map_err(FormatError::Contents)?;
    let is_same = encode(&ledger) == text;
    if is_same { Ok(ledger) } else { Err(FormatError::Contents("its lines are not in their one form".to_owned())) }
}

/// The last line.
fn checksum(body: &str) -> String {
    let mut line = CHECKSUM.to_owned();
    for byte in Sha256::digest(body.as_bytes()) {
        write!(line, "{byte:02x}").expect("a string takes everything");
    }
    line + "\n"
}

/// The line of a run.
fn run_line(run: &RunRecord) -> String {
    let RunRecord { begun, saved, elapsed, cpu_time, units, program, host, processor } = run;
    let values = [
        known(begun.map(|begun| seconds(begun, NANOSECONDS))),
        known(saved.map(|saved| saved.min(LONGEST))),
        seconds(*elapsed, MILLISECONDS),
        known(cpu_time.map(|time| seconds(time, MILLISECONDS))),
        known(*units),
        name(program.as_deref()),
        name(host.as_deref()),
        name(processor.as_deref()),
    ];
    format!("run\t{}\n", values.join("\t"))
}

/// What is known, else a dash.
fn known(value: Option<impl ToString>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| value.to_string())
}

/// Seconds with so many digits after the point.
fn seconds(time: Duration, digits: u32) -> String {
    let time = time.min(Duration::from_secs(LONGEST));
    let fraction = time.subsec_nanos() / 10u32.pow(NANOSECONDS - digits);
    format!("{}.{fraction:0width$}", time.as_secs(), width = digits as usize)
}

/// A name on one line without tabs: names come from outside.
fn name(name: Option<&str>) -> String {
    let name = name.unwrap_or_default().replace(char::is_control, " ");
    let words: Vec<&str> = name.split_whitespace().collect();
    known(Some(words.join(" ")).filter(|name| !name.is_empty()))
}

/// The contents of the lines before the checksum. It may accept another form of them; [`decode`] catches that.
fn read(body: &str) -> Result<Ledger, String> {
    let mut lines = body.lines().skip(1);
    let mut field = |key: &str| {
        let value = lines.next().and_then(|line| line.strip_prefix(key)?.strip_prefix(' '));
        value.ok_or_else(|| format!("the line '{key}' is missing"))
    };
    let (size, prefix) = (parsed(field("n")?)?, field("prefix")?);
    let prefix = if prefix == NONE { Ok(Placement::empty(size)) } else { Placement::parse(prefix, size) };
    let prefix = prefix.map_err(|error| error.to_string())?;
    let (engine, plan, units) = (parsed(field("engine")?)?, field("plan")?.to_owned(), parsed(field("units")?)?);
    let mut ledger = Ledger::new(Fingerprint { prefix, engine, plan, units }, parsed(field("shard")?)?);
    for line in lines {
        let values: Vec<&str> = line.split(if line.starts_with("run\t") { '\t' } else { ' ' }).collect();
        let entered = match values[..] {
            ["run", begun, saved, elapsed, cpu_time, units, program, host, processor] => {
                ledger.enter_run(RunRecord {
                    begun: if_known(begun, |begun| read_seconds(begun, NANOSECONDS))?,
                    saved: if_known(saved, parsed)?,
                    elapsed: read_seconds(elapsed, MILLISECONDS)?,
                    cpu_time: if_known(cpu_time, |time| read_seconds(time, MILLISECONDS))?,
                    units: if_known(units, parsed)?,
                    program: if_known(program, parsed)?,
                    host: if_known(host, parsed)?,
                    processor: if_known(processor, parsed)?,
                });
                Ok(())
            }
            ["unit", unit, tally] => ledger.record(parsed(unit)?, parsed(tally)?),
            ["part", unit, tasks, tally] => {
                let partial = Partial { tasks: parsed(tasks)?, tally: parsed(tally)? };
                ledger.record_partial(parsed(unit)?, partial)
            }
            _ => return Err(format!("'{line}' is neither a run nor a unit")),
        };
        entered.map_err(|error| error.to_string())?;
    }
    Ok(ledger)
}

/// What the text says, unless it says that it is not known.
fn if_known<T>(text: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    if text == NONE { Ok(None) } else { read(text).map(Some) }
}

/// Reads what [`seconds`] writes.
fn read_seconds(text: &str, digits: u32) -> Result<Duration, String> {
    let (whole, fraction) = text.split_once('.').ok_or_else(|| format!("'{text}' is not a time"))?;
    let (whole, fraction): (u64, u32) = (parsed(whole)?, parsed(fraction)?);
    let fraction = Duration::from_nanos(u64::from(fraction) * 10u64.pow(NANOSECONDS - digits));
    Ok(Duration::from_secs(whole.min(LONGEST)) + fraction)
}

fn parsed<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("'{text}' is not what should be there"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Shard;
    use crate::{EngineKind, Size};
    use proptest::prelude::*;

    fn small() -> Ledger {
        let prefix = Placement::parse("15", Size::new(8).unwrap()).unwrap();
        let plan = "rows/1 N=8 prefix=15 lines=2".to_owned();
        let fingerprint = Fingerprint { prefix, engine: EngineKind::Naive, plan, units: 9 };
        let mut ledger = Ledger::new(fingerprint, Shard::new(2, 3).unwrap());
        ledger.record(7, 3).unwrap();
        ledger.record(1, u128::MAX).unwrap();
        ledger.record_partial(4, Partial { tasks: 17, tally: 5 }).unwrap();
        ledger.enter_run(RunRecord {
            begun: Some(Duration::new(1_795_551_221, 45_678_901)),
            saved: Some(1_795_551_234),
            elapsed: Duration::from_millis(1500),
            cpu_time: Some(Duration::from_millis(2750)),
            units: Some(2),
            program: Some("queens 2.0.0".into()),
            host: Some("a b".into()),
            processor: Some("a processor".into()),
        });
        ledger.enter_run(RunRecord { elapsed: Duration::from_millis(250), ..RunRecord::default() });
        ledger
    }

    const BODY: &str = "queens ledger 2\nn 8\nprefix 15\nengine naive\nplan rows/1 N=8 prefix=15 lines=2\nunits 9\n\
        shard 2/3\nrun\t1795551221.045678901\t1795551234\t1.500\t2.750\t2\tqueens 2.0.0\ta b\ta processor\n\
        run\t-\t-\t0.250\t-\t-\t-\t-\t-\nunit 1 340282366920938463463374607431768211455\nunit 7 3\npart 4 17 5\n";

    /// What this body is read as, with a checksum that is right.
    fn sealed(body: &str) -> Result<Ledger, FormatError> {
        decode((body.to_owned() + &checksum(body)).as_bytes())
    }

    #[test]
    fn the_text_is_as_documented() {
        // From `sha256sum`.
        let sum = "sha256 01d2770ef45b38f4412f006b2cb656d94084a42312066a40ec9c655cfdfe2f8b\n";
        assert_eq!(encode(&small()), format!("{BODY}{sum}"));
        assert_eq!(decode(encode(&small()).as_bytes()), Ok(small()));
    }

    /// The format is final: what was counted with earlier versions is read.
    #[test]
    fn the_ledgers_of_the_repository_are_read() {
        let ledger = decode(include_bytes!("../../docs/results/a000170-23.ledger")).unwrap();
        assert_eq!(ledger.total().ok(), crate::oeis::QUEENS.term(23));
        let ledger = decode(include_bytes!("../../docs/results/a000170-24.checkpoint")).unwrap();
        assert_eq!((ledger.finished(), ledger.units()), (840, 5284));
    }

    #[test]
    fn every_cut_is_refused() {
        let bytes = encode(&small()).into_bytes();
        for length in 0..bytes.len() {
            let error = decode(&bytes[..length]).expect_err("a cut ledger passed");
            assert!(length == MAGIC.len() || error == FormatError::Cut, "{length}: {error}");
        }
    }

    #[test]
    fn every_flipped_bit_is_refused() {
        let bytes = encode(&small()).into_bytes();
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&flipped).is_err(), "bit {bit}");
        }
        // Also one that another, in the checksum, makes good: the sum is of the whole text.
        let damaged = encode(&small()).replace("unit 7 3", "unit 7 4");
        assert_eq!(decode(damaged.as_bytes()), Err(FormatError::Checksum));
    }

    #[test]
    fn other_files_are_told_apart() {
        let error = |bytes: &[u8]| decode(bytes).unwrap_err().to_string();
        for cut in [&b""[..], b"queens led", b"queens ledger 2\nn 8\n"] {
            assert_eq!(error(cut), "damaged: its end is missing; remove it and count it again");
        }
        assert_eq!(error(b"\x7fELF\x02"), "not a ledger of queens; choose another file");
        assert_eq!(error(b"queens ledger 1\nn 8"), "ledger format 1; this program reads format 2");
        assert_eq!(error(b"queens ledger 22\n"), "ledger format 22; this program reads format 2");
    }

    /// Contents that this program would not write are refused even with the right checksum.
    #[test]
    fn there_is_one_way_to_write_a_ledger() {
        assert_eq!(sealed(BODY), Ok(small()));
        let (run, unit) = (BODY.find("run").unwrap(), BODY.find("unit 1").unwrap());
        let runs = &BODY[run..unit];
        for (from, to) in [
            ("n 8", "n +8"),
            ("n 8", "n 33"),
            ("n 8\n", "n 8\nsize 8\n"),
            ("prefix 15", "prefix 1,5"),
            ("prefix 15", "prefix 12"),
            ("prefix 15\n", "prefix 15\nqueens -\n"),
            ("engine naive", "engine nave"),
            ("shard 2/3", "shard 1/3"),
            ("shard 2/3", "shard 02/3"),
            ("units 9", "units 7"),
            ("unit 7 3", "unit 07 3"),
            ("unit 7 3", "unit 8 3"),
            ("unit 7 3", "unit 7 3 4"),
            ("unit 7 3", "unit\t7\t3"),
            ("unit 7 3\n", "unit 7 3\r\n"),
            ("unit 7 3\n", "unit 7 3\nunit 7 3\n"),
            ("unit 7 3\n", "unit 7 3\nunit 7 4\n"),
            ("unit 7 3\n", "unit 7 3\n\n"),
            ("unit 7 3", "unit 7 340282366920938463463374607431768211456"),
            ("part 4 17 5\n", "part 4 0 0\n"),
            ("part 4 17 5\n", "part 4 017 5\n"),
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
            ("1795551221.045678901", "1795551221.45678901"),
            ("1795551221.045678901", "1795551221.0456789010"),
            ("1795551221.045678901", "1795551221"),
            ("1795551234", "+1795551234"),
            ("1.500", "1.5"),
            ("1.500", "1.1500"),
            ("1.500", "NaN"),
            ("1.500", "-1.500"),
            ("1.500", "-"),
            ("2.750", ""),
            ("2.750\t2", "2.750\t02"),
            (runs, &runs.repeat(2)),
            (runs, &format!("unit 1 340282366920938463463374607431768211455\n{runs}")),
        ] {
            assert!(BODY.contains(from));
            let read = sealed(&BODY.replacen(from, to, 1));
            assert!(matches!(read, Err(FormatError::Contents(_))), "{from} -> {to}: {read:?}");
        }
    }

    /// No time is believed that no system can have, so that sums of times are times.
    #[test]
    fn times_have_bounds() {
        let times = [("1795551221.045678901", ".045678901"), ("1795551234", ""), ("1.500", ".000"), ("2.750", ".000")];
        for (time, digits) in times {
            let with = |seconds: u64| sealed(&BODY.replacen(time, &format!("{seconds}{digits}"), 1));
            assert!(with(LONGEST - 1).is_ok(), "{time}");
            for beyond in [LONGEST + 1, 1 << 63, u64::MAX] {
                assert!(matches!(with(beyond), Err(FormatError::Contents(_))), "{time} {beyond}");
            }
        }
    }

    proptest! {
        #[test]
        fn writing_and_reading_are_inverse(
            tallies in proptest::collection::btree_map(0usize..1000, any::<u128>(), 0..40),
            parts in proptest::collection::btree_map(0usize..1000, (1..=u64::MAX, any::<u128>()), 0..3),
            runs in proptest::collection::vec((any::<Option<Duration>>(), any::<Duration>(), "\\PC{0,9}[ -~\t\n]{0,9}"), 0..4),
            numbers in proptest::collection::vec(any::<Option<u64>>(), 4),
        ) {
            let prefix = Placement::empty(Size::new(20).unwrap());
            let fingerprint = Fingerprint { prefix, engine: EngineKind::Join, plan: "halves/1".into(), units: 1000 };
            let mut ledger = Ledger::new(fingerprint, Shard::WHOLE);
            for (unit, tally) in tallies {
                ledger.record(unit, tally).unwrap();
            }
            for (unit, (tasks, tally)) in parts {
                // Finished units cannot have a part.
                let _ = ledger.record_partial(unit, Partial { tasks, tally });
            }
            for (number, ((time, elapsed, host), count)) in (0..).zip(runs.into_iter().zip(numbers)) {
                // Each is another run, also where its times are beyond what a file has.
                let begun = time.map(|time| Duration::new(time.as_secs() % LONGEST, number));
                let (host, program) = (Some(host), Some(number.to_string()));
                let (saved, units, cpu_time) = (count, count, time);
                let processor = None;
                ledger.enter_run(RunRecord { begun, saved, elapsed, cpu_time, units, program, host, processor });
            }
            let text = encode(&ledger);
            let read = decode(text.as_bytes()).unwrap();
            prop_assert_eq!(encode(&read), text);
            prop_assert!(read.tallies().eq(ledger.tallies()) && read.partials().eq(ledger.partials()));
        }
    }
}
