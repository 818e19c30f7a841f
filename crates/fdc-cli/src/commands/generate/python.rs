//! `fdc generate pynguin`.

use std::path::PathBuf;

use fdc_case::Case;
use fdc_generate::{Options, Oracle, PythonOptions};

use super::{absolute, make, search};
use crate::args::generate::python::PynguinArguments;
use crate::args::generate::{OracleName, generator};
use crate::exit::{Exit, Problem};

/// Makes pytest tests.
pub fn run(arguments: &PynguinArguments, quiet: bool) -> Result<Exit, Problem> {
    let options = Options {
        out: absolute(&arguments.target.out)?,
        oracle: oracle(arguments)?,
        timeout: arguments.target.timeout,
        units: arguments.modules.clone(),
        python: PythonOptions {
            python: arguments.python.clone(),
            project: project(arguments)?,
        },
        ..search::options(&arguments.search)?
    };
    make(generator("pynguin"), &options, &arguments.target, quiet)
}

fn oracle(arguments: &PynguinArguments) -> Result<Oracle, Problem> {
    match (arguments.oracle, &arguments.fixed_project) {
        (OracleName::None, None) => Ok(Oracle::None),
        (OracleName::Regression, Some(fixed)) => Ok(Oracle::Regression {
            fixed: absolute(fixed)?.into_os_string(),
        }),
        (OracleName::Regression, None) => Err(Problem::usage(
            "--oracle regression needs the fixed version",
        )
        .hint("name its folder with --fixed-project")),
        (OracleName::None, Some(_)) => {
            Err(Problem::usage("--fixed-project is for --oracle regression")
                .hint("add --oracle regression, or leave --fixed-project out"))
        }
    }
}

/// The folder given, or where the case was collected, if that is here.
fn project(arguments: &PynguinArguments) -> Result<PathBuf, Problem> {
    if let Some(project) = &arguments.project {
        return absolute(project);
    }
    let root = Case::open(&arguments.target.case)?.about("root")?;
    let root = root.map(PathBuf::from).filter(|root| root.is_dir());
    match root {
        Some(root) => Ok(root),
        None => absolute(".".as_ref()),
    }
}
