//! The picture as PNG: its shapes as an SVG has them, and its texts from a font that the program carries, for many machines
//! that are timed have none.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use resvg::tiny_skia::{Color, Pixmap, PremultipliedColorU8};

use super::svg::{Anchor, Text};
use crate::cli::draw::png::png_with;
use crate::cli::terminal::failure::Failure;

/// Pixels to a unit.
const SCALE: f32 = 1.5;

/// The bytes of a picture with texts in the colours of its style sheet.
pub(super) fn png(shapes: &str, texts: &[Text], style: &str) -> Result<Vec<u8>, Failure> {
    png_with(shapes, SCALE, |image| {
        for text in texts {
            draw(image, text, colour(&text.class, style));
        }
    })
}

/// The colour that the last of these classes has, else that of any text.
fn colour(classes: &str, style: &str) -> Color {
    let of = |class: &str| {
        let rule = style.lines().find(|line| line.starts_with(&format!(".{class} {{")))?;
        let hex = rule.rsplit_once('#').filter(|_| !class.starts_with("label"))?.1.get(..6)?;
        u32::from_str_radix(hex, 16).ok()
    };
    let [_, red, green, blue] = classes.split(' ').rev().find_map(of).unwrap_or(0x0059_636e).to_be_bytes();
    Color::from_rgba8(red, green, blue, u8::MAX)
}

/// Letters that the font lacks are question marks.
fn draw(image: &mut Pixmap, Text { class, at, anchor, letters }: &Text, colour: Color) {
    let height = if class == "title" { RasterHeight::Size32 } else { RasterHeight::Size20 };
    let weight = if class.is_empty() { FontWeight::Regular } else { FontWeight::Bold };
    let advance = get_raster_width(weight, height);
    let width = (advance * letters.chars().count()) as f32;
    let share = match anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => 0.5,
        Anchor::End => 1.0,
    };
    // The base line of the font is at four fifths of its height.
    let left = (at.0 as f32 * SCALE - share * width).round() as i32;
    let top = (at.1 as f32 * SCALE - 0.8 * height.val() as f32).round() as i32;
    for (index, letter) in letters.chars().enumerate() {
        let Some(glyph) = get_raster(letter, weight, height).or_else(|| get_raster('?', weight, height)) else {
            continue;
        };
        for (row, line) in glyph.rows().enumerate() {
            for (column, &opacity) in line.iter().enumerate().filter(|(_, opacity)| **opacity > 0) {
                let (x, y) = (left + (index * advance + column) as i32, top + row as i32);
                blend(image, (x, y), colour, f32::from(opacity) / 255.0);
            }
        }
    }
}

/// Puts a colour over a pixel, where there is one.
fn blend(image: &mut Pixmap, (x, y): (i32, i32), colour: Color, opacity: f32) {
    let (width, height) = (image.width() as i32, image.height() as i32);
    if !(0..width).contains(&x) || !(0..height).contains(&y) {
        return;
    }
    let pixel = &mut image.pixels_mut()[(y * width + x) as usize];
    let over = |below: u8, above: f32| (f32::from(below) * (1.0 - opacity) + 255.0 * above * opacity).round() as u8;
    let (red, green, blue) =
        (over(pixel.red(), colour.red()), over(pixel.green(), colour.green()), over(pixel.blue(), colour.blue()));
    *pixel = PremultipliedColorU8::from_rgba(red, green, blue, over(pixel.alpha(), 1.0)).unwrap_or(*pixel);
}
