//! The screen: the board as large as it fits, what there is to know beside it or below.

use queens::{Listed, Orbit, Placement};
use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Paragraph, Wrap};

use super::app::{App, Total, Typing};
use super::keys::HELP;
use crate::cli::board::text::{self, Look};
use crate::cli::board::{Stands, is_dark};
use crate::cli::output;

/// Columns of text beside the board.
const PANEL: u16 = 38;

/// Lines of text, where they are below it.
const LINES: u16 = 8;

/// Room for the row numbers at the left; the column numbers take a line.
const MARGIN: u16 = 3;

pub(super) fn draw(frame: &mut Frame, app: &App, look: Look) {
    let [middle, foot] = Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(frame.area());
    let n = app.size.get() as u16;
    // Beside the board, unless it is the narrow window of the two that leaves more room for it.
    let beside = Layout::horizontal([Constraint::Fill(1), Constraint::Length(PANEL)]).areas(middle);
    let below = Layout::vertical([Constraint::Fill(1), Constraint::Length(LINES)]).areas(middle);
    let [board, panel] = if square(n, beside[0]) >= square(n, below[0]) { beside } else { below };
    let images = app.images();
    let shown = images.get(app.image).map_or(app.list.prefix, |(image, _)| *image);
    frame.render_widget(foot_line(app), foot);
    if n > 0 && square(n, board).0 == 0 {
        let mut lines = panel_lines(app);
        lines.insert(0, "The window is too small for the board.".into());
        frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: true }), middle);
        return;
    }
    draw_board(frame, board, &shown, look);
    let lines = panel_lines(app);
    frame.render_widget(
        Paragraph::new(lines).wrap(Wrap { trim: true }),
        panel.inner(ratatui::layout::Margin::new(1, 0)),
    );
    if app.help {
        draw_help(frame, look);
    }
    if look == Look::Ascii {
        plain(frame);
    }
}

/// Puts ASCII in the place of the few other characters that the text has.
fn plain(frame: &mut Frame) {
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

/// Width and height of a square: two or three columns to a line, so that it looks square; none where nothing fits.
fn square(n: u16, area: Rect) -> (u16, u16) {
    let fits = |(width, height): (u16, u16)| n * width + MARGIN <= area.width && n * height < area.height;
    // An odd width has a middle for the queen.
    let sizes = (1..=9).rev().step_by(2).map(|height| (2 * height + 1, height)).chain([(2, 1), (1, 1)]);
    sizes.into_iter().find(|&size| fits(size)).unwrap_or((0, 0))
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
            let stands = Stands::on(placement, column.into(), row.into());
            let (fill, mark, style) = cell(look, dark, stands);
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

/// What a square is filled with, what stands in its middle, and its colours.
fn cell(look: Look, dark: bool, stands: Stands) -> (char, char, Style) {
    let fill = match look {
        Look::Unicode if dark => '░',
        _ => ' ',
    };
    let mark = match (stands, look) {
        (Stands::Queen, Look::Ascii) => 'Q',
        (Stands::Queen, _) => '♛',
        (Stands::Attacked(column), _) => text::mark(column),
        (Stands::Free, Look::Ascii) => '.',
        (Stands::Free, _) => fill,
    };
    let style = if look == Look::Colour {
        let attacked = matches!(stands, Stands::Attacked(_));
        let ink = if attacked { text::ATTACKER } else { text::QUEEN };
        Style::new().bg(Color::Indexed(text::background(dark, attacked))).fg(Color::Indexed(ink))
    } else {
        Style::new()
    };
    (fill, mark, style)
}

fn panel_lines(app: &App) -> Vec<Line<'static>> {
    let n = app.size;
    let mut lines = vec![Line::from(format!("{n} queens on {n}×{n}")).bold()];
    let kind = if app.list.listed == Listed::Fundamental { "Fundamental" } else { "Solution" };
    if let Some(found) = app.current {
        let number = found.number.map_or_else(|| "?".to_owned(), |number| output::grouped(number.into()));
        let of =
            app.ranking().map_or(String::new(), |ranking| format!(" of {}", output::grouped(ranking.total().into())));
        lines.push(Line::from(vec![format!("{kind} ").into(), Span::from(number).bold(), of.into()]));
        lines.push(Line::from(found.placement.to_string()).green());
        let images = app.images();
        if let Some((image, symmetries)) = images.get(app.image).filter(|_| app.image > 0) {
            lines.push(Line::from(format!("{image}: {}", symmetries[0])).yellow());
        }
        if let Some(orbit) = Orbit::of(&found.placement) {
            let rank =
                if orbit.is_fundamental() { "fundamental".to_owned() } else { format!("least {}", orbit.canonical()) };
            lines.push(format!("Class of {}, {rank}", images.len()).into());
        }
    }
    lines.push(match &app.total {
        Total::Unknown => "Not counted: that would take long".into(),
        Total::Counting(_, start) => format!("Counting for {}", output::seconds(start.elapsed().as_secs_f64())).into(),
        Total::Known(ranking, time) => {
            let total = output::grouped(ranking.total().into());
            format!("{total} found in {}", output::seconds(time.as_secs_f64())).into()
        }
    });
    if !app.list.prefix.is_empty() {
        lines.push(format!("Only those beginning {}", app.list.prefix).into());
    }
    if let Some(time) = app.searching() {
        lines.push(Line::from(format!("Searching for {}, Esc ends it", output::seconds(time.as_secs_f64()))).yellow());
    }
    if !app.message.is_empty() {
        lines.push(Line::from(app.message.clone()).yellow());
    }
    lines
}

fn foot_line(app: &App) -> Line<'static> {
    match &app.typing {
        Typing::Number(text) => format!(" number {text}▏  Enter goes there").into(),
        Typing::Prefix(text) => format!(" beginning {text}▏  Enter filters, empty shows all").into(),
        Typing::Nothing => {
            Line::from(" ←→ walk  Home End  31 Enter  s symmetry  f fundamental  / prefix  p save  ? help  q quit")
                .dark_gray()
        }
    }
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
