//! A piece of HTML in somebody else's page, such as the output of a notebook's cell. It brings no
//! style sheet, no script, no id and no link: what it looks like stands on its own elements, so that
//! nothing around it changes. Where a reader strips looks off, tables and text remain.

use crate::highlight::Syntax;
use crate::page::Page;
use crate::palette::HEAT;
use crate::source::{MARKS, STEPS, SourceLine, SourceListing, coloured};
use crate::table::{Cell, ColumnKind, Table};
use crate::{Svg, escape};

/// A fragment under construction.
///
/// ```
/// use fdc_draw::{Cell, Column, Fragment, Table};
/// let table = Table::new("Results", vec![Column::text("metric"), Column::number("mAP")])
///     .row(vec![Cell::text("rlfdc"), Cell::decimals(0.412, 3)]);
/// let html = Fragment::default().paragraph("After ten tests.").table(&table).html();
/// assert!(html.starts_with("<div ") && !html.contains("<style"));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fragment {
    body: String,
}

/// Dark on white, whatever is around it: a notebook may be dark.
const OUTER: &str =
    "background:#ffffff;color:#1a1a1a;padding:0.5em 0.75em;overflow-x:auto;font-size:13px";
const SOFT: &str = "color:#555555";
const CAPTION: &str = "caption-side:top;text-align:left;color:#555555;padding:0 0 0.3em";
const TABLE: &str = "border-collapse:collapse;border:0;margin:0.5em 0;color:#1a1a1a;font-size:13px";
const HEAD: &str = "border-bottom:1px solid #444444;padding:0.15em 0.6em;background:#ffffff;";
const CELL: &str = "border-bottom:1px solid #e3e3e3;padding:0.15em 0.6em;vertical-align:top;";
const CODE: &str = "padding:0 0.6em;border:0;white-space:pre;font-family:monospace;text-align:";

impl Fragment {
    /// Adds a paragraph of plain text.
    pub fn paragraph(self, text: impl AsRef<str>) -> Self {
        let text = escape::xml(text.as_ref());
        self.with(&format!("<p style=\"margin:0.3em 0\">{text}</p>\n"))
    }

    /// Adds a paragraph of less weight.
    pub fn remark(self, text: impl AsRef<str>) -> Self {
        let text = escape::xml(text.as_ref());
        self.with(&format!("<p style=\"margin:0.3em 0;{SOFT}\">{text}</p>\n"))
    }

    /// Adds a table.
    pub fn table(mut self, table: &Table) -> Self {
        let widths: Vec<&str> = (0..table.columns.len())
            .map(|column| width(table, column))
            .collect();
        let out = &mut self.body;
        *out += &format!("<table style=\"{TABLE}\">\n");
        if !table.caption.is_empty() {
            let caption = escape::xml(&table.caption);
            *out += &format!("<caption style=\"{CAPTION}\">{caption}</caption>\n");
        }
        out.push_str("<thead><tr>");
        for column in &table.columns {
            let (name, align) = (escape::xml(&column.name), align(column.kind));
            *out += &format!("<th scope=\"col\" style=\"{HEAD}{align}\">{name}</th>");
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for (r, row) in table.rows.iter().enumerate() {
            out.push_str("<tr>");
            for (c, column) in table.columns.iter().enumerate() {
                let mut text = escape::xml(row.get(c).map_or("", Cell::shown));
                if table.is_best(r, c) {
                    text = format!("<strong>{text}</strong>");
                }
                let (align, width) = (align(column.kind), widths[c]);
                *out +=
                    &format!("<td style=\"{CELL}background:#ffffff;{align}{width}\">{text}</td>");
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody>\n</table>\n");
        self
    }

    /// Adds source with the heat of its lines.
    pub fn listing(mut self, listing: &SourceListing) -> Self {
        let path = escape::xml(&listing.path);
        let out = &mut self.body;
        *out +=
            &format!("<table style=\"{TABLE}\">\n<caption style=\"{CAPTION}\">{path}</caption>\n");
        for stretch in &listing.stretches {
            out.push_str("<tbody>\n");
            stretch.lines.iter().for_each(|line| write_line(out, line));
            out.push_str("</tbody>\n");
        }
        out.push_str("</table>\n");
        listing.notes.iter().fold(self, Self::remark)
    }

    /// Adds a picture.
    pub fn figure(self, svg: &Svg, caption: impl AsRef<str>) -> Self {
        let svg = svg.element();
        self.with(&format!("<div>{svg}</div>\n")).remark(caption)
    }

    /// The fragment.
    pub fn html(&self) -> String {
        let body = &self.body;
        format!("<div style=\"{OUTER}\">\n{body}</div>\n")
    }

    fn with(mut self, block: &str) -> Self {
        self.body += block;
        self
    }
}

impl Page {
    /// The whole page in a frame of its own, `height` CSS pixels high. Its script runs, and reaches
    /// nothing outside the frame.
    pub fn framed(html: &str, height: u32) -> String {
        // Or links to places on the page would lead to the page around it. Before the page's policy,
        // which would forbid it.
        let based = html.replacen("<head>", "<head>\n<base href=\"about:srcdoc\">", 1);
        let based = based.replace('&', "&amp;").replace('"', "&quot;");
        format!(
            "<iframe sandbox=\"allow-scripts\" style=\"width:100%;height:{height}px;border:1px solid #d4d4d4\" srcdoc=\"{based}\"></iframe>\n"
        )
    }
}

fn align(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Text => "text-align:left;white-space:normal",
        ColumnKind::Number => "text-align:right;white-space:nowrap",
    }
}

/// Sentences keep a width to be read in, and names are broken before they take it.
fn width(table: &Table, column: usize) -> &'static str {
    let cells = table.rows.iter().filter_map(|row| row.get(column));
    let longest = cells.map(|cell| cell.shown().chars().count()).max();
    let has_words = |row: &Vec<Cell>| {
        row.get(column)
            .is_some_and(|cell| cell.shown().contains(' '))
    };
    match longest {
        Some(60..) if table.rows.iter().any(has_words) => ";min-width:20em",
        Some(20..) => ";min-width:13em;overflow-wrap:anywhere",
        _ => "",
    }
}

fn write_line(out: &mut String, line: &SourceLine) {
    for heading in &line.headings {
        let heading = escape::xml(heading);
        *out += &format!(
            "<tr><th scope=\"rowgroup\" colspan=\"3\" style=\"{HEAD}text-align:left\">{heading}</th></tr>\n"
        );
    }
    let (shade, score, words) = match &line.mark {
        None => ("#ffffff", String::new(), String::new()),
        Some(mark) => {
            let step = mark.step.min(STEPS);
            let shade = if step == 0 { "#ffffff" } else { HEAT[step - 1] };
            let title = format!(" title=\"{}\"", escape::xml(&mark.words));
            (shade, format!("{:.3} {}", mark.score, MARKS[step]), title)
        }
    };
    let text = coloured(line, |kind| match kind {
        Syntax::Plain => "",
        Syntax::Comment => "style=\"color:#333333;font-style:italic\"",
        Syntax::Text => "style=\"color:#701c00\"",
        Syntax::Keyword => "style=\"color:#083672\"",
        Syntax::Number => "style=\"color:#56196a\"",
    });
    let number = line.number;
    let cell = |align: &str| format!("style=\"background:{shade};{CODE}{align}\"");
    let (right, left) = (cell("right"), cell("left"));
    *out += &format!(
        "<tr{words}><td {right}>{number}</td><td {right}>{score}</td><td {left}>{text}</td></tr>\n"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{LineMark, Stretch};
    use crate::{Best, Column};

    fn listing() -> SourceListing {
        let line = |number, text: &str, mark: Option<usize>| SourceLine {
            number,
            text: text.to_owned(),
            mark: mark.map(|step| LineMark {
                score: 0.5,
                step,
                words: "run by \"it\"".to_owned(),
            }),
            ..SourceLine::default()
        };
        let lines = vec![line(3, "if a < b:", Some(6)), line(4, "", None)];
        SourceListing {
            id: "file-1".to_owned(),
            path: "a&b.py".to_owned(),
            notes: vec!["it changed".to_owned()],
            stretches: vec![Stretch { lines }],
        }
    }

    #[test]
    fn a_fragment_brings_nothing_that_reaches_beyond_it() {
        let columns = vec![
            Column::text("me<th>od"),
            Column::number("p").best(Best::Highest),
        ];
        let table = Table::new("a \"caption\"", columns)
            .row(vec![
                Cell::text("<script>").link("file-1-3"),
                Cell::decimals(0.5, 1),
            ])
            .row(vec![Cell::text("b"), Cell::decimals(0.25, 1)]);
        let fragment = Fragment::default().paragraph("a < b").remark("and so on");
        let html = fragment.table(&table).listing(&listing()).html();
        for foreign in ["<script", "<style", " id=", " class=", "href", "<a "] {
            assert!(!html.contains(foreign), "{foreign} in {html}");
        }
        assert!(html.contains("<strong>0.5</strong>") && html.contains("&lt;script&gt;"));
        assert!(
            html.contains("if a &lt; b:") && html.contains("0.500 █"),
            "{html}"
        );
        assert!(html.contains("title=\"run by &quot;it&quot;\"") && html.contains("it changed"));
        for element in ["div", "table", "tr", "td", "th", "p", "tbody"] {
            let [opened, closed] = [format!("<{element}"), format!("</{element}>")];
            let opened = [' ', '>'].map(|end| html.matches(&format!("{opened}{end}")).count());
            assert_eq!(opened.iter().sum::<usize>(), html.matches(&closed).count());
        }
    }

    #[test]
    fn a_framed_page_stays_in_its_frame() {
        let page = Page::new("a \"title\" & more").paragraph("b").html();
        let framed = Page::framed(&page, 300);
        assert_eq!(framed.matches('"').count(), 6, "three attributes");
        assert!(framed.contains("sandbox=\"allow-scripts\"") && framed.contains("height:300px"));
        let base = framed.find("about:srcdoc").unwrap();
        assert!(base < framed.find("Content-Security-Policy").unwrap());
        let inner = framed.split("srcdoc=\"").nth(1).unwrap();
        let inner = inner.strip_suffix("\"></iframe>\n").unwrap();
        let inner = inner.replace("&quot;", "\"").replace("&amp;", "&");
        let without = inner.replacen("\n<base href=\"about:srcdoc\">", "", 1);
        assert_eq!(without, page);
    }
}
