//! Values of options: numbers, shares, times, sizes and names, each with an error that says what is allowed.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser};
use jiff::SpanRelativeTo;
use jiff::fmt::friendly::SpanParser;
use queens::{ENGINES, EngineKind, Isa, Rotation, Share, Size};

use crate::cli::terminal::Failure;

/// A whole number in a range, for clap; `what` is its name in the error.
pub(crate) fn whole(
    what: &'static str,
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let (low, high) = (*range.start(), *range.end());
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("{what} is a whole number from {low} to {high}"))
    }
}

/// A share of a whole: `1%` or `0.01`. A bare `1` could mean either, so it is neither.
pub(crate) fn share(text: &str) -> Result<Share, String> {
    portion(text, 100).map(|share| Share::try_from(share).expect("at most the whole"))
}

/// How much larger something may be: a share that can be more than the whole.
pub(crate) fn tolerance(text: &str) -> Result<f64, String> {
    portion(text, 1000)
}

/// A share up to this percentage.
fn portion(text: &str, most: u32) -> Result<f64, String> {
    let number = |text: &str| text.trim_end().parse::<f64>().ok();
    let percents = 0.0..=f64::from(most);
    let percent = text.strip_suffix('%').and_then(number).filter(|percent| percents.contains(percent));
    let fraction = number(text).filter(|share| (0.0..1.0).contains(share));
    percent.map(|percent| percent / 100.0).or(fraction).ok_or_else(|| {
        let meant = number(text).filter(|number| *number >= 1.0 && percents.contains(number));
        let meant = meant.map_or_else(String::new, |number| format!("; for {number} percent write {number}%"));
        format!("a share is from 0% to {most}%, or a fraction below 1{meant}")
    })
}

/// The file of a checkpoint or shard, which a stream cannot be: it is read again.
pub(crate) fn ledger_file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.to_str() {
        Some("-") => Err("a checkpoint or shard needs a file, and - is a stream; a file of that name is ./-"),
        _ => Ok(path),
    })
}

/// A time that is not zero: `90s`, `1h30m`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let span = SpanParser::new().parse_span(text).ok();
    let time = span.and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()).ok());
    let time = time.and_then(|time| Duration::try_from(time).ok());
    time.filter(|time| !time.is_zero())
        .ok_or_else(|| "a time is more than zero and has a unit, as in 90s, 30m or 1h30m".to_owned())
}

/// One size of board, or a range of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) first: usize,
    pub(crate) last: usize,
    range: bool,
}

impl Sizes {
    /// All of them.
    pub(crate) fn all(self) -> RangeInclusive<usize> {
        self.first..=self.last
    }

    /// The size, where it is not a range.
    pub(crate) fn one(self) -> Option<usize> {
        (!self.range).then_some(self.first)
    }
}

impl std::str::FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        /// The largest of `Rotation::sizes`.
        const MOST: usize = 77;
        const ALLOWED: &str =
            "N is a whole number from 0 to 32 (with --symmetry half to 38, quarter to 77), or a range as in 1-16";
        let number = |text: &str| text.parse().ok().filter(|&n: &usize| n <= MOST);
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match number(first).zip(number(last)) {
            Some((first, last)) if first <= last => Ok(Self { first, last, range: text.contains('-') }),
            Some((first, last)) => Err(format!("a range begins with the smaller board: {last}-{first}")),
            None => Err(ALLOWED.to_owned()),
        }
    }
}

/// A board that all solutions can be counted on.
pub(crate) fn size(n: usize) -> Result<Size, Failure> {
    Size::new(n).map_err(|error| Failure::invalid("<N>", &n.to_string(), &error))
}

/// The processor's part in a count: instruction set and threads.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct Cores {
    /// The instruction set; if omitted, the best that the processor has. avx512 is the best version of AVX-512, avx512f the
    /// one without VPOPCNTDQ and GFNI
    #[arg(long, value_parser = isa_parser())]
    pub(crate) isa: Option<Isa>,

    /// Number of threads; 0 means every core that this process may use
    #[arg(long, short, value_name = "T", default_value = "0", value_parser = threads, allow_negative_numbers = true)]
    pub(crate) threads: usize,
}

pub(crate) fn threads(text: &str) -> Result<usize, String> {
    const MOST: usize = 8192;
    text.parse()
        .ok()
        .filter(|&threads| threads <= MOST)
        .ok_or_else(|| format!("threads are a whole number from 0 (every core) to {MOST}"))
}

/// An engine; `None` is `auto`, the fastest. Under its own name, `Option` would tell clap that the option may be left out.
pub(crate) type EngineChoice = Option<EngineKind>;

/// Accepts `auto` and the names in the library's table, which also makes them completions and possible values.
pub(crate) fn engine_parser() -> impl TypedValueParser<Value = EngineChoice> {
    let names = std::iter::once("auto").chain(ENGINES.iter().map(|engine| engine.name));
    PossibleValuesParser::new(names).map(|name| name.parse().ok())
}

pub(crate) fn isa_parser() -> impl TypedValueParser<Value = Isa> {
    PossibleValuesParser::new(Isa::ALL.map(Isa::name)).try_map(|name| name.parse::<Isa>())
}

/// Accepts the names in the library's table.
pub(crate) fn named_engine_parser() -> impl TypedValueParser<Value = EngineKind> {
    PossibleValuesParser::new(ENGINES.iter().map(|engine| engine.name)).try_map(|name| name.parse::<EngineKind>())
}

/// Accepts the names of the turns.
pub(crate) fn rotation_parser() -> impl TypedValueParser<Value = Rotation> {
    PossibleValuesParser::new([Rotation::Half, Rotation::Quarter].map(Rotation::name))
        .try_map(|name| name.parse::<Rotation>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::fmt::friendly::SpanPrinter;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Whatever is typed: no panic, and what is taken for a time prints back to itself.
        #[test]
        fn any_time(text in prop_oneof!["[0-9]{1,25}(ns|us|ms|s|m|h|d|w|M|y)", "([0-9]{1,4}[a-zA-Z]{1,2} ?){0,4}", ".{0,12}"]) {
            if let Ok(time) = duration(&text) {
                prop_assert!(!time.is_zero());
                let printed = SpanPrinter::new().unsigned_duration_to_string(&time);
                prop_assert_eq!(duration(&printed), Ok(time), "{}", printed);
            }
        }

        /// The same for shares, of which none is more than everything.
        #[test]
        fn any_share(text in prop_oneof!["[0-9.]{0,6}%?", "[-+0-9.eE%infNa]{0,12}", ".{0,8}"]) {
            if let Ok(share) = share(&text) {
                let again = self::share(&format!("{}%", share.get() * 100.0)).unwrap();
                prop_assert!((again.get() - share.get()).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn times_and_shares() {
        assert_eq!(duration("1h30m"), Ok(Duration::from_secs(60 * 90)));
        let days = Duration::from_secs(24 * 3600);
        let times = ["2d", "1w", "1h 30m", "2 minutes", "500ms", "1.5h"].map(duration);
        let same = [2 * days, 7 * days, Duration::from_secs(60 * 90), Duration::from_secs(60 * 2)].into_iter();
        let same = same.chain([Duration::from_millis(500), Duration::from_secs(60 * 90)]);
        assert!(times.into_iter().eq(same.map(Ok)));
        for text in ["", "5", "0s", "-1s", "1s ago", "1 month", "1 fortnight", "300000000000h"] {
            assert!(duration(text).is_err(), "{text}");
        }
        let shares = ["1%", "0.5", "100%", "0", "0%"].map(|text| share(text).map(Share::get));
        assert_eq!(shares, [Ok(0.01), Ok(0.5), Ok(1.0), Ok(0.0), Ok(0.0)]);
        for text in ["", "%", "101%", "-1%", "1", "1.5", "100", "NaN", "nan%", "inf"] {
            assert!(share(text).is_err(), "{text}");
        }
        assert_eq!([tolerance("1000%"), tolerance("0.2")], [Ok(10.0), Ok(0.2)]);
        assert!(tolerance("1").is_err() && tolerance("1001%").is_err());
        assert!(share("20").unwrap_err().ends_with("for 20 percent write 20%"));
    }

    #[test]
    fn sizes_are_one_or_a_range_upwards() {
        let sizes = |text: &str| text.parse::<Sizes>().map(|sizes| (sizes.first, sizes.last, sizes.one()));
        assert_eq!(
            [sizes("8"), sizes("8-12"), sizes("8-8")],
            [Ok((8, 8, Some(8))), Ok((8, 12, None)), Ok((8, 8, None))]
        );
        assert_eq!(sizes("0-77"), Ok((0, 77, None)));
        assert_eq!(sizes("12-8").unwrap_err(), "a range begins with the smaller board: 8-12");
        for text in ["78", "8-78", "8-", "-8", "8-9-10", "8..9", ""] {
            assert!(sizes(text).unwrap_err().starts_with("N is a whole number from 0 to 32 "), "{text}");
        }
    }

    #[test]
    fn whole_numbers() {
        assert_eq!(["0", "8192"].map(threads), [Ok(0), Ok(8192)]);
        assert!(["8193", "", "1.0"].map(threads).iter().all(Result::is_err));
        let samples = whole("S", 2..=u64::from(u32::MAX));
        assert_eq!(samples("2"), Ok(2));
        for text in ["1", "", "abc", "-1", "4294967296", "2.0"] {
            assert_eq!(samples(text), Err("S is a whole number from 2 to 4294967295".to_owned()), "{text}");
        }
    }
}
