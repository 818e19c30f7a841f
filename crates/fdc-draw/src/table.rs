//! A table, once built, in every format: HTML (see [`crate::Page`]), Markdown, CSV, LaTeX.

use crate::escape;

/// A table with a caption.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// What the table shows; may be empty.
    pub caption: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows. Cells beyond the columns are not shown; missing ones are empty.
    pub rows: Vec<Vec<Cell>>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Column {
    /// The heading.
    pub name: String,
    /// Texts or numbers: decides alignment and how a page sorts.
    pub kind: ColumnKind,
    /// Which values are best: they are set in bold, and sorting shows them first.
    pub best: Option<Best>,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColumnKind {
    /// Texts, at the left.
    #[default]
    Text,
    /// Numbers, at the right.
    Number,
}

/// Direction of a measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Best {
    /// Large values are good.
    Highest,
    /// Small values are good.
    Lowest,
}

/// A cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cell {
    value: Option<f64>,
    text: String,
    pub(crate) anchor: Option<String>,
}

impl Table {
    /// A table without rows.
    pub fn new(caption: impl Into<String>, columns: Vec<Column>) -> Self {
        Table {
            caption: caption.into(),
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(mut self, cells: Vec<Cell>) -> Self {
        self.rows.push(cells);
        self
    }

    /// A GitHub-flavoured Markdown table; the caption, if any, in bold above it.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        if !self.caption.is_empty() {
            out.push_str(&format!("**{}**\n\n", escape::markdown(&self.caption)));
        }
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        out.push_str(&line(self.heads(escape::markdown)));
        let rules = self.columns.iter().map(|column| match column.kind {
            ColumnKind::Text => ":---".to_owned(),
            ColumnKind::Number => "---:".to_owned(),
        });
        out.push_str(&line(rules.collect()));
        let bold = |text: &str| format!("**{}**", escape::markdown(text));
        for row in self.cells(escape::markdown, bold) {
            out.push_str(&line(row));
        }
        out
    }

    /// CSV with a heading line and `\n` line ends: the texts as shown; no bold, no caption.
    pub fn csv(&self) -> String {
        let mut out = String::new();
        let mut line = |cells: Vec<String>| {
            // A lone empty field would be a blank line, which readers skip.
            if cells.len() == 1 && cells[0].is_empty() {
                out.push_str("\"\"");
            }
            out.push_str(&cells.join(","));
            out.push('\n');
        };
        line(self.heads(escape::csv));
        for row in self.cells(escape::csv, escape::csv) {
            line(row);
        }
        out
    }

    /// A LaTeX `table` in the style of booktabs (`\usepackage{booktabs}`).
    pub fn latex(&self) -> String {
        let align = self.columns.iter().map(|column| match column.kind {
            ColumnKind::Text => 'l',
            ColumnKind::Number => 'r',
        });
        let align: String = align.collect();
        let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
        let mut out = String::from("\\begin{table}\n\\centering\n");
        if !self.caption.is_empty() {
            out.push_str(&format!("\\caption{{{}}}\n", escape::latex(&self.caption)));
        }
        out.push_str(&format!("\\begin{{tabular}}{{{align}}}\n\\toprule\n"));
        out.push_str(&line(self.heads(escape::latex)));
        out.push_str("\\midrule\n");
        let bold = |text: &str| format!("\\textbf{{{}}}", escape::latex(text));
        for row in self.cells(escape::latex, bold) {
            out.push_str(&line(row));
        }
        out.push_str("\\bottomrule\n\\end{tabular}\n\\end{table}\n");
        out
    }

    /// Whether the cell is among the best of its column, and so set in bold. Equal texts count as
    /// equal values: 0.41 is not better than 0.41.
    pub(crate) fn is_best(&self, row: usize, column: usize) -> bool {
        let cell = self.rows[row].get(column);
        let value = cell.and_then(Cell::value);
        let (Some(cell), Some(value), Some(best)) = (cell, value, self.columns[column].best) else {
            return false;
        };
        let better = |other: f64| match best {
            Best::Highest => other > value,
            Best::Lowest => other < value,
        };
        let mut cells = self.rows.iter().filter_map(|row| row.get(column));
        self.rows.len() > 1
            && cells.all(|other| other.text == cell.text || !other.value.is_some_and(better))
    }

    fn heads(&self, escape: impl Fn(&str) -> String) -> Vec<String> {
        self.columns.iter().map(|c| escape(&c.name)).collect()
    }

    fn cells<'a>(
        &'a self,
        plain: impl Fn(&str) -> String + 'a,
        bold: impl Fn(&str) -> String + 'a,
    ) -> impl Iterator<Item = Vec<String>> + 'a {
        self.rows.iter().enumerate().map(move |(r, row)| {
            let cell = |c| {
                let text = row.get(c).map_or("", Cell::shown);
                let best = self.is_best(r, c) && !text.trim().is_empty();
                if best { bold(text) } else { plain(text) }
            };
            (0..self.columns.len()).map(cell).collect()
        })
    }
}

impl Column {
    /// A column of texts.
    pub fn text(name: impl Into<String>) -> Self {
        Column {
            name: name.into(),
            ..Column::default()
        }
    }

    /// A column of numbers.
    pub fn number(name: impl Into<String>) -> Self {
        Column {
            kind: ColumnKind::Number,
            ..Column::text(name)
        }
    }

    /// Marks the best values.
    pub fn best(mut self, best: Best) -> Self {
        self.best = Some(best);
        self
    }
}

impl Cell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Cell {
            text: text.into(),
            ..Cell::default()
        }
    }

    /// A number and how it is shown; sorting uses the number. NaN sorts last.
    pub fn number(value: f64, text: impl Into<String>) -> Self {
        Cell {
            value: Some(value),
            ..Cell::text(text)
        }
    }

    /// A number shown with so many decimals; `–` for NaN.
    pub fn decimals(value: f64, decimals: usize) -> Self {
        match value.is_nan() {
            true => Cell::number(value, "–"),
            false => Cell::number(value, format!("{value:.decimals$}")),
        }
    }

    /// On a page, a link to the place of that name on it (`#` left out).
    pub fn link(mut self, anchor: impl Into<String>) -> Self {
        self.anchor = Some(anchor.into());
        self
    }

    /// The text shown, unescaped.
    pub fn shown(&self) -> &str {
        &self.text
    }

    /// The number to sort by, if it is one.
    pub fn value(&self) -> Option<f64> {
        self.value.filter(|value| !value.is_nan())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        Table::new(
            "acc & mAP",
            vec![
                Column::text("metric"),
                Column::number("mAP").best(Best::Highest),
                Column::number("rank").best(Best::Lowest),
            ],
        )
        .row(vec![
            Cell::text("fdg|x_1"),
            Cell::decimals(0.41234, 2),
            Cell::decimals(2.5, 1),
        ])
        .row(vec![
            Cell::text("rl,fdc"),
            Cell::decimals(0.41000, 2),
            Cell::decimals(f64::NAN, 1),
        ])
        .row(vec![Cell::text("short row")])
    }

    #[test]
    fn markdown_marks_the_best_and_equal_texts() {
        assert_eq!(
            sample().markdown(),
            "**acc &amp; mAP**\n\n\
             | metric | mAP | rank |\n| :--- | ---: | ---: |\n\
             | fdg\\|x\\_1 | **0.41** | **2.5** |\n\
             | rl,fdc | **0.41** | – |\n\
             | short row |  |  |\n"
        );
    }

    #[test]
    fn csv_is_plain_data() {
        assert_eq!(
            sample().csv(),
            "metric,mAP,rank\nfdg|x_1,0.41,2.5\n\"rl,fdc\",0.41,–\nshort row,,\n"
        );
    }

    #[test]
    fn latex_uses_booktabs_rules() {
        let latex = sample().latex();
        assert!(latex.contains("\\caption{acc \\& mAP}"), "{latex}");
        assert!(
            latex.contains("\\begin{tabular}{lrr}\n\\toprule\nmetric & mAP & rank \\\\\n\\midrule")
        );
        assert!(latex.contains("fdg\\textbar{}x\\_1 & \\textbf{0.41} & \\textbf{2.5} \\\\"));
        assert!(latex.ends_with("\\bottomrule\n\\end{tabular}\n\\end{table}\n"));
    }
}
