//! What a full screen asks of the system's terminal beyond keys and squares.

#[cfg(unix)]
pub(super) use unix::{heed_suspension, is_gone, suspend};
#[cfg(windows)]
pub(super) use windows::{heed_suspension, is_gone, suspend};

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use ratatui::crossterm::{execute, terminal};
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use signal_hook::consts::SIGTSTP;

    use crate::cli::signals;

    /// Has the flag raised where somebody asks the program to stop until it is continued.
    pub(crate) fn heed_suspension(flag: &Arc<AtomicBool>) -> io::Result<()> {
        signal_hook::flag::register(SIGTSTP, Arc::clone(flag)).map(drop)
    }

    /// Whether nobody is at the other end of the terminal, after waiting so long for a key.
    pub(crate) fn is_gone(wait: Duration) -> io::Result<bool> {
        let stdin = io::stdin();
        let mut inputs = [PollFd::new(&stdin, PollFlags::IN)];
        let wait = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: wait.subsec_nanos().into() };
        match poll(&mut inputs, Some(&wait)) {
            Ok(_) => Ok(inputs[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)),
            // A signal, of which the next round hears.
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Leaves the terminal to the shell until it continues this process.
    pub(crate) fn suspend(terminal: &mut ratatui::DefaultTerminal) -> io::Result<()> {
        ratatui::try_restore()?;
        signals::die_of(SIGTSTP);
        terminal::enable_raw_mode()?;
        execute!(io::stdout(), terminal::EnterAlternateScreen)?;
        terminal.clear()
    }
}

#[cfg(windows)]
mod windows {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use ratatui::crossterm::event;

    /// Nobody asks here.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(crate) fn heed_suspension(_: &Arc<AtomicBool>) -> io::Result<()> {
        Ok(())
    }

    /// Waits so long for a key. A window that is closed ends the program by itself.
    pub(crate) fn is_gone(wait: Duration) -> io::Result<bool> {
        event::poll(wait).map(|_| false)
    }

    /// There is no shell to leave the terminal to.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(crate) fn suspend(_: &mut ratatui::DefaultTerminal) -> io::Result<()> {
        Ok(())
    }
}
