//! `fdc rank`: the suspicious methods, lines or files.

mod findings;
mod json;
mod terminal;
mod view;

use std::path::Path;

use fdc_core::Spectrum;
use fdc_core::coverage::TestId;
use fdc_core::failing::failing_tests;
use fdc_report::sarif;

use self::view::View;
use crate::args::{InputArguments, RankArguments, RankFormat};
use crate::exit::{Exit, Problem};
use crate::input;
use crate::output::{note, put, put_data, put_json};
use crate::sources;
use fdc_source::Sources;

/// Places in a table and in SARIF, unless told: what a person goes through.
const FIRST_PLACES: usize = 10;
/// Places on a page, unless told.
const PAGE_PLACES: usize = 100;

/// Runs the command.
pub fn run(arguments: &RankArguments, quiet: bool) -> Result<Exit, Problem> {
    let mut spectrum = input::read(&arguments.input, quiet)?;
    if arguments.include_flaky {
        spectrum
            .tests
            .iter_mut()
            .for_each(|test| test.flaky = false);
    }
    let sources = shown_sources(arguments)?;
    let failing = failing_tests(&spectrum, &arguments.failing)?;
    let top = arguments.top.or(match arguments.format {
        RankFormat::Table | RankFormat::Sarif => Some(FIRST_PLACES),
        RankFormat::Html => Some(PAGE_PLACES),
        RankFormat::Json | RankFormat::Csv | RankFormat::Gzoltar => None,
    });
    let separate = separate_faults(&spectrum, &failing);
    let view = View::new(
        &spectrum,
        arguments,
        failing,
        separate,
        sources.as_ref(),
        top,
    );
    let out = arguments.out.as_deref();
    let mut notes = view.notes();
    match arguments.format {
        RankFormat::Json => put_json(&json::document(&view), out)?,
        RankFormat::Csv => put_data(&view.csv(), out)?,
        RankFormat::Gzoltar => put_data(&view.gzoltar(), out)?,
        RankFormat::Table => put(&terminal::text(&view, &mut notes), out)?,
        RankFormat::Sarif => {
            let suspects = findings::for_scanning(&view, &mut notes);
            put_json(&sarif::Log::new(&suspects, env!("CARGO_PKG_VERSION")), out)?;
        }
        RankFormat::Html => {
            let command: Vec<String> = std::env::args().skip(1).collect();
            let command = format!("fdc {}", command.join(" "));
            put_data(&findings::page(&view, &command, &mut notes).html(), out)?;
        }
    }
    for text in &notes {
        note(quiet, &format!("note: {text}"));
    }
    Ok(if arguments.exit_code && view.units > 0 {
        // The failing tests cover something, so something is suspected.
        Exit::Finding
    } else {
        Exit::Done
    })
}

/// Where sources are looked for, if the format shows any.
fn shown_sources(arguments: &RankArguments) -> Result<Option<Sources>, Problem> {
    let shows = matches!(
        arguments.format,
        RankFormat::Table | RankFormat::Sarif | RankFormat::Html
    );
    if arguments.no_source || !shows {
        return Ok(None);
    }
    let input = &arguments.input;
    sources::project(case_among(input)?, input.source.as_deref())
}

/// The input, if it is a case file.
fn case_among(input: &InputArguments) -> Result<Option<&Path>, Problem> {
    let [only] = input.inputs.as_slice() else {
        return Ok(None);
    };
    let format = match input.from {
        Some(format) => format,
        None => fdc_formats::detect(only)?,
    };
    Ok((format.name == "case").then_some(only))
}

/// Failing tests that cover anything, in sets such that tests of different sets share no element, in order of their
/// first tests.
fn separate_faults(spectrum: &Spectrum, failing: &[TestId]) -> Vec<Vec<TestId>> {
    let coverage = &spectrum.coverage;
    let mut set_of_column = vec![None; coverage.column_count()];
    let mut sets: Vec<Vec<TestId>> = Vec::new();
    let covers = |test: &&TestId| coverage.total(**test) > 0;
    for &test in failing.iter().filter(covers) {
        let mut touched = Vec::new();
        coverage
            .row(test)
            .for_each(|column| touched.extend(set_of_column[column as usize]));
        touched.sort_unstable();
        touched.dedup();
        let target = touched.first().copied().unwrap_or_else(|| {
            sets.push(Vec::new());
            sets.len() - 1
        });
        for &other in touched.iter().skip(1) {
            let moved = std::mem::take(&mut sets[other]);
            sets[target].extend(moved);
        }
        sets[target].push(test);
        for column in &mut set_of_column {
            if column.is_some_and(|set| touched.contains(&set)) {
                *column = Some(target);
            }
        }
        coverage
            .row(test)
            .for_each(|column| set_of_column[column as usize] = Some(target));
    }
    sets.retain(|set| !set.is_empty());
    for set in &mut sets {
        set.sort_unstable();
    }
    sets.sort_unstable();
    sets
}

/// An option's value as it is typed.
pub fn value_name(value: impl clap::ValueEnum) -> String {
    let possible = value.to_possible_value().expect("no value is hidden");
    possible.get_name().to_owned()
}
