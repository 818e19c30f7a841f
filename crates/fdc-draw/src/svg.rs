//! A picture as SVG text. Only the plots of this crate make one, so a page can embed it as is.

use crate::{escape, typeface};

/// A finished picture.
///
/// Colours are presentation attributes, so that the file stands alone; classes let a page restyle
/// it (dark variant). No ids, styles or scripts, and no links but to places on the same page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Svg {
    /// In CSS pixels.
    pub width: u32,
    /// In CSS pixels.
    pub height: u32,
    title: String,
    /// What the picture shows, in words, for readers who cannot see it; unescaped.
    pub description: String,
    body: String,
    /// The number of texts drawn in it.
    pub labels: usize,
    /// It holds links, so its parts must be open to keyboards and screen readers.
    pub(crate) interactive: bool,
}

impl Svg {
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
        let element = self.element();
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{element}\n")
    }
}

/// A role of ink: its class, and its colour on white paper.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ink {
    pub(crate) class: &'static str,
    pub(crate) colour: &'static str,
}

impl Ink {
    /// Titles and names.
    pub(crate) const TEXT: Ink = Ink::new("text", "#1a1a1a");
    /// Tick labels, notes.
    pub(crate) const SOFT: Ink = Ink::new("soft", "#555555");
    /// Axis lines and ticks.
    pub(crate) const AXIS: Ink = Ink::new("axis", "#444444");
    pub(crate) const GRID: Ink = Ink::new("grid", "#e3e3e3");

    const fn new(class: &'static str, colour: &'static str) -> Self {
        Ink { class, colour }
    }
}

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
            ink: Ink::TEXT,
            anchor: "",
            weight: "",
            upright: false,
        }
    }

    pub(crate) fn soft(size: f64) -> Self {
        let ink = Ink::SOFT;
        Type {
            ink,
            ..Type::text(size)
        }
    }

    /// Around its point.
    pub(crate) fn middle(self) -> Self {
        let anchor = " text-anchor=\"middle\"";
        Type { anchor, ..self }
    }

    /// Up to its point.
    pub(crate) fn end(self) -> Self {
        let anchor = " text-anchor=\"end\"";
        Type { anchor, ..self }
    }

    pub(crate) fn bold(self) -> Self {
        let weight = " font-weight=\"600\"";
        Type { weight, ..self }
    }

    pub(crate) fn upright(self) -> Self {
        let upright = true;
        Type { upright, ..self }
    }
}

/// Collects shapes; [`Canvas::finish`] makes the picture.
#[derive(Debug, Default)]
pub(crate) struct Canvas {
    body: String,
    labels: usize,
}

impl Canvas {
    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), ink: Ink, width: f64) {
        let Ink { class, colour } = ink;
        let [x1, y1, x2, y2, width] = [from.0, from.1, to.0, to.1, width].map(number);
        self.raw(&format!(
            "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{colour}\" stroke-width=\"{width}\"/>"
        ));
    }

    /// A path, with the attributes that say how it is drawn.
    pub(crate) fn path(&mut self, class: &str, data: &str, how: &str) {
        self.raw(&format!("<path class=\"{class}\" d=\"{data}\" {how}/>"));
    }

    /// A text on its base line. Nothing is drawn for a blank text.
    pub(crate) fn text(&mut self, x: f64, y: f64, text: &str, how: Type) {
        if text.trim().is_empty() {
            return;
        }
        let Type { anchor, weight, .. } = how;
        let Ink { class, colour } = how.ink;
        let [x, y, size] = [x, y, how.size].map(number);
        let turn = match how.upright {
            true => format!(" transform=\"rotate(-90 {x} {y})\""),
            false => String::new(),
        };
        let text = escape::xml(text);
        self.raw(&format!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{colour}\"{anchor}{weight}{turn}>{text}</text>"
        ));
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

/// Path data: the shape, with a coordinate for each of its `#`.
pub(crate) fn data(shape: &str, values: &[f64]) -> String {
    let (first, rest) = shape.split_once('#').unwrap_or((shape, ""));
    let pieces = values.iter().zip(rest.split('#'));
    pieces.fold(first.to_owned(), |text, (&value, piece)| {
        text + &number(value) + piece
    })
}

/// Path data of straight lines from point to point.
pub(crate) fn polyline(points: impl Iterator<Item = (f64, f64)>) -> String {
    let corner = |(i, (x, y))| data(if i == 0 { "M# #" } else { "L# #" }, &[x, y]);
    points.enumerate().map(corner).collect()
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
