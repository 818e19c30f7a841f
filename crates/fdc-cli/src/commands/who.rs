//! `fdc who`: the tests that run a line, a range, a file or a method.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fdc::who::{WhoReply, WhoRequest, who};
use fdc_draw::text::counted;
use serde::Serialize;

use crate::exit::{Exit, Result};
use crate::output::{Columns, note, notes, put, put_json, shown_name};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WhoFormat {
    /// For people
    Table,
    /// For programs (schemas/who.schema.json)
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct WhoArguments {
    /// FILE:LINE, FILE:FIRST-LAST, a file, or a method; the end of a name will do
    #[arg(value_name = "PLACE")]
    pub place: String,
    /// The case file
    #[arg(value_name = "CASE", default_value = "case.fdc")]
    pub case: PathBuf,
    /// Root folder of the project that was measured (default: where the case was collected, else the
    /// current folder)
    #[arg(long, value_name = "FOLDER")]
    pub source: Option<PathBuf>,
    /// How to print
    #[arg(long, default_value = "table")]
    pub format: WhoFormat,
}

#[derive(Serialize)]
struct Document<'r> {
    schema: u32,
    #[serde(flatten)]
    reply: &'r WhoReply,
}

pub(crate) fn run(arguments: &WhoArguments, quiet: bool) -> Result<Exit> {
    let reply = who(&WhoRequest {
        case: arguments.case.clone(),
        place: arguments.place.clone(),
        source: arguments.source.clone(),
    })?;
    notes(quiet, &reply.notes);
    match arguments.format {
        WhoFormat::Json => {
            let document = Document {
                schema: 1,
                reply: &reply,
            };
            put_json(&document, None)?;
        }
        WhoFormat::Table => {
            if !reply.tests.is_empty() {
                put(&table(&reply), None)?;
            }
            note(quiet, &summary(&reply));
        }
    }
    Ok(Exit::Done)
}

fn table(reply: &WhoReply) -> String {
    let mut columns = Columns::new(&["outcome", ">lines", "test"]);
    for test in &reply.tests {
        columns.line([
            test.outcome.unwrap_or("unknown").to_owned(),
            test.lines.to_string(),
            shown_name(&test.name),
        ]);
    }
    columns.text()
}

fn summary(reply: &WhoReply) -> String {
    let place = shown_name(&reply.place);
    match (reply.lines, reply.tests.len()) {
        (0, _) => format!("{place}: no line there was measured, so no test is known to run it"),
        (_, 0) => format!("{place}: no test runs it"),
        (lines, tests) => format!(
            "{place}: {tests} of {} run it ({} measured)",
            counted(reply.all as u64, "test"),
            counted(lines as u64, "line"),
        ),
    }
}
