//! What can be said of a run that takes long: progress, checkpoints, shards, time limits.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use queens::Shard;

#[derive(Args, Debug)]
#[command(next_help_heading = "Long runs")]
pub(crate) struct LongRun {
    /// Progress on stderr; SIGUSR1 shows the state at once in any case
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) progress: When,

    /// Keep the finished units in this file, so that the run can be resumed
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,

    /// Time between saves
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration, requires = "checkpoint")]
    pub(crate) checkpoint_every: Duration,

    /// Go on from the checkpoint, or start it if there is none; a shard always does
    #[arg(long, requires = "checkpoint")]
    pub(crate) resume: bool,

    /// Save and stop after this time, as in 30m or 1h30m, with exit code 75
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "checkpoint")]
    pub(crate) max_time: Option<Duration>,

    /// Count this share of the units a second time by another engine, as in 1%; of the join's, by other lanes, and a
    /// task of each by code that shares nothing with it
    #[arg(long, value_name = "P", default_value = "0%", hide_default_value = true, value_parser = share)]
    pub(crate) double_check: f64,

    /// Count every M-th unit only, beginning with the K-th, for `queens merge`
    #[arg(long, value_name = "K/M", requires = "out")]
    pub(crate) shard: Option<Shard>,

    /// The shard's result; where it is complete already, nothing is done
    #[arg(long, value_name = "FILE", requires = "shard")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// After two seconds: a bar where stderr is a terminal, else a line a minute
    Auto,
    /// A bar, terminal or not
    Always,
    Never,
    /// One JSON object a line, every second
    Json,
}

pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| "a time is more than zero and has a unit, as in 90s, 30m or 1h30m".to_owned())
}

/// `1%` or `0.01`.
fn share(text: &str) -> Result<f64, String> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let share = text.strip_suffix('%').map_or_else(|| number(text), |percent| Some(number(percent)? / 100.0));
    share.filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| "a share is from 0% to 100%".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Whatever is typed: no panic, and what is taken for a time prints back to itself.
        #[test]
        fn any_time(text in prop_oneof!["[0-9]{1,25}(ns|us|ms|s|m|h|d|w|M|y)", "([0-9]{1,4}[a-zA-Z]{1,2} ?){0,4}", ".{0,12}"]) {
            if let Ok(time) = duration(&text) {
                prop_assert!(!time.is_zero());
                prop_assert_eq!(duration(&humantime::format_duration(time).to_string()), Ok(time));
            }
        }

        /// The same for shares, of which none is more than everything.
        #[test]
        fn any_share(text in prop_oneof!["[0-9.]{0,6}%?", "[-+0-9.eE%infNa]{0,12}", ".{0,8}"]) {
            if let Ok(share) = share(&text) {
                prop_assert!((0.0..=1.0).contains(&share));
                let again = self::share(&format!("{}%", share * 100.0)).unwrap();
                prop_assert!((again - share).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn times_and_shares() {
        assert_eq!(duration("1h30m"), Ok(Duration::from_mins(90)));
        for text in ["", "5", "0s", "-1s", "1 fortnight"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert_eq!(["1%", "0.5", "100%", "0"].map(share), [Ok(0.01), Ok(0.5), Ok(1.0), Ok(0.0)]);
        for text in ["", "%", "101%", "-1%", "1.5", "NaN", "nan%"] {
            assert!(share(text).is_err(), "{text}");
        }
    }
}
