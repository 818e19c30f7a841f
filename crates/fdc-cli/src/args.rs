//! The command line, typed.

pub mod generate;
pub mod label;
pub mod report;
pub mod serve;
pub mod session;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use fdc_collect::{ECOSYSTEMS, Ecosystem};
use fdc_core::formula::{FORMULAS, Formula};
use fdc_core::ranking::RankingOptions;
use fdc_core::{Aggregate, Level, TiePolicy};
use fdc_formats::{FORMATS, Format};

use crate::exit::EXIT_CODES;

/// Finds the code behind a failing test, and tells which test to look at next.
#[derive(Debug, Parser)]
#[command(name = "fdc", version, after_help = EXIT_CODES, max_term_width = 100)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Threads to use (default: all cores); results never depend on it
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Print results only: no notes, no progress
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show what fdc does, on built-in examples
    Demo,
    /// Run a project's own tests and measure what each of them covers
    Collect(Box<CollectArguments>),
    /// Make a case file from coverage of any supported format
    Import(ImportArguments),
    /// Rank the suspicious methods, lines or files
    Rank(RankArguments),
    /// Choose the tests to run, label or look at next
    Select(SelectArguments),
    /// Label the tests that sharpen the ranking most: in the terminal, or by lines of JSON
    Label(label::LabelArguments),
    /// Write a labelled case as it stands into one file: a page, SARIF or a comment
    Report(Box<report::ReportArguments>),
    /// Label on a local web page, with the source and a picture of the suspects
    Serve(serve::ServeArguments),
    /// Make tests that tell the suspects apart, or take in those of another tool
    Generate {
        /// What makes them
        #[command(subcommand)]
        tool: generate::GenerateTool,
    },
    /// Learn a metric from bugs whose faults are known
    Train(Box<TrainArguments>),
    /// Run metrics on many bugs whose faults are known
    Evaluate(Box<EvaluateArguments>),
    /// Compare metrics: tables, tests of significance, pictures, a report
    Compare(Box<CompareArguments>),
    /// Answer a question of the paper: its table beside ours
    Study(StudyArguments),
    /// Show or convert a learned model
    Model {
        /// What to do with it
        #[command(subcommand)]
        action: ModelAction,
    },
    /// List what there is: metrics, formulas, formats, ecosystems, generators or models
    List {
        /// What to list
        what: Listable,
    },
    /// Show the manual page of a metric, formula, format, ecosystem or generator
    Explain {
        /// Its name, as in `fdc list`
        name: String,
    },
    /// Print shell completions
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands
    Man {
        /// Folder to write all pages into
        #[arg(long, short, value_name = "FOLDER")]
        out: Option<PathBuf>,
    },
}

/// What `list` lists.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Listable {
    /// Measures of a test's fault diagnosis capability
    Metrics,
    /// Suspiciousness formulas
    Formulas,
    /// Coverage formats
    Formats,
    /// Kinds of projects whose tests `collect` can measure
    Ecosystems,
    /// Tools that `generate` makes tests with, or takes them from
    Generators,
    /// Built-in learned models
    Models,
}

/// Options of `collect`.
#[derive(Args, Debug)]
pub struct CollectArguments {
    /// The kind of project: pytest, junit, cargo or go [default: what the folder looks like]
    #[arg(value_name = "ECOSYSTEM", value_parser = ecosystem_by_name)]
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
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
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

/// Where the coverage comes from.
#[derive(Args, Debug)]
pub struct InputArguments {
    /// Coverage: a case file, or files and folders of any format of `fdc list formats` that belong
    /// together, JUnit reports too
    #[arg(value_name = "CASE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Read the input as this format instead of recognising it
    #[arg(long, value_name = "FORMAT", value_parser = format_by_name)]
    pub from: Option<&'static Format>,
    /// This test failed and, where the input has no outcomes, all others passed (repeatable)
    #[arg(long, value_name = "TEST")]
    pub failed: Vec<String>,
    /// JUnit report, or folder of them, with the outcomes of the tests (repeatable)
    #[arg(long, value_name = "FILE")]
    pub outcomes: Vec<PathBuf>,
    /// Folder of the sources that were measured, the project's root (default: where the case was
    /// collected, else the current folder)
    #[arg(long, value_name = "FOLDER")]
    pub source: Option<PathBuf>,
    /// Class files that JaCoCo measured: a folder or a jar (repeatable)
    #[arg(long, value_name = "PATH")]
    pub classes: Vec<PathBuf>,
    /// Count test code as elements too
    #[arg(long)]
    pub include_tests: bool,
}

/// Options of `import`.
#[derive(Args, Debug)]
pub struct ImportArguments {
    /// The input.
    #[command(flatten)]
    pub input: InputArguments,
    /// File to write; the ending decides the format: .fdc (a case), .json, .json.zst, .tcm, or a
    /// folder for GZoltar's files
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// Write this format instead
    #[arg(long, value_name = "FORMAT", value_parser = format_by_name)]
    pub to: Option<&'static Format>,
}

/// How places are computed.
#[derive(Args, Debug)]
pub struct ScoringArguments {
    /// Suspiciousness formula (`fdc list formulas`)
    #[arg(long, default_value = "ochiai", value_parser = formula_by_name)]
    pub formula: &'static Formula,
    /// Place of equal scores: max is the worst place of the tie
    #[arg(long, default_value = "max")]
    pub tie: TieName,
    /// How line scores go up to methods and files
    #[arg(long, default_value = "max")]
    pub aggregate: AggregateName,
}

impl ScoringArguments {
    /// As the core takes them.
    pub fn options(&self) -> RankingOptions {
        RankingOptions {
            formula: self.formula,
            aggregate: match self.aggregate {
                AggregateName::Max => Aggregate::Max,
                AggregateName::Mean => Aggregate::Mean,
                AggregateName::Sum => Aggregate::Sum,
            },
            tie: match self.tie {
                TieName::Max => TiePolicy::Max,
                TieName::Min => TiePolicy::Min,
                TieName::Average => TiePolicy::Average,
                TieName::Expected => TiePolicy::Expected,
            },
        }
    }
}

/// Names of tie policies.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum TieName {
    /// The worst place of the tie
    Max,
    /// The best place of the tie
    Min,
    /// The mean place of the tie
    Average,
    /// The expected place of the tie's first faulty method
    Expected,
}

/// Names of aggregations.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum AggregateName {
    /// The largest line score
    Max,
    /// The mean line score
    Mean,
    /// The sum of line scores
    Sum,
}

/// Names of levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LevelName {
    /// Methods and functions
    Method,
    /// Source lines
    Line,
    /// Files (classes where no path is known)
    File,
}

impl LevelName {
    /// As the core takes it.
    pub fn level(self) -> Level {
        match self {
            LevelName::Method => Level::Method,
            LevelName::Line => Level::Line,
            LevelName::File => Level::File,
        }
    }
}

/// How `rank` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RankFormat {
    /// For people
    Table,
    /// For programs (schemas/rank.schema.json)
    Json,
    /// `rank,score,name`
    Csv,
    /// `name;suspiciousness_value`, as GZoltar writes rankings
    Gzoltar,
    /// SARIF 2.1.0, for code scanning; places up to 5 are warnings, later ones notes
    Sarif,
    /// One offline page with the source of the first suspects
    Html,
}

/// Options of `rank`.
#[derive(Args, Debug)]
pub struct RankArguments {
    /// The input.
    #[command(flatten)]
    pub input: InputArguments,
    /// Use only this failing test and all passing ones (repeatable; default: all failing tests)
    #[arg(long, value_name = "TEST")]
    pub failing: Vec<String>,
    /// How places are computed.
    #[command(flatten)]
    pub scoring: ScoringArguments,
    /// What to rank
    #[arg(long, default_value = "method")]
    pub level: LevelName,
    /// How to print
    #[arg(long, default_value = "table")]
    pub format: RankFormat,
    /// How many places to print (default: 10 in table and sarif, 100 in html, all elsewhere)
    #[arg(long, short = 'n', value_name = "N")]
    pub top: Option<usize>,
    /// Source lines to show of each suspect (default: 12 in table, 60 in html)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub lines: Option<u32>,
    /// Show no source
    #[arg(long, conflicts_with = "lines")]
    pub no_source: bool,
    /// Count flaky tests too (default: left out, unless named by --failing)
    #[arg(long)]
    pub include_flaky: bool,
    /// Write to this file instead of the terminal
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// End with exit code 1 if there is a suspect
    #[arg(long)]
    pub exit_code: bool,
}

/// How many tests to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Every candidate: prioritises a whole suite.
    All,
    /// At most so many.
    AtMost(usize),
}

/// What `T` holds at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Start {
    /// The failing test, and the tests whose outcome a person gave
    Labelled,
    /// All tests of known outcome
    Known,
}

impl From<Start> for fdc_core::Start {
    fn from(start: Start) -> Self {
        match start {
            Start::Labelled => fdc_core::Start::Labelled,
            Start::Known => fdc_core::Start::Known,
        }
    }
}

/// How `select` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SelectFormat {
    /// For people
    Table,
    /// For programs (schemas/select.schema.json)
    Json,
}

/// Options of `select`.
#[derive(Args, Debug)]
pub struct SelectArguments {
    /// The input.
    #[command(flatten)]
    pub input: InputArguments,
    /// What is chosen by, and from what.
    #[command(flatten)]
    pub choice: ChoiceArguments,
    /// How many tests to choose: a number, or all
    #[arg(long, short = 'n', value_name = "N", default_value = "10", value_parser = count)]
    pub number: Count,
    /// Evaluation: add each chosen test's true outcome and show the ranking after it
    #[arg(long, conflicts_with = "start")]
    pub reveal: bool,
    /// What is known at the start
    #[arg(long, default_value = "labelled")]
    pub start: Start,
    /// Stop early once three tests in a row change nothing: the five first places with --reveal,
    /// the groups of suspects without
    #[arg(long)]
    pub until_stable: bool,
    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_seconds: Option<u32>,
    /// How places are computed.
    #[command(flatten)]
    pub scoring: ScoringArguments,
    /// How to print
    #[arg(long, default_value = "table")]
    pub format: SelectFormat,
    /// Write to this file instead of the terminal
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// How the next test is chosen.
#[derive(Args, Debug)]
pub struct ChoiceArguments {
    /// The failing test to start from; may be left out when exactly one test fails
    #[arg(long, value_name = "TEST")]
    pub failing: Option<String>,
    /// The measure to choose by, with parameters as in weight:alpha=0.3 (`fdc list metrics`)
    /// [default: that of --model, else sharp]
    #[arg(long)]
    pub metric: Option<String>,
    /// The model of a learned metric (default: the built-in one)
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Choose only from tests of this origin, such as evosuite (repeatable)
    #[arg(long, value_name = "ORIGIN")]
    pub origin: Vec<String>,
}

/// What `train` trains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Recipe {
    /// The paper's Q-network, by reinforcement
    Rlfdc,
    /// How likely a suspicious method is faulty, by likelihood (takes none of the hyper-parameters)
    Sharp,
}

/// How `train` divides the bugs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProtocolName {
    /// One model from all bugs
    All,
    /// Five models per project, each from four fifths of its versions
    CrossVersion,
    /// One model per project, from that project
    CrossProject,
    /// One model per project, from all other projects
    LeaveOneOut,
}

/// Which network picks and values the next state's best action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TargetName {
    /// The target picks and values
    Target,
    /// The online network picks, the target values
    Double,
    /// The online network does both
    Regular,
}

/// Which failing test episodes start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailingName {
    /// The first in file order
    First,
    /// One drawn at random
    Random,
    /// Each in turn
    All,
}

/// What a pick is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RewardName {
    /// (r0 - r) / r0
    Relative,
    /// 1/r - 1/r0
    Reciprocal,
}

/// Options of `train`.
#[derive(Args, Debug)]
pub struct TrainArguments {
    /// Bugs with known faults: files, or folders of files
    #[arg(value_name = "DATA", required = true)]
    pub data: Vec<PathBuf>,
    /// The model file; with a protocol of several models, a folder for them
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// What to train: the network of rlfdc, or the distribution of sharp
    #[arg(long, default_value = "rlfdc")]
    pub recipe: Recipe,
    /// Which bugs each model learns from
    #[arg(long, default_value = "all")]
    pub protocol: ProtocolName,
    /// Go on where an interrupted training left off
    #[arg(long)]
    pub resume: bool,
    /// Write a line of JSON per episode
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Draw the learning curve (.svg)
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Inputs of the network: full, or for ablations split, cover, simple (no embedding)
    #[arg(long, default_value = "full", help_heading = "Hyper-parameters")]
    pub network: String,
    /// Episodes per version
    #[arg(long, default_value_t = 30, help_heading = "Hyper-parameters")]
    pub episodes: u32,
    /// K: tests added in an episode
    #[arg(long, default_value_t = 10, help_heading = "Hyper-parameters")]
    pub picks: u32,
    /// N: transitions kept
    #[arg(long, default_value_t = 100, help_heading = "Hyper-parameters")]
    pub ring: u32,
    /// L: picks between learning steps
    #[arg(long, default_value_t = 5, help_heading = "Hyper-parameters")]
    pub learn_every: u32,
    /// C: learning steps between copies to the target
    #[arg(long, default_value_t = 20, help_heading = "Hyper-parameters")]
    pub copy_every: u32,
    /// Transitions in a learning step
    #[arg(long, default_value_t = 32, help_heading = "Hyper-parameters")]
    pub batch: u32,
    /// What a later reward is worth
    #[arg(long, default_value_t = 0.9, help_heading = "Hyper-parameters")]
    pub discount: f64,
    /// Share of picks made at random
    #[arg(long, default_value_t = 0.1, help_heading = "Hyper-parameters")]
    pub exploration: f64,
    /// Adam's learning rate
    #[arg(long, default_value_t = 1e-3, help_heading = "Hyper-parameters")]
    pub learning_rate: f64,
    /// Which network picks and values the next state's best action
    #[arg(long, default_value = "target", help_heading = "Hyper-parameters")]
    pub target: TargetName,
    /// Which failing test episodes start from
    #[arg(long, default_value = "first", help_heading = "Hyper-parameters")]
    pub failing: FailingName,
    /// What a pick is worth
    #[arg(long, default_value = "relative", help_heading = "Hyper-parameters")]
    pub reward: RewardName,
    /// Suspiciousness formula behind the ranks
    #[arg(long, default_value = "ochiai", value_parser = formula_by_name, help_heading = "Hyper-parameters")]
    pub formula: &'static Formula,
    /// Seed of everything random
    #[arg(long, default_value_t = 0, help_heading = "Hyper-parameters")]
    pub seed: u64,
}

/// Options of `evaluate`.
#[derive(Args, Debug)]
pub struct EvaluateArguments {
    /// Bugs with known faults: files, or folders of files
    #[arg(value_name = "DATA", required = true)]
    pub data: Vec<PathBuf>,
    /// Metrics to run, with commas between: total,fdg:alpha=0.3,rlfdc:network=simple
    #[arg(long, required = true)]
    pub metrics: String,
    /// Which bugs learned metrics are trained on (none: the built-in model)
    #[arg(long, default_value = "none")]
    pub protocol: EvaluationProtocol,
    /// Tests to add in a run
    #[arg(long, default_value_t = 10)]
    pub tests: usize,
    /// Trainings of each learned metric, with seeds 0, 1, ...
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub seeds: u64,
    /// Failing tests of a bug to start from, the first in file order (default: all)
    #[arg(long, value_name = "N")]
    pub max_failing: Option<usize>,
    /// How places are computed.
    #[command(flatten)]
    pub scoring: ScoringArguments,
    /// Folder for the results; a run that was interrupted goes on there
    #[arg(long, short, value_name = "FOLDER")]
    pub out: PathBuf,
}

/// How `evaluate` trains learned metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EvaluationProtocol {
    /// Not at all: the built-in model
    None,
    /// Per project, on four fifths of its versions, tested on the fifth
    CrossVersion,
    /// On one project, tested on all others
    CrossProject,
    /// On all projects but one, tested on that one
    LeaveOneOut,
}

/// Options of `compare`.
#[derive(Args, Debug)]
pub struct CompareArguments {
    /// Results folders of `fdc evaluate`, their .parquet files, or published ranks (CSV, plain or
    /// .zst); several are joined
    #[arg(value_name = "RESULTS", required = true)]
    pub results: Vec<PathBuf>,
    /// Metrics to compare, with commas between (default: all)
    #[arg(long, value_name = "A,B,...")]
    pub metrics: Option<String>,
    /// Metric to set the others against (default: the best by area)
    #[arg(long, value_name = "METRIC")]
    pub against: Option<String>,
    /// Show every project apart as well
    #[arg(long)]
    pub by_project: bool,
    /// Show acc@n and mAP unrounded, to six decimals
    #[arg(long)]
    pub exact: bool,
    /// Show which bugs got better or worse from metric A to metric B
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub bugs: Option<Vec<String>>,
    /// Value of a bug that the tests of significance compare
    #[arg(long, default_value = "ap", help_heading = "Statistics")]
    pub measure: MeasureName,
    /// Rule for equal values in Friedman's test
    #[arg(long, default_value = "ignored", help_heading = "Statistics")]
    pub ties: TiesName,
    /// Adjustment for many pairs (default: bergmann-hommel up to 9 metrics, shaffer above)
    #[arg(long, help_heading = "Statistics")]
    pub posthoc: Option<PosthocName>,
    /// How to print
    #[arg(long, default_value = "table", help_heading = "Output")]
    pub format: CompareFormat,
    /// Write to this file instead of the terminal
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Write everything as one page that opens offline (.html)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Write the pictures to this folder, as SVG and PNG
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub plots: Option<PathBuf>,
}

/// How `compare` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// For people
    Table,
    /// `metric,tests,acc@1,acc@3,acc@5,acc@10,mAP`; with --bugs, a line per bug
    Csv,
    /// Tables for a pull request or notebook
    Markdown,
    /// Tables for an article (booktabs)
    Latex,
    /// For programs (schemas/compare.schema.json)
    Json,
}

/// What tests of significance compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MeasureName {
    /// Average precision after ten tests
    Ap,
    /// Mean average precision after 1 to 10 tests
    Area,
}

/// Rules for ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TiesName {
    /// No correction, as scmamp
    Ignored,
    /// Corrected, as scipy
    Corrected,
}

/// Adjustments of p-values for many pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PosthocName {
    /// Bergmann and Hommel, up to 9 metrics
    BergmannHommel,
    /// Shaffer, static
    Shaffer,
    /// Holm
    Holm,
    /// Nemenyi
    Nemenyi,
}

/// Options of `study`.
#[derive(Args, Debug)]
pub struct StudyArguments {
    /// The study file; none: list the studies in the folder `studies`
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Folder that the study's pools of tests are in
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Folder for the results (taken up again if it holds some) and table.md, table.csv, table.tex
    #[arg(long, short, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Trainings of each learned metric, with seeds 0, 1, ... (default: as the study says, else 1)
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub seeds: Option<u64>,
    /// One bug in five only, to see that everything works
    #[arg(long)]
    pub quick: bool,
    /// List the studies in FILE's folder, or in FILE if it is a folder
    #[arg(long, conflicts_with_all = ["data", "out", "seeds", "quick"])]
    pub list: bool,
}

/// What to do with a model.
#[derive(Debug, Subcommand)]
pub enum ModelAction {
    /// Tell what a model is: shape, hyper-parameters, data digest
    Show {
        /// A model file, or sharp or rlfdc for a built-in model
        #[arg(default_value = "sharp")]
        file: PathBuf,
        /// How to print
        #[arg(long, default_value = "table")]
        format: SelectFormat,
    },
    /// Write a model as ONNX
    Export {
        /// A model file of rlfdc (default: the built-in model)
        file: Option<PathBuf>,
        /// The ONNX file to write
        #[arg(long, short, value_name = "FILE")]
        out: PathBuf,
    },
}

fn count(text: &str) -> Result<Count, String> {
    if text == "all" {
        return Ok(Count::All);
    }
    let number = text
        .parse()
        .map_err(|_| "expected a number or `all`".to_owned())?;
    Ok(Count::AtMost(number))
}

fn formula_by_name(name: &str) -> Result<&'static Formula, String> {
    Formula::named(name)
        .map_err(|nearest| unknown("formula", nearest, FORMULAS.iter().map(|f| f.name)))
}

fn format_by_name(name: &str) -> Result<&'static Format, String> {
    fdc_formats::format_named(name)
        .map_err(|nearest| unknown("format", nearest, FORMATS.iter().map(|f| f.name)))
}

fn ecosystem_by_name(name: &str) -> Result<&'static Ecosystem, String> {
    fdc_collect::ecosystem_named(name)
        .map_err(|nearest| unknown("ecosystem", nearest, ECOSYSTEMS.iter().map(|e| e.name)))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "expected a number of seconds".to_owned())?;
    let positive = Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|time| !time.is_zero());
    positive.ok_or_else(|| "expected a number of seconds above 0".to_owned())
}

fn unknown<'a>(kind: &str, nearest: Option<&str>, known: impl Iterator<Item = &'a str>) -> String {
    match nearest {
        Some(name) => format!("unknown {kind}; did you mean '{name}'?"),
        None => format!(
            "unknown {kind}; there are: {}",
            known.collect::<Vec<_>>().join(", ")
        ),
    }
}
