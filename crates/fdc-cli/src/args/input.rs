//! Where coverage comes from, the same for every command that reads it.

use std::path::PathBuf;

use clap::Args;
use fdc::InputRequest;
use fdc_formats::Format;

use super::choice;

/// Where the coverage comes from.
#[derive(Args, Debug)]
pub(crate) struct InputArguments {
    /// A case file, or files and folders that belong together, in any format of `fdc list formats`,
    /// reports of outcomes included
    #[arg(value_name = "CASE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Read the input as this format instead of recognising it
    #[arg(long, value_name = "FORMAT", value_parser = choice::format(), hide_possible_values = true)]
    pub from: Option<&'static Format>,
    /// This test failed and, if the input has no outcomes, all others passed (repeatable)
    #[arg(long, value_name = "TEST")]
    pub failed: Vec<String>,
    /// Report with the outcomes of the tests, or folder of them: JUnit XML, or what pytest or cargo test
    /// printed (repeatable)
    #[arg(long, value_name = "FILE")]
    pub outcomes: Vec<PathBuf>,
    /// Root folder of the project that was measured, for its sources (default: where the case was
    /// collected, else the current folder)
    #[arg(long, value_name = "FOLDER")]
    pub source: Option<PathBuf>,
    /// Class files that JaCoCo measured: a folder or a jar (repeatable)
    #[arg(long, value_name = "PATH")]
    pub classes: Vec<PathBuf>,
    /// Count test code as well
    #[arg(long)]
    pub include_tests: bool,
}

impl InputArguments {
    pub(crate) fn request(&self) -> InputRequest {
        InputRequest {
            inputs: self.inputs.clone(),
            from: self.from,
            outcomes: self.outcomes.clone(),
            failed: self.failed.clone(),
            source: self.source.clone(),
            classes: self.classes.clone(),
            include_tests: self.include_tests,
            since: None,
        }
    }
}
