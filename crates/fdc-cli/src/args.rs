//! The command line, typed.

pub(crate) mod choice;
pub(crate) mod input;
pub(crate) mod own_command;
pub(crate) mod places;
pub(crate) mod scoring;
pub(crate) mod session;
pub(crate) mod settings;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::commands::{affected, collect, compare, evaluate, export, generate, import, label};
use crate::commands::{
    lsp, merge, model, mutate, rank, report, select, serve, study, train, watch, who,
};
use crate::exit::EXIT_CODES;

/// Finds the code behind a failing test, and says which test to look at next.
#[derive(Debug, Parser)]
#[command(name = "fdc", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Arguments {
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

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what fdc does, on built-in examples
    Demo,
    /// Run a project's own tests and measure what each of them covers
    Collect(Box<collect::CollectArguments>),
    /// Run a test command, and say where to look if it fails
    Watch(watch::WatchArguments),
    /// Make a case file from coverage of any supported format
    Import(import::ImportArguments),
    /// Write coverage per test for other tools: LCOV, Cobertura, coverage.py and more
    Export(export::ExportArguments),
    /// Print the tests that a change affects, to run only those
    Affected(affected::AffectedArguments),
    /// Print the tests that run a line, a range of lines, a file or a method
    Who(who::WhoArguments),
    /// Rank the suspicious methods, lines or files
    Rank(rank::RankArguments),
    /// Choose the tests to run, label or look at next
    Select(select::SelectArguments),
    /// Judge the tests that sharpen the ranking most, in the terminal or by lines of JSON; every
    /// answer is stored in the case at once
    Label(label::LabelArguments),
    /// Write the current state of a case into one file: a page, SARIF or a comment
    Report(Box<report::ReportArguments>),
    /// Judge tests on a local web page, with the source and a map of the suspects; every answer is
    /// stored in the case at once
    Serve(serve::ServeArguments),
    /// Serve an editor: suspects, tests and the next test beside the source (a language server)
    Lsp(lsp::LspArguments),
    /// Generate tests that tell the suspects apart, or import those of another tool
    Generate {
        /// What makes them
        #[command(subcommand)]
        tool: Box<generate::GenerateArguments>,
    },
    /// Try the tests on small changes of the code that they run: what would they notice?
    Mutate(Box<mutate::MutateArguments>),
    /// Learn a metric from bugs whose faults are known
    Train(Box<train::TrainArguments>),
    /// Run metrics on many bugs whose faults are known
    Evaluate(Box<evaluate::EvaluateArguments>),
    /// Make one case, or one folder of results or models, of the parts that --shard made
    Merge(merge::MergeArguments),
    /// Compare metrics: tables, significance tests, plots, a report
    Compare(Box<compare::CompareArguments>),
    /// Answer a question of the paper, with its table beside ours
    Study(study::StudyArguments),
    /// Show or convert a learned model
    Model {
        /// What to do with it
        #[command(subcommand)]
        action: model::ModelAction,
    },
    /// List the metrics, formulas, formats, ecosystems, generators, mutators or models
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

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Listable {
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
    /// Small changes that `mutate` tries tests on
    Mutators,
    /// Built-in learned models
    Models,
}
