//! `fdc report`: a labelled case as it stands, in one file.

use std::path::{Path, PathBuf};

use clap::Args;
use fdc::report::{Permalinks, ReportDocument, ReportFormat, ReportRequest, report};
use fdc_core::Named;

use crate::args::session::SessionArguments;
use crate::args::{choice, own_command};
use crate::commands::rank::words;
use crate::exit::{Exit, Failure, Result};
use crate::output::{notes, put_data, put_json};

#[derive(Args, Debug)]
pub(crate) struct ReportArguments {
    /// The case and how it is ranked.
    #[command(flatten)]
    pub session: SessionArguments,
    /// What to write [default: by the ending of --out, else html]
    #[arg(long, value_parser = choice::choice::<ReportFormat>())]
    pub format: Option<ReportFormat>,
    /// Write to this file instead of the terminal (`-`: the terminal)
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Mark what changed since this Git revision, such as origin/main or the last commit that passed
    #[arg(long, value_name = "REVISION")]
    pub since: Option<String>,
    /// In Markdown, link places to their lines below this address of a commit, such as
    /// https://github.com/OWNER/REPO/blob/COMMIT
    #[arg(long, value_name = "URL")]
    pub permalinks: Option<Permalinks>,
}

pub(crate) fn run(arguments: &ReportArguments, quiet: bool) -> Result<Exit> {
    let out = arguments.out.as_deref();
    let out = out.filter(|&out| out != Path::new("-"));
    let format = format(arguments, out)?;
    let asked = &arguments.session;
    let mut session = asked.look(quiet)?;
    if let Some(revision) = &arguments.since {
        let note = session.mark_changed(asked.source.as_deref(), revision)?;
        notes(quiet, note.as_slice());
    }
    let name = asked.case.file_name().unwrap_or_default();
    let report = report(&ReportRequest {
        session: &session,
        roots: &session.roots(asked.source.as_deref())?,
        title: format!("Suspects in {}", name.to_string_lossy()),
        suspects: asked.suspects,
        command: own_command::text(),
        format,
        permalinks: arguments.permalinks.clone(),
    });
    put_document(&report.document, out)?;
    let said: Vec<String> = report.notes.iter().map(words).collect();
    notes(quiet, &said);
    Ok(Exit::Done)
}

pub(crate) fn put_document(document: &ReportDocument, out: Option<&Path>) -> Result<()> {
    match document {
        ReportDocument::Text(text) => put_data(text, out),
        ReportDocument::Json(json) => put_json(json, out),
    }
}

fn format(arguments: &ReportArguments, out: Option<&Path>) -> Result<ReportFormat> {
    let (None, Some(out)) = (arguments.format, out) else {
        return Ok(arguments.format.unwrap_or(ReportFormat::Html));
    };
    let ending = out.extension().unwrap_or_default().to_string_lossy();
    ReportFormat::by_ending(&ending).ok_or_else(|| {
        let name = out.display();
        let message = format!("{name}: expected a name that ends in .html, .sarif or .md");
        let names: Vec<&str> = ReportFormat::all().map(Named::name).collect();
        let hint = format!("--format says what to write: {}", names.join(", "));
        Failure::usage(message).hint(hint)
    })
}
