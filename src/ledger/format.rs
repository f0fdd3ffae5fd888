//! A ledger as text.
//!
//! ```text
//! queens ledger 1
//! n 16
//! prefix -
//! queens -
//! engine backtrack
//! plan rows/1 N=16 prefix= lines=2
//! units 105
//! shard 1/1
//! run 9c41f0d26b7ae583
//! host cassini
//! processor AMD EPYC 9B14
//! program queens 1.0.0
//! seconds 12.345
//! cpu 24.102
//! saved 1795551234
//! double-checked 17
//! differed 0
//! unit 0 106484
//! part 4 17 51240
//! sha256 4b43…
//! ```
//!
//! `docs/formats.md` says what each line means. The text is UTF-8, its lines end in a newline, and they are in this order;
//! the nine lines of a run are there for each run, and any number of units and parts follows, ascending. Of a run, all but
//! `run` and `seconds` can be `-` for what is not known. There is only one way to write a given ledger, and [`decode`]
//! accepts nothing else: it encodes what it has read again and compares. So a file that is truncated anywhere, or has any
//! byte changed, is refused. A program that does not know the number of the format refuses the file unread.

use std::fmt::Write;
use std::iter::Peekable;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::{Fingerprint, Ledger, Partial, RunRecord};
use crate::board::{FixedQueens, Placement, PlacementError, RotationalBoard, Size, Square};
use crate::ledger::shard::Shard;
use crate::subject::Subject;

/// Before the number of the format. Every change that an older program would misread gets a new number.
pub(super) const MAGIC: &str = "queens ledger ";
const CHECKSUM: &str = "sha256 ";
/// In place of a value: there is none, or it is not known.
const NONE: &str = "-";
/// The runs of a ledger take no longer, so that the sum over as many shards as there can be is a time too.
const LONGEST: Duration = Duration::from_secs(u64::MAX / (2 * Shard::MOST as u64));

/// Why some bytes are not a ledger.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// They are something else altogether.
    #[error("not a ledger of queens")]
    NotALedger,
    /// They are in the format of another version.
    #[error("ledger format {0}; this program reads format 1")]
    Version(String),
    /// The end is missing.
    #[error("cut short: its last line is not a checksum")]
    Cut,
    /// Some byte has changed since it was written.
    #[error("damaged: the checksum does not match the contents")]
    Checksum,
    /// The checksum is right, but this program would not write such contents.
    #[error("not written by this program: {0}")]
    Contents(String),
}

/// The ledger as text.
pub fn encode(ledger: &Ledger) -> String {
    let mut text = head(ledger);
    for run in ledger.runs() {
        let RunRecord { id, host, processor, program, elapsed, cpu_time, saved, double_checked, differed } = run;
        let [host, processor, program] = [host, processor, program].map(|name| one_line(name.as_deref()));
        let (seconds, cpu, saved) = (elapsed.as_secs_f64(), known(cpu_time.map(milliseconds)), known(*saved));
        let [double_checked, differed] = [double_checked, differed].map(|tasks| known(*tasks));
        write!(
            text,
            "run {id:016x}\nhost {host}\nprocessor {processor}\nprogram {program}\nseconds {seconds:.3}\ncpu {cpu}\n\
             saved {saved}\ndouble-checked {double_checked}\ndiffered {differed}\n"
        )
        .expect("a string takes everything");
    }
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
    if version != b"1" {
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

/// Whether bytes that are no sound ledger are what is left of one with the same units of the same count as this one. Their
/// head, which says so, is whole, or all of them, or the only damage.
pub(super) fn is_left_of(bytes: &[u8], ledger: &Ledger) -> bool {
    let head = head(ledger);
    let head = &head.as_bytes()[head.find('\n').expect("its first line has the format")..];
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

/// The first lines, which say what the ledger is for.
fn head(ledger: &Ledger) -> String {
    let Fingerprint { subject, engine, plan, units } = ledger.fingerprint();
    let kind = match subject {
        Subject::Completions(_) => format!("prefix {}", known(subject.prefix())),
        Subject::Rotational(board) => format!("symmetry {}", board.rotation()),
    };
    let (n, queens, shard) = (subject.n(), known(subject.queens()), ledger.shard());
    format!("{MAGIC}1\nn {n}\n{kind}\nqueens {queens}\nengine {engine}\nplan {plan}\nunits {units}\nshard {shard}\n")
}

/// What is known, else a dash.
fn known(value: Option<impl ToString>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| value.to_string())
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

/// A name on one line. Names come from outside, and a line break in one would make two lines.
fn one_line(name: Option<&str>) -> String {
    let words: Vec<&str> = name.unwrap_or_default().split_whitespace().collect();
    known(Some(words.join(" ")).filter(|name| !name.is_empty()))
}

/// The key and the value of each line.
type Lines<'a> = Peekable<Box<dyn Iterator<Item = (&'a str, &'a str)> + 'a>>;

/// The value of the next line, which has this key.
fn field<'a>(lines: &mut Lines<'a>, key: &str) -> Result<&'a str, String> {
    let line = lines.next_if(|line| line.0 == key);
    line.map(|line| line.1).ok_or_else(|| format!("the line '{key}' is missing"))
}

/// The contents of the lines before the checksum. It may accept another form of them; [`decode`] catches that.
fn read(body: &str) -> Result<Ledger, String> {
    let lines = body.lines().skip(1).map(|line| line.split_once(' ').unwrap_or((line, "")));
    let lines: &mut Lines = &mut (Box::new(lines) as Box<dyn Iterator<Item = _>>).peekable();
    let n = field(lines, "n")?;
    let subject = if let Ok(rotation) = field(lines, "symmetry") {
        field(lines, "queens")?;
        let board = RotationalBoard::new(parsed("turn", rotation)?, parsed("n", n)?);
        board.map_err(|error| error.to_string())?.into()
    } else {
        let (size, prefix) = (parsed("n", n)?, field(lines, "prefix")?);
        fixed(size, prefix, field(lines, "queens")?).map_err(|error| error.to_string())?.into()
    };
    let (engine, plan) = (field(lines, "engine")?.to_owned(), field(lines, "plan")?.to_owned());
    let units = parsed("units", field(lines, "units")?)?;
    let mut ledger =
        Ledger::new(Fingerprint { subject, engine, plan, units }, parsed("shard", field(lines, "shard")?)?);
    while lines.peek().is_some_and(|line| line.0 == "run") {
        ledger.record_run(&run(lines)?);
    }
    if ledger.elapsed().max(ledger.cpu_time().unwrap_or_default()) > LONGEST {
        return Err("its runs took longer than any can".to_owned());
    }
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

/// The queens of a prefix and those on other squares, as in `4,2 7,3`.
fn fixed(size: Size, prefix: &str, squares: &str) -> Result<FixedQueens, PlacementError> {
    let prefix = if prefix == NONE { Placement::empty(size) } else { Placement::parse(prefix, size)? };
    let mut squares = squares.split(' ').filter(|square| *square != NONE);
    squares.try_fold(prefix.into(), |fixed: FixedQueens, square| fixed.with(Square::parse(square, size)?))
}

/// The lines of a run.
fn run(lines: &mut Lines) -> Result<RunRecord, String> {
    let id = field(lines, "run")?;
    let mut value = |key| field(lines, key);
    let name = |text: &str| (text != NONE).then(|| text.to_owned());
    Ok(RunRecord {
        id: u64::from_str_radix(id, 16).map_err(|_| format!("'{id}' is no run"))?,
        host: name(value("host")?),
        processor: name(value("processor")?),
        program: name(value("program")?),
        elapsed: seconds(value("seconds")?)?,
        cpu_time: if_known(value("cpu")?, seconds)?,
        saved: if_known(value("saved")?, moment)?,
        double_checked: if_known(value("double-checked")?, |tasks| parsed("tasks", tasks))?,
        differed: if_known(value("differed")?, |tasks| parsed("tasks", tasks))?,
    })
}

/// What the text says, unless it says that it is not known.
fn if_known<T>(text: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    if text == NONE { Ok(None) } else { read(text).map(Some) }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let time = Duration::try_from_secs_f64(parsed("seconds", text)?);
    time.map_err(|_| format!("'{text}' is no seconds"))
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
    use crate::board::Rotation;
    use proptest::prelude::*;

    fn small() -> Ledger {
        let prefix = Placement::parse("15", Size::new(8).unwrap()).unwrap();
        let plan = "rows/1 N=8 prefix=15 lines=2".to_owned();
        let fingerprint = Fingerprint { subject: prefix.into(), engine: "naive".into(), plan, units: 9 };
        let mut ledger = Ledger::new(fingerprint, Shard::new(2, 3).unwrap());
        ledger.record(7, 3.into()).unwrap();
        ledger.record(1, u128::MAX.into()).unwrap();
        ledger.record_run(&RunRecord {
            id: 0x0123_4567_89ab_cdef,
            host: Some("a b".into()),
            processor: Some("a processor".into()),
            program: Some("queens 1.0.0".into()),
            elapsed: Duration::from_millis(1500),
            cpu_time: Some(Duration::from_millis(2750)),
            saved: Some(1_795_551_234),
            double_checked: Some(17),
            differed: Some(0),
        });
        ledger
    }

    /// What this body is read as, with a checksum that is right.
    fn sealed(body: &str) -> Result<Ledger, FormatError> {
        decode((body.to_owned() + &checksum(body)).as_bytes())
    }

    fn body(ledger: &Ledger) -> String {
        let text = encode(ledger);
        text[..text.rfind(CHECKSUM).unwrap()].to_owned()
    }

    #[test]
    fn the_text_is_as_documented() {
        let head = "queens ledger 1\nn 8\nprefix 15\nqueens -\nengine naive\nplan rows/1 N=8 prefix=15 lines=2\n\
                    units 9\nshard 2/3\n";
        let run = "run 0123456789abcdef\nhost a b\nprocessor a processor\nprogram queens 1.0.0\nseconds 1.500\n\
                   cpu 2.750\nsaved 1795551234\ndouble-checked 17\ndiffered 0\n";
        let units = "unit 1 340282366920938463463374607431768211455\nunit 7 3\n";
        // From `sha256sum`.
        let sum = "sha256 fa34c25ba82389fa90269e63ac25b152434e126494484a14bd7c483b1792f02c\n";
        assert_eq!(encode(&small()), format!("{head}{run}{units}{sum}"));
        assert_eq!(decode(encode(&small()).as_bytes()), Ok(small()));
        // A second run of which nothing is known but its time, and a part of a unit.
        let mut ledger = small();
        let unknown = "run 0000000000000001\nhost -\nprocessor -\nprogram -\nseconds 0.250\ncpu -\nsaved -\n\
                       double-checked -\ndiffered -\n";
        let (host, cpu_time, saved, double_checked) = (None, None, None, None);
        let (processor, program, differed) = (None, None, None);
        let (id, elapsed) = (1, Duration::from_millis(250));
        ledger.record_run(&RunRecord {
            id,
            host,
            processor,
            program,
            elapsed,
            cpu_time,
            saved,
            double_checked,
            differed,
        });
        ledger.record_partial(4, Partial { tasks: 17, tally: 30.into() }).unwrap();
        let text = format!("{head}{run}{unknown}{units}part 4 17 30\n");
        assert_eq!(body(&ledger), text);
        assert_eq!(sealed(&text), Ok(ledger.clone()));
        assert_eq!((ledger.elapsed(), ledger.cpu_time()), (Duration::from_millis(1750), None));
    }

    /// Of a time that no system can have, or that would make a sum of times too long, nothing is believed.
    #[test]
    fn times_have_bounds() {
        let body = body(&small());
        let saved = |time: u64| sealed(&body.replace("1795551234", &time.to_string()));
        assert!(saved(253_402_300_799).is_ok());
        for time in [253_402_300_800, 1 << 63, u64::MAX] {
            assert_eq!(saved(time), Err(FormatError::Contents(format!("'{time}' is no time"))));
        }
        let longest = LONGEST.as_secs();
        for (key, time) in [("seconds", "1.500"), ("cpu", "2.750")] {
            let took = |seconds: u64| sealed(&body.replace(&format!("{key} {time}"), &format!("{key} {seconds}.000")));
            assert!(took(longest - 1_000_000).is_ok());
            assert_eq!(took(longest + 1), Err(FormatError::Contents("its runs took longer than any can".to_owned())));
        }
        // Two runs that took half of it each.
        let (start, end) = (body.find("run ").unwrap(), body.find("unit ").unwrap());
        let half = format!("seconds {}.000", longest / 2 + 1_000_000);
        let run = body[start..end].replace("seconds 1.500", &half);
        let twice = [&body[..start], &run, &run.replace("run 0", "run 1"), &body[end..]].concat();
        assert!(sealed(&twice.replacen(&half, "seconds 1.000", 1)).is_ok());
        assert!(matches!(sealed(&twice), Err(FormatError::Contents(_))));
    }

    /// Queens that fill the first columns are a prefix, others are on the line of queens, all of them, in one form.
    #[test]
    fn queens_anywhere_are_written_and_read() {
        let body = body(&small()).replace("prefix 15\nqueens -", "prefix -\nqueens 4,2 7,3");
        let ledger = sealed(&body).unwrap();
        let queens = ledger.fingerprint().subject.queens().unwrap();
        assert_eq!((queens.to_string(), ledger.fingerprint().subject.prefix()), ("4,2 7,3".to_owned(), None));
        assert_eq!(encode(&ledger), body.clone() + &checksum(&body));
        for (from, to) in [
            ("prefix -\nqueens 4,2 7,3", "prefix 1\nqueens 4,2 7,3"),
            ("queens 4,2 7,3", "queens 7,3 4,2"),
            ("queens 4,2 7,3", "queens 4,2 7,3 7,3"),
            ("queens 4,2 7,3", "queens 4,2  7,3"),
            ("queens 4,2 7,3", "queens d7 7,3"),
            ("queens 4,2 7,3", "queens 4,2 7,9"),
            ("queens 4,2 7,3", "queens 4,2 7,5"),
            ("queens 4,2 7,3", "queens 1,5 2,3"),
            ("prefix -\nqueens 4,2 7,3", "symmetry half\nqueens 4,2 7,3"),
        ] {
            assert!(matches!(sealed(&body.replace(from, to)), Err(FormatError::Contents(_))), "{from} -> {to}");
        }
    }

    /// Parts come after all finished units, in order, each once, and never of a finished unit.
    #[test]
    fn there_is_one_way_to_write_parts() {
        let mut ledger = small();
        ledger.record_partial(4, Partial { tasks: 17, tally: 5.into() }).unwrap();
        let body = &body(&ledger);
        assert_eq!(sealed(body), Ok(ledger));
        for (from, to) in [
            ("part 4 17 5\n", "part 4 0 0\n"),
            ("part 4 17 5\n", "part 4 017 5\n"),
            ("part 4 17 5\n", "part 4 17\n"),
            ("part 4 17 5\n", "part 4 17 5\npart 4 17 5\n"),
            ("part 4 17 5\n", "part 4 16 5\npart 4 17 5\n"),
            ("part 4 17 5\n", "part 5 17 5\n"),
            ("part 4 17 5\n", "part 7 1 1\n"),
            ("part 4 17 5\n", "piece 4 17 5\n"),
            ("unit 7 3\npart 4 17 5\n", "part 4 17 5\nunit 7 3\n"),
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
        let body = &body(&small());
        assert_eq!(sealed(body), Ok(small()));
        let run = &body[body.find("run ").unwrap()..body.find("unit ").unwrap()];
        for (from, to) in [
            ("n 8", "n +8"),
            ("n 8", "n 33"),
            ("prefix 15", "prefix 1,5"),
            ("prefix 15", "prefix 12"),
            ("queens -\n", ""),
            ("unit 7 3", "unit 07 3"),
            ("unit 7 3", "unit 8 3"),
            ("unit 7 3", "unit 7 3 4"),
            ("unit 7 3\n", "unit 7 3\nunit 7 3\n"),
            ("unit 7 3\n", "unit 7 3\nunit 7 4\n"),
            ("unit 7 3\n", "unit 7 3\n\n"),
            ("unit 7 3", "unit 7 340282366920938463463374607431768211456"),
            ("run 0", "run +"),
            ("run 0", "run "),
            ("89abcdef", "89ABCDEF"),
            ("89abcdef", "89abcdefa"),
            ("host a b\n", ""),
            ("host a b", "host a  b"),
            ("host a b", "host "),
            ("program queens 1.0.0\n", ""),
            ("seconds 1.500", "seconds 1.5"),
            ("seconds 1.500", "seconds NaN"),
            ("seconds 1.500", "seconds inf"),
            ("seconds 1.500", "seconds -1.500"),
            ("seconds 1.500", "seconds -"),
            ("cpu 2.750", "cpu "),
            ("saved 1795551234\n", ""),
            ("double-checked 17", "double-checked 017"),
            ("double-checked 17", "double-checked x"),
            ("differed 0", "differed --"),
            ("differed 0\n", ""),
            (run, &run.repeat(2)),
            (run, &format!("unit 0 1\n{run}")),
            ("shard 2/3", "shard 1/3"),
        ] {
            assert!(matches!(sealed(&body.replace(from, to)), Err(FormatError::Contents(_))), "{from} -> {to}");
        }
    }

    #[test]
    fn what_contradicts_itself_is_named() {
        let error = sealed(&body(&small()).replace("unit 7 3\n", "unit 7 3\nunit 7 4\n")).unwrap_err();
        assert_eq!(error.to_string(), "not written by this program: unit 7 has two tallies, 3 and 4");
    }

    #[test]
    fn turns_are_written_and_read() {
        for turn in [Rotation::Half, Rotation::Quarter] {
            let subject = Subject::Rotational(RotationalBoard::new(turn, 12).unwrap());
            let fingerprint = Fingerprint { subject, engine: "cover".into(), plan: "a plan".into(), units: 2 };
            let ledger = Ledger::new(fingerprint, Shard::WHOLE);
            let text = encode(&ledger);
            assert!(text.contains(&format!("\nn 12\nsymmetry {turn}\nqueens -\nengine cover\n")), "{text}");
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
        assert_eq!(error(b"queens ledger 2\nanything"), "ledger format 2; this program reads format 1");
    }

    proptest! {
        #[test]
        fn writing_and_reading_are_inverse(
            tallies in proptest::collection::btree_map(0usize..1000, any::<u128>(), 0..40),
            parts in proptest::collection::btree_map(0usize..1000, (1..=u64::MAX, any::<u128>()), 0..3),
            runs in proptest::collection::vec((any::<u64>(), "[ -~\n]{0,20}", 0.0f64..1e9, any::<Option<u64>>()), 0..4),
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
            for (id, name, seconds, tasks) in runs {
                let elapsed = Duration::from_secs_f64(seconds);
                let run = RunRecord { id, host: Some(name), elapsed, double_checked: tasks, ..RunRecord::begin(None) };
                ledger.record_run(&run);
            }
            let text = encode(&ledger);
            let read = decode(text.as_bytes()).unwrap();
            prop_assert_eq!(encode(&read), text);
            prop_assert!(read.tallies().eq(ledger.tallies()));
        }
    }
}
