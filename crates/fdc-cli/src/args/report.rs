//! The command line of `report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::session::SessionArguments;

/// Options of `report`.
#[derive(Args, Debug)]
pub struct ReportArguments {
    /// The case and how it is ranked.
    #[command(flatten)]
    pub session: SessionArguments,
    /// What to write [default: by the ending of --out, else html]
    #[arg(long)]
    pub format: Option<ReportFormat>,
    /// Write to this file instead of the terminal (`-`: the terminal)
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// What a report is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// One offline page
    Html,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// For a comment on a pull request
    Markdown,
}

impl ReportFormat {
    /// Endings of files, and what is written to them.
    const ENDINGS: &[(&str, ReportFormat)] = &[
        ("html", ReportFormat::Html),
        ("htm", ReportFormat::Html),
        ("sarif", ReportFormat::Sarif),
        ("md", ReportFormat::Markdown),
        ("markdown", ReportFormat::Markdown),
    ];

    /// The format that the ending of a file asks for.
    pub fn of_ending(ending: &str) -> Option<Self> {
        let known = Self::ENDINGS.iter();
        let mut found = known.filter(|(name, _)| name.eq_ignore_ascii_case(ending));
        found.next().map(|&(_, format)| format)
    }
}
