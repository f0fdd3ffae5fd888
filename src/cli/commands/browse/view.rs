//! The screen: the board as large as it fits, the facts beside it, and below them the text typed, a message or the keys.

use std::time::Duration;

use queens::{FixedQueens, Listed, Orbit};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Alignment, Constraint, Layout, Margin, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Paragraph, Wrap};

use super::app::{App, Input, Total, Typing};
use super::keys::KEYS;
use crate::cli::draw::{Cell, FOREGROUND, Palette};
use crate::cli::terminal::{numbers, table};

/// The least room for the facts beside the board, and the most where the board can be larger.
const PANEL: u16 = 12;
const WIDE_PANEL: u16 = 36;

/// Room for the row numbers at the left; the column numbers take a line where there is one.
const MARGIN: u16 = 3;

pub(super) fn draw(frame: &mut Frame, app: &App, palette: Palette) {
    let n = app.size().get() as u16;
    let footer = footer(app, frame.area().width.into());
    // A message may take several lines, but no line that the board needs.
    let most = frame.area().height.saturating_sub(n).max(1);
    let lines = Constraint::Length((footer.len() as u16).min(most));
    let [middle, bottom] = Layout::vertical([Constraint::Fill(1), lines]).areas(frame.area());
    frame.render_widget(Paragraph::new(footer), bottom);
    let board = |panel| Layout::horizontal([Constraint::Fill(1), Constraint::Length(panel)]).areas::<2>(middle);
    // A wide panel where it takes nothing from the board.
    let widest = (PANEL..=WIDE_PANEL)
        .rev()
        .find(|&panel| square(n, board(panel)[0], palette) == square(n, board(PANEL)[0], palette));
    let [board, panel] = board(widest.unwrap_or(PANEL));
    if n > 0 && square(n, board, palette).0 == 0 {
        let mut lines = panel_lines(app, middle.width.into());
        lines.insert(0, "The window is too small for the board.".into());
        frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: true }), middle);
        return;
    }
    draw_board(frame.buffer_mut(), board, &app.shown(), palette);
    // Beside the board, which stands in the middle of what is left of the window.
    let spare = board.width.saturating_sub(MARGIN + n * square(n, board, palette).0);
    let panel = Rect { x: panel.x - spare / 2, ..panel }.inner(Margin::new(1, 0));
    let lines = panel_lines(app, panel.width.into());
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: true }), panel);
    if app.help {
        draw_help(frame, palette);
    }
    if palette == Palette::Ascii {
        to_ascii(frame);
    }
}

/// Replaces the few characters of the text that are not ASCII.
fn to_ascii(frame: &mut Frame) {
    for cell in &mut frame.buffer_mut().content {
        let ascii = match cell.symbol() {
            symbol if symbol.is_ascii() => continue,
            "×" => "x",
            "µ" => "u",
            "←" => "<",
            "→" => ">",
            "│" | "▏" => "|",
            "─" => "-",
            "┌" | "┐" | "└" | "┘" => "+",
            _ => " ",
        };
        cell.set_symbol(ascii);
    }
}

/// Columns and lines of a square: two columns to a line and one more, so that it looks square and has a middle column for
/// the queen; none where nothing fits.
///
/// It has a middle line too. Where its height is even, and colours can divide a line, its first and its last line are
/// halves, each shared with a neighbour; without colours heights are odd.
fn square(n: u16, area: Rect, palette: Palette) -> (u16, u16) {
    let fits = |&(width, height): &(u16, u16)| {
        let lines = n * height + halves(height);
        (palette == Palette::Colour || halves(height) == 0) && n * width + MARGIN <= area.width && lines <= area.height
    };
    let mut sizes = (1..=9).rev().map(|height| (2 * height + 1, height)).chain([(1, 1)]);
    sizes.find(fits).unwrap_or((0, 0))
}

/// By how many half lines the squares of this height begin below the first line.
const fn halves(height: u16) -> u16 {
    1 - height % 2
}

fn draw_board(buffer: &mut Buffer, area: Rect, queens: &FixedQueens, palette: Palette) {
    let n = queens.size().get() as u16;
    let (width, height) = square(n, area, palette);
    let lines = n * height + halves(height);
    let left = area.x + MARGIN + area.width.saturating_sub(MARGIN + n * width) / 2;
    let top = area.y + area.height.saturating_sub(1 + lines) / 2;
    let number = Style::new().dark_gray();
    for row in 1..=n {
        let y = top + (row - 1) * height + height / 2;
        buffer.set_string(left - MARGIN, y, format!("{row:2}"), number);
    }
    for (row, column) in (1..=n).flat_map(|row| (1..=n).map(move |column| (row, column))) {
        let cell = Cell::new(palette, queens, column.into(), row.into());
        let (x, y) = (left + (column - 1) * width, top + (row - 1) * height);
        let mut fill = |y, symbol: char, style| buffer.set_string(x, y, symbol.to_string().repeat(width.into()), style);
        let colour = cell.background.map(Color::Indexed);
        let style = colour.map_or(Style::new(), |colour| Style::new().bg(colour).fg(Color::Indexed(FOREGROUND)));
        if let Some(colour) = colour.filter(|_| halves(height) > 0) {
            // The square above has left its colour behind the line that is shared with it.
            fill(y, '▄', Style::new().fg(colour));
            let behind = if row < n { colour } else { Color::Reset };
            fill(y + height, '▀', Style::new().fg(colour).bg(behind));
        }
        for y in y + halves(height)..y + height {
            fill(y, cell.fill, style);
        }
        buffer.set_string(x + width / 2, y + height / 2, cell.mark.to_string(), style);
    }
    for column in (1..=n).filter(|_| top + lines < area.bottom()) {
        // Where squares are narrow, only every other or fifth number has room.
        let step = if width >= 3 { 1 } else { 5 };
        if column % step == 0 || column == 1 {
            let text = column.to_string();
            let x = left + (column - 1) * width + (width - (text.len() as u16).min(width)).div_ceil(2);
            buffer.set_string(x, top + lines, text, number);
        }
    }
}

fn panel_lines(app: &App, width: usize) -> Vec<Line<'static>> {
    let n = app.size();
    let wrapped = |text: &str| table::wrapped(text, width, &[',', ' ']).into_iter();
    let mut lines = vec![Line::from(format!("{n} queens on {n}×{n}")).bold()];
    let kind = if app.list.listed == Listed::Fundamental { "Fundamental" } else { "Solution" };
    if let Some(found) = app.current {
        let number = found.number.map_or_else(|| "?".to_owned(), |number| numbers::grouped(number.into()));
        let total = match app.total {
            Total::Uncounted(published) => published,
            _ => app.counted(),
        };
        let of = total.map_or(String::new(), |total| format!(" of {}", numbers::grouped(total.into())));
        lines.push(Line::from(vec![format!("{kind} ").into(), Span::from(number).bold(), of.into()]));
        lines.extend(wrapped(&found.placement.to_string()).map(|part| Line::from(part).green()));
        let images = app.images();
        if let Some((image, symmetries)) = images.get(app.image).filter(|_| app.image > 0) {
            lines.extend(wrapped(&format!("{image}: {}", symmetries[0])).map(|part| Line::from(part).yellow()));
        }
        if let Some(orbit) = Orbit::of(&found.placement) {
            let rank = if orbit.is_fundamental() {
                "fundamental".to_owned()
            } else {
                format!("fundamental {}", orbit.canonical())
            };
            lines.extend(wrapped(&format!("Class of {}, {rank}", images.len())).map(Line::from));
        }
    }
    lines.push(Line::from(match &app.total {
        Total::Uncounted(None) => "Not counted: that would take long".to_owned(),
        Total::Uncounted(Some(_)) => format!("By OEIS {}, not counted", app.list.listed.sequence().id),
        Total::Counting(counting) => format!("Counting{}", told(" for ", counting.elapsed())),
        Total::Known(total, time) => format!("{} counted{}", numbers::grouped((*total).into()), told(" in ", *time)),
    }));
    match app.list.fixed.as_placement() {
        Some(prefix) if prefix.is_empty() => {}
        Some(prefix) => lines.push(format!("Beginning with {prefix}").into()),
        None => lines.extend(wrapped(&format!("With queens on {}", app.list.fixed)).map(Line::from)),
    }
    lines
}

/// A time with the word before it, from a second on: milliseconds say more about the moment than about the board.
fn told(before: &str, time: Duration) -> String {
    let seconds = numbers::seconds(time.as_secs_f64());
    if time < Duration::from_secs(1) { String::new() } else { format!("{before}{seconds}") }
}

/// The last lines: the text being typed below what is wrong with it, a message, or as many of the keys as there is room for.
fn footer(app: &App, width: usize) -> Vec<Line<'static>> {
    let said = |text: &str| -> Vec<Line<'static>> {
        let parts = table::wrapped(text, width.saturating_sub(2), &[' ']);
        parts.into_iter().map(|part| Line::from(format!(" {part}")).yellow()).collect()
    };
    match (&app.typing, &app.search) {
        (Some(typing), _) => {
            let mut lines = if app.message.is_empty() { Vec::new() } else { said(&app.message) };
            lines.push(typed(typing, width));
            lines
        }
        (None, Some(search)) => said(&format!("Searching{}, Esc ends it", told(" for ", search.elapsed()))),
        (None, None) if !app.message.is_empty() => said(&app.message),
        (None, None) => vec![Line::from(keys_line(width)).dark_gray()],
    }
}

/// The text being typed, and what Enter does with it.
fn typed(Typing { input, text, is_suggested }: &Typing, width: usize) -> Line<'static> {
    let (before, after) = match input {
        Input::Number => ("number", "Enter goes there"),
        Input::Prefix => ("beginning", "Enter filters, empty shows all"),
        Input::BoardFile => ("board to", "Enter saves: .svg or .txt"),
        Input::ListFile => ("list to", "Enter saves"),
    };
    // Where there is no room for all, the beginning of what is typed is left out, and what Enter does.
    let room = width.saturating_sub(before.len() + 3);
    let typed = text.chars().count();
    let shown: String = text.chars().skip(typed.saturating_sub(room)).collect();
    let after = if typed.min(room) + after.len() + 2 > room { "" } else { after };
    // A suggestion looks selected: what is typed takes its place.
    let shown = Span::from(shown).style(if *is_suggested { Style::new().reversed() } else { Style::new() });
    Line::from(vec![format!(" {before} ").into(), shown, format!("▏  {after}").trim_end().to_owned().into()])
}

/// As many of the keys as fit, the more important ones first.
fn keys_line(width: usize) -> String {
    let line = |most: u8| {
        let told = KEYS.iter().filter_map(|(.., footer)| *footer).filter(|(_, rank)| *rank <= most);
        format!(" {}", told.map(|(text, _)| text).collect::<Vec<_>>().join("  "))
    };
    let ranks = (0..KEYS.len() as u8).rev();
    ranks.map(line).find(|line| line.chars().count() <= width).unwrap_or_default()
}

fn draw_help(frame: &mut Frame, palette: Palette) {
    let area = frame.area().centered(Constraint::Max(52), Constraint::Length(KEYS.len() as u16 + 2));
    let line = |(key, what, _): &_| Line::from(vec![Span::from(format!(" {key:10}")).bold(), Span::from(*what)]);
    let lines: Vec<Line> = KEYS.iter().map(line).collect();
    let border = if palette == Palette::Ascii { BorderType::Plain } else { BorderType::Rounded };
    let block = Block::bordered().border_type(border).title(" Keys ").title_alignment(Alignment::Center);
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

#[cfg(test)]
mod tests {
    use queens::{Placement, Size};
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;
    use crate::cli::commands::browse::app::Move;
    use crate::cli::commands::numbered::SolutionList;
    use crate::cli::tests::golden;

    /// The screen of this size as text.
    fn screen(app: &App, palette: Palette, (width, height): (u16, u16)) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, app, palette)).unwrap();
        let buffer = terminal.backend().buffer();
        let line = |y| -> String { (0..width).map(|x| buffer[(x, y)].symbol()).collect() };
        let lines: Vec<String> = (0..height).map(|y| line(y).trim_end().to_owned()).collect();
        lines.join("\n") + "\n"
    }

    /// An app that has found and counted what it looks for, in a time of no consequence.
    fn app(n: usize, at: Move) -> App {
        let mut app = App::new(SolutionList::all(Size::new(n).unwrap()), at).unwrap();
        while !matches!(app.total, Total::Known(..)) || app.current.is_none() {
            app.collect();
            std::thread::yield_now();
        }
        if let Total::Known(_, time) = &mut app.total {
            *time = Duration::from_millis(1);
        }
        app
    }

    #[test]
    fn screens_from_twenty_seven_columns_on() {
        let eight = app(8, Move::Number(31));
        for (width, height) in [(27, 9), (40, 24), (80, 24), (120, 40)] {
            let text = screen(&eight, Palette::Unicode, (width, height));
            golden::check(&format!("src/cli/commands/browse/golden/8-{width}x{height}.txt"), &text);
        }
        let fourteen = app(14, Move::Number(1));
        // Squares two lines high, of which the first and the last line are shared.
        let coloured = screen(&eight, Palette::Colour, (80, 24));
        golden::check("src/cli/commands/browse/golden/8-80x24-colours.txt", &coloured);
        golden::check("src/cli/commands/browse/golden/14-80x24.txt", &screen(&fourteen, Palette::Unicode, (80, 24)));
        let mut twenty = app(8, Move::Number(1));
        twenty.open(SolutionList::all(Size::new(20).unwrap()), Move::Number(1));
        while twenty.current.is_none() {
            twenty.collect();
        }
        let told = screen(&twenty, Palette::Unicode, (80, 24));
        assert!(told.contains("Solution 1 of\n") && told.contains("39,029,188,884"), "{told}");
        assert!(told.contains(" A000170, not\n"), "{told}");
        // A fault in the text typed is told in its place.
        let mut wrong = eight;
        wrong.message = "the queens in column 1, row 1 and column 2, row 2 share a diagonal".to_owned();
        let text = screen(&wrong, Palette::Unicode, (40, 24));
        assert!(text.ends_with("\n the queens in column 1, row 1 and\n column 2, row 2 share a diagonal\n"), "{text}");
        let text = screen(&wrong, Palette::Unicode, (27, 9));
        assert!(text.ends_with("\n the queens in column 1,\n"), "{text}");
        let mut help = wrong;
        help.message.clear();
        help.help = true;
        golden::check("src/cli/commands/browse/golden/help-80x24.txt", &screen(&help, Palette::Unicode, (80, 24)));
    }

    /// Whatever the size of the window, the square's colour goes as far above the queen as below, and as far left as right.
    #[test]
    fn queens_are_in_the_middle_of_their_squares() {
        let solution = Placement::parse("15863724", Size::new(8).unwrap()).unwrap().into();
        let mut heights = std::collections::BTreeSet::new();
        for (width, height) in (27..100).flat_map(|width| (9..60).map(move |height| (width, height))) {
            let area = Rect::new(0, 0, width, height);
            assert_eq!(square(8, area, Palette::Unicode).1 % 2, 1, "{width}x{height}");
            let mut buffer = Buffer::empty(area);
            draw_board(&mut buffer, area, &solution, Palette::Colour);
            let halves = |x: u16, y: u16| match &buffer[(x, y)] {
                cell if cell.symbol() == "▄" => [cell.bg, cell.fg],
                cell if cell.symbol() == "▀" => [cell.fg, cell.bg],
                cell => [cell.bg, cell.bg],
            };
            let cells = buffer.content.iter().enumerate();
            let queens: Vec<usize> = cells.filter(|(_, cell)| cell.symbol() == "♛").map(|(index, _)| index).collect();
            assert_eq!(queens.len(), 8, "{width}x{height}");
            for (x, y) in queens.into_iter().map(|index| buffer.pos_of(index)) {
                let own = buffer[(x, y)].bg;
                let run =
                    |colours: &mut dyn Iterator<Item = Color>| colours.take_while(|&colour| colour == own).count();
                let above = run(&mut (0..y).rev().flat_map(|y| halves(x, y).into_iter().rev()));
                let below = run(&mut (y + 1..height).flat_map(|y| halves(x, y)));
                let left = run(&mut (0..x).rev().map(|x| buffer[(x, y)].bg));
                let right = run(&mut (x + 1..width).map(|x| buffer[(x, y)].bg));
                assert_eq!((above, left), (below, right), "{width}x{height}");
                let size = square(8, area, Palette::Colour);
                assert_eq!((left + right + 1, above + 1), (size.0.into(), size.1.into()));
                heights.insert(size.1);
            }
        }
        assert!((1..=5).all(|height| heights.contains(&height)), "{heights:?}");
    }

    #[test]
    fn the_way_out_is_shown_at_any_width() {
        for width in 1..200 {
            let line = keys_line(width);
            assert!(line.chars().count() <= width);
            assert!(line.is_empty() == (width < 7) && (line.is_empty() || line.ends_with("q quit")), "{width}: {line}");
        }
        assert!(keys_line(80).contains("0-9 number") && keys_line(100).contains("p list"));
    }
}
