//! Putting results out: to the terminal, a pipe or a file; whole or not at all.

use std::borrow::Cow;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use comfy_table::{CellAlignment, ContentArrangement, Table};
use fdc::FailureKind;
use fdc_case::FileError;
use fdc_draw::text::{cut, spelled};
pub(crate) use fdc_draw::text::{printable, printable_name, quantity as rank_text};

use crate::exit::{Failure, Result};

/// Prints text with ANSI styles (dropped where they do not belong), or writes it plain to a file.
pub(crate) fn put(text: &str, out: Option<&Path>) -> Result<()> {
    match out {
        Some(path) => write(path, anstream::adapter::strip_str(text).to_string()),
        None => write_out(&mut anstream::stdout().lock(), text),
    }
}

/// Writes a file, whole or not at all.
pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    Ok(fdc_case::write_whole(path, |file| {
        file.write_all(bytes.as_ref())
    })?)
}

fn write_out(stdout: &mut impl std::io::Write, text: &str) -> Result<()> {
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
pub(crate) fn put_json(value: &impl serde::Serialize, out: Option<&Path>) -> Result<()> {
    let bug = |error| Failure::new(FailureKind::Bug, format!("cannot write JSON: {error}"));
    let mut text = serde_json::to_string_pretty(value).map_err(bug)?;
    text.push('\n');
    put(&harmless_json(&text), out)
}

/// JSON without a character that a terminal acts upon, and with the same meaning.
pub(crate) fn harmless_json(text: &str) -> Cow<'_, str> {
    // Hostile characters stand inside strings only, where JSON can spell them out.
    spelled(text, |c| format!("\\u{:04x}", u32::from(c)))
}

/// Prints or writes data as it is; on a terminal hostile characters are shown instead.
pub(crate) fn put_data(text: &str, out: Option<&Path>) -> Result<()> {
    let stdout = std::io::stdout();
    match out {
        Some(path) => write(path, text),
        None if stdout.is_terminal() => write_out(&mut stdout.lock(), &printable(text)),
        None => write_out(&mut stdout.lock(), text),
    }
}

/// A note beside the result, to standard error.
pub(crate) fn note(quiet: bool, text: &str) {
    if !quiet {
        say(&printable(text));
    }
}

/// A line to standard error, which may be gone or full: that is no reason to panic.
pub(crate) fn say(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// What to know beside the result, to standard error.
pub(crate) fn notes(quiet: bool, notes: &[String]) {
    for text in notes {
        note(quiet, &format!("note: {text}"));
    }
}

/// Columns that a name takes at the most: one that is longer would push all else out of sight.
const WIDEST: usize = 160;

/// A name for a person, on one line; JSON and CSV have all of it.
pub(crate) fn shown_name(name: &str) -> String {
    cut(&printable_name(name), WIDEST)
}

/// A plain table: columns side by side, numbers to the right.
pub(crate) struct Columns {
    table: Table,
}

impl Columns {
    /// With these headings; those that start with `>` are aligned to the right.
    pub(crate) fn new<S: AsRef<str>>(headings: &[S]) -> Self {
        let headings = headings.iter().map(AsRef::as_ref);
        let mut table = Table::new();
        table.load_preset(comfy_table::presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Disabled);
        let names = headings.clone();
        table.set_header(names.map(|heading: &str| heading.trim_start_matches('>')));
        for (index, heading) in headings.enumerate() {
            let column = table.column_mut(index).expect("as many as headings");
            column.set_padding((0, 2));
            if heading.starts_with('>') {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        Columns { table }
    }

    pub(crate) fn line(&mut self, cells: impl IntoIterator<Item = String>) {
        self.table.add_row(cells);
    }

    /// The table as text, no blanks at line ends.
    pub(crate) fn text(&self) -> String {
        let lines = self.table.lines();
        lines.fold(String::new(), |text, line| text + line.trim_end() + "\n")
    }
}

/// A score in JSON: a number, or "inf", "-inf" which JSON has no number for.
pub(crate) fn score_json(score: f64) -> serde_json::Value {
    match score.is_finite() {
        true => score.into(),
        false => score.to_string().into(),
    }
}
