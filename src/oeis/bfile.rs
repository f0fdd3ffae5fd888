//! b-files: the tables of terms that OEIS offers for download, with one index and one term on each line.

/// Consecutive terms of a sequence, as a b-file lists them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BFile {
    first: usize,
    terms: Vec<u128>,
}

/// Why a text is not a b-file of counts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BFileError {
    /// A line is neither a term nor blank nor a comment.
    #[error("line {line}: '{text}' is not an index and a term, as in '8 92'")]
    Malformed {
        /// Its number, from 1.
        line: usize,
        /// Its text, shortened if it is long.
        text: String,
    },
    /// An index is out of order.
    #[error("line {line}: index {index} should be {expected}, one more than that of the term before")]
    OutOfOrder {
        /// Its number, from 1.
        line: usize,
        /// The index on the line.
        index: usize,
        /// The expected index.
        expected: usize,
    },
    /// There are only blank lines and comments.
    #[error("it holds no terms")]
    Empty,
}

impl BFile {
    /// Reads the text of a b-file. Blank lines and comments, which begin with `#`, may be anywhere. Line ends may be
    /// those of any system. The first index may be any number, and each further index is one more.
    ///
    /// ```
    /// use queens::BFile;
    /// let file = BFile::parse("# A002562\n7 6\r\n\n8 12\n")?;
    /// assert_eq!((file.term(6), file.term(8)), (None, Some(12)));
    /// assert_eq!(BFile::parse("7 6\n8\n").unwrap_err().to_string(), "line 2: '8' is not an index and a term, as in '8 92'");
    /// # Ok::<(), queens::BFileError>(())
    /// ```
    ///
    /// # Errors
    /// If a line is malformed or out of order, which the error names, or if there is no term. Terms are counts: whole
    /// numbers, not negative, and less than 2^128.
    pub fn parse(text: &str) -> Result<Self, BFileError> {
        let mut file = Self { first: 0, terms: Vec::new() };
        for (number, text) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = number + 1;
            let content = text.split('#').next().unwrap_or_default().trim();
            if content.is_empty() {
                continue;
            }
            let malformed = || BFileError::Malformed { line, text: shortened(text.trim()) };
            let (index, term) = read_line(content).ok_or_else(malformed)?;
            if file.terms.is_empty() {
                file.first = index;
            }
            let expected = file.first + file.terms.len();
            if index != expected {
                return Err(BFileError::OutOfOrder { line, index, expected });
            }
            file.terms.push(term);
        }
        if file.terms.is_empty() { Err(BFileError::Empty) } else { Ok(file) }
    }

    /// The term with this index, if it is listed.
    pub fn term(&self, index: usize) -> Option<u128> {
        self.terms.get(index.checked_sub(self.first)?).copied()
    }
}

/// Two numbers and nothing else.
fn read_line(content: &str) -> Option<(usize, u128)> {
    let mut parts = content.split_whitespace();
    let (index, term) = (parts.next()?, parts.next()?);
    if parts.next().is_some() || index.starts_with('+') || term.starts_with('+') {
        return None;
    }
    let index: u32 = index.parse().ok()?;
    Some((index as usize, term.parse().ok()?))
}

fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    if text.chars().count() <= MOST { text.to_owned() } else { text.chars().take(MOST).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_found_in_the_wild() {
        let text = "\u{feff}# A000170\r\n\r\n 0 1\r\n1\t1 # trivial\r\n\t2   0  \r\n# in between\r\n3 0\r\n4 2";
        let file = BFile::parse(text).unwrap();
        let terms: Vec<_> = (0..6).map(|n| file.term(n)).collect();
        assert_eq!(terms, [Some(1), Some(1), Some(0), Some(0), Some(2), None]);
        let offset = BFile::parse("27 234907967154122528\n").unwrap();
        assert_eq!((offset.term(26), offset.term(27)), (None, Some(234_907_967_154_122_528)));
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text: &str| BFile::parse(text).unwrap_err().to_string();
        for line in ["1", "1 x", "x 1", "1 -2", "-1 2", "1 2 3", "1, 2", "+1 2", "1 2.0", "99999999999 1"] {
            let text = format!("# comment\n\n0 1\n{line}\n");
            assert_eq!(error(&text), format!("line 4: '{line}' is not an index and a term, as in '8 92'"));
        }
        assert_eq!(error("0 1\n2 0\n"), "line 2: index 2 should be 1, one more than that of the term before");
        assert_eq!(error("1 1\n1 1\n"), "line 2: index 1 should be 2, one more than that of the term before");
        assert!(error(&format!("0 {}", "9".repeat(60))).contains("99…'"));
        assert!(error(&"x".repeat(40)).contains("xx' is not"));
        assert_eq!(error("# nothing\n"), "it holds no terms");
    }
}
