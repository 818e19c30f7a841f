//! `fdc report`: a labelled case as it stands, in one file.

use std::path::{Path, PathBuf};

use clap::Args;
use fdc::report::{ReportDocument, ReportFormat, ReportRequest, report};

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
    });
    match report.document {
        ReportDocument::Text(text) => put_data(&text, out)?,
        ReportDocument::Log(log) => put_json(&log, out)?,
    }
    let said: Vec<String> = report.notes.iter().map(words).collect();
    notes(quiet, &said);
    Ok(Exit::Done)
}

fn format(arguments: &ReportArguments, out: Option<&Path>) -> Result<ReportFormat> {
    let (None, Some(out)) = (arguments.format, out) else {
        return Ok(arguments.format.unwrap_or(ReportFormat::Html));
    };
    let ending = out.extension().unwrap_or_default().to_string_lossy();
    match &*ending.to_ascii_lowercase() {
        "html" | "htm" => Ok(ReportFormat::Html),
        "sarif" => Ok(ReportFormat::Sarif),
        "md" | "markdown" => Ok(ReportFormat::Markdown),
        _ => {
            let name = out.display();
            let message = format!("{name}: expected a name that ends in .html, .sarif or .md");
            let hint = "--format html, sarif or markdown says what to write";
            Err(Failure::usage(message).hint(hint))
        }
    }
}
