//! Reading and writing with a limit on interruptions.
//!
//! The standard library repeats a call for as long as the system says that a signal interrupted it. That is right for a
//! signal now and then. But if a file system always answers like that, the call is repeated for ever.

use std::io::{self, Read, Write};

/// So many interruptions in a row are not caused by signals.
const MOST: usize = 10_000;

/// A stream that fails if it is interrupted without end.
#[derive(Debug)]
pub struct Bounded<S> {
    stream: S,
    in_a_row: usize,
}

impl<S> Bounded<S> {
    /// Wraps a stream.
    pub fn new(stream: S) -> Self {
        Self { stream, in_a_row: 0 }
    }

    fn heed<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        let interrupted = result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted);
        self.in_a_row = if interrupted { self.in_a_row + 1 } else { 0 };
        if self.in_a_row < MOST { result } else { Err(io::Error::other("interrupted by signals without end")) }
    }
}

/// Repeats a call while it is interrupted, and returns its result. The standard library has no limit for that.
///
/// # Errors
/// The error of the call, or that it is interrupted without end.
pub(crate) fn retry<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut calls = Bounded::new(());
    loop {
        match calls.heed(call()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

impl<S: Read> Read for Bounded<S> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let result = self.stream.read(bytes);
        self.heed(result)
    }
}

impl<S: Write> Write for Bounded<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.stream.write(bytes);
        self.heed(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Interrupted so many times before every byte.
    struct Interrupted(usize, usize);

    impl Interrupted {
        fn next(&mut self) -> io::Result<usize> {
            if self.1 < self.0 {
                self.1 += 1;
                return Err(io::ErrorKind::Interrupted.into());
            }
            self.1 = 0;
            Ok(1)
        }
    }

    impl Read for Interrupted {
        fn read(&mut self, _bytes: &mut [u8]) -> io::Result<usize> {
            self.next()
        }
    }

    impl Write for Interrupted {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            self.next()
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::StorageFull.into())
        }
    }

    #[test]
    fn interruptions_are_borne_and_come_to_an_end() {
        for (times, ends_well) in [(0, true), (3, true), (MOST - 1, true), (MOST, false), (usize::MAX, false)] {
            let mut stream = Bounded::new(Interrupted(times, 0));
            assert_eq!(stream.write_all(b"four").is_ok(), ends_well, "{times} while writing");
            let mut stream = Bounded::new(Interrupted(times, 0)).take(4);
            assert_eq!(stream.read_to_end(&mut Vec::new()).is_ok(), ends_well, "{times} while reading");
            let mut call = Interrupted(times, 0);
            assert_eq!(retry(|| call.next()).is_ok(), ends_well, "{times} in a call");
        }
    }

    #[test]
    fn what_fails_in_the_end_has_failed() {
        let error = Bounded::new(Interrupted(0, 0)).flush().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
