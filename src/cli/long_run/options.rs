//! What can be said of a run that takes long: progress, checkpoints, shards, time limits.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use queens::{Shard, Share};

use crate::cli::terminal::{
    Sizes,
    value_parsers::{duration, ledger_file, share},
};

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Long runs")]
pub(crate) struct LongRun {
    /// The range of which this is one board: it takes neither a checkpoint nor a time.
    #[arg(skip)]
    pub(crate) range: Option<Sizes>,

    /// When to show progress on stderr; SIGUSR1 shows it at once in any case
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) progress: When,

    /// Save what is finished in this file, so that the run can be resumed
    #[arg(long, value_name = "FILE", value_parser = ledger_file())]
    pub(crate) checkpoint: Option<PathBuf>,

    /// Time between saves
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration, allow_hyphen_values = true, requires = "checkpoint")]
    pub(crate) checkpoint_every: Duration,

    /// Resume from the checkpoint, or begin one if there is none; shards always do
    #[arg(long, requires = "checkpoint")]
    pub(crate) resume: bool,

    /// Save and stop after this time, for example 30m or 1h30m, with exit code 75, or 1 if nothing is saved
    #[arg(long, value_name = "TIME", value_parser = duration, allow_hyphen_values = true)]
    pub(crate) max_time: Option<Duration>,

    /// Do not save without being asked. By default a run that is stopped after a minute, or by --max-time, is saved to a new
    /// file here, queens-N.ledger
    #[arg(long, conflicts_with = "checkpoint")]
    pub(crate) no_save: bool,

    /// Recount this share of the tasks with other code, as in 1% or 0.01; the independent auditor recounts a sample of them
    #[arg(long, value_name = "P", default_value = "0%", hide_default_value = true, value_parser = share, allow_hyphen_values = true)]
    pub(crate) double_check: Share,

    /// Count only part K of M: every M-th unit, beginning with the K-th; `queens merge` adds up the parts
    #[arg(long, value_name = "K/M", requires = "out")]
    pub(crate) shard: Option<Shard>,

    /// The file for the shard's result; if it is complete already, nothing is counted
    #[arg(long, short, visible_alias = "output", value_name = "FILE", value_parser = ledger_file(), requires = "shard")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// After two seconds: a bar if stderr is a terminal, otherwise a line a minute
    Auto,
    /// A bar, even if stderr is not a terminal
    Always,
    /// Only if SIGUSR1 asks for it
    Never,
    /// A JSON object every second, one a line
    Json,
}
