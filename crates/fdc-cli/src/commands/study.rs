//! `fdc study`: a question, the runs that answer it, and its table.

mod sheets;

use std::path::Path;

use fdc::study::{StudyRequest, list, study};
use fdc_study::study::Study;

use crate::args::study::StudyArguments;
use crate::commands::train::report_broken;
use crate::exit::{Exit, Problem};
use crate::interrupt;
use crate::output::{Columns, note, printable_name, put};
use crate::progress::Bar;
use sheets::Sheets;

/// Where studies are looked for when none is named.
const FOLDER: &str = "studies";

/// Runs the command.
pub fn run(arguments: &StudyArguments, quiet: bool) -> Result<Exit, Problem> {
    let file = match &arguments.file {
        Some(file) if !arguments.list && !file.is_dir() => file,
        file => return print_list(file.as_deref().unwrap_or(Path::new(FOLDER))),
    };
    let question = Study::read(file)?;
    let Some(data) = &arguments.data else {
        let pools = question.pool_paths().into_iter();
        let pools: Vec<String> = pools.map(|path| path.display().to_string()).collect();
        return Err(
            Problem::usage("a study needs --data: the folder its pools are in")
                .hint(format!("it names {}", pools.join(", "))),
        );
    };
    interrupt::listen()?;
    let request = StudyRequest {
        study: &question,
        data,
        out: arguments.out.as_deref(),
        seeds: arguments.seeds,
        quick: arguments.quick,
    };
    let reply = study(&request, &Bar::new(quiet))?;
    let Some(sheets) = &reply.sheets else {
        let again = if arguments.out.is_some() {
            "interrupted: run the same command again to resume"
        } else {
            "interrupted: nothing is kept without -o"
        };
        note(quiet, again);
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

fn print_list(path: &Path) -> Result<Exit, Problem> {
    let mut columns = Columns::new(&["study", "question"]);
    let mut broken = Vec::new();
    for (file, study) in list(path)? {
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
