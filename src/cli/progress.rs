//! A progress bar on stderr for long work.
//!
//! A separate thread reads the [`Watch`] and draws, because `indicatif` draws under a lock: on a terminal stopped by
//! ^S, any use of the bar hangs. No save waits for it.

use std::io::IsTerminal;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use queens::Watch;

use super::{output, text, threads};

/// Shorter work shows no bar.
const SHOWN_AFTER: Duration = Duration::from_secs(2);
const TICK: Duration = Duration::from_millis(200);
/// A wait that overruns by this much means that the process was stopped, for example by ^Z.
const SUSPENDED: Duration = Duration::from_secs(2);
/// How long to wait for the bar to disappear, after the save. A slower terminal is stopped.
const CLEARED_WITHIN: Duration = Duration::from_millis(100);
const STEPS: u64 = 1000;

/// A bar, shown until it is dropped.
pub(crate) struct Bar {
    end: Option<Sender<()>>,
    cleared: Receiver<()>,
}

impl Bar {
    /// Shows the progress of a watch, if stderr is a terminal.
    pub(crate) fn start(title: &str, watch: &Watch) -> Self {
        let ((end, ended), (clearing, cleared)) = (mpsc::channel(), mpsc::channel());
        // On a dumb terminal `indicatif` draws nothing.
        let is_shown = !output::is_quiet() && std::io::stderr().is_terminal();
        let (title, watch) = (title.to_owned(), watch.clone());
        let show = move || {
            let _clearing = clearing;
            draw(&title, &watch, &ended);
        };
        if is_shown {
            // If no thread can be started, no bar is shown.
            let _ = threads::start("bar", show);
        }
        Self { end: Some(end), cleared }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        drop(self.end.take());
        let _ = self.cleared.recv_timeout(CLEARED_WITHIN);
    }
}

/// Draws until the sender is dropped.
fn draw(title: &str, watch: &Watch, ended: &Receiver<()>) {
    // Waits, and returns how long the process was stopped meanwhile; `None` at the end.
    let wait = |time| {
        let begun = Instant::now();
        let is_timeout = ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
        is_timeout
            .then(|| Some(begun.elapsed().saturating_sub(time)).filter(|&late| late > SUSPENDED).unwrap_or_default())
    };
    let Some(mut stopped) = wait(SHOWN_AFTER) else { return };
    let style = ProgressStyle::with_template("{prefix}  [{bar:20}] {percent:>3}%  {msg}");
    let style = style.expect("the template is right").progress_chars("=> ");
    let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr()).with_style(style);
    let mut bar = bar.with_prefix(title.to_owned());
    loop {
        let progress = watch.progress();
        if is_in_foreground() && !progress.elapsed.is_zero() {
            // The message is set without drawing; only `update` draws.
            bar = bar.with_message(text::progress(&progress, stopped));
            bar.update(|state| state.set_pos((progress.share * STEPS as f64) as u64));
        }
        let Some(more) = wait(TICK) else { break };
        stopped += more;
    }
    if is_in_foreground() {
        bar.finish_and_clear();
    } else {
        // Dropping it would draw.
        std::mem::forget(bar);
    }
}

/// Whether the process is in the foreground. From the background, a bar would break the user's command line.
fn is_in_foreground() -> bool {
    #[cfg(unix)]
    return rustix::termios::tcgetpgrp(rustix::stdio::stderr()).is_ok_and(|group| group == rustix::process::getpgrp());
    #[cfg(not(unix))]
    true
}
