//! `fdc affected`: the tests that a change affects, for the tool that runs them.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use fdc::affected::{AffectedReply, AffectedRequest, TestTool, affected};
use fdc_core::named::Named as _;
use fdc_draw::text::counted;
use serde::Serialize;

use crate::exit::{Exit, Result};
use crate::output::{note, notes, put_data, put_json, shown_name};

/// How tests are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AffectedFormat {
    /// For a tool.
    Tool(TestTool),
    /// For programs, with reasons.
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct AffectedArguments {
    /// The case file
    #[arg(value_name = "CASE", default_value = "case.fdc")]
    pub case: PathBuf,
    /// Count what changed since this Git revision, too [default: only what changed since the case was
    /// measured]
    #[arg(long, value_name = "REV")]
    pub since: Option<String>,
    /// Root folder of the project (default: where the case was collected, else the current folder)
    #[arg(long, value_name = "FOLDER")]
    pub source: Option<PathBuf>,
    /// Leave out tests that are only listed because a changed file, such as a build file, may concern
    /// any test
    #[arg(long)]
    pub only_covered: bool,
    /// For which tool to print [default: the one that runs the project's tests]
    #[arg(long, value_name = "FORMAT", value_parser = format())]
    pub format: Option<AffectedFormat>,
    /// Write to this file instead of the terminal
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

const JSON: &str = "json";

fn format() -> impl TypedValueParser<Value = AffectedFormat> {
    let tools = TestTool::TABLE.iter();
    let tools = tools.map(|(_, name, summary)| PossibleValue::new(*name).help(*summary));
    let json = PossibleValue::new(JSON);
    let json = json.help("For programs, with reasons (schemas/affected.schema.json)");
    PossibleValuesParser::new(tools.chain([json])).map(|name| {
        let tool = TestTool::named(&name).map(AffectedFormat::Tool);
        tool.unwrap_or(AffectedFormat::Json)
    })
}

#[derive(Serialize)]
struct Document<'r> {
    schema: u32,
    #[serde(flatten)]
    reply: &'r AffectedReply,
}

pub(crate) fn run(arguments: &AffectedArguments, quiet: bool) -> Result<Exit> {
    let reply = affected(&AffectedRequest {
        case: arguments.case.clone(),
        since: arguments.since.clone(),
        source: arguments.source.clone(),
        only_covered: arguments.only_covered,
    })?;
    notes(quiet, &reply.notes);
    let out = arguments.out.as_deref();
    let format = arguments.format;
    match format.unwrap_or(AffectedFormat::Tool(reply.own_tool())) {
        AffectedFormat::Json => {
            let document = Document {
                schema: 1,
                reply: &reply,
            };
            put_json(&document, out)?;
        }
        AffectedFormat::Tool(tool) => put_data(&reply.for_tool(tool), out)?,
    }
    note(quiet, &summary(&reply, arguments.only_covered));
    Ok(Exit::Done)
}

/// Entries of a list that are shown.
const SHOWN: usize = 10;

fn summary(reply: &AffectedReply, only_covered: bool) -> String {
    let mut text = format!(
        "{} of {} affected by {} changed since {}\n",
        reply.tests.len(),
        counted(reply.all as u64, "test"),
        counted(reply.changed_files as u64, "file"),
        reply.since,
    );
    let any: Vec<String> = reply.any_test.clone();
    match only_covered {
        true => list(&mut text, "may concern any test, and left out", &any),
        false => list(&mut text, "may concern any test, so all are listed", &any),
    }
    let new = reply.functions.iter().filter(|own| own.is_new);
    let new = new.map(|own| match &own.function {
        Some(function) => format!("{}::{function}", own.file),
        None => own.file.clone(),
    });
    list(
        &mut text,
        "new tests that the case does not know",
        &new.collect::<Vec<_>>(),
    );
    list(&mut text, "gone since", &reply.gone);
    let unrun = reply.not_run.iter();
    let unrun =
        unrun.map(|own| format!("{}:{}-{} {}", own.file, own.first, own.last, own.function));
    list(
        &mut text,
        "changed, and run by no test",
        &unrun.collect::<Vec<_>>(),
    );
    list(
        &mut text,
        "changed, and taken to concern no test",
        &reply.unseen,
    );
    text.truncate(text.trim_end().len());
    text
}

fn list(text: &mut String, what: &str, names: &[String]) {
    if names.is_empty() {
        return;
    }
    *text += &format!("{what}:\n");
    for name in names.iter().take(SHOWN) {
        *text += &format!("  {}\n", shown_name(name));
    }
    if names.len() > SHOWN {
        *text += &format!("  and {} more\n", names.len() - SHOWN);
    }
}
