//! How things look. Without colours everything is still told apart: bold, dim, reversed.

use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};

use crate::text::{clean, wrap};

pub(crate) type Row = Line<'static>;

/// Steps of heat.
const HEAT: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// Styles, with colours or without.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ink {
    pub(crate) colours: bool,
}

impl Ink {
    pub(crate) fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(crate) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Bars and what is chosen.
    pub(crate) fn reversed(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// Of the side that has the focus, and of the other.
    pub(crate) fn heading(self, focused: bool) -> Style {
        match focused {
            true => self.reversed(),
            false => self.strong(),
        }
    }

    pub(crate) fn key(self) -> Style {
        self.coloured(Color::Cyan).patch(self.strong())
    }

    pub(crate) fn pass(self) -> Style {
        self.coloured(Color::Green).patch(self.strong())
    }

    pub(crate) fn fail(self) -> Style {
        self.coloured(Color::Red).patch(self.strong())
    }

    pub(crate) fn warning(self) -> Style {
        self.coloured(Color::Yellow).patch(self.strong())
    }

    /// The heat of a score beside the highest.
    pub(crate) fn heat(self, share: f64) -> Span<'static> {
        if share.is_nan() || share <= 0.0 {
            return Span::styled("·", self.dim());
        }
        let step = ((share * 8.0).ceil() as usize).clamp(1, 8);
        let colour = match step {
            7..=8 => Color::Red,
            4..=6 => Color::Yellow,
            _ => Color::Blue,
        };
        Span::styled(HEAT[step - 1], self.coloured(colour))
    }

    fn coloured(self, colour: Color) -> Style {
        match self.colours {
            true => Style::new().fg(colour),
            false => Style::new(),
        }
    }
}

/// A piece of text, whoever wrote it.
pub(crate) fn piece(text: &str, style: Style) -> Span<'static> {
    Span::styled(clean(text), style)
}

/// A line of text, whoever wrote it.
pub(crate) fn row(text: &str, style: Style) -> Row {
    Line::from(piece(text, style))
}

/// Lines of text, broken at blanks.
pub(crate) fn paragraph(text: &str, style: Style, columns: usize) -> Vec<Row> {
    let lines = wrap(&clean(text), columns);
    lines.iter().map(|line| row(line, style)).collect()
}
