//! `queens count N` and `queens count A-B`.

use std::path::PathBuf;
use std::time::Duration;

use queens::ledger::{Ledger, Shard, Store};
use queens::oeis::{self, Residue, Sequence};
use queens::{CountError, Isa, Placement, Report, Request, Rotation, Run, Size, Watch, symmetric};
use serde::Serialize;

use crate::cli::answer::{Answer, Count, is_for_people, tell};
use crate::cli::args::{Cores, Engine, Json, Sizes, duration, engine_or_auto};
use crate::cli::failure::Failure;
use crate::cli::run::{self, Counted, Keep, watched};
use crate::cli::{ledgers, output, text};

/// Count the solutions on a board of N columns and N rows
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Columns and rows of the board: 0 to 32 (with --symmetry half to 34, quarter to 69), or a range such as 1-16
    #[arg(value_name = "N")]
    sizes: Sizes,

    /// The engine that counts; auto: the fastest, or that of the checkpoint
    #[arg(long, default_value = "auto", value_parser = engine_or_auto())]
    engine: Engine,

    #[command(flatten)]
    cores: Cores,

    /// Count the completions of a partial placement: rows of the first columns, as in 158 or 1,5,8
    #[arg(long, value_name = "P")]
    prefix: Option<String>,

    /// Count solutions up to rotation and reflection (OEIS A002562)
    #[arg(long, conflicts_with_all = ["prefix", "symmetry"])]
    unique: bool,

    /// Count only solutions unchanged by a half turn (A032522) or a quarter turn (A033148)
    #[arg(long, value_name = "TURN", value_parser = ["half", "quarter"], conflicts_with_all = ["prefix", "engine", "checkpoint"])]
    symmetry: Option<Rotation>,

    /// Save the count in this file, or go on with what the file has
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,

    /// Count shard K of M, for `queens merge`
    #[arg(long, value_name = "K/M", requires = "checkpoint", conflicts_with = "unique")]
    shard: Option<Shard>,

    /// Stop after this time, as in 90s or 2h30m; the same command goes on
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "checkpoint")]
    max_time: Option<Duration>,

    /// Save this often
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
    checkpoint_every: Duration,

    #[command(flatten)]
    json: Json,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    todo!()
}
