//! PNG: an SVG rasterised by resvg, which is built without fonts as none are needed. Without the feature `png` it is an
//! error.

#[cfg(feature = "png")]
use resvg::{tiny_skia, usvg};

use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::files::Output;

/// The least width of a picture in pixels, and the least size of one unit: a square of a board has at least 48.
#[cfg(feature = "png")]
const WIDTH: f32 = 1024.0;
#[cfg(feature = "png")]
const UNIT: f32 = 0.48;

/// The picture's bytes.
pub(crate) fn png(svg: &str) -> Result<Vec<u8>, Failure> {
    draw(svg).map_err(|reason| failure(&reason))
}

fn failure(reason: &str) -> Failure {
    Failure::Run(Exit::Failure, format!("drawing the picture failed: {reason}"))
}

#[cfg(feature = "png")]
fn draw(svg: &str) -> Result<Vec<u8>, String> {
    let tree = usvg::Tree::from_str(svg, &usvg::Options::default()).map_err(|error| error.to_string())?;
    let scale = (WIDTH / tree.size().width()).max(UNIT);
    rendered(&tree, scale)?.encode_png().map_err(|error| error.to_string())
}

/// The picture's bytes with so many pixels to a unit, and with what is drawn over it then.
#[cfg(feature = "png")]
pub(crate) fn png_with(svg: &str, scale: f32, over: impl FnOnce(&mut tiny_skia::Pixmap)) -> Result<Vec<u8>, Failure> {
    let tree = usvg::Tree::from_str(svg, &usvg::Options::default()).map_err(|error| failure(&error.to_string()))?;
    let mut image = rendered(&tree, scale).map_err(|reason| failure(&reason))?;
    over(&mut image);
    image.encode_png().map_err(|error| failure(&error.to_string()))
}

#[cfg(feature = "png")]
fn rendered(tree: &usvg::Tree, scale: f32) -> Result<tiny_skia::Pixmap, String> {
    let size = tree.size();
    let pixels = |units: f32| (units * scale).round() as u32;
    let mut image =
        tiny_skia::Pixmap::new(pixels(size.width()), pixels(size.height())).ok_or("the picture is too large")?;
    resvg::render(tree, tiny_skia::Transform::from_scale(scale, scale), &mut image.as_mut());
    Ok(image)
}

#[cfg(not(feature = "png"))]
fn draw(_svg: &str) -> Result<Vec<u8>, String> {
    Err("this program was built without the feature 'png'; svg needs none".to_owned())
}

/// Refuses to write the bytes of a picture or of pages to a terminal.
pub(crate) fn refuse_terminal(out: &Output, format: &str) -> Result<(), Failure> {
    if out.is_terminal() {
        let reason = "its bytes are not for a terminal; add -o FILE";
        return Err(Failure::invalid("--format <FORMAT>", format, &reason));
    }
    Ok(())
}
