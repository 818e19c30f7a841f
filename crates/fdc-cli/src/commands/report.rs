//! `fdc report`: a labelled case as it stands, in one file.

use std::path::Path;

use fdc::report::{ReportDocument, ReportFormat, ReportRequest, report};

use crate::args::report::{ReportArguments, format_of_ending};
use crate::commands::rank::words;
use crate::exit::{Exit, Problem};
use crate::output::{notes, own_command, put_data, put_json};
use crate::session;

/// Runs the command.
pub fn run(arguments: &ReportArguments, quiet: bool) -> Result<Exit, Problem> {
    let out = arguments.out.as_deref();
    let out = out.filter(|&out| out != Path::new("-"));
    let format = format(arguments, out)?;
    let asked = &arguments.session;
    let session = session::open(asked)?;
    let name = asked.case.file_name().unwrap_or_default();
    let report = report(&ReportRequest {
        session: &session,
        roots: &session.roots(asked.source.as_deref())?,
        title: format!("Suspects in {}", name.to_string_lossy()),
        suspects: asked.suspects,
        command: own_command(),
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

fn format(arguments: &ReportArguments, out: Option<&Path>) -> Result<ReportFormat, Problem> {
    match (arguments.format, out) {
        (Some(format), _) => Ok(format),
        (None, None) => Ok(ReportFormat::Html),
        (None, Some(out)) => {
            let ending = out.extension().unwrap_or_default().to_string_lossy();
            format_of_ending(&ending).ok_or_else(|| {
                let message = format!(
                    "{}: expected a name that ends in .html, .sarif or .md",
                    out.display()
                );
                Problem::usage(message).hint("--format html, sarif or markdown says what to write")
            })
        }
    }
}
