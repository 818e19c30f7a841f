//! `fdc study`: a question, the runs that answer it, and its table.

mod sheets;

use std::path::{Path, PathBuf};

use clap::Args;
use fdc::study::{StudyRequest, list, study};
use fdc_study::study::Study;

use crate::commands::train::report_broken;
use crate::exit::{Exit, Failure, Result};
use crate::output::{Columns, note, printable_name, put};
use crate::progress::Bar;
use sheets::Sheets;

#[derive(Args, Debug)]
pub(crate) struct StudyArguments {
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

/// Where studies are looked for when none is named.
const FOLDER: &str = "studies";

pub(crate) fn run(arguments: &StudyArguments, quiet: bool) -> Result<Exit> {
    let file = match &arguments.file {
        Some(file) if !arguments.list && !file.is_dir() => file,
        file => return print_list(file.as_deref().unwrap_or(Path::new(FOLDER))),
    };
    let question = Study::read(file)?;
    let Some(data) = &arguments.data else {
        let pools = question.pool_paths().into_iter();
        let pools: Vec<String> = pools.map(|path| path.display().to_string()).collect();
        let failure = Failure::usage("a study needs --data: the folder its pools are in");
        return Err(failure.hint(format!("it names {}", pools.join(", "))));
    };
    let request = StudyRequest {
        study: &question,
        data,
        out: arguments.out.as_deref(),
        seeds: arguments.seeds,
        quick: arguments.quick,
    };
    let reply = study(&request, &Bar::new(quiet)?)?;
    let Some(sheets) = &reply.sheets else {
        note(
            quiet,
            match arguments.out {
                Some(_) => "interrupted: run the same command again to resume",
                None => "interrupted: nothing is kept without -o",
            },
        );
        return Ok(Exit::Interrupted);
    };
    let sheets = Sheets {
        study: &question,
        sheets,
        quick: arguments.quick,
    };
    if let Some(folder) = &arguments.out {
        sheets.write(folder)?;
        let done = format!("{}: results and tables are there", folder.display());
        note(quiet, &done);
    }
    put(&sheets.terminal(), None)?;
    Ok(report_broken(reply.broken()))
}

fn print_list(path: &Path) -> Result<Exit> {
    let mut columns = Columns::new(&["study", "question"]);
    let mut broken = Vec::new();
    for (study, file) in list(path)? {
        match study {
            Ok(study) => {
                let path = printable_name(&file.display().to_string());
                columns.line([path, printable_name(&study.title)]);
            }
            Err(error) => broken.push(error),
        }
    }
    put(&columns.text(), None)?;
    Ok(report_broken(&broken))
}
