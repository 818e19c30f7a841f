//! The command line of `report`.

use std::path::PathBuf;

use clap::Args;
use fdc::report::ReportFormat;

use super::choice;
use super::session::SessionArguments;

/// Options of `report`.
#[derive(Args, Debug)]
pub struct ReportArguments {
    /// The case and how it is ranked.
    #[command(flatten)]
    pub session: SessionArguments,
    /// What to write [default: by the ending of --out, else html]
    #[arg(long, value_parser = choice::choice::<ReportFormat>())]
    pub format: Option<ReportFormat>,
    /// Write to this file instead of the terminal (`-`: the terminal)
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// The format that the ending of a file asks for.
pub fn format_of_ending(ending: &str) -> Option<ReportFormat> {
    match &*ending.to_ascii_lowercase() {
        "html" | "htm" => Some(ReportFormat::Html),
        "sarif" => Some(ReportFormat::Sarif),
        "md" | "markdown" => Some(ReportFormat::Markdown),
        _ => None,
    }
}
