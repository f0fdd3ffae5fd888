//! A ledger as text, formats 1 to 4.
//!
//! ```text
//! queens ledger 4                        the format
//! n 16                                   columns and rows of the board
//! prefix -                               the queens given, or - for none; or symmetry half, or symmetry quarter
//! engine backtrack                       who counted
//! plan rows/1 N=16 prefix= lines=2       how the count is cut, in the plan's own words
//! units 105                              units of the whole plan
//! shard 1/1                              which of them are this ledger's: unit % M = K - 1 for shard K/M
//! host cassini                           the machine that saved it
//! program queens 0.2.0                   and its program
//! seconds 12.345                         wall time spent so far
//! cpu 24.102                             processor time of all threads, or - where it is not known; format 1, which
//!                                        0.1 wrote, has no such line
//! saved 1795551234                       when it was saved, in seconds since 1970 (UTC); formats 1 to 3, which earlier
//!                                        versions wrote, have no such line
//! unit 0 106484                          a finished unit and its tally, weights included: ascending, each once
//! unit 3 98712
//! part 4 17 51240                        of a unit that is not finished, how many of its first tasks are, and their
//!                                        tally: ascending, each once; formats 1 and 2 have no such lines
//! sha256 4b43…                           of every byte above this line: `head -n -1 FILE | sha256sum`
//! ```
//!
//! The text is UTF-8, its lines end in a newline, and they are in this order. There is only one way to write a given
//! ledger, and [`decode`] accepts nothing else: it encodes what it has read again and compares. So a file that is
//! truncated anywhere, or has any byte changed, is refused. A program that does not know the number of the format
//! refuses the file unread. If the processor time of one part is unknown, the processor time of the whole is unknown
//! too. A ledger is written in the lowest format that can express it: 1 without the processor time, 2 with it, 3 with
//! partly finished units, 4 with the time of a save.

use std::fmt::Write;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::{Fingerprint, Ledger, Origin, Partial};
use crate::board::{Placement, RotationalBoard};
use crate::ledger::shard::Shard;
use crate::subject::Subject;

/// Before the number of the format. Every change that an older program would misread gets a new number.
pub(super) const MAGIC: &str = "queens ledger ";
const CHECKSUM: &str = "sha256 ";

/// Why some bytes are not a ledger.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// They are something else altogether.
    #[error("not a ledger of queens")]
    NotALedger,
    /// They are in the format of another version.
    #[error("ledger format {0}; this program reads formats 1 to 4")]
    Version(String),
    /// The end is missing.
    #[error("cut short: its last line is not a checksum")]
    Cut,
    /// Some byte has changed since it was written.
    #[error("damaged: its checksum does not fit its contents")]
    Checksum,
    /// It is of a profile, which versions 0.2 and 0.3 kept in ledgers.
    #[error("the ledger of a profile, by version 0.2 or 0.3; now `queens profile` counts without a ledger")]
    Profile,
    /// The checksum is right, but this program would not write such contents.
    #[error("not written by this program: {0}")]
    Contents(String),
}

/// The ledger as text.
pub fn encode(ledger: &Ledger) -> String {
    let Fingerprint { subject, engine, plan, units } = ledger.fingerprint();
    let origin = &ledger.origin;
    let kind = match subject {
        Subject::Completions(prefix) if prefix.is_empty() => "prefix -".to_owned(),
        Subject::Completions(prefix) => format!("prefix {prefix}"),
        Subject::Rotational(board) => format!("symmetry {}", board.rotation()),
    };
    let cpu = origin.cpu_time.map_or_else(|| "-".to_owned(), |time| format!("{:.3}", time.as_secs_f64()));
    let (version, times) = match (origin.saved, ledger.partials().next(), origin.cpu_time) {
        (Some(saved), ..) => (4, format!("cpu {cpu}\nsaved {saved}\n")),
        (None, Some(_), _) => (3, format!("cpu {cpu}\n")),
        (None, None, Some(_)) => (2, format!("cpu {cpu}\n")),
        (None, None, None) => (1, String::new()),
    };
    let mut text = format!(
        "{MAGIC}{version}\nn {}\n{kind}\nengine {engine}\nplan {plan}\nunits {units}\nshard {}\nhost {}\n\
         program {}\nseconds {:.3}\n{times}",
        subject.n(),
        ledger.shard(),
        one_line(&origin.host),
        one_line(&origin.program),
        origin.elapsed.as_secs_f64(),
    );
    for (unit, tally) in ledger.tallies() {
        writeln!(text, "unit {unit} {tally}").expect("a string takes everything");
    }
    for (unit, Partial { tasks, tally }) in ledger.partials() {
        writeln!(text, "part {unit} {tasks} {tally}").expect("a string takes everything");
    }
    let checksum = checksum(&text);
    text + &checksum
}

/// Reads a ledger from bytes, which must be exactly as [`encode`] writes them.
pub fn decode(bytes: &[u8]) -> Result<Ledger, FormatError> {
    if MAGIC.as_bytes().starts_with(bytes) {
        return Err(FormatError::Cut);
    }
    let rest = bytes.strip_prefix(MAGIC.as_bytes()).ok_or(FormatError::NotALedger)?;
    let version = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if !matches!(version, b"1" | b"2" | b"3" | b"4") {
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
    if body.lines().any(|line| line == "engine profile") {
        return Err(FormatError::Profile);
    }
    let ledger = read(body, version).map_err(FormatError::Contents)?;
    let is_same = encode(&ledger) == text;
    if is_same { Ok(ledger) } else { Err(FormatError::Contents("its lines are not in their one form".to_owned())) }
}

/// Whether bytes that are no sound ledger are what is left of one with the same units of the same count as this one. Their
/// head, which says so, is whole, or all of them, or the only damage.
pub(super) fn is_left_of(bytes: &[u8], ledger: &Ledger) -> bool {
    let text = encode(ledger);
    let head = text.find('\n').zip(text.find("\nhost ")).map(|(start, end)| &text.as_bytes()[start..=end]);
    let head = head.expect("every ledger has these lines");
    let (magic, rest) = bytes.split_at(bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len()));
    let is_sound_with_head =
        || rest.get(head.len()..).is_some_and(|rest| decode(&[magic, head, rest].concat()).is_ok());
    rest.starts_with(head) || head.starts_with(rest) || is_sound_with_head()
}

/// The last line, with the checksum.
fn checksum(body: &str) -> String {
    let mut line = CHECKSUM.to_owned();
    for byte in Sha256::digest(body.as_bytes()) {
        write!(line, "{byte:02x}").expect("a string takes everything");
    }
    line + "\n"
}

/// A name on one line. Names come from outside, and a line break in one would make two lines.
fn one_line(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The contents of the lines before the checksum. It may accept another form of them; [`decode`] catches that.
fn read(body: &str, version: &[u8]) -> Result<Ledger, String> {
    let mut lines = body.lines().skip(1).map(|line| line.split_once(' ').unwrap_or((line, "")));
    let Some(("n", n)) = lines.next() else { return Err("the line 'n' is missing".to_owned()) };
    let subject = match lines.next() {
        Some(("prefix", "-")) => Placement::empty(parsed("n", n)?).into(),
        Some(("prefix", text)) => Placement::parse(text, parsed("n", n)?).map_err(|error| error.to_string())?.into(),
        Some(("symmetry", rotation)) => {
            let board = RotationalBoard::new(parsed("turn", rotation)?, parsed("n", n)?);
            board.map_err(|error| error.to_string())?.into()
        }
        _ => return Err("the line 'prefix' is missing".to_owned()),
    };
    let mut field = |name: &str| match lines.next() {
        Some((found, value)) if found == name => Ok(value),
        _ => Err(format!("the line '{name}' is missing")),
    };
    let (engine, plan) = (field("engine")?.to_owned(), field("plan")?.to_owned());
    let units = parsed("units", field("units")?)?;
    let mut ledger = Ledger::new(Fingerprint { subject, engine, plan, units }, parsed("shard", field("shard")?)?);
    let (host, program) = (field("host")?.to_owned(), field("program")?.to_owned());
    let elapsed = seconds(field("seconds")?)?;
    let cpu_time = if version == b"1" { "-" } else { field("cpu")? };
    let cpu_time = if cpu_time == "-" { None } else { Some(seconds(cpu_time)?) };
    let saved = if version == b"4" { Some(moment(field("saved")?)?) } else { None };
    ledger.origin = Origin { host, program, elapsed, cpu_time, saved };
    for (kind, entry) in lines {
        let words: Vec<&str> = entry.split(' ').collect();
        let entered = match (kind, &words[..]) {
            ("unit", [unit, tally]) => ledger.record(parsed("unit", unit)?, parsed("tally", tally)?),
            ("part", [unit, tasks, tally]) => {
                let partial = Partial { tasks: parsed("tasks", tasks)?, tally: parsed("tally", tally)? };
                ledger.record_partial(parsed("unit", unit)?, partial)
            }
            _ => return Err("a line is no unit".to_owned()),
        };
        entered.map_err(|error| error.to_string())?;
    }
    Ok(ledger)
}

/// A time, so far from the longest that there is that the sum over as many shards as there can be is a time too.
fn seconds(text: &str) -> Result<Duration, String> {
    let time = Duration::try_from_secs_f64(parsed("seconds", text)?).ok();
    time.filter(|time| *time < Duration::MAX / (2 * Shard::MOST)).ok_or_else(|| format!("'{text}' is no seconds"))
}

/// Seconds since 1970, up to the end of the year 9999: not every system can add more to the time of 1970.
fn moment(text: &str) -> Result<u64, String> {
    const LAST: u64 = 253_402_300_799;
    parsed("time", text).ok().filter(|&seconds| seconds <= LAST).ok_or_else(|| format!("'{text}' is no time"))
}

fn parsed<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("'{text}' is no {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Rotation, Size};
    use proptest::prelude::*;

    fn small() -> Ledger {
        let prefix = Placement::parse("15", Size::new(8).unwrap()).unwrap();
        let plan = "rows/1 N=8 prefix=15 lines=2".to_owned();
        let fingerprint = Fingerprint { subject: prefix.into(), engine: "naive".into(), plan, units: 9 };
        let mut ledger = Ledger::new(fingerprint, Shard::new(2, 3).unwrap());
        ledger.record(7, 3.into()).unwrap();
        ledger.record(1, u128::MAX.into()).unwrap();
        ledger.origin.host = "a b".into();
        ledger.origin.program = "queens 0.1.0".into();
        ledger.origin.elapsed = Duration::from_millis(1500);
        ledger.origin.cpu_time = None;
        ledger
    }

    #[test]
    fn the_text_is_as_documented() {
        let text = "queens ledger 1\nn 8\nprefix 15\nengine naive\nplan rows/1 N=8 prefix=15 lines=2\nunits 9\n\
                    shard 2/3\nhost a b\nprogram queens 0.1.0\nseconds 1.500\n\
                    unit 1 340282366920938463463374607431768211455\nunit 7 3\n";
        // From `sha256sum`.
        let sum = "sha256 0cce4e390b5fbb99533c9f496314db5465b95c9ae1702fc5e45c6d0b3fe577a6\n";
        assert_eq!(encode(&small()), format!("{text}{sum}"));
        assert_eq!(decode(encode(&small()).as_bytes()), Ok(small()));
        let mut timed = small();
        timed.origin.cpu_time = Some(Duration::from_millis(2750));
        let text = text.replace("ledger 1", "ledger 2").replace("1.500\n", "1.500\ncpu 2.750\n");
        assert_eq!(encode(&timed), text.clone() + &checksum(&text));
        assert_eq!(decode(encode(&timed).as_bytes()), Ok(timed.clone()));
        // With a part of a unit it is format 3, whether or not the processor time is known.
        timed.record_partial(4, Partial { tasks: 17, tally: 30.into() }).unwrap();
        let text = text.replace("ledger 2", "ledger 3") + "part 4 17 30\n";
        assert_eq!(encode(&timed), text.clone() + &checksum(&text));
        assert_eq!(decode(encode(&timed).as_bytes()), Ok(timed.clone()));
        timed.origin.cpu_time = None;
        let text = text.replace("cpu 2.750", "cpu -");
        assert_eq!(encode(&timed), text.clone() + &checksum(&text));
        assert_eq!(decode(encode(&timed).as_bytes()), Ok(timed.clone()));
        timed.origin.saved = Some(1_795_551_234);
        let text = text.replace("ledger 3", "ledger 4").replace("cpu -\n", "cpu -\nsaved 1795551234\n");
        assert_eq!(encode(&timed), text.clone() + &checksum(&text));
        assert_eq!(decode(encode(&timed).as_bytes()), Ok(timed.clone()));
        for (saved, is_time) in [(253_402_300_799, true), (253_402_300_800, false), (1 << 63, false), (u64::MAX, false)]
        {
            timed.origin.saved = Some(saved);
            let refused = || Err(FormatError::Contents(format!("'{saved}' is no time")));
            let expected = if is_time { Ok(timed.clone()) } else { refused() };
            assert_eq!(decode(encode(&timed).as_bytes()), expected);
        }
    }

    /// Parts come after all finished units, in order, each once, and never of a finished unit.
    #[test]
    fn there_is_one_way_to_write_parts() {
        let mut ledger = small();
        ledger.record_partial(4, Partial { tasks: 17, tally: 5.into() }).unwrap();
        let text = encode(&ledger);
        let body = &text[..text.rfind(CHECKSUM).unwrap()];
        let sealed = |body: &str| decode((body.to_owned() + &checksum(body)).as_bytes());
        assert_eq!(sealed(body), Ok(ledger));
        for (from, to) in [
            ("part 4 17 5\n", ""),
            ("part 4 17 5\n", "part 4 0 0\n"),
            ("part 4 17 5\n", "part 4 017 5\n"),
            ("part 4 17 5\n", "part 4 17\n"),
            ("part 4 17 5\n", "part 4 17 5\npart 4 17 5\n"),
            ("part 4 17 5\n", "part 4 16 5\npart 4 17 5\n"),
            ("part 4 17 5\n", "part 5 17 5\n"),
            ("part 4 17 5\n", "part 7 1 1\n"),
            ("part 4 17 5\n", "piece 4 17 5\n"),
            ("unit 7 3\npart 4 17 5\n", "part 4 17 5\nunit 7 3\n"),
            ("ledger 3", "ledger 2"),
            ("ledger 3", "ledger 1"),
            ("cpu -", "cpu 1"),
            ("cpu -\n", ""),
        ] {
            assert!(matches!(sealed(&body.replace(from, to)), Err(FormatError::Contents(_))), "{from} -> {to}");
        }
    }

    #[test]
    fn every_cut_is_refused() {
        let bytes = encode(&small()).into_bytes();
        for length in 0..bytes.len() {
            let error = decode(&bytes[..length]).expect_err("a cut ledger passed");
            let head = length <= MAGIC.len() + 1;
            assert!(head || error == FormatError::Cut, "{length}: {error}");
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
    }

    /// Damage by a disk or a transfer has another remedy than a file of another program, so the error distinguishes
    /// them.
    #[test]
    fn damage_is_called_damage() {
        let text = encode(&small());
        let last = text.trim_end().chars().last().unwrap();
        let other = if last == '0' { '1' } else { '0' };
        for damaged in [text.replace("unit 7 3", "unit 7 4"), format!("{}{other}\n", &text[..text.len() - 2])] {
            assert_eq!(decode(damaged.as_bytes()), Err(FormatError::Checksum), "{damaged}");
        }
    }

    /// Contents that this program would not write are refused even with the right checksum.
    #[test]
    fn there_is_one_way_to_write_a_ledger() {
        let text = encode(&small());
        let body = &text[..text.rfind(CHECKSUM).unwrap()];
        let sealed = |body: &str| decode((body.to_owned() + &checksum(body)).as_bytes());
        assert_eq!(sealed(body), Ok(small()));
        for (from, to) in [
            ("n 8", "n +8"),
            ("n 8", "n 33"),
            ("prefix 15", "prefix 1,5"),
            ("prefix 15", "prefix 12"),
            ("unit 7 3", "unit 07 3"),
            ("unit 7 3", "unit 8 3"),
            ("unit 7 3\n", "unit 7 3\nunit 7 3\n"),
            ("unit 7 3\n", "unit 7 3\nunit 7 4\n"),
            ("unit 7 3\n", "unit 7 3\n\n"),
            ("unit 7 3", "unit 7 340282366920938463463374607431768211456"),
            ("seconds 1.500", "seconds 1.5"),
            ("seconds 1.500", "seconds NaN"),
            ("seconds 1.500", "seconds inf"),
            ("seconds 1.500", "seconds -1.500"),
            ("shard 2/3", "shard 1/3"),
            ("host a b\n", ""),
            ("ledger 1", "ledger 2"),
            ("unit 1 ", "cpu 1.000\nunit 1 "),
        ] {
            assert!(matches!(sealed(&body.replace(from, to)), Err(FormatError::Contents(_))), "{from} -> {to}");
        }
    }

    /// A tally is one number, whatever the checksum says, and the ledgers of profiles are refused by name.
    #[test]
    fn profiles_have_no_ledger() {
        let sealed = |engine: &str, tally: &str| {
            let body = format!(
                "queens ledger 1\nn 4\nprefix -\nengine {engine}\nplan a plan\nunits 2\nshard 1/1\nhost a\n\
                 program b\nseconds 1.000\nunit 0 {tally}\n"
            );
            decode((body.clone() + &checksum(&body)).as_bytes()).map(|ledger| ledger.finished())
        };
        assert_eq!(sealed("naive", "2"), Ok(1));
        assert!(matches!(sealed("naive", "1 4 6 4 2"), Err(FormatError::Contents(_))));
        assert_eq!(sealed("profile", "1 4 6 4 2"), Err(FormatError::Profile));
    }

    #[test]
    fn what_contradicts_itself_is_named() {
        let text = encode(&small()).replace("unit 7 3\n", "unit 7 3\nunit 7 4\n");
        let body = &text[..text.rfind(CHECKSUM).unwrap()];
        let error = decode((body.to_owned() + &checksum(body)).as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), "not written by this program: unit 7 has two tallies, 3 and 4");
    }

    #[test]
    fn turns_are_written_and_read() {
        for turn in [Rotation::Half, Rotation::Quarter] {
            let subject = Subject::Rotational(RotationalBoard::new(turn, 12).unwrap());
            let fingerprint = Fingerprint { subject, engine: "cover".into(), plan: "a plan".into(), units: 2 };
            let ledger = Ledger::new(fingerprint, Shard::WHOLE);
            let text = encode(&ledger);
            assert!(text.contains(&format!("\nn 12\nsymmetry {turn}\nengine cover\n")), "{text}");
            assert_eq!(decode(text.as_bytes()), Ok(ledger));
        }
    }

    #[test]
    fn other_files_are_told_apart() {
        let error = |bytes: &[u8]| decode(bytes).unwrap_err().to_string();
        for cut in [&b""[..], b"queens led", b"queens ledger 1\nn 8\n"] {
            assert_eq!(error(cut), "cut short: its last line is not a checksum");
        }
        assert_eq!(error(b"\x7fELF\x02"), "not a ledger of queens");
        assert_eq!(error(b"queens ledger 5\nanything"), "ledger format 5; this program reads formats 1 to 4");
    }

    proptest! {
        #[test]
        fn writing_and_reading_are_inverse(
            tallies in proptest::collection::btree_map(0usize..1000, any::<u128>(), 0..40),
            parts in proptest::collection::btree_map(0usize..1000, (1..=u64::MAX, any::<u128>()), 0..3),
            host in "[ -~\n]{0,20}",
            seconds in 0.0f64..1e9,
        ) {
            let prefix = Placement::empty(Size::new(20).unwrap());
            let fingerprint = Fingerprint { subject: prefix.into(), engine: "join".into(), plan: "halves/1".into(), units: 1000 };
            let mut ledger = Ledger::new(fingerprint, Shard::WHOLE);
            for (unit, tally) in tallies {
                ledger.record(unit, tally.into()).unwrap();
            }
            for (unit, (tasks, tally)) in parts {
                // Finished units cannot have a part.
                let _ = ledger.record_partial(unit, Partial { tasks, tally: tally.into() });
            }
            ledger.origin.host = host;
            ledger.origin.elapsed = Duration::from_secs_f64(seconds);
            let text = encode(&ledger);
            let read = decode(text.as_bytes()).unwrap();
            prop_assert_eq!(encode(&read), text);
            prop_assert!(read.tallies().eq(ledger.tallies()));
        }
    }
}
