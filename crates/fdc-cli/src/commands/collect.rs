//! `fdc collect`: runs a project's own tests and measures what each of them covers.

use std::path::{Path, PathBuf};

use fdc_case::FileError;
use fdc_collect::filter::Filter;
use fdc_collect::{Ecosystem, JavaOptions, Options, collect, ecosystem_of};

use crate::args::collect::CollectArguments;
use crate::exit::{Exit, Problem};
use crate::interrupt;
use crate::output::note;
use crate::progress::Bar;

/// Runs the command.
pub fn run(arguments: &CollectArguments, quiet: bool) -> Result<Exit, Problem> {
    let options = options(arguments)?;
    let ecosystem = match arguments.ecosystem {
        Some(ecosystem) => ecosystem,
        None => ecosystem_of(&options.root)?,
    };
    check_options(arguments, ecosystem)?;
    interrupt::listen()?;
    let collected = collect(ecosystem, &options, &Bar::new(quiet));
    let progress = collected.map_err(|error| {
        let interrupted = matches!(error, fdc_collect::CollectError::Interrupted);
        let problem = Problem::from(error);
        if interrupted {
            problem.hint("what was measured is kept; the same command goes on")
        } else {
            problem
        }
    })?;
    let case = arguments.out.display();
    let mut counts = format!("{} tests ({} failing", progress.tests, progress.failing);
    if progress.flaky > 0 {
        counts += &format!(", {} flaky", progress.flaky);
    }
    counts += ")";
    if progress.skipped > 0 {
        counts += &format!(", {} skipped", progress.skipped);
    }
    let next = match progress.failing {
        0 => "no test fails: nothing to rank yet".to_owned(),
        _ => format!("next: fdc rank {case}"),
    };
    note(
        quiet,
        &format!("{case}: {counts}, {} lines\n{next}", progress.elements),
    );
    Ok(Exit::Done)
}

fn options(arguments: &CollectArguments) -> Result<Options, Problem> {
    let root = arguments.root.canonicalize();
    let root = root.map_err(FileError::io(&arguments.root, "open it"))?;
    Ok(Options {
        root,
        case: absolute(&arguments.out)?,
        filter: Filter {
            only: arguments.only.clone(),
            exclude: arguments.exclude.clone(),
        },
        timeout: arguments.timeout,
        jobs: arguments.jobs.map(usize::from),
        runs: arguments.rerun,
        changed_since: arguments.changed_since.clone(),
        include_tests: arguments.include_tests,
        arguments: arguments.arguments.clone(),
        python: arguments.python.clone(),
        java: JavaOptions {
            classpath: arguments.classpath.clone(),
            classes: arguments.classes.clone(),
            tests: arguments.tests.clone(),
            java: arguments.java.clone(),
        },
    })
}

fn absolute(path: &Path) -> Result<PathBuf, Problem> {
    Ok(std::path::absolute(path).map_err(FileError::io(path, "find it"))?)
}

/// Options of one ecosystem are refused in another: they would be ignored.
fn check_options(arguments: &CollectArguments, ecosystem: &Ecosystem) -> Result<(), Problem> {
    let given = [
        ("--python", "pytest", arguments.python.is_some()),
        ("--java", "junit", arguments.java.is_some()),
        ("--classpath", "junit", arguments.classpath.is_some()),
        ("--classes", "junit", !arguments.classes.is_empty()),
        ("--tests", "junit", !arguments.tests.is_empty()),
    ];
    match given
        .iter()
        .find(|(_, owner, given)| *given && *owner != ecosystem.name)
    {
        None => Ok(()),
        Some((option, owner, _)) => {
            let message = format!("{option} belongs to {owner}, not to {}", ecosystem.name);
            Err(Problem::usage(message)
                .hint("`fdc collect --help` shows which options go together"))
        }
    }
}
