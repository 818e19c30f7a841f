//! Reading the coverage a command works on.

use std::path::Path;

use fdc_core::Spectrum;
use fdc_core::failing::test_named;
use fdc_core::spectrum::Outcome;
use fdc_formats::{Project, Reading, read_inputs};

use crate::args::input::InputArguments;
use crate::exit::Problem;
use crate::output::note;

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
