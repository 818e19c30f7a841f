//! `fdc generate`: new tests that tell suspects apart, made or taken in.

mod python;
mod search;

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use fdc_case::FileError;
use fdc_core::failing::failing_test;
use fdc_generate::summary::{Search, Summary, Unit};
use fdc_generate::{Generator, JavaOptions, Options, Oracle, Target, generate};

use crate::args::generate::{
    EvosuiteArguments, GenerateTool, JvmArguments, OracleName, TakeInArguments, TargetArguments,
    generator,
};
use crate::exit::{Exit, Problem};
use crate::interrupt;
use crate::output::{Columns, printable_name, put};
use crate::progress::Bar;

/// Runs the command.
pub fn run(tool: &GenerateTool, quiet: bool) -> Result<Exit, Problem> {
    match tool {
        GenerateTool::Evosuite(arguments) => evosuite(arguments, quiet),
        GenerateTool::Pynguin(arguments) => python::run(arguments, quiet),
        GenerateTool::Import(arguments) => take_in(arguments, quiet),
    }
}

fn evosuite(arguments: &EvosuiteArguments, quiet: bool) -> Result<Exit, Problem> {
    let options = Options {
        out: absolute(&arguments.target.out)?,
        oracle: oracle(&arguments.jvm)?,
        timeout: arguments.target.timeout,
        units: arguments.class.clone(),
        java: JavaOptions {
            java8: arguments.java8.clone(),
            evosuite: arguments.evosuite.clone(),
            ..java(&arguments.jvm)?
        },
        ..search::options(&arguments.search)?
    };
    make(generator("evosuite"), &options, &arguments.target, quiet)
}

fn take_in(arguments: &TakeInArguments, quiet: bool) -> Result<Exit, Problem> {
    let options = Options {
        out: absolute(&arguments.target.out)?,
        oracle: oracle(&arguments.jvm)?,
        timeout: arguments.target.timeout,
        java: JavaOptions {
            tests: absolute(&arguments.tests)?,
            root: arguments.root.as_deref().map(absolute).transpose()?,
            ..java(&arguments.jvm)?
        },
        ..Options::default()
    };
    make(generator("import"), &options, &arguments.target, quiet)
}

/// Makes the tests, shows how it goes, and what came out.
fn make(
    generator: &Generator,
    options: &Options,
    target: &TargetArguments,
    quiet: bool,
) -> Result<Exit, Problem> {
    let spectrum = fdc_case::read(&target.case)?;
    let failing = failing_test(&spectrum, target.failing.as_deref())?;
    let aim = Target::new(&target.case, spectrum, failing)?;
    interrupt::listen()?;
    let made = generate(generator, options, &aim, &Bar::new(quiet));
    let summary = made.map_err(|error| {
        let interrupted = error.is_interruption();
        let problem = Problem::from(error);
        if interrupted {
            problem.hint("what was made is kept; the same command goes on")
        } else {
            problem
        }
    })?;
    put(&text(&summary, &target.out), None)?;
    Ok(Exit::Done)
}

fn oracle(arguments: &JvmArguments) -> Result<Oracle, Problem> {
    match (arguments.oracle, &arguments.fixed_classpath) {
        (OracleName::None, None) => Ok(Oracle::None),
        (OracleName::Regression, Some(fixed)) => Ok(Oracle::Regression {
            fixed: absolute_paths(fixed)?,
        }),
        (OracleName::Regression, None) => Err(Problem::usage(
            "--oracle regression needs the fixed version",
        )
        .hint("name its class path with --fixed-classpath")),
        (OracleName::None, Some(_)) => Err(Problem::usage(
            "--fixed-classpath is for --oracle regression",
        )
        .hint("add --oracle regression, or leave --fixed-classpath out")),
    }
}

fn java(arguments: &JvmArguments) -> Result<JavaOptions, Problem> {
    Ok(JavaOptions {
        classpath: absolute_paths(&arguments.classpath)?,
        java: arguments.java.clone(),
        ..JavaOptions::default()
    })
}

/// A class path that means the same from every folder.
fn absolute_paths(class_path: &OsStr) -> Result<OsString, Problem> {
    let given = std::env::split_paths(class_path).filter(|path| !path.as_os_str().is_empty());
    let paths: Vec<PathBuf> = given
        .map(|path| absolute(&path))
        .collect::<Result<_, _>>()?;
    std::env::join_paths(paths).map_err(|error| Problem::usage(error.to_string()))
}

fn absolute(path: &Path) -> Result<PathBuf, Problem> {
    Ok(std::path::absolute(path).map_err(FileError::io(path, "find it"))?)
}

/// What came out, for people.
fn text(summary: &Summary, out: &Path) -> String {
    let mut text = String::new();
    if !summary.units.is_empty() {
        text.push_str(&units(&summary.units));
        text.push('\n');
    }
    for left in &summary.left_out {
        let _ = writeln!(
            text,
            "Left out: {} ({})",
            printable_name(&left.name),
            left.why
        );
    }
    let _ = write!(text, "{} made, {} kept", tests(summary.made), summary.kept);
    let removed = summary.removed.iter();
    let removed = removed.map(|(reason, count)| format!("{count} {}", reason.words()));
    let removed: Vec<String> = removed.collect();
    if removed.is_empty() {
        text.push_str(".\n");
    } else {
        let _ = writeln!(text, "; removed: {}.", removed.join(", "));
    }
    let _ = writeln!(
        text,
        "The kept tests cover {} of the {} lines that the failing test covers; groups of suspects: \
         {} -> {}.",
        summary.covered, summary.suspicious, summary.groups_before, summary.groups
    );
    if summary.outside > 0 {
        let _ = writeln!(
            text,
            "{} lines they run are not in the case and were ignored.",
            summary.outside
        );
    }
    let outcomes = summary.outcomes;
    if outcomes.pass + outcomes.fail > 0 {
        let _ = writeln!(
            text,
            "Outcomes by the fixed version: {} fail, {} pass.",
            outcomes.fail, outcomes.pass
        );
    }
    let out = out.display();
    let _ = writeln!(
        text,
        "\n{out}/pool.fdc  the case with the kept tests\n{out}/tests     their sources"
    );
    if summary.kept > 0 {
        let _ = writeln!(
            text,
            "next: fdc select {out}/pool.fdc --failing '{}' --origin {}",
            printable_name(&summary.failing),
            summary.tool
        );
    }
    text
}

fn units(units: &[Unit]) -> String {
    if units.iter().all(|unit| unit.search.is_none()) {
        let mut columns = Columns::new(&["class", ">tests", ">kept"]);
        for unit in units {
            let cells = [unit.made, unit.kept].map(|count| count.to_string());
            columns.line(std::iter::once(printable_name(&unit.name)).chain(cells));
        }
        return columns.text();
    }
    let mut columns = Columns::new(&[
        "class",
        ">budget",
        ">rounds",
        ">generations",
        ">native calls",
        ">groups",
        ">tests",
        ">kept",
    ]);
    for unit in units {
        let search = unit.search.clone().unwrap_or_default();
        columns.line([
            printable_name(&unit.name),
            budget(&search),
            search.rounds.to_string(),
            search.generations_done.to_string(),
            search.evaluations.to_string(),
            search
                .groups
                .map_or("-".into(), |[before, after]| format!("{before} -> {after}")),
            unit.made.to_string(),
            unit.kept.to_string(),
        ]);
    }
    let mut text = columns.text();
    for unit in units {
        let search = unit.search.as_ref();
        if let Some(problem) = search.and_then(|search| search.problem.as_ref()) {
            let _ = writeln!(text, "{}: {problem}", printable_name(&unit.name));
        }
    }
    text
}

fn budget(search: &Search) -> String {
    match (search.seconds, search.generations) {
        (Some(seconds), _) => format!("{seconds:.0} s"),
        (None, Some(generations)) => format!("{generations} gen."),
        (None, None) => "-".to_owned(),
    }
}

fn tests(count: u64) -> String {
    match count {
        1 => "1 test".to_owned(),
        count => format!("{count} tests"),
    }
}
