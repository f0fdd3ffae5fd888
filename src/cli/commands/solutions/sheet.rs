//! `svg`: the boards in rows on one sheet, each with its number and placement.

use super::list::NumberedSolution;
use super::{About, Format};
use crate::cli::draw::sheet::{CaptionedBoard, sheet};

/// Boards on a sheet unless `--limit` says otherwise.
pub(super) const LIMIT: u64 = 100;

#[derive(Default)]
pub(super) struct Sheet {
    title: String,
    all: Option<u64>,
    boards: Vec<CaptionedBoard>,
}

impl Format for Sheet {
    fn begin(&mut self, _: &mut Vec<u8>, about: &About) {
        let kind = if about.fundamental { "Fundamental solutions" } else { "Solutions" };
        self.title = format!("{kind} for N = {}", about.size);
        self.all = about.all;
    }

    fn solution(&mut self, _: &mut Vec<u8>, solution: &NumberedSolution) {
        let number = solution.number.map_or_else(String::new, |number| format!("{number}  "));
        let class = solution.class_size.map_or_else(String::new, |size| format!("  ×{size}"));
        let caption = format!("{number} {} {class}", solution.placement).trim().to_owned();
        self.boards.push(CaptionedBoard { placement: solution.placement, caption });
    }

    fn end(&mut self, out: &mut Vec<u8>, more: bool) {
        let of = self.all.map_or("...".to_owned(), |all| format!("of {all}"));
        let note = if more { format!("{} {of}", self.boards.len()) } else { String::new() };
        out.extend_from_slice(sheet(&self.boards, &self.title, &note).as_bytes());
    }
}
