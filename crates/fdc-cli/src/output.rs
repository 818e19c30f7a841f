//! Putting results out: to the terminal, a pipe or a file; whole or not at all.

use std::borrow::Cow;
use std::io::IsTerminal as _;
use std::path::Path;

use comfy_table::{CellAlignment, ContentArrangement, Table};
use fdc::FailureKind;
use fdc_case::FileError;
use fdc_draw::text::spelled;
pub use fdc_draw::text::{printable, printable_name, quantity as rank_text};

use crate::exit::Problem;

/// Prints text with ANSI styles (dropped where they do not belong), or writes it plain to a file.
pub fn put(text: &str, out: Option<&Path>) -> Result<(), Problem> {
    match out {
        Some(path) => {
            let plain = anstream::adapter::strip_str(text).to_string();
            Ok(fdc_case::write_whole(path, |file| {
                file.write_all(plain.as_bytes())
            })?)
        }
        None => write_out(&mut anstream::stdout().lock(), text),
    }
}

fn write_out(stdout: &mut impl std::io::Write, text: &str) -> Result<(), Problem> {
    let written = stdout.write_all(text.as_bytes());
    match written.and_then(|()| stdout.flush()) {
        // A reader that has seen enough (`| head`) is no error.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(FileError::io(Path::new("standard output"), "write it")(error).into())
        }
        _ => Ok(()),
    }
}

/// Prints or writes JSON, with a line end.
pub fn put_json(value: &impl serde::Serialize, out: Option<&Path>) -> Result<(), Problem> {
    let bug = |error| Problem::new(FailureKind::Bug, format!("cannot write JSON: {error}"));
    let mut text = serde_json::to_string_pretty(value).map_err(bug)?;
    text.push('\n');
    put(&harmless_json(&text), out)
}

/// JSON without a character that a terminal acts upon, and with the same meaning.
pub fn harmless_json(text: &str) -> Cow<'_, str> {
    // Hostile characters stand inside strings only, where JSON can spell them out.
    spelled(text, |c| format!("\\u{:04x}", u32::from(c)))
}

/// Prints or writes data as it is; on a terminal hostile characters are shown instead.
pub fn put_data(text: &str, out: Option<&Path>) -> Result<(), Problem> {
    if let Some(path) = out {
        let write = |file: &mut dyn std::io::Write| file.write_all(text.as_bytes());
        return Ok(fdc_case::write_whole(path, write)?);
    }
    let stdout = std::io::stdout();
    let text = if stdout.is_terminal() {
        printable(text)
    } else {
        Cow::Borrowed(text)
    };
    write_out(&mut stdout.lock(), &text)
}

/// A note beside the result, to standard error.
pub fn note(quiet: bool, text: &str) {
    if !quiet {
        anstream::eprintln!("{}", printable(text));
    }
}

/// What to know beside the result, to standard error.
pub fn notes(quiet: bool, notes: &[String]) {
    for text in notes {
        note(quiet, &format!("note: {text}"));
    }
}

/// The command line as it was typed, for pages that say how they were made.
pub fn own_command() -> String {
    let arguments = std::env::args_os().skip(1);
    arguments.fold("fdc".to_owned(), |command, argument| {
        command + " " + &argument.to_string_lossy()
    })
}

/// A plain table: columns side by side, numbers to the right.
pub struct Columns {
    table: Table,
}

impl Columns {
    /// With these headings; those that start with `>` are aligned to the right.
    pub fn new(headings: &[&str]) -> Self {
        let mut table = Table::new();
        table.load_preset(comfy_table::presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(
            headings
                .iter()
                .map(|heading| heading.trim_start_matches('>')),
        );
        for (index, heading) in headings.iter().enumerate() {
            let column = table.column_mut(index).expect("as many as headings");
            column.set_padding((0, 2));
            if heading.starts_with('>') {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        Columns { table }
    }

    /// Adds a line.
    pub fn line(&mut self, cells: impl IntoIterator<Item = String>) {
        self.table.add_row(cells);
    }

    /// The table as text, no blanks at line ends.
    pub fn text(&self) -> String {
        let lines = self.table.lines();
        lines.fold(String::new(), |text, line| text + line.trim_end() + "\n")
    }
}

/// A score in JSON: a number, or "inf", "-inf" which JSON has no number for.
pub fn score_json(score: f64) -> serde_json::Value {
    if score.is_finite() {
        serde_json::Value::from(score)
    } else {
        serde_json::Value::from(score.to_string())
    }
}
