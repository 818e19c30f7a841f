//! A study's tables: on a terminal, and as files.

use std::path::Path;

use fdc_case::FileError;
use fdc_draw::{Cell, Column, ColumnKind, Table};
use fdc_study::study::pools::QUICK;
use fdc_study::study::{Sheet, Study};

use crate::exit::Result;
use crate::output::{Columns, printable, put};

/// A study's tables, ready to be shown.
pub(super) struct Sheets<'a> {
    /// Whose.
    pub study: &'a Study,
    /// The tables.
    pub sheets: &'a [Sheet],
    /// Whether most bugs were left out.
    pub quick: bool,
}

impl Sheets<'_> {
    pub(crate) fn terminal(&self) -> String {
        let mut text = format!("{}\n{}\n\n", self.study.title, self.study.about.trim());
        for sheet in self.sheets {
            for note in self.notes(sheet) {
                text += &format!("{note}\n");
            }
            text += "\n";
            // The last article table of several repeats the data in a width few terminals have.
            for table in sheet.article.iter().take(1) {
                text += &table_text(table);
            }
            if sheet.article.len() > 1 {
                text += &table_text(&sheet.data);
            }
        }
        text += &format!("The paper's figures: {}.\n", self.study.source);
        printable(&text).into_owned()
    }

    /// Writes table.md, table.tex and table.csv.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let mut markdown = format!("# {}\n\n{}\n", self.study.title, self.study.about.trim());
        let mut latex = format!("% {}\n", self.study.title);
        let mut csv = String::new();
        for sheet in self.sheets {
            for note in self.notes(sheet) {
                markdown += &format!("\n{note}\n");
                latex += &format!("% {note}\n");
            }
            for table in &sheet.article {
                markdown += &format!("\n{}", table.markdown());
                latex += &table.latex();
            }
            csv += &titled(&sheet.data).csv();
        }
        markdown += &format!("\nThe paper's figures: {}.\n", self.study.source);
        let files = [
            ("table.md", markdown),
            ("table.tex", latex),
            ("table.csv", csv),
        ];
        std::fs::create_dir_all(folder).map_err(FileError::io(folder, "make the folder"))?;
        for (name, text) in files {
            put(&text, Some(&folder.join(name)))?;
        }
        Ok(())
    }

    fn notes(&self, sheet: &Sheet) -> Vec<String> {
        let mut notes = sheet.notes.clone();
        if self.quick {
            notes.push(format!(
                "Quick: one bug in {QUICK} only; not for comparison."
            ));
        }
        notes
    }
}

/// The caption, and the columns side by side.
fn table_text(table: &Table) -> String {
    let head = |column: &Column| match column.kind {
        ColumnKind::Number => format!(">{}", column.name),
        ColumnKind::Text => column.name.clone(),
    };
    let heads: Vec<String> = table.columns.iter().map(head).collect();
    let mut columns = Columns::new(&heads);
    for row in &table.rows {
        columns.line(row.iter().map(|cell| cell.shown().to_owned()));
    }
    format!("{}\n{}\n", table.caption, columns.text())
}

/// With the caption as the first column: CSV has no captions, and a file may hold several tables.
fn titled(table: &Table) -> Table {
    let mut titled = table.clone();
    titled.columns.insert(0, Column::text("table"));
    for row in &mut titled.rows {
        row.insert(0, Cell::text(&*table.caption));
    }
    titled
}
