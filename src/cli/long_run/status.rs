//! How far a command is, in words: beside a bar, in a line and as a JSON object. All three say the same.

use std::time::Duration;

use anstyle::{AnsiColor, Style};
use console::measure_text_width;
use jiff::Zoned;
use queens::ledger::Fingerprint;
use queens::{Interval, Progress};

use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::terminal::numbers::{self, count_of, grouped, rounded};

const DONE: Style = AnsiColor::Cyan.on_default();
const TO_DO: Style = Style::new().dimmed();

/// How far a command is. What is not known is left out.
#[derive(Clone, Default)]
pub(crate) struct Status {
    /// What is done, as in `N = 20, join, 2 threads`; where there is little room, only what comes before the first comma.
    pub(crate) title: String,
    /// The share that is done, 0 to 1.
    pub(crate) share: Option<f64>,
    /// Whether the share grows evenly with time, which tells the time left where nothing better does.
    pub(crate) is_even: bool,
    /// An activity tells it, and `left` and `object` too; a run that keeps a ledger knows better.
    pub(crate) elapsed: Duration,
    pub(crate) left: Option<Interval>,
    /// What else there is to tell, the most important first, as in `6.12 million solutions`.
    pub(crate) fields: Vec<String>,
    /// What programs are told beside `left`, `share` and `elapsed`.
    pub(crate) object: Value,
}

impl Status {
    /// The status of a command that began so long ago.
    pub(super) fn of_command(self, command: &'static str, elapsed: Duration) -> Self {
        let even = self.share.filter(|_| self.is_even).and_then(|share| even(share, elapsed));
        let left = even.map(Interval::exactly);
        let object = json!({"command": command, "doing": self.title});
        Self { elapsed, left, object, ..self }
    }

    /// The same at the end, whatever was known of it before: an audit, say, is over when its time is up.
    pub(super) fn finished(self) -> Self {
        Self { share: Some(1.0), left: Some(Interval::exactly(0.0)), ..self }
    }

    /// The status of a run that keeps a ledger; `saved` is the age of the last save, where there is a checkpoint.
    pub(super) fn of_run(fingerprint: &Fingerprint, progress: &Progress, saved: Option<Duration>) -> Self {
        let Progress { elapsed, earlier, left, recounted, to_recount, threads, solutions, .. } = *progress;
        let fields = [
            (recounted < to_recount).then(|| recounting(progress)),
            (progress.done > 0).then(|| format!("{} solutions", rounded(solutions as f64))),
            saved.map(|age| format!("saved {} ago", time(age))),
            (!earlier.is_zero()).then(|| format!("{} with earlier runs", time(earlier.saturating_add(elapsed)))),
        ];
        let object = json!({
            "n": fingerprint.subject.n(),
            "engine": fingerprint.engine,
            "threads": threads,
            "units_done": progress.done,
            "units": progress.total,
            "total": (earlier + elapsed).as_secs_f64(),
            "left_low": left.map(|left| left.low),
            "left_high": left.map(|left| left.high),
            "solutions": solutions.to_string(),
            "recounted": recounted,
            "to_recount": to_recount,
            "tasks_per_second": progress.tasks_per_second(),
            "saved_ago": saved.map(|age| age.as_secs_f64()),
        });
        // Before the run has begun, nobody knows how many.
        let threads = if threads > 0 { format!(", {}", count_of(threads as u64, "thread")) } else { String::new() };
        let title = format!("{}{threads}", title(fingerprint));
        let fields = fields.into_iter().flatten().collect();
        Self { title, share: Some(progress.share), is_even: false, elapsed, left, fields, object }
    }

    /// A track and what fits beside it.
    pub(crate) fn bar(&self, width: usize, now: &Zoned) -> String {
        let fields = self.fields(now);
        // The time left comes before a long track, and before any.
        let needed =
            self.brief().chars().count() + 4 + fields.iter().take(2).map(|field| field.chars().count()).sum::<usize>();
        let cells = [20, 8, 4].into_iter().find(|cells| width >= 3 * cells && width >= needed + cells).unwrap_or(0);
        let done = (self.share.unwrap_or(0.0).clamp(0.0, 1.0) * cells as f64) as usize;
        let track = format!("{DONE}{}{DONE:#}{TO_DO}{}{TO_DO:#}", "━".repeat(done), "─".repeat(cells - done));
        let track = if cells == 0 { String::new() } else { track + " " };
        let bar = self.titled(|title| {
            let room = width.saturating_sub(measure_text_width(&format!("{title} {track}")));
            format!("{title} {track}{}", fit(&fields, "  ", room))
        });
        // A line that the terminal wraps cannot be cleared: rather one that says less, or nothing.
        let narrower = [bar, format!("{} {}", self.brief(), fields[0])].into_iter().chain(fields);
        narrower.into_iter().find(|text| measure_text_width(text) <= width).unwrap_or_default()
    }

    /// A line for people.
    pub(crate) fn line(&self, width: usize, now: &Zoned) -> String {
        let mut fields = self.fields(now);
        if self.left.is_none() && self.share != Some(1.0) {
            fields.push("time left not known yet".to_owned());
        }
        self.titled(|title| {
            let first = format!("{title}: {}", fields[0]);
            fit(&[&[first], &fields[1..]].concat(), ", ", width)
        })
    }

    /// The beginning of the title.
    fn brief(&self) -> &str {
        self.title.split(", ").next().unwrap_or_default()
    }

    /// With the whole title where that costs no field, else with its beginning.
    fn titled(&self, text: impl Fn(&str) -> String) -> String {
        let short = self.brief();
        let (whole, brief) = (text(&self.title), text(short));
        if whole.len() - self.title.len() == brief.len() - short.len() { whole } else { brief }
    }

    /// An object for programs, with these fields beside its own.
    pub(crate) fn object(&self, more: impl Serialize) -> impl Serialize {
        #[derive(Serialize)]
        struct Told<T> {
            #[serde(flatten)]
            status: Value,
            #[serde(flatten)]
            more: T,
            left: Option<f64>,
            share: Option<f64>,
            elapsed: f64,
        }
        let (left, elapsed) = (self.left.map(|left| left.mean), self.elapsed.as_secs_f64());
        Told { status: self.object.clone(), more, left, share: self.share, elapsed }
    }

    /// The most important first.
    fn fields(&self, now: &Zoned) -> Vec<String> {
        let left = self.left.filter(|_| self.share != Some(1.0));
        let first = [
            self.share.and_then(percent),
            left.map(|left| format!("{} left", range(&left))),
            Some(format!("{} so far", time(self.elapsed))),
            left.and_then(|left| moment(now, left.mean)).map(|moment| format!("ends {moment}")),
        ];
        first.into_iter().flatten().chain(self.fields.iter().cloned()).collect()
    }
}

/// What is counted, as in `N = 20, join`.
pub(crate) fn title(fingerprint: &Fingerprint) -> String {
    let subject = &fingerprint.subject;
    let prefix = subject.prefix().map_or_else(String::new, |prefix| format!(", prefix {prefix}"));
    let queens = subject.queens().map_or_else(String::new, |queens| format!(", queens {queens}"));
    let turn = subject.rotation().map_or_else(String::new, |rotation| format!(", {rotation} turn"));
    format!("N = {}{prefix}{queens}{turn}, {}", subject.n(), fingerprint.engine)
}

/// How far a double check is with what earlier runs have saved.
pub(super) fn recounting(progress: &Progress) -> String {
    let Progress { recounted, to_recount, .. } = *progress;
    format!("recounted {} of {} of earlier runs", grouped(recounted.into()), count_of(to_recount, "task"))
}

/// The time left of what grows evenly; less than a hundredth says nothing.
fn even(share: f64, elapsed: Duration) -> Option<f64> {
    (share >= 0.01).then(|| elapsed.as_secs_f64() * (1.0 - share) / share)
}

/// A share for people; nothing where nothing is done.
fn percent(share: f64) -> Option<String> {
    match share * 100.0 {
        percent if percent <= 0.0 => None,
        percent if percent < 0.05 => Some("< 0.1 %".to_owned()),
        // 100 % is shown at the end only.
        percent => Some(format!("{:.1} %", if share < 1.0 { percent.min(99.9) } else { percent })),
    }
}

/// The fields that fit, the most important first, none of them cut. The first one is printed in any case.
fn fit(fields: &[String], separator: &str, width: usize) -> String {
    let Some((first, more)) = fields.split_first() else { return String::new() };
    let add = |line: String, field: &String| {
        let longer = format!("{line}{separator}{field}");
        if longer.chars().count() <= width { longer } else { line }
    };
    more.iter().fold(first.clone(), add)
}

/// The time of day in so long, with the day where it is another one; nothing where it is a year or more.
fn moment(now: &Zoned, left: f64) -> Option<String> {
    const DAY: u64 = 24 * 60 * 60;
    let left = Duration::try_from_secs_f64(left).ok()?;
    let then = now.checked_add(left).ok()?;
    let days = left.as_secs() / DAY;
    let format = match days {
        _ if then.date() == now.date() => "%H:%M",
        0..6 => "%a %H:%M",
        6..365 => "%-d %b",
        _ => return None,
    };
    Some(then.strftime(format).to_string())
}

/// The interval, or a single time where its upper end is within a sixth of the expected time.
pub(crate) fn range(left: &Interval) -> String {
    let Interval { mean, low, high } = *left;
    if high <= 1.16 * mean {
        return about(mean);
    }
    match (coarse(low), coarse(high)) {
        (low, high) if low == high => format!("about {} {}", high.0, high.1),
        ((low, unit), (high, same)) if unit == same => format!("{low} to {high} {unit}"),
        ((low, smaller), (high, larger)) => format!("{low} {smaller} to {high} {larger}"),
    }
}

/// A time that is known to two digits or so.
pub(crate) fn about(seconds: f64) -> String {
    let (number, unit) = coarse(seconds);
    format!("about {number} {unit}")
}

/// A time to two digits, in whole seconds at least: fractions of a moving figure could not be read.
fn coarse(seconds: f64) -> (String, &'static str) {
    if seconds < 99.5 { (format!("{seconds:.0}"), "s") } else { numbers::time_to_digits(seconds, 2) }
}

/// Whole seconds, as fractions of a moving figure could not be read.
pub(crate) fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64().round();
    if seconds < 60.0 { format!("{seconds} s") } else { numbers::seconds(seconds) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::terminal::json;
    use queens::{Placement, Request, Rotation, RotationalBoard, Size};

    fn left(mean: f64, error: f64) -> Interval {
        Interval { mean, low: mean * (1.0 - error), high: mean * (1.0 + error) }
    }

    fn status() -> Status {
        Status {
            title: "N = 16, join, 2 threads".to_owned(),
            share: Some(0.4231),
            is_even: false,
            elapsed: Duration::from_secs(62),
            left: Some(left(4.4, 0.01)),
            fields: vec!["6.12 million solutions".to_owned(), "saved 12 s ago".to_owned()],
            object: json!({"n": 16}),
        }
    }

    fn now() -> Zoned {
        "2026-11-22T14:30:00+00:00[UTC]".parse().unwrap()
    }

    fn bar(status: &Status, columns: usize) -> String {
        let text = anstream::adapter::strip_str(&status.bar(columns - 1, &now())).to_string();
        assert!(text.chars().count() < columns, "{text}");
        text
    }

    /// Terminals of 40, 80, 120 and 160 columns show whole fields and leave the last column free.
    #[test]
    fn narrow_terminals_get_fewer_fields() {
        assert_eq!(bar(&status(), 40), "N = 16 ━━━───── 42.3 %  about 4 s left");
        assert_eq!(bar(&status(), 80), "N = 16 ━━━━━━━━──────────── 42.3 %  about 4 s left  1 min 02 s so far");
        let most = "━━━━━━━━──────────── 42.3 %  about 4 s left  1 min 02 s so far  ends 14:30  6.12 million solutions";
        assert_eq!(bar(&status(), 120), format!("N = 16 {most}"));
        assert_eq!(bar(&status(), 160), format!("N = 16, join, 2 threads {most}  saved 12 s ago"));
        let line = |width| status().line(width, &now());
        assert_eq!(line(39), "N = 16: 42.3 %, about 4 s left");
        assert_eq!(line(79), "N = 16: 42.3 %, about 4 s left, 1 min 02 s so far, ends 14:30, saved 12 s ago");
        assert_eq!(
            line(usize::MAX),
            "N = 16, join, 2 threads: 42.3 %, about 4 s left, 1 min 02 s so far, ends 14:30, 6.12 million solutions, \
             saved 12 s ago"
        );
        assert_eq!(
            json::event("progress", status().object(())),
            "{\"schema\":1,\"event\":\"progress\",\"n\":16,\"left\":4.4,\"share\":0.4231,\"elapsed\":62.0}\n"
        );
    }

    /// However narrow the terminal is, the time left comes before a long track.
    #[test]
    fn a_track_gets_shorter_for_the_time_left() {
        let status = Status { left: Some(left(4000.0, 0.4)), ..status() };
        assert_eq!(bar(&status, 40), "N = 16 ━─── 42.3 %  40 to 93 min left");
        assert_eq!(bar(&status, 43), "N = 16 ━━━───── 42.3 %  40 to 93 min left");
        assert_eq!(bar(&status, 36), "N = 16 42.3 %  40 to 93 min left");
    }

    /// A bar that the terminal wraps could not be cleared. Whatever there is no room for goes, the time left after the track.
    #[test]
    fn no_bar_is_wider_than_its_terminal() {
        let hours = Status { left: None, share: Some(0.0), elapsed: Duration::from_secs(3723), ..status() };
        let bars = |status: &Status| [34, 31, 23, 14, 7, 6].map(|columns| bar(status, columns));
        assert_eq!(
            bars(&status()),
            [
                "N = 16 42.3 %  about 4 s left", "N = 16 42.3 %  about 4 s left", "N = 16 42.3 %", "N = 16 42.3 %",
                "42.3 %", ""
            ]
        );
        let told = "1 h 02 min 03 s so far";
        assert_eq!(bars(&hours), [&format!("N = 16 {told}"), &format!("N = 16 {told}"), told, "", "", ""]);
        for columns in 1..200 {
            for status in [&status(), &hours, &Status::default()] {
                bar(status, columns);
            }
        }
    }

    #[test]
    fn what_is_unknown_is_left_out() {
        let mut status = Status { left: None, fields: Vec::new(), ..status() };
        for share in [None, Some(0.0)] {
            status.share = share;
            assert_eq!(bar(&status, 80), "N = 16, join, 2 threads ──────────────────── 1 min 02 s so far");
            assert_eq!(status.line(80, &now()), "N = 16, join, 2 threads: 1 min 02 s so far, time left not known yet");
        }
        (status.share, status.left) = (Some(1e-9), Some(left(2_676_430_000_000.0, 0.01)));
        assert_eq!(status.line(50, &now()), "N = 16: < 0.1 %, about 85,000 years left");
        status.share = Some(0.99996);
        assert!(bar(&status, 80).contains(" 99.9 % "), "100 % is the end");
    }

    #[test]
    fn the_end_is_a_time_of_day() {
        let moment = |hours: u32| moment(&now(), 3600.0 * f64::from(hours));
        assert_eq!(
            [0, 9, 10, 48, 6 * 24, 364 * 24, 366 * 24].map(moment).map(Option::unwrap_or_default),
            ["14:30", "23:30", "Mon 00:30", "Tue 14:30", "28 Nov", "21 Nov", ""]
        );
    }

    #[test]
    fn the_time_left_is_as_exact_as_it_is_known() {
        let told = |expected, error| range(&left(expected, error));
        assert_eq!(told(4.4, 0.04), "about 4 s");
        assert_eq!(told(4000.0, 0.04), "about 67 min");
        assert_eq!(told(4000.0, 0.2), "53 to 80 min");
        assert_eq!(told(6000.0, 0.5), "50 min to 2.5 h");
        assert_eq!(told(90.0, 0.2), "72 s to 1.8 min");
        assert_eq!(told(0.8, 0.2), "about 1 s");
        assert_eq!(told(1e6, 0.2), "9.3 to 14 days");
        assert_eq!(told(1e9, 0.9), "3.2 to 60 years");
    }

    #[test]
    fn a_run_says_what_it_counts_and_what_it_has() {
        let request = Request::solutions(Size::new(16).unwrap());
        let mut progress = request.prepare().unwrap().watch().progress();
        (progress.solutions, progress.threads, progress.elapsed) = (6_123_456, 2, Duration::from_secs(62));
        let told = |progress: &Progress, saved| Status::of_run(&request.fingerprint().unwrap(), progress, saved);
        let begun = told(&progress, None);
        assert_eq!((begun.title.as_str(), begun.fields.len()), ("N = 16, join, 2 threads", 0));
        (progress.done, progress.earlier) = (44, Duration::from_secs(3600));
        let fields = told(&progress, Some(Duration::from_secs(12))).fields;
        assert_eq!(fields, ["6.12 million solutions", "saved 12 s ago", "1 h 01 min 02 s with earlier runs"]);
        (progress.to_recount, progress.recounted) = (28, 27);
        assert_eq!(told(&progress, None).fields[0], "recounted 27 of 28 tasks of earlier runs");
        progress.recounted = 28;
        assert_eq!(told(&progress, None).fields[0], "6.12 million solutions", "that is over");
        let prefix = Placement::parse("1,3", Size::new(16).unwrap()).unwrap();
        let title = |request: Request| title(&request.fingerprint().unwrap());
        assert_eq!(title(Request::completions(prefix)), "N = 16, prefix 1,3, backtrack");
        let board = RotationalBoard::new(Rotation::Half, 16).unwrap();
        assert_eq!(title(Request::rotational(board)), "N = 16, half turn, cover");
    }

    #[test]
    fn what_grows_evenly_tells_the_time_left() {
        let elapsed = Duration::from_secs(10);
        assert_eq!(even(0.25, elapsed), Some(30.0));
        assert_eq!([even(0.009, elapsed), even(0.0, elapsed)], [None; 2]);
    }
}
