//! What a full screen asks of the system's terminal beyond keys and squares.

#[cfg(unix)]
pub(super) use unix::{heed_suspension, suspend, wait_until_gone};
#[cfg(windows)]
pub(super) use windows::{heed_suspension, suspend, wait_until_gone};

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use ratatui::crossterm::{execute, terminal};
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    use signal_hook::consts::SIGTSTP;

    use crate::cli::terminal::signals;

    /// Has the flag raised where somebody asks the program to stop until it is continued.
    pub(crate) fn heed_suspension(flag: &Arc<AtomicBool>) -> io::Result<()> {
        signal_hook::flag::register(SIGTSTP, Arc::clone(flag)).map(drop)
    }

    /// Returns once nobody is at the other end of the terminal any more.
    pub(crate) fn wait_until_gone() -> io::Result<()> {
        let stdin = io::stdin();
        // Of an input that hung up or failed one always hears, asked or not; keys are none of this thread's.
        let mut inputs = [PollFd::new(&stdin, PollFlags::empty())];
        loop {
            match poll(&mut inputs, None) {
                Ok(_) if inputs[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) => return Ok(()),
                Ok(_) => return Err(io::ErrorKind::Unsupported.into()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
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

    /// Nobody asks here.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(crate) fn heed_suspension(_: &Arc<AtomicBool>) -> io::Result<()> {
        Ok(())
    }

    /// Returns at once that it cannot be told: a window that is closed ends the program by itself.
    pub(crate) fn wait_until_gone() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// There is no shell to leave the terminal to.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(crate) fn suspend(_: &mut ratatui::DefaultTerminal) -> io::Result<()> {
        Ok(())
    }
}
