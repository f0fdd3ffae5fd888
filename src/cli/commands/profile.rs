//! `queens profile N` and `queens profile A-B`

use std::ops::RangeInclusive;

use clap::Args as ClapArgs;
use queens::{EngineKind, Profile, Progress, Request, Watch, oeis};
use serde::Serialize;

use super::numbered::MOST_COLUMNS_COUNTED;
use super::terms::{Found, Term, TermTable, Terms};
use crate::cli::long_run::{Activity, Agreement, Status, When, forecast::announce};
use crate::cli::terminal::{Answer, Cores, Failure, Form, Sizes, Tell, numbers, value_parsers::size};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Columns and rows of the board, 0 to 32, or a range such as 1-12
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) sizes: Sizes,

    #[command(flatten)]
    pub(crate) cores: Cores,

    #[command(flatten)]
    pub(crate) form: Form,

    /// When to show progress on stderr; SIGUSR1 shows it at once in any case
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) progress: When,
}

/// The placements of 0, 1, ... N queens on the first columns.
#[derive(Serialize)]
pub(crate) struct Levels {
    n: usize,
    #[serde(flatten)]
    agreement: Agreement,
    #[serde(flatten)]
    profile: Profile,
}

pub(crate) fn run(args: &Args) -> Result<Box<dyn Tell>, Failure> {
    size(args.sizes.last)?;
    let activity = Activity::start(args.progress, "profile");
    let Some(n) = args.sizes.one() else {
        let form = &args.form;
        let table = form.is_for_people().then(|| TermTable::of(&oeis::PROFILE, last(args.sizes.last)));
        let boards: Vec<usize> = args.sizes.all().collect();
        let found = terms(&boards, &args.cores, &activity, |index| oeis::PROFILE.term(index));
        let of = (&oeis::PROFILE, oeis::PROFILE.id.to_owned());
        return Ok(Box::new(Terms::find(&activity, of, form, table.as_ref(), found)?));
    };
    let profile = counted(n, &args.cores, &activity)?;
    activity.finish();
    Ok(Box::new(Levels { n, agreement: Agreement::profile(&profile.placements), profile }))
}

impl Answer for Levels {
    fn command(&self) -> &'static str {
        "profile"
    }

    fn text(&self, _width: usize) -> String {
        // A wrong number would pass for the right one, here and below.
        if self.verdict().is_err() {
            return String::new();
        }
        let Profile { placements, elapsed, .. } = &self.profile;
        let (table, time) = (table(placements), numbers::seconds(elapsed.as_secs_f64()));
        format!("{table}  in {time}\n{}", self.words().map_or_else(String::new, |words| words + "\n"))
    }

    fn plain(&self) -> Option<String> {
        let lines = self.profile.placements.iter().filter(|_| self.verdict().is_ok());
        Some(lines.map(|placements| placements.to_string() + "\n").collect())
    }

    fn remark(&self) -> Option<String> {
        self.words()
    }

    fn verdict(&self) -> Result<(), Failure> {
        self.agreement.verdict()
    }
}

impl Levels {
    /// How the numbers agree, and which of them do: beyond the published rows it is the last alone.
    fn words(&self) -> Option<String> {
        let words = self.agreement.words()?;
        let is_published = oeis::PROFILE.term(last(self.n)).is_some();
        Some(if is_published { words } else { format!("the last {words}; the others are not published") })
    }
}

/// Counts one profile, and shows how far it is.
fn counted(n: usize, cores: &Cores, activity: &Activity) -> Result<Profile, Failure> {
    /// To count every level takes so many times as long as to count the last: N = 18 13.0 s where the count takes 11.8, on two
    /// cores of a Zen 3.
    const LEVELS: f64 = 1.1;
    let title = format!("N = {n}, profile");
    let status = move |Progress { share, .. }| Status {
        title: title.clone(),
        share: Some(share),
        is_even: true,
        ..Status::default()
    };
    let (size, Cores { isa, threads }) = (size(n)?, *cores);
    if n >= MOST_COLUMNS_COUNTED && activity.is_shown() {
        let request = Request::solutions(size).isa(isa).threads(threads);
        activity.aside(|| announce("placements", request, |_| LEVELS))?;
    }
    Ok(activity.to_the_end(&Watch::default(), status, move |watch| Profile::count(size, isa, threads, watch))??)
}

/// The profiles of several boards, as the triangle that OEIS reads by rows: each number with its running index. A row is
/// counted when the first of its numbers is asked for.
pub(super) fn terms<'a>(
    boards: &'a [usize],
    cores: &'a Cores,
    activity: &'a Activity,
    published: impl Fn(usize) -> Option<u128> + Copy + 'a,
) -> impl Iterator<Item = Result<Term, Failure>> + 'a {
    boards.iter().flat_map(move |&n| match counted(n, cores, activity) {
        Ok(Profile { placements, isa, threads, elapsed, .. }) => {
            let found = |value| vec![Found::new(EngineKind::Backtrack.info().name, isa, threads, elapsed, value)];
            let term = |(n, value)| Ok(Term { n, published: published(n), results: found(value) });
            indices(n).zip(placements).map(term).collect::<Vec<_>>()
        }
        Err(failure) => vec![Err(failure)],
    })
}

/// The indices of a board's numbers in the triangle.
pub(super) const fn indices(n: usize) -> RangeInclusive<usize> {
    last(n) - n..=last(n)
}

/// The index of the last number of a board's row.
pub(super) const fn last(n: usize) -> usize {
    n * (n + 3) / 2
}

/// As a person reads it, but for the end of the last line.
fn table(placements: &[u128]) -> String {
    let nodes = numbers::grouped(placements.iter().sum());
    let width = nodes.len().max("placements".len());
    let rows = placements.iter().enumerate().map(|(queens, &count)| (queens.to_string(), numbers::grouped(count)));
    let rows =
        [("queens".to_owned(), "placements".to_owned())].into_iter().chain(rows).chain([("all".to_owned(), nodes)]);
    rows.map(|(queens, count)| format!("{queens:>6}  {count:>width$}")).collect::<Vec<_>>().join("\n")
}
