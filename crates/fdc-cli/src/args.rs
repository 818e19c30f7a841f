//! The command line, typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
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
    /// Make a case file from coverage of any supported format
    Import(ImportArguments),
    /// Rank the suspicious methods, lines or files
    Rank(RankArguments),
    /// Choose the tests to run, label or look at next
    Select(SelectArguments),
    /// List what there is: metrics, formulas or formats
    List {
        /// What to list
        what: Listable,
    },
    /// Show the manual page of a metric, formula or format
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
}

/// Where the coverage comes from.
#[derive(Args, Debug)]
pub struct InputArguments {
    /// Coverage: a case file or any format of `fdc list formats`
    #[arg(value_name = "CASE")]
    pub input: PathBuf,
    /// Read the input as this format instead of recognising it
    #[arg(long, value_name = "FORMAT", value_parser = format_by_name)]
    pub from: Option<&'static Format>,
    /// This test failed and, where the input has no outcomes, all others passed (repeatable)
    #[arg(long, value_name = "TEST")]
    pub failed: Vec<String>,
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
    /// How many places to print (default: 10 in a table, all elsewhere)
    #[arg(long, short = 'n', value_name = "N")]
    pub top: Option<usize>,
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
    /// The failing test to start from; may be left out when exactly one test fails
    #[arg(long, value_name = "TEST")]
    pub failing: Option<String>,
    /// The measure to choose by, with parameters as in weight:alpha=0.3 (`fdc list metrics`)
    #[arg(long, default_value = crate::metrics::DEFAULT)]
    pub metric: String,
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

fn count(text: &str) -> Result<Count, String> {
    if text == "all" {
        return Ok(Count::All);
    }
    let number = text.parse().map_err(|_| "expected a number or `all`".to_owned())?;
    Ok(Count::AtMost(number))
}

fn formula_by_name(name: &str) -> Result<&'static Formula, String> {
    Formula::named(name).map_err(|nearest| unknown("formula", nearest, FORMULAS.iter().map(|f| f.name)))
}

fn format_by_name(name: &str) -> Result<&'static Format, String> {
    fdc_formats::format_named(name)
        .map_err(|nearest| unknown("format", nearest, FORMATS.iter().map(|f| f.name)))
}

fn unknown<'a>(
    kind: &str,
    nearest: Option<&str>,
    known: impl Iterator<Item = &'a str>,
) -> String {
    match nearest {
        Some(name) => format!("unknown {kind}; did you mean '{name}'?"),
        None => format!("unknown {kind}; there are: {}", known.collect::<Vec<_>>().join(", ")),
    }
}
