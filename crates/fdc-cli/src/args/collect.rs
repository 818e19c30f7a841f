//! The command line of `collect`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use fdc_collect::Ecosystem;

use super::choice;

/// Options of `collect`.
#[derive(Args, Debug)]
pub struct CollectArguments {
    /// The kind of project: pytest, junit, cargo or go [default: what the folder looks like]
    #[arg(value_name = "ECOSYSTEM", value_parser = choice::ecosystem(), hide_possible_values = true)]
    pub ecosystem: Option<&'static Ecosystem>,
    /// The project's folder
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub root: PathBuf,
    /// The case file to write; a collection that was interrupted goes on
    #[arg(long, short, value_name = "FILE", default_value = "case.fdc")]
    pub out: PathBuf,
    /// Measure tests that match: a part of the name, or all of it with * and ? (repeatable)
    #[arg(long, value_name = "PATTERN")]
    pub only: Vec<String>,
    /// Leave out tests that match (repeatable)
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Seconds a test may take; one that takes longer is ended and has failed
    #[arg(long, value_name = "SECONDS", value_parser = choice::seconds)]
    pub timeout: Option<Duration>,
    /// Run so many tests at the same time [default: all cores for cargo and go, where each test
    /// has a process of its own; 1 for pytest and junit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Run each test so often in all; those whose outcome changes are marked as flaky
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub rerun: u32,
    /// Measure again only the tests that changes since this Git revision touch
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
    /// Count test code as code
    #[arg(long)]
    pub include_tests: bool,
    /// The Python to use [default: that of the active or the project's virtual environment]
    #[arg(long, value_name = "PROGRAM", help_heading = "pytest")]
    pub python: Option<PathBuf>,
    /// The Java to use: the program or its home folder [default: JAVA_HOME, else java]
    #[arg(long, value_name = "PATH", help_heading = "junit")]
    pub java: Option<PathBuf>,
    /// The tests' class path, for projects without Maven or Gradle
    #[arg(long, value_name = "PATHS", help_heading = "junit")]
    pub classpath: Option<OsString>,
    /// Folder or jar of the code under test (repeatable) [default: the class path's folders that
    /// are not --tests]
    #[arg(long, value_name = "PATH", help_heading = "junit")]
    pub classes: Vec<PathBuf>,
    /// Folder or jar of the tests (repeatable)
    #[arg(long, value_name = "PATH", help_heading = "junit")]
    pub tests: Vec<PathBuf>,
    /// Arguments for the project's own test command
    #[arg(last = true, value_name = "ARGUMENTS")]
    pub arguments: Vec<OsString>,
}
