//! The source of a suspect, beside the test in a wide terminal.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use super::ink::{paragraph, row};
use super::put_all;
use super::question::source_rows;
use crate::screen::Screen;
use crate::text::{clean, short};

/// Lines above the first that the failing test runs.
const ABOVE: usize = 3;
/// Lines of the reasons.
const REASONS: usize = 3;

/// Draws the suspect that is chosen, or the first.
pub(crate) fn draw(screen: &Screen, area: Rect, buffer: &mut Buffer) {
    let Some(suspect) = screen.suspect() else {
        return;
    };
    let (ink, columns) = (screen.ink, usize::from(area.width));
    let mut rows = vec![row(&short(&clean(&suspect.name), columns), ink.strong())];
    if !suspect.reasons.is_empty() {
        let why = paragraph(&suspect.reasons.join("; "), ink.dim(), columns);
        rows.extend(why.into_iter().take(REASONS));
    }
    let source = screen.suspect_source.as_ref();
    match source.filter(|(file, _)| *file == suspect.file) {
        Some((_, Some(source))) => {
            let first = suspect.lines.first().map_or(1, |&line| line as usize);
            let from = first.saturating_sub(1 + ABOVE).min(source.lines.len());
            let room = usize::from(area.height).saturating_sub(rows.len());
            let until = (from + room).min(source.lines.len());
            let number = from as u32 + 1;
            let shown = &source.lines[from..until];
            rows.extend(source_rows(ink, shown, number, &suspect.lines, columns));
        }
        Some((file, None)) => {
            let words = format!("{file} was not found below the project's folder.");
            rows.extend(paragraph(&words, ink.dim(), columns));
        }
        None => {}
    }
    put_all(buffer, area, 0, &rows);
}
