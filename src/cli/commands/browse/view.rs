//! The screen: the board as large as it fits, the facts beside it or below.

use queens::{Listed, Orbit, Placement};
use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Paragraph, Wrap};

use super::app::{App, Input, Total, Typing};
use super::keys::{FOOTER, HELP};
use crate::cli::draw::text::{Cell, Look};
use crate::cli::draw::{SquareState, is_dark};
use crate::cli::terminal::{numbers, table};

/// Columns of text beside the board.
const PANEL: u16 = 36;

/// Lines of text, where they are below it.
const LINES: u16 = 8;

/// Room for the row numbers at the left; the column numbers take a line.
const MARGIN: u16 = 3;

pub(super) fn draw(frame: &mut Frame, app: &App, look: Look) {
    let [middle, bottom] = Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(frame.area());
    let n = app.size.get() as u16;
    // Beside the board, unless it is the narrow window of the two that leaves more room for it.
    let beside = Layout::horizontal([Constraint::Fill(1), Constraint::Length(PANEL)]).areas(middle);
    let below = Layout::vertical([Constraint::Fill(1), Constraint::Length(LINES)]).areas(middle);
    let [board, panel] = if square(n, beside[0]) >= square(n, below[0]) { beside } else { below };
    let shown = app.shown();
    frame.render_widget(footer(app, bottom.width.into()), bottom);
    if n > 0 && square(n, board).0 == 0 {
        let mut lines = panel_lines(app, middle.width.into());
        lines.insert(0, "The window is too small for the board.".into());
        frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: true }), middle);
        return;
    }
    draw_board(frame, board, &shown, look);
    let panel = panel.inner(ratatui::layout::Margin::new(1, 0));
    let lines = panel_lines(app, panel.width.into());
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: true }), panel);
    if app.help {
        draw_help(frame, look);
    }
    if look == Look::Ascii {
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

/// Width and height of a square: two columns to a line, and one more where there is room, so that it looks square and
/// has a middle for the queen; none where nothing fits.
fn square(n: u16, area: Rect) -> (u16, u16) {
    let fits = |&(width, height): &(u16, u16)| n * width + MARGIN <= area.width && n * height < area.height;
    let mut sizes = (1..=9).rev().flat_map(|height| [(2 * height + 1, height), (2 * height, height)]).chain([(1, 1)]);
    sizes.find(fits).unwrap_or((0, 0))
}

fn draw_board(frame: &mut Frame, area: Rect, placement: &Placement, look: Look) {
    let n = placement.size().get() as u16;
    let (width, height) = square(n, area);
    let left = area.x + MARGIN + area.width.saturating_sub(MARGIN + n * width) / 2;
    let top = area.y + area.height.saturating_sub(1 + n * height) / 2;
    let number = Style::new().dark_gray();
    let buffer = frame.buffer_mut();
    for row in 1..=n {
        let y = top + (row - 1) * height;
        buffer.set_string(left - MARGIN, y + height / 2, format!("{row:2}"), number);
        for column in 1..=n {
            let x = left + (column - 1) * width;
            let dark = is_dark(n.into(), column.into(), row.into());
            let state = SquareState::of(placement, column.into(), row.into());
            let Cell { fill, mark, colours } = Cell::new(look, dark, state);
            let style = colours.map_or_else(Style::new, |(background, foreground)| {
                Style::new().bg(Color::Indexed(background)).fg(Color::Indexed(foreground))
            });
            for line in y..y + height {
                buffer.set_string(x, line, fill.to_string().repeat(width.into()), style);
            }
            buffer.set_string(x + width / 2, y + height / 2, mark.to_string(), style);
        }
    }
    for column in 1..=n {
        // Where squares are narrow, only every other or fifth number has room.
        let step = if width >= 3 { 1 } else { 5 };
        if column % step == 0 || column == 1 {
            let text = column.to_string();
            let x = left + (column - 1) * width + (width - (text.len() as u16).min(width)).div_ceil(2);
            buffer.set_string(x, top + n * height, text, number);
        }
    }
}

fn panel_lines(app: &App, width: usize) -> Vec<Line<'static>> {
    let n = app.size;
    let wrapped = |text: &str| table::wrapped(text, width, &[',', ' ']).into_iter();
    let mut lines = vec![Line::from(format!("{n} queens on {n}×{n}")).bold()];
    let kind = if app.filter.listed == Listed::Fundamental { "Fundamental" } else { "Solution" };
    if let Some(found) = app.current {
        let number = found.number.map_or_else(|| "?".to_owned(), |number| numbers::grouped(number.into()));
        let total = match app.total {
            Total::Uncounted(published) => published,
            _ => app.ranking().map(|ranking| ranking.total()),
        };
        let of = total.map_or(String::new(), |total| format!(" of {}", numbers::grouped(total.into())));
        lines.push(Line::from(vec![format!("{kind} ").into(), Span::from(number).bold(), of.into()]));
        lines.extend(wrapped(&found.placement.to_string()).map(|part| Line::from(part).green()));
        let images = app.images();
        if let Some((image, symmetries)) = images.get(app.image).filter(|_| app.image > 0) {
            lines.extend(wrapped(&format!("{image}: {}", symmetries[0])).map(|part| Line::from(part).yellow()));
        }
        if let Some(orbit) = Orbit::of(&found.placement) {
            let rank =
                if orbit.is_fundamental() { "fundamental".to_owned() } else { format!("least {}", orbit.canonical()) };
            lines.extend(wrapped(&format!("Class of {}, {rank}", images.len())).map(Line::from));
        }
    }
    lines.push(match &app.total {
        Total::Uncounted(None) => "Not counted: that would take long".into(),
        Total::Uncounted(Some(_)) => format!("By OEIS {}, not counted", app.filter.listed.sequence().id).into(),
        Total::Counting(counting) => {
            format!("Counting for {}", numbers::seconds(counting.elapsed().as_secs_f64())).into()
        }
        Total::Known(ranking, time) => {
            let total = numbers::grouped(ranking.total().into());
            format!("{total} found in {}", numbers::seconds(time.as_secs_f64())).into()
        }
    });
    if !app.filter.prefix.is_empty() {
        lines.push(format!("Only those beginning {}", app.filter.prefix).into());
    }
    if let Some(search) = &app.search {
        let time = numbers::seconds(search.elapsed().as_secs_f64());
        lines.push(Line::from(format!("Searching for {time}, Esc ends it")).yellow());
    }
    if !app.message.is_empty() {
        lines.push(Line::from(app.message.clone()).yellow());
    }
    lines
}

/// The last line: what is being typed, or as many of the keys as there is room for.
fn footer(app: &App, width: usize) -> Line<'static> {
    let Some(Typing { input, text }) = &app.typing else { return Line::from(keys_line(width)).dark_gray() };
    let (before, after) = match input {
        Input::Number => ("number", "Enter goes there"),
        Input::Prefix => ("beginning", "Enter filters, empty shows all"),
        Input::File => ("file", "Enter saves: .svg, .png, .txt"),
    };
    // Where there is no room for all, the beginning of what is typed is left out, and what Enter does.
    let room = width.saturating_sub(before.len() + 3);
    let typed = text.chars().count();
    let shown: String = text.chars().skip(typed.saturating_sub(room)).collect();
    let after = if typed.min(room) + after.len() + 2 > room { "" } else { after };
    Line::from(format!(" {before} {shown}▏  {after}").trim_end().to_owned())
}

/// As many of the keys as fit, the more important ones first.
fn keys_line(width: usize) -> String {
    let line = |most: u8| {
        let keys: Vec<&str> = FOOTER.iter().filter(|(_, rank)| *rank <= most).map(|(key, _)| *key).collect();
        format!(" {}", keys.join("  "))
    };
    let ranks = (0..FOOTER.len() as u8).rev();
    ranks.map(line).find(|line| line.chars().count() <= width).unwrap_or_default()
}

fn draw_help(frame: &mut Frame, look: Look) {
    let [area] = Layout::vertical([Constraint::Length(HELP.len() as u16 + 2)])
        .flex(ratatui::layout::Flex::Center)
        .areas(frame.area());
    let [area] = Layout::horizontal([Constraint::Max(52)]).flex(ratatui::layout::Flex::Center).areas(area);
    let lines: Vec<Line> = HELP
        .iter()
        .map(|(key, what)| Line::from(vec![Span::from(format!(" {key:10}")).bold(), (*what).into()]))
        .collect();
    let border = if look == Look::Ascii { BorderType::Plain } else { BorderType::Rounded };
    let block = Block::bordered().border_type(border).title(" Keys ").title_alignment(Alignment::Center);
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use queens::Size;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;
    use crate::cli::commands::browse::moves::Move;
    use crate::cli::tests::golden;

    /// The screen of this size as text.
    fn screen(app: &App, look: Look, (width, height): (u16, u16)) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, app, look)).unwrap();
        let buffer = terminal.backend().buffer();
        let line = |y| -> String { (0..width).map(|x| buffer[(x, y)].symbol()).collect() };
        let lines: Vec<String> = (0..height).map(|y| line(y).trim_end().to_owned()).collect();
        lines.join("\n") + "\n"
    }

    /// An app that has found and counted what it looks for, in a time of no consequence.
    fn app(n: usize, at: Move) -> App {
        let mut app = App::new(Size::new(n).unwrap(), at);
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
    fn screens_of_forty_eighty_and_a_hundred_and_twenty_columns() {
        let eight = app(8, Move::Number(31));
        for (width, height) in [(40, 24), (80, 24), (120, 40)] {
            let text = screen(&eight, Look::Unicode, (width, height));
            golden::check(&format!("src/cli/commands/browse/golden/8-{width}x{height}.txt"), &text);
        }
        let fourteen = app(14, Move::Number(1));
        golden::check("src/cli/commands/browse/golden/14-80x24.txt", &screen(&fourteen, Look::Unicode, (80, 24)));
        let mut help = eight;
        help.help = true;
        golden::check("src/cli/commands/browse/golden/help-80x24.txt", &screen(&help, Look::Unicode, (80, 24)));
    }

    #[test]
    fn the_way_out_is_shown_at_any_width() {
        for width in 1..200 {
            let line = keys_line(width);
            assert!(line.chars().count() <= width);
            assert!(line.is_empty() == (width < 7) && (line.is_empty() || line.ends_with("q quit")), "{width}: {line}");
        }
        assert!(keys_line(80).contains("31 Enter") && keys_line(100).contains("p list"));
    }
}
