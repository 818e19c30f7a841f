//! Reading the coverage a command works on, and finding tests in it by name.

use std::path::Path;

use fdc_core::Spectrum;
use fdc_core::coverage::TestId;
use fdc_core::naming::nearest;
use fdc_core::spectrum::Outcome;
use fdc_formats::{Project, Reading, read_inputs};

use crate::args::InputArguments;
use crate::exit::Problem;
use crate::output::{note, printable_name};

/// Reads the inputs, says what a person should know about them, and applies `--failed`.
pub fn read(arguments: &InputArguments, quiet: bool) -> Result<Spectrum, Problem> {
    let root = arguments.source.as_deref().unwrap_or(Path::new("."));
    if !root.is_dir() {
        let message = format!("{}: --source names no folder", root.display());
        return Err(
            Problem::input(message).hint("give the folder of the sources that were measured")
        );
    }
    let project = Project::new(root)
        .with_classes(arguments.classes.clone())
        .with_tests(arguments.include_tests);
    let Reading {
        mut spectrum,
        notes,
    } = read_inputs(
        &arguments.inputs,
        arguments.from,
        &arguments.outcomes,
        &project,
    )?;
    for text in notes {
        note(quiet, &format!("note: {text}"));
    }
    if !arguments.failed.is_empty() {
        for name in &arguments.failed {
            let test = test_named(&spectrum, name)?;
            spectrum.tests[test.index()].outcome = Some(Outcome::Fail);
        }
        for test in &mut spectrum.tests {
            test.outcome.get_or_insert(Outcome::Pass);
        }
    }
    Ok(spectrum)
}

/// The test of that name, or the nearest one in the message.
pub fn test_named(spectrum: &Spectrum, name: &str) -> Result<TestId, Problem> {
    spectrum.test_named(name).ok_or_else(|| {
        let names = spectrum.tests.iter().map(|test| &*test.name);
        let problem = Problem::usage(format!("no test is named {name:?}"));
        match nearest(name, names) {
            Some(near) => problem.hint(format!("did you mean {near:?}?")),
            None => problem.hint("test names are as the input spells them, class or file included"),
        }
    })
}

/// The failing test to start from: the one named, or the only one.
pub fn failing_test(spectrum: &Spectrum, named: Option<&str>) -> Result<TestId, Problem> {
    let test = match named {
        Some(name) => {
            let test = test_named(spectrum, name)?;
            check_fails(spectrum, test)?;
            test
        }
        None => only_failing_test(spectrum)?,
    };
    check_covers(spectrum, test)?;
    Ok(test)
}

/// The failing tests to rank by: those named, or all.
pub fn failing_tests(spectrum: &Spectrum, named: &[String]) -> Result<Vec<TestId>, Problem> {
    let tests: Vec<TestId> = if named.is_empty() {
        spectrum.failing_tests().collect()
    } else {
        let mut tests = Vec::new();
        for name in named {
            let test = test_named(spectrum, name)?;
            check_fails(spectrum, test)?;
            if !tests.contains(&test) {
                tests.push(test);
            }
        }
        tests
    };
    match tests.as_slice() {
        [] => Err(no_failing_test(spectrum)),
        [only] => check_covers(spectrum, *only).map(|()| tests),
        many if many.iter().all(|&test| spectrum.coverage.total(test) == 0) => {
            let message = format!(
                "none of the {} failing tests covers an element: nothing can be suspected",
                many.len()
            );
            Err(Problem::input(message).hint("measure coverage again"))
        }
        _ => Ok(tests),
    }
}

/// A failing test may be one that the input calls failing, or one it knows no outcome of.
fn check_fails(spectrum: &Spectrum, test: TestId) -> Result<(), Problem> {
    let verdict = spectrum.test(test).verdict();
    if verdict.is_none_or(|verdict| verdict.outcome == Outcome::Fail) {
        return Ok(());
    }
    let name = printable_name(&spectrum.test(test).name);
    let failing: Vec<String> = names(spectrum, spectrum.failing_tests().take(5));
    let problem = Problem::usage(format!("test {name} passes: a failing test is needed"));
    Err(if failing.is_empty() {
        problem.hint("no test of this input fails")
    } else {
        problem.hint(format!("failing tests: {}", failing.join(", ")))
    })
}

fn check_covers(spectrum: &Spectrum, test: TestId) -> Result<(), Problem> {
    if spectrum.coverage.total(test) > 0 {
        return Ok(());
    }
    let name = printable_name(&spectrum.test(test).name);
    let message = format!("failing test {name} covers no element: nothing can be suspected");
    Err(Problem::input(message).hint("measure coverage again, or start from another failing test"))
}

fn only_failing_test(spectrum: &Spectrum) -> Result<TestId, Problem> {
    let failing: Vec<TestId> = spectrum.failing_tests().collect();
    match failing.as_slice() {
        [only] => Ok(*only),
        [] => Err(no_failing_test(spectrum)),
        many => {
            let shown = names(spectrum, many.iter().copied().take(5));
            let more = many.len().saturating_sub(5);
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            Err(Problem::usage(format!(
                "{} tests fail: name one with --failing",
                many.len()
            ))
            .hint(format!("failing tests: {}{more}", shown.join(", "))))
        }
    }
}

fn no_failing_test(spectrum: &Spectrum) -> Problem {
    let fails = |test: &&fdc_core::spectrum::Test| {
        test.flaky && test.verdict().is_some_and(|v| v.outcome == Outcome::Fail)
    };
    let flaky = spectrum.tests.iter().filter(fails).count();
    let mut message = format!("no test fails among {}", spectrum.tests.len());
    if flaky > 0 {
        message += &format!(" ({flaky} flaky, left out)");
    }
    Problem::input(message)
        .hint("name the failing one with --failing, or set outcomes with --failed")
}

fn names(spectrum: &Spectrum, tests: impl Iterator<Item = TestId>) -> Vec<String> {
    tests
        .map(|test| printable_name(&spectrum.test(test).name))
        .collect()
}
