//! The system's terminal: suspension and hang-up.

#[cfg(unix)]
pub(super) use unix::{on_suspension, suspend, wait_for_hangup};
#[cfg(windows)]
pub(super) use windows::{on_suspension, suspend, wait_for_hangup};

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

    /// Has the flag set by SIGTSTP, which asks a program to stop until it is continued.
    pub(crate) fn on_suspension(flag: &Arc<AtomicBool>) -> io::Result<()> {
        signal_hook::flag::register(SIGTSTP, Arc::clone(flag)).map(drop)
    }

    /// Returns once the terminal has hung up.
    pub(crate) fn wait_for_hangup() -> io::Result<()> {
        let stdin = io::stdin();
        // Hang-ups and errors are always reported, and keys are not asked for: they are the main thread's.
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

    /// There is no such signal here.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(crate) fn on_suspension(_: &Arc<AtomicBool>) -> io::Result<()> {
        Ok(())
    }

    /// Not supported here: a window that is closed ends the program by itself.
    pub(crate) fn wait_for_hangup() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// There is no shell to leave the terminal to.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(crate) fn suspend(_: &mut ratatui::DefaultTerminal) -> io::Result<()> {
        Ok(())
    }
}
