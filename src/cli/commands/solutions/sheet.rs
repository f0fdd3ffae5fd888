//! `svg` and `png`: the boards in rows on one sheet, each with its number and placement.

use super::source::Entry;
use super::{About, Failure, Format};
use crate::cli::draw::png::png;
use crate::cli::draw::sheet;

/// Boards on a sheet unless `--limit` says otherwise.
pub(super) const LIMIT: u64 = 100;

/// Boards that a picture in pixels still has room for.
pub(super) const MOST_PIXELS: u64 = 1000;

#[derive(Default)]
pub(super) struct Sheet {
    title: String,
    entries: Vec<sheet::Entry>,
}

impl Sheet {
    fn svg(&self) -> String {
        sheet::sheet(&self.entries, &self.title)
    }
}

impl Format for Sheet {
    fn begin(&mut self, _: &mut Vec<u8>, about: &About) {
        let kind = if about.fundamental { "Fundamental solutions" } else { "Solutions" };
        self.title = format!("{kind} for N = {}", about.size);
    }

    fn entry(&mut self, _: &mut Vec<u8>, entry: &Entry) {
        let number = entry.number.map_or_else(String::new, |number| format!("{number}  "));
        let class = entry.class_size.map_or_else(String::new, |size| format!("  ×{size}"));
        let caption = format!("{number} {} {class}", entry.placement).trim().to_owned();
        self.entries.push(sheet::Entry { placement: *entry.placement, caption });
    }

    fn end(&mut self, out: &mut Vec<u8>, _: bool) -> Result<(), Failure> {
        out.extend_from_slice(self.svg().as_bytes());
        Ok(())
    }
}

/// The same in pixels.
#[derive(Default)]
pub(super) struct Pixels(Sheet);

impl Format for Pixels {
    fn begin(&mut self, out: &mut Vec<u8>, about: &About) {
        self.0.begin(out, about);
    }

    fn entry(&mut self, out: &mut Vec<u8>, entry: &Entry) {
        self.0.entry(out, entry);
    }

    fn end(&mut self, out: &mut Vec<u8>, _: bool) -> Result<(), Failure> {
        out.extend(png(&self.0.svg())?);
        Ok(())
    }
}
