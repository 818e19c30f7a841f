//! The command line of `generate pynguin`.

use std::path::PathBuf;

use clap::Args;

use super::search::SearchArguments;
use super::{OracleName, TargetArguments};

/// Options of `generate pynguin`. It runs the code under test, with arguments that a search makes up.
#[derive(Args, Debug)]
pub struct PynguinArguments {
    /// What for.
    #[command(flatten)]
    pub target: TargetArguments,
    /// How.
    #[command(flatten)]
    pub search: SearchArguments,
    /// Module to make tests for, as it is imported; may be given again [default: those that the
    /// failing test covers]
    #[arg(long = "module", value_name = "MODULE")]
    pub modules: Vec<String>,
    /// The project's folder [default: where the case was collected, else the current folder]
    #[arg(long, value_name = "FOLDER")]
    pub project: Option<PathBuf>,
    /// The Python that runs the project's tests; needs pynguin 0.48 and the Python module fdc
    #[arg(long, value_name = "PATH")]
    pub python: Option<PathBuf>,
    /// How outcomes of the new tests become known
    #[arg(long, default_value = "none")]
    pub oracle: OracleName,
    /// Folder of the fixed project, for --oracle regression
    #[arg(long, value_name = "FOLDER")]
    pub fixed_project: Option<PathBuf>,
}
