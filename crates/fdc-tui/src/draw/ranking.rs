//! The suspects, and below them the last answers if there is room.

use fdc::Suspect;
use fdc::label::view::AnswerView;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::ink::{Ink, Row, piece, row};
use super::{put, put_all};
use crate::screen::{Focus, Screen};
use crate::text::{clean, cut, short};

/// Draws the suspects; how many there was room for. The heading ends with `other`.
pub(crate) fn draw(screen: &Screen, area: Rect, other: &str, buffer: &mut Buffer) -> usize {
    let (view, ink) = (&screen.view, screen.ink);
    let width = usize::from(area.width);
    let focused = screen.focus == Focus::Ranking;
    let (tied, methods) = (view.tied, view.methods);
    let heading = format!("Suspects: {tied} of {methods} at the top{other}");
    let heading = row(&cut(&heading, width), ink.heading(focused));
    put(buffer, area, 0, &heading);

    let height = usize::from(area.height);
    let with_legend = height >= 8 && view.next.is_some();
    let room = height.saturating_sub(1 + usize::from(with_legend));
    let count = view.suspects.len().min(room);
    let chosen = if focused { screen.selected } else { 0 };
    let last = view.suspects.len().saturating_sub(count);
    let from = chosen.saturating_sub(count / 2).min(last);
    let columns = Columns::of(screen);
    for (line, suspect) in view.suspects[from..from + count].iter().enumerate() {
        let mut shown = columns.row(screen, suspect, width);
        if focused && from + line == screen.selected {
            shown = shown.patch_style(ink.reversed());
        }
        put(buffer, area, 1 + line, &shown);
    }
    if with_legend {
        let legend = cut("* the test runs it, + in part", width);
        let legend = row(&legend, ink.dim());
        put(buffer, area, 1 + count, &legend);
    }
    let below = height.saturating_sub(2 + count + usize::from(with_legend));
    if below >= 3 && !view.answers.is_empty() {
        let at = height - below;
        put(buffer, area, at, &row("Last answers", ink.strong()));
        let last = view.answers.iter().rev().take(below - 1);
        let rows: Vec<Row> = last.map(|answer| answer_row(ink, answer, width)).collect();
        put_all(buffer, area, at + 1, &rows);
    }
    count
}

pub(crate) fn answer_row(ink: Ink, answer: &AnswerView, width: usize) -> Row {
    let (verdict, style) = match answer.verdict {
        _ if answer.undone => ("undone", ink.dim()),
        "pass" => ("pass", ink.pass()),
        "fail" => ("fail", ink.fail()),
        other => (other, Style::new()),
    };
    let name = short(&clean(&answer.subject), width.saturating_sub(8));
    let of_name = if answer.undone { style } else { Style::new() };
    let verdict = piece(&format!("{verdict:<6}  "), style);
    Line::from(vec![verdict, piece(&name, of_name)])
}

/// A place: a whole number unless ties are halved.
pub(crate) fn place(rank: f64) -> String {
    let decimals = usize::from(rank.fract() != 0.0);
    format!("{rank:.decimals$}")
}

/// What is the same for all rows.
struct Columns {
    place: usize,
    score: usize,
    highest: f64,
}

impl Columns {
    fn of(screen: &Screen) -> Self {
        let suspects = &screen.view.suspects;
        let places = suspects.iter().map(|suspect| place(suspect.rank).len());
        let scores = suspects.iter().map(|suspect| suspect.score);
        let scores = scores.filter(|score| score.is_finite());
        Columns {
            place: places.max().unwrap_or(1),
            score: suspects
                .iter()
                .map(|own| score(own).len())
                .fold(5, usize::max),
            highest: scores.fold(0.0, f64::max),
        }
    }

    fn row(&self, screen: &Screen, suspect: &Suspect, width: usize) -> Row {
        let share = match suspect.score.is_finite() {
            true => suspect.score / self.highest,
            false => 1.0,
        };
        let (wide, place) = (self.place, place(suspect.rank));
        let (long, score) = (self.score, score(suspect));
        let front = format!("{place:>wide$} {score:>long$} ");
        let next = screen.view.next.as_ref();
        let mut covers = next.iter().flat_map(|next| &next.covers);
        let mark = match covers.find(|covered| covered.method == suspect.name) {
            Some(covered) if covered.lines.len() >= covered.of => "*",
            Some(_) => "+",
            None => " ",
        };
        let used = front.len() + 4;
        let name = short(&clean(&suspect.name), width.saturating_sub(used));
        Line::from(vec![
            piece(&front, Style::new()),
            screen.ink.heat(share),
            Span::styled(format!(" {mark} "), screen.ink.key()),
            piece(&name, Style::new()),
        ])
    }
}

fn score(suspect: &Suspect) -> String {
    let score = suspect.score;
    match score.abs() {
        _ if suspect.probability.is_some() => suspect.score_text(),
        size if !size.is_finite() => "inf".to_owned(),
        size if size < 9.9995 => format!("{score:.3}"),
        size if size < 999.95 => format!("{score:.1}"),
        _ => format!("{score:.0e}"),
    }
}
