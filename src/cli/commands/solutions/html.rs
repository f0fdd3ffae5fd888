//! `html`: one page that shows the solutions, drawn by its own script, without a network.

use super::list::NumberedSolution;
use super::{About, Format};
use crate::cli::draw::{glyphs, svg};

/// Solutions on a page unless `--limit` says otherwise: enough to walk through, and a quick page on a phone.
pub(crate) const LIMIT: u64 = 5000;

/// The page; `@…@` marks what depends on the solutions.
const PAGE: &str = include_str!("page.html");

#[derive(Default)]
pub(super) struct Html {
    /// What comes after the solutions.
    rest: String,
    count: u64,
}

impl Format for Html {
    fn begin(&mut self, out: &mut Vec<u8>, about: &About) {
        let n = about.size.to_string();
        let page = PAGE
            .replace("@N@", &n)
            .replace("@QUEEN@", glyphs::QUEEN)
            .replace("@LIGHT@", svg::LIGHT)
            .replace("@DARK@", svg::DARK)
            .replace("@INK@", svg::INK)
            .replace("@PREFIX@", &about.prefix.to_string())
            .replace("@FUNDAMENTAL@", &about.fundamental.to_string())
            .replace("@FIRST@", &about.first.map_or_else(|| "null".to_owned(), |first| first.to_string()));
        let (before, after) = page.split_once("@SOLUTIONS@").expect("the page has a place for the solutions");
        out.extend_from_slice(before.as_bytes());
        after.clone_into(&mut self.rest);
    }

    fn solution(&mut self, out: &mut Vec<u8>, solution: &NumberedSolution) {
        if self.count > 0 {
            out.push(b' ');
        }
        self.count += 1;
        // A character a row, 1 to 9 and then a to w, as the page's script reads them.
        let letter = |row| char::from_digit(row as u32, 36).expect("rows are at most 32") as u8;
        out.extend(solution.placement.rows().map(letter));
    }

    fn end(&mut self, out: &mut Vec<u8>, more: bool) {
        let rest = self.rest.replace("@COUNT@", &self.count.to_string()).replace("@MORE@", &more.to_string());
        out.extend_from_slice(rest.as_bytes());
    }
}
