//! Published terms of the On-Line Encyclopedia of Integer Sequences, <https://oeis.org>.
//!
//! They are for comparison only: tests and `verify` compute every term anew and compare it with these. No engine reads
//! them.

/// A published sequence.
#[derive(Debug)]
pub struct Sequence {
    /// Its number, as in `A000170`.
    pub id: &'static str,
    /// The index of the first term.
    pub offset: usize,
    /// The terms in order.
    pub terms: &'static [u128],
}

impl Sequence {
    /// The term with this index, if it is published.
    pub fn term(&self, index: usize) -> Option<u128> {
        self.terms.get(index.checked_sub(self.offset)?).copied()
    }
}

/// Solutions of the N-queens problem, from N = 0. <https://oeis.org/A000170>
pub static QUEENS: Sequence = Sequence {
    id: "A000170",
    offset: 0,
    terms: &[
        1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365_596, 2_279_184, 14_772_512, 95_815_104,
        666_090_624, 4_968_057_848, 39_029_188_884, 314_666_222_712, 2_691_008_701_644, 24_233_937_684_440,
        227_514_171_973_736, 2_207_893_435_808_352, 22_317_699_616_364_044, 234_907_967_154_122_528,
    ],
};

/// Solutions counted once for all their rotations and reflections, from N = 1. <https://oeis.org/A002562>
pub static UNIQUE: Sequence = Sequence {
    id: "A002562",
    offset: 1,
    terms: &[
        1, 0, 0, 1, 2, 1, 6, 12, 46, 92, 341, 1787, 9233, 45752, 285_053, 1_846_955, 11_977_939, 83_263_591,
        621_012_754, 4_878_666_808, 39_333_324_973, 336_376_244_042, 3_029_242_658_210, 28_439_272_956_934,
        275_986_683_743_434, 2_789_712_466_510_289, 29_363_495_934_315_694,
    ],
};

/// Solutions unchanged by a half turn, from N = 1. <https://oeis.org/A032522>
pub static HALF_TURN: Sequence = Sequence {
    id: "A032522",
    offset: 1,
    terms: &[
        1, 0, 0, 2, 2, 4, 8, 4, 16, 12, 48, 80, 136, 420, 1240, 3000, 8152, 18104, 44184, 144_620, 375_664, 1_250_692,
        3_581_240, 11_675_080, 34_132_592, 115_718_268, 320_403_024, 1_250_901_440, 3_600_075_088, 14_589_438_024,
        43_266_334_696, 181_254_386_312,
    ],
};

/// Solutions unchanged by a quarter turn, from N = 1. <https://oeis.org/A033148>
pub static QUARTER_TURN: Sequence = Sequence {
    id: "A033148",
    offset: 1,
    terms: &[
        1, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 8, 8, 0, 0, 64, 128, 0, 0, 480, 704, 0, 0, 3328, 3264, 0, 0, 32896, 43776, 0,
        0, 406_784, 667_904, 0, 0, 5_845_504, 8_650_752, 0, 0, 77_184_000, 101_492_736, 0, 0, 1_261_588_480,
        1_795_233_792, 0, 0, 21_517_426_688, 35_028_172_800, 0, 0, 406_875_119_616, 652_044_443_648, 0, 0,
        8_613_581_094_912, 12_530_550_128_640, 0, 0, 194_409_626_533_888, 291_826_098_503_680, 0, 0,
    ],
};

/// Placements of k queens on the first k columns, triangle by rows from N = 0, k = 0..N, flattened.
/// <https://oeis.org/A319284>
pub static PROFILE: Sequence = Sequence {
    id: "A319284",
    offset: 0,
    terms: &[
        1, 1, 1, 1, 2, 0, 1, 3, 2, 0, 1, 4, 6, 4, 2, 1, 5, 12, 14, 12, 10, 1, 6, 20, 36, 46, 40, 4, 1, 7, 30, 76, 140,
        164, 94, 40, 1, 8, 42, 140, 344, 568, 550, 312, 92, 1, 9, 56, 234, 732, 1614, 2292, 2038, 1066, 352, 1, 10, 72,
        364, 1400, 3916, 7552, 9632, 7828, 4040, 724, 1, 11, 90, 536, 2468, 8492, 21362, 37248, 44148, 34774, 15116,
        2680, 1, 12, 110, 756, 4080, 16852, 52856, 120_104, 195_270, 222_720, 160_964, 68264, 14200,
    ],
};

/// Consecutive terms of a sequence, as a b-file lists them: the table that OEIS offers for download, with one index and
/// one term on each line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BFile {
    first: usize,
    terms: Vec<u128>,
}

/// Why a text is not a b-file of counts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum BFileError {
    /// A line is neither a term nor blank nor a comment. Its text is shortened if it is long.
    #[error("line {line}: '{text}' is not an index and a term, as in '8 92'")]
    Malformed { line: usize, text: String },
    /// An index is out of order.
    #[error("line {line}: index {index} should be {expected}, one more than that of the term before")]
    OutOfOrder { line: usize, index: usize, expected: usize },
    /// There are only blank lines and comments.
    #[error("the file has no terms")]
    Empty,
}

impl BFile {
    /// Reads the text of a b-file. Blank lines and comments, which begin with `#`, may be anywhere. Line ends may be
    /// those of any system. The first index may be any number, and each further index is one more. Terms are counts:
    /// whole numbers, not negative, and less than 2^128.
    ///
    /// ```
    /// use queens::BFile;
    /// let file = BFile::parse("# A002562\n7 6\r\n\n8 12\n")?;
    /// assert_eq!((file.term(6), file.term(8)), (None, Some(12)));
    /// assert_eq!(BFile::parse("7 6\n8\n").unwrap_err().to_string(), "line 2: '8' is not an index and a term, as in '8 92'");
    /// # Ok::<(), queens::BFileError>(())
    /// ```
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

/// Two numbers without signs and nothing else.
fn read_line(content: &str) -> Option<(usize, u128)> {
    let (index, term) = content.split_once(char::is_whitespace).filter(|_| !content.contains('+'))?;
    let index: u32 = index.parse().ok()?;
    Some((index as usize, term.trim_start().parse().ok()?))
}

fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    if text.chars().count() <= MOST { text.to_owned() } else { text.chars().take(MOST).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    /// The hash of the b-file that OEIS offers for each sequence (in November 2025), without its comments, as
    /// `grep -v '^#' b000170.txt | sha256sum` begins.
    #[test]
    fn tables_are_as_published() {
        for (sequence, published) in [
            (&QUEENS, 0x2293_c5fb_62d4_a2d9),
            (&UNIQUE, 0x2276_ccf9_2cff_2347),
            (&HALF_TURN, 0x16d8_3553_c801_4b0a),
            (&QUARTER_TURN, 0x2652_39df_b989_66ad),
            (&PROFILE, 0x1ae7_a86c_07a6_abd8),
        ] {
            let mut hash = Sha256::new();
            for (index, term) in (sequence.offset..).zip(sequence.terms) {
                hash.update(format!("{index} {term}\n"));
            }
            let begin = u64::from_be_bytes(hash.finalize()[..8].try_into().unwrap());
            assert_eq!(begin, published, "{}", sequence.id);
        }
    }

    /// By Burnside's lemma, whatever is published; and a turn by a quarter, done twice, is one by a half.
    #[test]
    fn tables_go_together() {
        let term = |sequence: &Sequence, n| sequence.term(n).unwrap();
        for n in 2..=27 {
            let unchanged = term(&HALF_TURN, n) + 2 * term(&QUARTER_TURN, n);
            assert_eq!(term(&QUEENS, n) + unchanged, 8 * term(&UNIQUE, n), "N = {n}");
        }
        assert!((2..=32).all(|n| term(&HALF_TURN, n) % 4 == term(&QUARTER_TURN, n) % 4));
    }

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
        assert_eq!(error("# nothing\n"), "the file has no terms");
    }
}
