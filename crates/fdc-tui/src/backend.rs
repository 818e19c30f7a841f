//! Cells to the terminal, through crossterm.

use std::io::{self, Write};

use crossterm::style::{Attribute, Color as Ink, Print, SetAttribute, SetForegroundColor};
use crossterm::{cursor, queue, terminal};
use ratatui_core::backend::{Backend, ClearType, WindowSize};
use ratatui_core::buffer::Cell;
use ratatui_core::layout::{Position, Size};
use ratatui_core::style::{Color, Modifier};

pub(crate) struct Crossterm<W: Write> {
    out: W,
}

impl<W: Write> Crossterm<W> {
    pub(crate) fn new(out: W) -> Self {
        Crossterm { out }
    }

    /// Only what is used here: no background, no underline.
    fn style(&mut self, (modifier, fg): (Modifier, Color)) -> io::Result<()> {
        queue!(self.out, SetAttribute(Attribute::Reset))?;
        for (kind, attribute) in [
            (Modifier::BOLD, Attribute::Bold),
            (Modifier::DIM, Attribute::Dim),
            (Modifier::REVERSED, Attribute::Reverse),
        ] {
            if modifier.contains(kind) {
                queue!(self.out, SetAttribute(attribute))?;
            }
        }
        match ink(fg) {
            Some(fg) => queue!(self.out, SetForegroundColor(fg)),
            None => Ok(()),
        }
    }
}

/// The terminal's own colours only: they fit what the person has chosen.
fn ink(colour: Color) -> Option<Ink> {
    match colour {
        Color::Red => Some(Ink::DarkRed),
        Color::Green => Some(Ink::DarkGreen),
        Color::Yellow => Some(Ink::DarkYellow),
        Color::Blue => Some(Ink::DarkBlue),
        Color::Cyan => Some(Ink::DarkCyan),
        _ => None,
    }
}

impl<W: Write> Backend for Crossterm<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut style = None;
        let mut follows = None;
        for (x, y, cell) in content {
            if follows != Some((x, y)) {
                queue!(self.out, cursor::MoveTo(x, y))?;
            }
            let wanted = (cell.modifier, cell.fg);
            if style != Some(wanted) {
                self.style(wanted)?;
                style = Some(wanted);
            }
            queue!(self.out, Print(cell.symbol()))?;
            // After a wide character the cursor is not trusted: terminals differ in widths.
            follows = cell.symbol().is_ascii().then_some((x.saturating_add(1), y));
        }
        queue!(self.out, SetAttribute(Attribute::Reset))
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        queue!(self.out, cursor::Hide)?;
        self.out.flush()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        // Asked for when a terminal is dropped, which would complain of a failure on standard error:
        // a panic where that is the terminal that was closed.
        let _ = queue!(self.out, cursor::Show);
        let _ = self.out.flush();
        Ok(())
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        // Asking would mean to read an answer among the keys; nothing here depends on it.
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let Position { x, y } = position.into();
        queue!(self.out, cursor::MoveTo(x, y))?;
        self.out.flush()
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, kind: ClearType) -> io::Result<()> {
        let kind = match kind {
            ClearType::All => terminal::ClearType::All,
            ClearType::AfterCursor => terminal::ClearType::FromCursorDown,
            ClearType::BeforeCursor => terminal::ClearType::FromCursorUp,
            ClearType::CurrentLine => terminal::ClearType::CurrentLine,
            ClearType::UntilNewLine => terminal::ClearType::UntilNewLine,
        };
        queue!(self.out, terminal::Clear(kind))?;
        self.out.flush()
    }

    fn size(&self) -> io::Result<Size> {
        let (width, height) = terminal::size()?;
        Ok(Size { width, height })
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize {
            columns_rows: self.size()?,
            pixels: Size::ZERO,
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use ratatui_core::buffer::Buffer;
    use ratatui_core::layout::Rect;
    use ratatui_core::style::Style;

    use super::*;

    fn sent(style: Style) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 6, 1));
        buffer.set_string(0, 0, "a漢b", style);
        let cells = (0..6).map(|x| (x, 0, buffer.cell((x, 0)).unwrap()));
        let mut backend = Crossterm::new(Vec::new());
        backend.draw(cells.filter(|(x, ..)| *x != 2)).unwrap();
        String::from_utf8(backend.out).unwrap()
    }

    #[test]
    fn cells_are_sent_with_their_style_and_put_right_after_wide_ones() {
        let plain = sent(Style::new());
        assert!(plain.contains("a漢\u{1b}[1;4Hb"), "{plain:?}");
        assert!(
            !plain.contains("\u{1b}[3"),
            "no colour unless asked for: {plain:?}"
        );
        let style = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
        let red = sent(style);
        assert!(
            red.contains("\u{1b}[1m") && red.contains("\u{1b}[38;5;1m"),
            "{red:?}"
        );
        assert!(red.ends_with("\u{1b}[0m"));
    }
}
