use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

/// Everything a generation can be told. A generator looks at what it knows of it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The output folder; absolute.
    pub out: PathBuf,
    /// What the search is guided by.
    pub criterion: Criterion,
    /// The model of a learned metric; none: the built-in one. Absolute.
    pub model: Option<PathBuf>,
    /// What a candidate of the search is.
    pub level: Level,
    /// How long the search goes on, over all classes or modules.
    pub budget: Budget,
    /// Seed of everything random.
    pub seed: u64,
    /// How outcomes of the new tests become known.
    pub oracle: Oracle,
    /// How long a new test may take when it is tried.
    pub timeout: Duration,
    /// Classes or modules under test; none: those that the failing test covers.
    pub units: Vec<String>,
    /// What the Java tools need.
    pub java: JavaOptions,
    /// What the Python tools need.
    pub python: PythonOptions,
}

/// What the search is guided by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Criterion {
    /// The tool's own line coverage.
    #[default]
    Line,
    /// A result-agnostic metric, as `fdc list metrics` names it.
    Metric(String),
}

impl Criterion {
    /// As on the command line.
    pub fn name(&self) -> &str {
        match self {
            Criterion::Line => "line",
            Criterion::Metric(name) => name,
        }
    }
}

/// What a candidate of the search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// One test; the best is kept, and the next is searched beside it.
    #[default]
    Test,
    /// A whole suite.
    Suite,
}

impl Level {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Level::Test => "test",
            Level::Suite => "suite",
        }
    }
}

/// How long a search goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// So many seconds.
    Seconds(f64),
    /// So many generations: does not depend on the machine's speed.
    Generations(u64),
}

impl Default for Budget {
    fn default() -> Self {
        Budget::Seconds(120.0)
    }
}

/// How outcomes of the new tests become known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Oracle {
    /// They do not: a person labels them.
    #[default]
    None,
    /// A test made on the faulty version that fails on the fixed one is a failing test.
    Regression {
        /// The fixed version: a class path, or the folder of a project.
        fixed: OsString,
    },
}

/// Where Java code, tests and tools are.
#[derive(Clone, Debug, Default)]
pub struct JavaOptions {
    /// The class path of the code under test and its libraries.
    pub classpath: OsString,
    /// Tests to take in: sources or class files.
    pub tests: PathBuf,
    /// The Java that compiles and runs the tests: the program, or its home.
    pub java: Option<PathBuf>,
    /// The home of a Java 8, for EvoSuite.
    pub java8: Option<PathBuf>,
    /// EvoSuite's jar.
    pub evosuite: Option<PathBuf>,
    /// The folder that tests run in; none: an empty one.
    pub root: Option<PathBuf>,
}

/// Where Python code and tools are.
#[derive(Clone, Debug, Default)]
pub struct PythonOptions {
    /// The interpreter.
    pub python: Option<PathBuf>,
    /// The project's folder; absolute.
    pub project: PathBuf,
}

impl Options {
    /// What decides about the result, to know a folder again that was made with other options.
    pub(crate) fn record(&self) -> Value {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.to_string_lossy().into());
        let model: Option<String> = path(&self.model);
        let root: Option<String> = path(&self.java.root);
        let (oracle, fixed) = match &self.oracle {
            Oracle::None => ("none", None),
            Oracle::Regression { fixed } => ("regression", Some(fixed.to_string_lossy())),
        };
        let budget = match self.budget {
            Budget::Seconds(seconds) => json!({ "seconds": seconds }),
            Budget::Generations(generations) => json!({ "generations": generations }),
        };
        json!({
            "criterion": self.criterion.name(),
            "model": model,
            "level": self.level.name(),
            "budget": budget,
            "seed": self.seed,
            "oracle": oracle,
            "fixed": fixed,
            "timeout": self.timeout.as_secs_f64(),
            "units": self.units,
            "classpath": self.java.classpath.to_string_lossy(),
            "tests": self.java.tests.to_string_lossy(),
            "root": root,
            "project": self.python.project.to_string_lossy(),
        })
    }
}
