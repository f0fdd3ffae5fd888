//! `svg`, `png` and `pdf`: the boards in rows on one sheet or on pages, each with its number and placement.

use super::list::NumberedSolution;
use super::{About, Failure, Format, Kind};
use crate::cli::draw::pdf::pdf;
use crate::cli::draw::png::png;
use crate::cli::draw::sheet::{CaptionedBoard, sheet};

/// Boards on a sheet unless `--limit` says otherwise.
pub(super) const LIMIT: u64 = 100;

/// The same on pages: ten of them.
pub(super) const ON_PAGES: u64 = 960;

/// The most boards that a PNG has room for.
pub(super) const MOST_IN_PNG: u64 = 1000;

pub(super) struct Sheet {
    kind: Kind,
    title: String,
    boards: Vec<CaptionedBoard>,
}

impl Sheet {
    pub(super) const fn new(kind: Kind) -> Self {
        Self { kind, title: String::new(), boards: Vec::new() }
    }
}

impl Format for Sheet {
    fn begin(&mut self, _: &mut Vec<u8>, about: &About) {
        let kind = if about.fundamental { "Fundamental solutions" } else { "Solutions" };
        self.title = format!("{kind} for N = {}", about.size);
    }

    fn solution(&mut self, _: &mut Vec<u8>, solution: &NumberedSolution) {
        let number = solution.number.map_or_else(String::new, |number| format!("{number}  "));
        let class = solution.class_size.map_or_else(String::new, |size| format!("  ×{size}"));
        let caption = format!("{number} {} {class}", solution.placement).trim().to_owned();
        self.boards.push(CaptionedBoard { placement: solution.placement, caption });
    }

    fn end(&mut self, out: &mut Vec<u8>, _: bool) -> Result<(), Failure> {
        let svg = || sheet(&self.boards, &self.title);
        out.extend(match self.kind {
            Kind::Pdf => pdf(&self.boards, &self.title)?,
            Kind::Png => png(&svg())?,
            _ => svg().into_bytes(),
        });
        Ok(())
    }
}
