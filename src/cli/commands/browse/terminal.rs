//! The system's terminal: suspension and hang-up. On Windows there is neither: a window that is closed ends the program.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Has the flag set by SIGTSTP, which asks a program to stop until it is continued.
#[cfg(unix)]
pub(super) fn on_suspension(flag: &Arc<AtomicBool>) -> io::Result<()> {
    signal_hook::flag::register(signal_hook::consts::SIGTSTP, Arc::clone(flag)).map(drop)
}

/// Returns once the terminal has hung up.
#[cfg(unix)]
pub(super) fn wait_for_hangup() -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    let stdin = io::stdin();
    // Hang-ups and errors are always reported, and keys are not asked for: they are the main thread's.
    let mut inputs = [PollFd::new(&stdin, PollFlags::empty())];
    loop {
        match poll(&mut inputs, None) {
            Ok(_) if inputs[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) => return Ok(()),
            Ok(_) => return Err(io::ErrorKind::Unsupported.into()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Leaves the terminal to the shell until it continues this process.
#[cfg(unix)]
pub(super) fn suspend(terminal: &mut ratatui::DefaultTerminal) -> io::Result<()> {
    use ratatui::crossterm::{execute, terminal};
    ratatui::try_restore()?;
    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
    terminal::enable_raw_mode()?;
    execute!(io::stdout(), terminal::EnterAlternateScreen)?;
    terminal.clear()
}

#[cfg(windows)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(super) fn on_suspension(_: &Arc<AtomicBool>) -> io::Result<()> {
    Ok(())
}

#[cfg(windows)]
pub(super) fn wait_for_hangup() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(windows)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(super) fn suspend(_: &mut ratatui::DefaultTerminal) -> io::Result<()> {
    Ok(())
}
