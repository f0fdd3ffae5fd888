//! Where the names of lines stand: beside the ends of their lines, on nothing else if there is room.

use super::svg::Anchor;

/// About as wide as a letter of a name, and as far as letters go above and below the line they are written on.
const LETTER: f64 = 8.0;
const ABOVE: f64 = 12.0;
const BELOW: f64 = 4.0;

/// Where a name may stand from the end of its line, the better places first: above it, at its sides, below it, higher up.
const PLACES: [(Anchor, (f64, f64)); 12] = [
    (Anchor::Middle, (0.0, -13.0)),
    (Anchor::End, (-11.0, 4.5)),
    (Anchor::End, (3.0, -13.0)),
    (Anchor::Start, (-3.0, -13.0)),
    (Anchor::Start, (11.0, 4.5)),
    (Anchor::Start, (3.0, 21.0)),
    (Anchor::End, (-3.0, 21.0)),
    (Anchor::Middle, (0.0, 21.0)),
    (Anchor::Middle, (0.0, -30.0)),
    (Anchor::End, (3.0, -30.0)),
    (Anchor::Start, (-3.0, -30.0)),
    (Anchor::Middle, (0.0, -47.0)),
];

/// What a text fills.
#[derive(Clone, Copy)]
pub(super) struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Area {
    pub(super) fn of_text((x, y): (f64, f64), anchor: Anchor, text: &str) -> Self {
        let width = LETTER * text.chars().count() as f64;
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        Self { left, right: left + width, top: y - ABOVE, bottom: y + BELOW }
    }

    pub(super) fn overlaps(self, other: Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    #[cfg(test)]
    pub(super) fn is_within(self, width: f64) -> bool {
        self.left >= 0.0 && self.right <= width
    }

    fn holds(self, (x, y): (f64, f64)) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }
}

/// What names should not hide: other texts, which they never do where it can be avoided, and the points of lines.
#[derive(Default)]
pub(super) struct Labels {
    pub(super) texts: Vec<Area>,
    points: Vec<(f64, f64)>,
}

impl Labels {
    /// A line through these points, each of which is worth more than the way between them.
    pub(super) fn line(&mut self, through: &[(f64, f64)]) {
        const STEP: f64 = 4.0;
        const DOT: usize = 10;
        self.points.extend(through.iter().flat_map(|&point| std::iter::repeat_n(point, DOT)));
        for pair in through.windows(2) {
            let (from, by) = (pair[0], (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1));
            let steps = (by.0.hypot(by.1) / STEP).ceil() as u32;
            let share = |step: u32| f64::from(step) / f64::from(steps);
            self.points.extend((1..steps).map(|step| (from.0 + by.0 * share(step), from.1 + by.1 * share(step))));
        }
    }

    /// How far to the right texts reach.
    pub(super) fn reach(&self) -> f64 {
        self.texts.iter().map(|text| text.right).fold(0.0, f64::max)
    }

    /// The best place for the name of a line that ends there, which is taken from now on.
    pub(super) fn place(&mut self, name: &str, end: (f64, f64)) -> (Anchor, (f64, f64)) {
        let places = PLACES.map(|(anchor, by)| (anchor, (end.0 + by.0, end.1 + by.1)));
        let hidden = |(anchor, at): &(Anchor, (f64, f64))| {
            let area = Area::of_text(*at, *anchor, name);
            let texts = self.texts.iter().filter(|text| area.overlaps(**text)).count();
            (texts, self.points.iter().filter(|point| area.holds(**point)).count())
        };
        let (anchor, at) = places.into_iter().min_by_key(hidden).expect("there are places");
        self.texts.push(Area::of_text(at, anchor, name));
        (anchor, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ends as near to each other as may be, with names of any length.
    #[test]
    fn names_are_kept_apart() {
        let names = ["plain loop", "NQueensFAF", "queens, backtrack"];
        for (dx, dy) in
            (0..=80).step_by(8).flat_map(|dx| (0..=60).step_by(4).map(move |dy| (f64::from(dx), f64::from(dy))))
        {
            let mut labels = Labels::default();
            for (index, name) in names.iter().enumerate() {
                let by = index as f64;
                labels.place(name, (300.0 + by * dx, 200.0 - by * dy));
            }
            let pairs = [(0, 1), (0, 2), (1, 2)];
            assert!(pairs.iter().all(|&(a, b)| !labels.texts[a].overlaps(labels.texts[b])), "{dx} {dy}");
        }
    }

    #[test]
    fn a_name_makes_way_for_lines() {
        let mut labels = Labels::default();
        labels.line(&[(0.0, 87.0), (200.0, 87.0)]);
        let (_, (_, y)) = labels.place("join", (100.0, 100.0));
        assert!(!(80.0..=100.0).contains(&y), "{y}");
        let alone = Labels::default().place("join", (100.0, 100.0));
        assert_eq!(alone.1, (100.0, 87.0));
    }
}
