//! A board as PNG: the SVG, rasterised by resvg, which is built without fonts as none are needed.

use queens::Placement;
#[cfg(feature = "png")]
use resvg::{tiny_skia, usvg};

#[cfg(feature = "png")]
use super::svg;

/// The least width in pixels; large boards get more, so that a square keeps 48.
#[cfg(feature = "png")]
const WIDTH: f32 = 1024.0;

/// The picture's bytes, or what the library says against it.
#[cfg(feature = "png")]
pub(crate) fn png(placement: &Placement) -> Result<Vec<u8>, String> {
    let tree = usvg::Tree::from_str(&svg::svg(placement), &usvg::Options::default()).map_err(|e| e.to_string())?;
    let side = svg::side(placement.size().get()) as f32;
    let scale = (WIDTH / side).max(0.48);
    let pixels = (side * scale).round() as u32;
    let mut image = tiny_skia::Pixmap::new(pixels, pixels).ok_or("the picture has no size")?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut image.as_mut());
    image.encode_png().map_err(|error| error.to_string())
}

/// A program built without pictures of pixels.
#[cfg(not(feature = "png"))]
pub(crate) fn png(_placement: &Placement) -> Result<Vec<u8>, String> {
    Err("this program was built without the feature 'png'; svg needs none".to_owned())
}
