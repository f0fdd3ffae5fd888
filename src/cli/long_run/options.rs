//! What can be said of a run that takes long: progress, checkpoints, shards, time limits.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use queens::{Shard, Share};

use crate::cli::terminal::value_parsers::{duration, share};

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

    /// Count this share of the units a second time by another engine, as in 1% or 0.01; of the join's, by other lanes, and a
    /// task of each by code that shares nothing with it
    #[arg(long, value_name = "P", default_value = "0%", hide_default_value = true, value_parser = share, allow_hyphen_values = true)]
    pub(crate) double_check: Share,

    /// Count every M-th unit only, beginning with the K-th, for `queens merge`
    #[arg(long, value_name = "K/M", requires = "out")]
    pub(crate) shard: Option<Shard>,

    /// The shard's result; where it is complete already, nothing is done
    #[arg(long, short, visible_alias = "output", value_name = "FILE", requires = "shard")]
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
