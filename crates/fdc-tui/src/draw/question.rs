//! The test asked for: why, what each answer would do, and its source.

use fdc::FailedTest;
use fdc::label::outlook::{Answered, Move};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::ink::{Ink, Row, paragraph, piece, row};
use super::ranking::place;
use super::{put, put_all};
use crate::screen::{Focus, Screen, Shown};
use crate::text::{clean, cut, fold, short, width};

/// More of a source is not shown: nobody reads it, and every line costs time.
const MOST_LINES: usize = 5_000;
const LONGEST_LINE: usize = 2_000;

/// Draws the test, `other` in its heading; lines of its source, and for how many there was room.
pub(crate) fn draw(screen: &Screen, at: Rect, other: &str, buffer: &mut Buffer) -> (usize, usize) {
    let ink = screen.ink;
    let (columns, height) = (usize::from(at.width), usize::from(at.height));
    let Some(next) = &screen.view.next else {
        return nothing_to_ask(screen, at, buffer);
    };
    let mut lines = vec![heading(screen, other, columns)];
    if let Some(runs) = &screen.view.runs {
        lines.push(row(&cut(&clean(&runs.words), columns), ink.dim()));
    }
    let roomy = height >= 16;
    let name = clean(&next.test);
    let of_name = if roomy { 2 } else { 1 };
    lines.extend(name_rows(ink, &name, columns, of_name));
    if roomy {
        let why = paragraph(&next.reason.words(), ink.dim(), columns);
        lines.extend(why.into_iter().take(2));
    }
    let tied = screen.view.tied;
    let answers = [
        (("p", "passes", ink.pass()), &next.if_passes),
        (("f", "fails", ink.fail()), &next.if_fails),
    ];
    for (key, answered) in answers {
        lines.push(outlook(ink, key, answered, tied, columns));
        if roomy {
            let moved = moves(answered, columns.saturating_sub(2));
            let moved = moved.unwrap_or_else(|| "none of the first five moves".to_owned());
            lines.push(row(&format!("  {moved}"), Style::new()));
        }
    }
    lines.truncate(height);
    put_all(buffer, at, 0, &lines);
    source(screen, at, lines.len(), buffer)
}

/// What else helps, and the failing test.
fn nothing_to_ask(screen: &Screen, at: Rect, buffer: &mut Buffer) -> (usize, usize) {
    let (ink, columns) = (screen.ink, usize::from(at.width));
    let mut lines = vec![row("No test is left to ask about", ink.strong())];
    let advice = "Look at the first suspects (Tab, Enter), say what you know of them (o, n), or let fdc mutate or fdc generate tell them apart; u takes the last answer back, q quits.";
    lines.extend(paragraph(advice, Style::new(), columns));
    if usize::from(at.height) >= lines.len() + 6 {
        lines.push(Row::default());
        let style = ink.heading(screen.focus == Focus::Test);
        lines.push(row(&cut("What failed (m: all of it)", columns), style));
        lines.extend(name_rows(ink, &clean(&screen.view.failing), columns, 2));
        let failed = screen.view.failures.first();
        if let Some(words) = failed.and_then(FailedTest::headline) {
            let words = paragraph(&words, ink.fail(), columns);
            lines.extend(words.into_iter().take(3));
        }
    }
    lines.truncate(usize::from(at.height));
    put_all(buffer, at, 0, &lines);
    source(screen, at, lines.len(), buffer)
}

/// What an answer does to a method's place, in words.
fn moves(answered: &Answered, columns: usize) -> Option<String> {
    let first = answered.moves.first()?;
    let more = match answered.moves.len() - 1 {
        0 => String::new(),
        more => format!(" (+{more} more)"),
    };
    let rest = format!(" {}{more}", move_words(first));
    let method = short(&clean(&first.method), columns.saturating_sub(width(&rest)));
    Some(format!("{method}{rest}"))
}

/// From where to where a method goes.
pub(crate) fn move_words(places: &Move) -> String {
    let falls = places.to > places.from;
    let how = if falls { "falls" } else { "rises" };
    format!("{how} from {} to {}", place(places.from), place(places.to))
}

fn heading(screen: &Screen, other: &str, columns: usize) -> Row {
    let left = screen.view.left;
    let heading = match (left, other) {
        (1, _) => format!("Next test, the last one{other}"),
        (_, "") => format!("Next test, the best of {left}"),
        _ => format!("Next of {left} tests{other}"),
    };
    let style = screen.ink.heading(screen.focus == Focus::Test);
    row(&cut(&heading, columns), style)
}

/// The test's name; the end of it is what matters.
fn name_rows(ink: Ink, name: &str, columns: usize, most: usize) -> Vec<Row> {
    let mut pieces = fold(name, columns);
    if pieces.len() > most {
        pieces = fold(&short(name, columns.saturating_mul(most)), columns);
    }
    let shown = pieces.iter().take(most);
    shown.map(|line| row(line, ink.strong())).collect()
}

/// The key of an answer and what it does to the top.
fn outlook(
    ink: Ink,
    (key, what, style): (&'static str, &'static str, Style),
    answered: &Answered,
    tied: usize,
    columns: usize,
) -> Row {
    let tied_then = answered.tied;
    let effect = match tied_then == tied {
        true => format!("still {tied} tied at the top"),
        false => format!("{tied_then} tied at the top, not {tied}"),
    };
    let room = columns.saturating_sub(key.len() + what.len() + 9);
    Line::from(vec![
        Span::styled(key, ink.key()),
        Span::styled(" if it ", Style::new()),
        Span::styled(what, style),
        piece(&format!(": {}", cut(&effect, room)), Style::new()),
    ])
}

fn source(screen: &Screen, area: Rect, used: usize, buffer: &mut Buffer) -> (usize, usize) {
    let ink = screen.ink;
    let (columns, height) = (usize::from(area.width), usize::from(area.height));
    let room = height.saturating_sub(used + 1);
    if room == 0 {
        return (0, 0);
    }
    let rule = |text: &str| {
        let text = cut(text, columns.saturating_sub(4));
        let rest = "─".repeat(columns.saturating_sub(width(&text) + 4));
        row(&format!("── {text} {rest}"), ink.dim())
    };
    let found = match &screen.source {
        Shown::Found(found) => found,
        missing => {
            put(buffer, area, used, &rule("its source"));
            if *missing == Shown::Missing {
                let words =
                    "was not found below the project's folder: --source FOLDER says where that is.";
                let rows = paragraph(words, ink.dim(), columns);
                put_all(buffer, area, used + 1, &rows);
            }
            return (0, room);
        }
    };
    let rows = source_rows(ink, &found.lines, found.first, &[], columns);
    let from = screen.scroll.min(rows.len().saturating_sub(room));
    let mut place = format!("{}:{}", clean(&found.path), found.first);
    if found.newer {
        place = format!("changed since: {place}");
    }
    let more = rows.len().saturating_sub(from + room);
    if from + more > 0 {
        place = format!("{} of {}  {place}", from + room.min(rows.len()), rows.len());
    }
    put(buffer, area, used, &rule(&place));
    put_all(buffer, area, used + 1, &rows[from..]);
    (rows.len(), room)
}

/// Lines of source with their numbers, long ones folded; those in `marked` stand out.
pub(crate) fn source_rows(
    ink: Ink,
    lines: &[String],
    first: u32,
    marked: &[u32],
    columns: usize,
) -> Vec<Row> {
    let shown = lines.len().min(MOST_LINES);
    let last = u64::from(first) + shown as u64;
    let digits = last.to_string().len();
    let room = columns.saturating_sub(digits + 2);
    let mut rows = Vec::new();
    for (at, line) in lines[..shown].iter().enumerate() {
        let number = u64::from(first) + at as u64;
        let is_marked = u32::try_from(number).is_ok_and(|n| marked.binary_search(&n).is_ok());
        let long: String = line.chars().take(LONGEST_LINE).collect();
        let (mark, style) = match is_marked {
            true => (Span::styled("▌", ink.warning()), Style::new()),
            false if marked.is_empty() => (Span::raw(" "), Style::new()),
            false => (Span::raw(" "), ink.dim()),
        };
        for (part, text) in fold(&clean(&long), room).iter().enumerate() {
            let front = match part {
                0 => format!("{number:>digits$}"),
                _ => " ".repeat(digits),
            };
            rows.push(Line::from(vec![
                Span::styled(front, ink.dim()),
                mark.clone(),
                Span::styled(text.clone(), style),
            ]));
        }
    }
    if lines.len() > shown {
        let more = format!("… {} more lines", lines.len() - shown);
        rows.push(row(&more, ink.dim()));
    }
    rows
}
