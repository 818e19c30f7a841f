//! A picture as SVG text. Only the plots of this crate make one, so a page can embed it as is.

use std::fmt::Write;

use crate::{escape, typeface};

/// A finished picture.
///
/// Colours are presentation attributes, so that the file stands alone; every coloured shape also
/// has a class, by which a page restyles it (dark variant). No ids, styles or scripts, and no links
/// but to places on the same page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Svg {
    width: u32,
    height: u32,
    title: String,
    description: String,
    body: String,
    labels: usize,
    interactive: bool,
}

impl Svg {
    /// Width in CSS pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in CSS pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// What the picture shows, in words, for readers who cannot see it; unescaped.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The number of texts drawn in it.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// It holds links, so its parts must be open to keyboards and screen readers.
    pub(crate) fn interactive(self) -> Self {
        Svg {
            interactive: true,
            ..self
        }
    }

    /// The element alone, for use inside an HTML page.
    pub fn element(&self) -> String {
        let (w, h) = (self.width, self.height);
        let title = escape::xml(&self.title);
        let role = if self.interactive { "group" } else { "img" };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"{role}\" aria-label=\"{title}\" font-family=\"{}\" font-size=\"12\">\n<title>{title}</title>\n<desc>{}</desc>\n<rect class=\"paper\" width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n{}</svg>",
            typeface::stack(),
            escape::xml(&self.description),
            self.body
        )
    }

    /// A file of its own.
    pub fn document(&self) -> String {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n",
            self.element()
        )
    }
}

/// Roles of ink: class name and the colour on white paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    /// Titles and names.
    Text,
    /// Tick labels, notes.
    Soft,
    /// Axis lines and ticks.
    Axis,
    /// Grid lines.
    Grid,
}

impl Ink {
    #[cfg(test)]
    pub(crate) const ALL: [Ink; 4] = [Ink::Text, Ink::Soft, Ink::Axis, Ink::Grid];

    pub(crate) fn class(self) -> &'static str {
        match self {
            Ink::Text => "text",
            Ink::Soft => "soft",
            Ink::Axis => "axis",
            Ink::Grid => "grid",
        }
    }

    pub(crate) fn colour(self) -> &'static str {
        match self {
            Ink::Text => "#1a1a1a",
            Ink::Soft => "#555555",
            Ink::Axis => "#444444",
            Ink::Grid => "#e3e3e3",
        }
    }
}

/// How a text is set; by default from its point on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Type {
    size: f64,
    ink: Ink,
    /// Attributes beside size and colour.
    anchor: &'static str,
    weight: &'static str,
    /// Turned a quarter to the left, reading upwards.
    upright: bool,
}

impl Type {
    pub(crate) fn text(size: f64) -> Self {
        Type {
            size,
            ink: Ink::Text,
            anchor: "",
            weight: "",
            upright: false,
        }
    }

    pub(crate) fn soft(size: f64) -> Self {
        Type {
            ink: Ink::Soft,
            ..Type::text(size)
        }
    }

    /// Around its point.
    pub(crate) fn middle(self) -> Self {
        Type {
            anchor: " text-anchor=\"middle\"",
            ..self
        }
    }

    /// Up to its point.
    pub(crate) fn end(self) -> Self {
        Type {
            anchor: " text-anchor=\"end\"",
            ..self
        }
    }

    pub(crate) fn bold(self) -> Self {
        Type {
            weight: " font-weight=\"600\"",
            ..self
        }
    }

    pub(crate) fn upright(self) -> Self {
        Type {
            upright: true,
            ..self
        }
    }
}

/// Collects shapes; [`Canvas::finish`] makes the picture.
#[derive(Debug, Default)]
pub(crate) struct Canvas {
    body: String,
    labels: usize,
}

impl Canvas {
    /// A straight line with `y` or `x` as given.
    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), ink: Ink, width: f64) {
        let _ = writeln!(
            self.body,
            "<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"{}\"/>",
            ink.class(),
            number(from.0),
            number(from.1),
            number(to.0),
            number(to.1),
            ink.colour(),
            number(width)
        );
    }

    /// A text on its base line. Nothing is drawn for a blank text.
    pub(crate) fn text(&mut self, x: f64, y: f64, text: &str, how: Type) {
        if text.trim().is_empty() {
            return;
        }
        let Type { anchor, weight, .. } = how;
        let turn = if how.upright {
            format!(" transform=\"rotate(-90 {} {})\"", number(x), number(y))
        } else {
            String::new()
        };
        let _ = writeln!(
            self.body,
            "<text class=\"{}\" x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"{anchor}{weight}{turn}>{}</text>",
            how.ink.class(),
            number(x),
            number(y),
            number(how.size),
            how.ink.colour(),
            escape::xml(text)
        );
        self.labels += 1;
    }

    /// The picture's title at its top left, cut to the picture's width; nothing if it is blank.
    pub(crate) fn title(&mut self, title: &str, width: f64) {
        let title = typeface::fit(title, 15.0, width - 28.0);
        self.text(14.0, 25.0, &title, Type::text(15.0).bold());
    }

    /// Any other element, already well formed and escaped.
    pub(crate) fn raw(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    pub(crate) fn finish(self, width: f64, height: f64, title: &str, description: String) -> Svg {
        Svg {
            width: width.ceil() as u32,
            height: height.ceil() as u32,
            title: title.to_owned(),
            description,
            body: self.body,
            labels: self.labels,
            interactive: false,
        }
    }
}

/// A coordinate with at most two decimals; never `NaN`, `inf` or `-0`.
pub(crate) fn number(value: f64) -> String {
    if !value.is_finite() {
        debug_assert!(false, "coordinate {value}");
        return "0".to_owned();
    }
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short_and_finite() {
        assert_eq!(number(1.0), "1");
        assert_eq!(number(-0.001), "0");
        assert_eq!(number(2.346), "2.35");
        assert_eq!(number(100.0), "100");
    }
}
