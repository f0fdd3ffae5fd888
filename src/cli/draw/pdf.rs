//! PDF: boards in rows on pages of A4, each page with a title and its number. Text is in Helvetica, which every reader has.
//! Without the feature `png`, whose library reads the queen's outline, it is an error.

#[cfg(feature = "png")]
pub(crate) use pages::pdf;

/// The pages' bytes.
#[cfg(not(feature = "png"))]
pub(crate) fn pdf(
    _: &[super::sheet::CaptionedBoard],
    _: &str,
) -> Result<Vec<u8>, crate::cli::terminal::failure::Failure> {
    let reason = "this program was built without the feature 'png', which pages need; svg needs none";
    Err(crate::cli::terminal::failure::Failure::Run(crate::cli::terminal::exit::Exit::Failure, reason.to_owned()))
}

#[cfg(feature = "png")]
mod pages {
    use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str, TextStr};
    use resvg::usvg;
    use usvg::tiny_skia_path::PathSegment;

    use crate::cli::draw::glyphs::QUEEN;
    use crate::cli::draw::is_dark;
    use crate::cli::draw::shades::{DARK, INK, LIGHT, SOFT, rgb};
    use crate::cli::draw::sheet::CaptionedBoard;
    use crate::cli::draw::svg::SQUARE;
    use crate::cli::terminal::failure::Failure;

    /// A4 and its margin, in points; below the upper margin is the title.
    const WIDTH: f32 = 595.0;
    const HEIGHT: f32 = 842.0;
    const MARGIN: f32 = 36.0;
    const TITLE: f32 = 28.0;

    /// Boards in a row and rows on a page, at most.
    const COLUMNS: usize = 8;
    const ROWS: usize = 12;

    /// The height of a board with its caption and what is free around it, and the width of the latter, in sides of a board.
    const CELL: (f32, f32) = (1.1, 1.22);

    const FONT: Name = Name(b"F");
    const BOARD: Name = Name(b"B");
    const PIECE: Name = Name(b"Q");

    /// The pages' bytes.
    #[expect(clippy::unnecessary_wraps, reason = "without the feature it fails")]
    pub(crate) fn pdf(boards: &[CaptionedBoard], title: &str) -> Result<Vec<u8>, Failure> {
        let [catalog, tree, font, board, piece, info] = [1, 2, 3, 4, 5, 6].map(Ref::new);
        let n = boards.first().map_or(0, |board| board.placement.size().get());
        let pages: Vec<&[CaptionedBoard]> =
            if boards.is_empty() { vec![boards] } else { boards.chunks(COLUMNS * ROWS).collect() };
        let page_ref = |page: usize| Ref::new(7 + 2 * page as i32);

        let mut pdf = Pdf::new();
        pdf.catalog(catalog).pages(tree);
        pdf.document_info(info).title(TextStr(title)).producer(TextStr("queens"));
        pdf.pages(tree).kids((0..pages.len()).map(page_ref)).count(pages.len() as i32);
        pdf.type1_font(font).base_font(Name(b"Helvetica")).encoding_predefined(Name(b"WinAnsiEncoding"));
        let side = (n * SQUARE) as f32;
        pdf.form_xobject(board, &empty_board(n)).bbox(Rect::new(-2.0, -2.0, side + 2.0, side + 2.0));
        pdf.form_xobject(piece, &queen()).bbox(Rect::new(0.0, 0.0, 100.0, 100.0));
        // Boards are as large on the last page, which may have fewer, as on the others.
        let grid = Grid::new(pages[0].len());
        for (index, boards) in pages.iter().enumerate() {
            let (id, content) = (page_ref(index), Ref::new(8 + 2 * index as i32));
            let mut page = pdf.page(id);
            page.parent(tree).media_box(Rect::new(0.0, 0.0, WIDTH, HEIGHT)).contents(content);
            let mut resources = page.resources();
            resources.fonts().pair(FONT, font);
            resources.x_objects().pair(BOARD, board).pair(PIECE, piece);
            resources.finish();
            page.finish();
            let number = format!("page {} of {}", index + 1, pages.len());
            pdf.stream(content, &grid.page(boards, title, &number));
        }
        Ok(pdf.finish())
    }

    /// The rows of boards on a page.
    struct Grid {
        columns: usize,
        /// Of a board.
        side: f32,
    }

    impl Grid {
        /// As large as this many boards can be on one page.
        fn new(boards: usize) -> Self {
            let side = |columns: usize| {
                let rows = boards.div_ceil(columns).max(1) as f32;
                let (across, down) = (WIDTH - 2.0 * MARGIN, HEIGHT - 2.0 * MARGIN - TITLE);
                (across / columns as f32 / CELL.0).min(down / rows / CELL.1)
            };
            let columns = (1..=COLUMNS).max_by(|&a, &b| side(a).total_cmp(&side(b))).expect("there are some");
            Self { columns, side: side(columns) }
        }

        /// What is on a page.
        fn page(&self, boards: &[CaptionedBoard], title: &str, number: &str) -> Vec<u8> {
            let mut page = Content::new();
            let top = HEIGHT - MARGIN;
            text(&mut page, title, (MARGIN, top - 14.0), 14.0, INK);
            text(&mut page, number, (WIDTH - MARGIN - width(number, 9.0), top - 14.0), 9.0, SOFT);
            for (index, CaptionedBoard { placement, caption }) in boards.iter().enumerate() {
                let (column, row) = ((index % self.columns) as f32, (index / self.columns) as f32);
                let cell = (WIDTH - 2.0 * MARGIN) / self.columns as f32;
                let (x, y) = (MARGIN + cell * column, top - TITLE - self.side * CELL.1 * row);
                let n = placement.size().get();
                let scale = self.side / (n.max(1) * SQUARE) as f32;
                // From here on downwards, as in the pictures.
                page.save_state().transform([scale, 0.0, 0.0, -scale, x, y]).x_object(BOARD);
                for queen in placement.squares() {
                    let corner = |index: usize| ((index - 1) * SQUARE + 8) as f32;
                    let place = [0.84, 0.0, 0.0, 0.84, corner(queen.column), corner(queen.row)];
                    page.save_state().transform(place).x_object(PIECE).restore_state();
                }
                page.restore_state();
                let size = (0.11 * self.side).min(self.side / width(caption, 1.0)).min(12.0);
                let left = x + (self.side - width(caption, size)) / 2.0;
                text(&mut page, caption, (left, y - self.side - 0.12 * self.side), size, SOFT);
            }
            page.finish().into_vec()
        }
    }

    fn text(page: &mut Content, text: &str, (x, y): (f32, f32), size: f32, colour: &str) {
        // The encoding is that of Latin 1 for all that is written here.
        let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect();
        fill(page, colour);
        page.begin_text().set_font(FONT, size).next_line(x, y).show(Str(&bytes)).end_text();
    }

    /// The width of a text in Helvetica; of letters about.
    fn width(text: &str, size: f32) -> f32 {
        let letter = |c| if matches!(c, ',' | ' ') { 0.278 } else { 0.556 };
        text.chars().map(letter).sum::<f32>() * size
    }

    fn fill(page: &mut Content, colour: &str) {
        let [red, green, blue] = rgb(colour).map(|part| f32::from(part) / 255.0);
        page.set_fill_rgb(red, green, blue);
    }

    fn empty_board(n: usize) -> Vec<u8> {
        let mut board = Content::new();
        let (square, side) = (SQUARE as f32, (n * SQUARE) as f32);
        fill(&mut board, LIGHT);
        board.rect(0.0, 0.0, side, side).fill_nonzero();
        fill(&mut board, DARK);
        for row in 1..=n {
            for column in (1..=n).filter(|&column| is_dark(n, column, row)) {
                board.rect((column - 1) as f32 * square, (row - 1) as f32 * square, square, square);
            }
        }
        board.fill_nonzero().set_line_width(4.0).rect(0.0, 0.0, side, side).stroke();
        board.finish().into_vec()
    }

    fn queen() -> Vec<u8> {
        let svg =
            format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 100 100\"><path d=\"{QUEEN}\"/></svg>");
        let tree = usvg::Tree::from_str(&svg, &usvg::Options::default()).expect("it is an SVG");
        let mut queen = Content::new();
        fill(&mut queen, INK);
        for node in tree.root().children() {
            let usvg::Node::Path(path) = node else { continue };
            let mut last = usvg::tiny_skia_path::Point::zero();
            for segment in path.data().segments() {
                match segment {
                    PathSegment::MoveTo(to) => queen.move_to(to.x, to.y),
                    PathSegment::LineTo(to) => queen.line_to(to.x, to.y),
                    // The same curve of the third degree.
                    PathSegment::QuadTo(by, to) => {
                        let third = |end: f32, by: f32| end + 2.0 / 3.0 * (by - end);
                        queen.cubic_to(
                            third(last.x, by.x),
                            third(last.y, by.y),
                            third(to.x, by.x),
                            third(to.y, by.y),
                            to.x,
                            to.y,
                        )
                    }
                    PathSegment::CubicTo(a, b, to) => queen.cubic_to(a.x, a.y, b.x, b.y, to.x, to.y),
                    PathSegment::Close => queen.close_path(),
                };
                if let PathSegment::MoveTo(to)
                | PathSegment::LineTo(to)
                | PathSegment::QuadTo(_, to)
                | PathSegment::CubicTo(.., to) = segment
                {
                    last = to;
                }
            }
        }
        queen.fill_nonzero();
        queen.finish().into_vec()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn boards_are_as_large_as_the_page_allows() {
            let grid = |boards| (Grid::new(boards).columns, Grid::new(boards).side.round() as u32);
            assert_eq!([grid(1), grid(12), grid(92), grid(96)], [(1, 475), (3, 152), (8, 51), (8, 51)]);
        }
    }
}
