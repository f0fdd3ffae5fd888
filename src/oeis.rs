//! Published terms of the On-Line Encyclopedia of Integer Sequences, <https://oeis.org>.
//!
//! They serve only for comparison with computed terms, in tests and in the program; no engine reads them.

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
    /// The term with this index, or `None` if it is not published.
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
