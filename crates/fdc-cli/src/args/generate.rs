//! The command line of `generate`.

pub mod python;
pub mod search;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use fdc_generate::{GENERATORS, Generator};

use super::choice::seconds;

/// What makes the tests.
#[derive(Debug, Subcommand)]
pub enum GenerateTool {
    #[command(about = summary("evosuite"))]
    Evosuite(Box<EvosuiteArguments>),
    #[command(about = summary("pynguin"))]
    Pynguin(Box<python::PynguinArguments>),
    #[command(about = summary("import"))]
    Import(Box<TakeInArguments>),
}

/// The generator of that name in the table.
pub fn generator(name: &str) -> &'static Generator {
    let found = GENERATORS.iter().find(|generator| generator.name == name);
    found.expect("every tool of the command line is in the table")
}

fn summary(name: &str) -> &'static str {
    generator(name).summary
}

/// What tests are made for, and where they go.
#[derive(Args, Debug)]
pub struct TargetArguments {
    /// The case file
    #[arg(long, value_name = "CASE")]
    pub case: PathBuf,
    /// The failing test to start from; may be left out when exactly one test fails
    #[arg(long, value_name = "TEST")]
    pub failing: Option<String>,
    /// Folder for the tests, the pool and the summary; a run that was stopped goes on there
    #[arg(long, short, value_name = "FOLDER")]
    pub out: PathBuf,
    /// Seconds a new test may take
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub timeout: Duration,
}

/// Options of `generate evosuite`.
#[derive(Args, Debug)]
pub struct EvosuiteArguments {
    /// What for.
    #[command(flatten)]
    pub target: TargetArguments,
    /// How to search.
    #[command(flatten)]
    pub search: search::SearchArguments,
    /// Class under test (repeatable) [default: those that the failing test covers]
    #[arg(long, value_name = "CLASS")]
    pub class: Vec<String>,
    /// The JVM's side.
    #[command(flatten)]
    pub jvm: JvmArguments,
    /// Home of the Java 8 JDK that EvoSuite runs on [default: JAVA8_HOME, or what is found]
    #[arg(long, value_name = "HOME")]
    pub java8: Option<PathBuf>,
    /// EvoSuite's jar [default: EVOSUITE_JAR, or that of your Maven repository]
    #[arg(long, value_name = "JAR")]
    pub evosuite: Option<PathBuf>,
}

/// How outcomes of new tests become known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OracleName {
    /// They do not: `fdc select` says which tests to judge yourself
    None,
    /// Tests that fail on the fixed version are failing tests, the others pass
    Regression,
}

/// What JUnit tests need.
#[derive(Args, Debug)]
pub struct JvmArguments {
    /// Class path of the code under test and its libraries
    #[arg(long, value_name = "PATHS")]
    pub classpath: OsString,
    /// How outcomes of the new tests become known
    #[arg(long, default_value = "none")]
    pub oracle: OracleName,
    /// Class path of the fixed version, for --oracle regression
    #[arg(long, value_name = "PATHS")]
    pub fixed_classpath: Option<OsString>,
    /// The JDK that compiles and runs the tests: java or its home folder [default: JAVA_HOME, else
    /// java]
    #[arg(long, value_name = "PATH")]
    pub java: Option<PathBuf>,
}

/// Options of `generate import`.
#[derive(Args, Debug)]
pub struct TakeInArguments {
    /// Folder of Java sources or class files; one source; a jar
    #[arg(value_name = "TESTS")]
    pub tests: PathBuf,
    /// What for.
    #[command(flatten)]
    pub target: TargetArguments,
    /// The JVM's side.
    #[command(flatten)]
    pub jvm: JvmArguments,
    /// Folder that the tests run in [default: an empty one]
    #[arg(long, value_name = "FOLDER")]
    pub root: Option<PathBuf>,
}
