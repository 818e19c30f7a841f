//! An HTML page that needs nothing else: offline, printable, light or dark, with tables that sort.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::source::SourceListing;
use crate::table::{Best, Cell, ColumnKind, Table};
use crate::{Svg, escape};

/// A page under construction.
///
/// ```
/// use fdc_draw::{Cell, Column, Page, Table};
/// let table = Table::new("Results", vec![Column::text("metric"), Column::number("mAP")])
///     .row(vec![Cell::text("rlfdc"), Cell::decimals(0.412, 3)]);
/// let html = Page::new("A study")
///     .section("Accuracy")
///     .paragraph("After ten tests.")
///     .table(table)
///     .html();
/// assert!(html.starts_with("<!DOCTYPE html>"));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    title: String,
    lead: String,
    /// The entries of the table of contents, one a section.
    contents: String,
    body: String,
    sections: usize,
    tables: usize,
    figures: usize,
}

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

impl Page {
    /// An empty page.
    pub fn new(title: impl Into<String>) -> Self {
        Page {
            title: title.into(),
            ..Page::default()
        }
    }

    /// One line below the title.
    pub fn lead(mut self, text: impl Into<String>) -> Self {
        self.lead = text.into();
        self
    }

    /// Starts a section, listed in the table of contents.
    pub fn section(mut self, heading: impl AsRef<str>) -> Self {
        let end = self.section_end();
        self.sections += 1;
        let (n, heading) = (self.sections, escape::xml(heading.as_ref()));
        self.contents += &format!("<li><a href=\"#section-{n}\">{heading}</a></li>\n");
        self.with(&format!(
            "{end}<section aria-labelledby=\"section-{n}\">\n<h2 id=\"section-{n}\">{heading}</h2>\n"
        ))
    }

    /// Adds a paragraph of plain text.
    pub fn paragraph(self, text: impl AsRef<str>) -> Self {
        self.with(&format!("<p>{}</p>\n", escape::xml(text.as_ref())))
    }

    /// Adds a heading below that of the section.
    pub fn heading(self, text: impl AsRef<str>) -> Self {
        self.with(&format!("<h3>{}</h3>\n", escape::xml(text.as_ref())))
    }

    /// Adds a list of plain texts.
    pub fn list<T: AsRef<str>>(self, items: impl IntoIterator<Item = T>) -> Self {
        let item = |text: T| format!("<li>{}</li>\n", escape::xml(text.as_ref()));
        let items: String = items.into_iter().map(item).collect();
        self.with(&format!("<ul>\n{items}</ul>\n"))
    }

    /// Adds a list of plain texts that lead to places on the page, `#` left out.
    pub fn links(self, items: impl IntoIterator<Item = (String, Option<String>)>) -> Self {
        let item = |(text, place): (String, Option<String>)| {
            let text = escape::xml(&text);
            match place {
                Some(place) => {
                    let place = escape::xml(&place);
                    format!("<li><a href=\"#{place}\">{text}</a></li>\n")
                }
                None => format!("<li>{text}</li>\n"),
            }
        };
        let items: String = items.into_iter().map(item).collect();
        self.with(&format!("<ul>\n{items}</ul>\n"))
    }

    /// Adds text whose line breaks and spaces matter: a command, a configuration.
    pub fn code(self, text: impl AsRef<str>) -> Self {
        let lines: Vec<String> = text.as_ref().lines().map(escape::xml).collect();
        // A line break right after <pre> is dropped. It may scroll: reachable by keyboard.
        let lines = lines.join("\n");
        self.with(&format!("<pre tabindex=\"0\">\n{lines}</pre>\n"))
    }

    /// Adds a table that the reader can sort.
    pub fn table(mut self, table: Table) -> Self {
        self.tables += 1;
        write_table(&mut self.body, &table, self.tables);
        self
    }

    /// Adds a picture with its caption.
    pub fn figure(mut self, svg: Svg, caption: impl AsRef<str>) -> Self {
        self.figures += 1;
        let (n, svg, caption) = (self.figures, svg.element(), escape::xml(caption.as_ref()));
        self.with(&format!(
            "<figure>\n<div class=\"scroll\" role=\"region\" aria-label=\"Figure {n}\" tabindex=\"0\">{svg}</div>\n<figcaption>Figure {n}. {caption}</figcaption>\n</figure>\n"
        ))
    }

    /// Adds source with the heat of its lines.
    pub fn listing(mut self, listing: SourceListing) -> Self {
        listing.write(&mut self.body);
        self
    }

    /// The whole file.
    pub fn html(&self) -> String {
        let Page { contents, body, .. } = self;
        let [title, lead] = [&self.title, &self.lead].map(|text| escape::xml(text));
        let unless = |missing: bool, text: String| if missing { String::new() } else { text };
        let lead = unless(lead.is_empty(), format!("<p class=\"lead\">{lead}</p>\n"));
        let contents = unless(
            contents.is_empty(),
            format!(
                "<nav aria-labelledby=\"contents\">\n<h2 id=\"contents\">Contents</h2>\n<ol>\n{contents}</ol>\n</nav>\n"
            ),
        );
        let end = self.section_end();
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <header>\n<h1>{title}</h1>\n{lead}</header>\n\
             {contents}<main>\n{body}{end}</main>\n\
             <div id=\"live\" class=\"hidden\" aria-live=\"polite\"></div>\n\
             <script>{SCRIPT}</script>\n</body>\n</html>\n",
            policy()
        )
    }

    fn section_end(&self) -> &'static str {
        let open = self.sections > 0;
        if open { "</section>\n" } else { "" }
    }

    fn with(mut self, block: &str) -> Self {
        self.body += block;
        self
    }
}

fn write_table(out: &mut String, table: &Table, number: usize) {
    let name = match escape::xml(&table.caption) {
        none if none.is_empty() => format!("Table {number}"),
        caption => format!("Table {number}. {caption}"),
    };
    // A region that scrolls must be reachable by keyboard.
    out.push_str(&format!(
        "<div class=\"scroll\" role=\"region\" aria-label=\"{name}\" tabindex=\"0\">\n<table class=\"sortable\">\n<caption>{name}</caption>\n<thead>\n<tr>\n"
    ));
    for column in &table.columns {
        let (kind, class) = kind(column.kind);
        let first = match (column.best, column.kind) {
            (Some(Best::Highest), _) | (None, ColumnKind::Number) => "descending",
            (Some(Best::Lowest), _) | (None, ColumnKind::Text) => "ascending",
        };
        let name = escape::xml(&column.name);
        out.push_str(&format!(
            "<th scope=\"col\"{class} data-kind=\"{kind}\" data-first=\"{first}\"><button type=\"button\">{name} <span aria-hidden=\"true\"></span></button></th>\n"
        ));
    }
    out.push_str("</tr>\n</thead>\n<tbody>\n");
    for (r, row) in table.rows.iter().enumerate() {
        out.push_str("<tr>");
        for (c, column) in table.columns.iter().enumerate() {
            let cell = row.get(c);
            let value = cell.and_then(Cell::value).map(script_number);
            let value = value.map_or_else(String::new, |value| format!(" data-v=\"{value}\""));
            let mut text = escape::xml(cell.map_or("", Cell::shown));
            if let Some(anchor) = cell.and_then(|cell| cell.anchor.as_ref()) {
                text = format!("<a href=\"#{}\">{text}</a>", escape::xml(anchor));
            }
            if table.is_best(r, c) {
                text = format!("<strong>{text}</strong>");
            }
            let class = kind(column.kind).1;
            out.push_str(&format!("<td{class}{value}>{text}</td>"));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
}

fn kind(kind: ColumnKind) -> (&'static str, &'static str) {
    match kind {
        ColumnKind::Text => ("text", ""),
        ColumnKind::Number => ("number", " class=\"number\""),
    }
}

/// As JavaScript's `Number` reads it.
fn script_number(value: f64) -> String {
    if value.is_infinite() {
        (if value > 0.0 { "Infinity" } else { "-Infinity" }).to_owned()
    } else {
        format!("{value:e}")
    }
}

/// Nothing may load or run but the page's own style and script.
fn policy() -> String {
    let [style, script] = [STYLE, SCRIPT].map(hash);
    format!(
        "default-src 'none'; style-src '{style}'; script-src '{script}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
}

fn hash(text: &str) -> String {
    let digest = STANDARD.encode(Sha256::digest(text.as_bytes()));
    format!("sha256-{digest}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Column;
    use crate::palette::{BETTER, HEAT, SAME, SERIES, WORSE};
    use crate::svg::Ink;

    #[test]
    fn style_and_script_cannot_end_early_or_differ_from_their_hash() {
        for text in [STYLE, SCRIPT] {
            assert!(!text.contains("</") && !text.contains("<!--"));
            assert!(
                !text.contains('\r'),
                "parsers change line ends, and the hash with them"
            );
        }
    }

    #[test]
    fn every_colour_of_the_plots_has_a_light_and_a_dark_twin() {
        let mut wanted: Vec<(String, &str)> = vec![("h0".to_owned(), SAME)];
        let numbered = |name: &str, first: usize, colours: &[&'static str]| {
            let named = colours.iter().enumerate();
            named
                .map(|(i, c)| (format!("{name}{}", i + first), *c))
                .collect::<Vec<_>>()
        };
        wanted.extend(numbered("s", 0, &SERIES));
        wanted.extend(numbered("hw", 1, &WORSE));
        wanted.extend(numbered("hb", 1, &BETTER));
        wanted.extend(numbered("q", 1, &HEAT));
        let inks = [Ink::TEXT, Ink::SOFT, Ink::AXIS, Ink::GRID];
        wanted.extend(inks.map(|ink| (ink.class.to_owned(), ink.colour)));
        for (name, colour) in wanted {
            assert!(
                STYLE.contains(&format!("--{name}: {colour};")),
                "light {name}"
            );
            assert_eq!(
                STYLE.matches(&format!("--{name}: ")).count(),
                2,
                "dark {name}"
            );
            assert!(STYLE.contains(&format!("var(--{name})")), "use of {name}");
        }
    }

    #[test]
    fn source_reads_on_every_heat_in_light_and_dark() {
        // WCAG 2: 4.5 between text and what is behind it.
        let values = |name: &str| -> Vec<f64> {
            let start = format!("--{name}: #");
            let found = STYLE.match_indices(&start).map(|(at, _)| at + start.len());
            found.map(|at| luminance(&STYLE[at..at + 6])).collect()
        };
        for step in 1..=crate::source::STEPS {
            let behind = values(&format!("q{step}"));
            assert_eq!(behind.len(), 2, "a light and a dark q{step}");
            for name in ["text", "sc", "st", "sk", "sn"] {
                for (text, behind) in values(name).iter().zip(&behind) {
                    let (a, b) = (text.max(*behind) + 0.05, text.min(*behind) + 0.05);
                    assert!(a / b >= 4.5, "{name} on q{step}: {}", a / b);
                }
            }
        }
    }

    fn luminance(hex: &str) -> f64 {
        let part = |i: usize| {
            let value = f64::from(u8::from_str_radix(&hex[i..i + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4)
    }

    #[test]
    fn nothing_is_loaded_from_elsewhere() {
        let html = Page::new("x").html();
        for word in ["src=", "@import", "url(", "href=\"http", " style="] {
            assert!(!html.contains(word), "{word}");
        }
    }

    #[test]
    fn numbers_sort_by_value_and_missing_ones_have_none() {
        let table = Table::new("t", vec![Column::number("v").best(Best::Lowest)])
            .row(vec![Cell::number(0.5, "50 %")])
            .row(vec![Cell::decimals(f64::NAN, 2)])
            .row(vec![Cell::number(f64::INFINITY, "∞")]);
        let html = Page::new("x").table(table).html();
        assert!(html.contains("data-first=\"ascending\""));
        assert!(html.contains("<td class=\"number\" data-v=\"5e-1\"><strong>50 %</strong></td>"));
        assert!(html.contains("<td class=\"number\">–</td>"));
        assert!(html.contains("data-v=\"Infinity\""));
    }
}
