//! From what is on the screen to cells: side by side, else one above the other, else one at a time.

pub(crate) mod ink;
mod panel;
mod question;
mod ranking;
mod suspect;

use crossterm::event::KeyCode;
use fdc::FailedTest;
use fdc_draw::text::counted;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use self::ink::{Row, paragraph, piece, row};
use crate::keys::{Action, KEYS, SUSPECT_KEYS};
use crate::screen::{Extent, Focus, Panel, Screen};
use crate::text::{clean, cut, short, width};

/// The smallest terminal that anything can be done in.
const SMALLEST: (u16, u16) = (30, 8);
/// From here on both sides are beside each other.
const BESIDE: (u16, u16) = (72, 16);
/// So many columns hold a suspect's source, too.
const WIDE: u16 = 120;
/// So many lines hold the message of the failing test.
const TALL: u16 = 20;
/// From here on they are one above the other.
const STACKED: u16 = 18;

/// Draws the screen; how much there was to see.
pub(crate) fn draw(screen: &Screen, area: Rect, buffer: &mut Buffer) -> Extent {
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        too_small(area, buffer);
        return Extent {
            too_small: true,
            ..Extent::default()
        };
    }
    title(screen, area, buffer);
    let head = 1 + failed(screen, area, buffer);
    let foot = bottom(screen, area, buffer);
    let body = Rect {
        y: area.y + head,
        height: area.height - head - foot,
        ..area
    };
    let mut extent = Extent::default();
    if let Some(panel) = &screen.panel {
        (extent.panel, extent.panel_page) = draw_panel(screen, panel, body, buffer);
        return extent;
    }
    let (ranking, test, suspect) = sides(screen, body, buffer);
    extent.suspect_shown = suspect.is_some();
    if let Some(area) = suspect {
        suspect::draw(screen, area, buffer);
    }
    extent.test_hidden = test.is_none();
    let alone = ranking.is_none() || test.is_none();
    if let Some(area) = ranking {
        let other = if alone { "  (Tab: the test)" } else { "" };
        extent.ranking_page = ranking::draw(screen, area, other, buffer);
    }
    if let Some(area) = test {
        let other = if alone { "  (Tab: suspects)" } else { "" };
        (extent.source, extent.source_page) = question::draw(screen, area, other, buffer);
    }
    extent
}

/// Writes a line of an area, as much of it as fits.
fn put(buffer: &mut Buffer, area: Rect, line: usize, row: &Row) {
    put_all(buffer, area, line, std::slice::from_ref(row));
}

/// Writes the lines of an area from one of them on, as many as fit.
fn put_all(buffer: &mut Buffer, area: Rect, from: usize, rows: &[Row]) {
    for (line, row) in (from..usize::from(area.height)).zip(rows) {
        buffer.set_line(area.x, area.y + line as u16, row, area.width);
    }
}

/// Where suspects, test and, in a wide terminal, a suspect's source are drawn.
type Sides = (Option<Rect>, Option<Rect>, Option<Rect>);

fn sides(screen: &Screen, body: Rect, buffer: &mut Buffer) -> Sides {
    let dim = screen.ink.dim();
    if body.width >= BESIDE.0 && body.height + 4 >= BESIDE.1 {
        let wide = body.width >= WIDE;
        let left = match wide {
            true => (body.width * 3 / 10).clamp(30, 60),
            false => (body.width * 2 / 5).clamp(30, 60),
        };
        let columns = |x, width| Rect {
            x: body.x + x,
            width,
            ..body
        };
        let rule = vec![row("│", dim); usize::from(body.height)];
        put_all(buffer, columns(left, 1), 0, &rule);
        let ranking = Some(columns(0, left - 1));
        let rest = body.width - left - 2;
        if !wide {
            return (ranking, Some(columns(left + 2, rest)), None);
        }
        let half = rest / 2;
        put_all(buffer, columns(left + 1 + half, 1), 0, &rule);
        let suspect = columns(left + half + 3, rest - half - 1);
        return (ranking, Some(columns(left + 2, half - 2)), Some(suspect));
    }
    if body.height + 4 >= STACKED {
        let upper = (body.height * 2 / 5).max(5);
        let lines = |y, height| Rect {
            y: body.y + y,
            height,
            ..body
        };
        let rule = "─".repeat(usize::from(body.width));
        put(buffer, body, usize::from(upper - 1), &row(&rule, dim));
        let test = lines(upper, body.height - upper);
        return (Some(lines(0, upper - 1)), Some(test), None);
    }
    match screen.focus {
        Focus::Ranking => (Some(body), None, None),
        Focus::Test => (None, Some(body), None),
    }
}

fn title(screen: &Screen, area: Rect, buffer: &mut Buffer) {
    let view = &screen.view;
    let answers = panel::standing_answers(screen);
    let effort = format!("{}, {} left ", counted(answers as u64, "answer"), view.left);
    let columns = usize::from(area.width);
    let room_after = |front: &str| columns.saturating_sub(width(front) + width(&effort) + 1);
    let (mut front, mut failing) = (" fdc label  failing: ", String::new());
    match room_after(front) {
        0..8 => front = " fdc label",
        room => {
            let more = match view.also_failing.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            failing = short(&clean(&view.failing), room.saturating_sub(more.len())) + &more;
        }
    }
    let gap = columns.saturating_sub(width(front) + width(&failing) + width(&effort));
    let line = format!("{front}{failing}{}{effort}", " ".repeat(gap));
    put(buffer, area, 0, &row(&line, screen.ink.reversed()));
}

/// How the first failing test failed, where there is room; how many lines it takes.
fn failed(screen: &Screen, area: Rect, buffer: &mut Buffer) -> u16 {
    let words = screen.view.failures.first().and_then(FailedTest::headline);
    let Some(words) = words.filter(|_| area.height >= TALL) else {
        return 0;
    };
    let words = cut(&clean(&format!(" {words}")), usize::from(area.width));
    put(buffer, area, 1, &row(&words, screen.ink.fail()));
    1
}

/// Message, advice, keys; how many lines they take.
fn bottom(screen: &Screen, area: Rect, buffer: &mut Buffer) -> u16 {
    let ink = screen.ink;
    let columns = usize::from(area.width);
    let message = screen.message.as_ref().map(|message| {
        let style = match message.refused {
            true => ink.warning(),
            false => ink.strong(),
        };
        row(&cut(&clean(&message.text), columns), style)
    });
    let advice = advice(screen, columns);
    let mut lines = match area.height {
        0..12 => vec![message.unwrap_or(advice)],
        _ => vec![message.unwrap_or_default(), advice],
    };
    lines.push(key_bar(screen, columns));
    let foot = lines.len() as u16;
    put_all(buffer, area, usize::from(area.height - foot), &lines);
    foot
}

fn advice(screen: &Screen, columns: usize) -> Row {
    let ink = screen.ink;
    let doubts = match screen.view.doubts.len() {
        0 => String::new(),
        many => format!("{} (a)! ", counted(many as u64, "contradiction")),
    };
    let room = columns.saturating_sub(width(&doubts));
    let (words, style) = match &screen.advice {
        None => ("Working out whether to stop ...".to_owned(), ink.dim()),
        Some(advice) if advice.stop.is_some() => (advice.words(), ink.pass()),
        Some(advice) => (advice.words(), Style::new()),
    };
    Line::from(vec![
        piece(&cut(&doubts, columns), ink.warning()),
        piece(&cut(&clean(&words), room), style),
    ])
}

/// The keys that matter here, as many as fit; how to get help and out are always among them.
fn key_bar(screen: &Screen, columns: usize) -> Row {
    let mut keys: Vec<(KeyCode, Action)> = Vec::new();
    let hidden = matches!(
        screen.panel,
        Some(Panel::Advice | Panel::Help | Panel::Message)
    );
    if screen.focus == Focus::Ranking && !hidden {
        keys.extend(SUSPECT_KEYS);
        keys.extend(KEYS.iter().filter(|(_, action)| *action == Action::Switch));
    }
    keys.extend(KEYS);
    let mut told = Vec::new();
    keys.retain(|(_, action)| {
        let new = !action.words().0.is_empty() && !told.contains(action);
        told.push(*action);
        new
    });
    let named = keys.into_iter().map(|(code, action)| {
        let word = match (action, &screen.panel) {
            (Action::Quit, Some(_)) => "close",
            _ => action.words().0,
        };
        (action, code.to_string(), format!(" {word}  "))
    });
    let (always, wanted): (Vec<_>, Vec<_>) =
        named.partition(|(action, ..)| matches!(action, Action::Help | Action::Quit));
    // `close` takes the room of `quit`, so that the bar stays as it is while a panel is open.
    let cost = |(key, name, _): &(Action, String, String)| name.len() + key.words().0.len() + 3;
    let mut room = columns.saturating_sub(always.iter().map(cost).sum());
    let fits = |key: &(Action, String, String)| {
        let left = room.checked_sub(cost(key));
        room = left.unwrap_or(room);
        left.is_some()
    };
    let shown = wanted.into_iter().take_while(fits).chain(always);
    let spans =
        shown.flat_map(|(_, name, word)| [Span::styled(name, screen.ink.key()), Span::raw(word)]);
    Line::from(spans.collect::<Vec<_>>())
}

fn draw_panel(screen: &Screen, panel: &Panel, area: Rect, buffer: &mut Buffer) -> (usize, usize) {
    let columns = usize::from(area.width);
    let (heading, rows) = panel::rows(screen, panel, columns.saturating_sub(1));
    let page = usize::from(area.height).saturating_sub(1);
    let from = screen.panel_scroll.min(rows.len().saturating_sub(page));
    let until = (from + page).min(rows.len());
    let place = match rows.len() > page {
        true => format!("{}-{until} of {} ", from + 1, rows.len()),
        false => String::new(),
    };
    let heading = cut(&heading, columns.saturating_sub(width(&place) + 1));
    let gap = columns.saturating_sub(width(&heading) + width(&place));
    let line = format!("{heading}{}{place}", " ".repeat(gap));
    put(buffer, area, 0, &row(&line, screen.ink.reversed()));
    put_all(buffer, area, 1, &rows[from..until]);
    (rows.len(), page)
}

fn too_small(area: Rect, buffer: &mut Buffer) {
    let words = format!(
        "This terminal has {}x{}; fdc label needs {}x{}. Make it larger, or q to quit.",
        area.width, area.height, SMALLEST.0, SMALLEST.1
    );
    let rows = paragraph(&words, Style::new(), usize::from(area.width));
    put_all(buffer, area, 0, &rows);
}

#[cfg(test)]
mod tests;
