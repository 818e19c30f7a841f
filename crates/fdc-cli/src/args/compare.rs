//! The command line of `compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fdc_study::comparison::significance::Measure;
use fdc_study::stats::friedman::Ties;
use fdc_study::stats::posthoc::Adjustment;

use super::choice;

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
    /// Metric to compare the others with (default: the best by area)
    #[arg(long, value_name = "METRIC")]
    pub against: Option<String>,
    /// Show every project separately as well
    #[arg(long)]
    pub by_project: bool,
    /// Show acc@n and mAP unrounded, to six decimals
    #[arg(long)]
    pub exact: bool,
    /// Show which bugs got better or worse from metric A to metric B
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub bugs: Option<Vec<String>>,
    /// Value of a bug that the significance tests compare
    #[arg(long, default_value = "ap", value_parser = choice::choice::<Measure>(), help_heading = "Statistics")]
    pub measure: Measure,
    /// Rule for equal values in Friedman's test
    #[arg(long, default_value = "ignored", value_parser = choice::choice::<Ties>(), help_heading = "Statistics")]
    pub ties: Ties,
    /// Adjustment for many pairs (default: bergmann-hommel up to 9 metrics, shaffer above)
    #[arg(long, value_parser = choice::choice_but(Adjustment::Unadjusted), help_heading = "Statistics")]
    pub posthoc: Option<Adjustment>,
    /// How to print
    #[arg(long, default_value = "table", help_heading = "Output")]
    pub format: CompareFormat,
    /// Write to this file instead of the terminal
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Write everything as one page that opens offline (.html)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Write the plots to this folder, as SVG and PNG
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
