//! The command line of `study`.

use std::path::PathBuf;

use clap::Args;

/// Options of `study`.
#[derive(Args, Debug)]
pub struct StudyArguments {
    /// The study file; none: list the studies in the folder `studies`
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Folder that the study's pools of tests are in
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Folder for the results (resumed if it holds some) and table.md, table.csv, table.tex
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
