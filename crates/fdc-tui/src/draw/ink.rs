//! How things look. Without colours everything is still told apart: bold, dim, reversed.

use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};

use crate::text::clean;

/// A line on the screen.
pub type Row = Line<'static>;

/// Steps of heat.
const HEAT: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// Styles, with colours or without.
#[derive(Clone, Copy, Debug)]
pub struct Ink {
    /// Whether colours are wanted.
    pub colours: bool,
}

impl Ink {
    /// Ordinary text.
    pub fn plain(self) -> Style {
        Style::new()
    }

    /// What is less important.
    pub fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// What stands out.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Bars and what is chosen.
    pub fn reversed(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// Keys to press.
    pub fn key(self) -> Style {
        self.coloured(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    /// Good news.
    pub fn pass(self) -> Style {
        self.coloured(Color::Green).add_modifier(Modifier::BOLD)
    }

    /// Bad news.
    pub fn fail(self) -> Style {
        self.coloured(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// What a person should notice.
    pub fn warning(self) -> Style {
        self.coloured(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    /// The heat of a score beside the highest.
    pub fn heat(self, share: f64) -> Span<'static> {
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
pub fn piece(text: &str, style: Style) -> Span<'static> {
    Span::styled(clean(text), style)
}

/// A line of text, whoever wrote it.
pub fn row(text: &str, style: Style) -> Row {
    Line::from(piece(text, style))
}
