//! Ranking the suspects.

use std::collections::BTreeMap;

use fdc_core::failing::failing_tests;
use fdc_core::ranking::{Place, Ranker, RankingOptions};
use fdc_core::{Formula, Level, Named, Tally};
use pyo3::prelude::*;

use crate::error::{Kind, Problem, detached};
use crate::spectrum::{Names, Spectrum};
use crate::suspect::Suspect;

/// The suspects, the most suspicious first: what the failing tests run and passing tests do not.
///
/// formula: `fdc.formulas()` lists them. level: "method", "line" or "file". failing: the failing
/// tests to rank by, a name or several; all of them unless given. tie: the place of equal scores,
/// "max" (the worst of the tie), "min", "average" or "expected". aggregate: how line scores go up
/// to methods and files, "max", "mean" or "sum". top: so many at the most. include_flaky: counts
/// flaky tests too.
#[pyfunction]
#[pyo3(signature = (spectrum, formula="ochiai", level="method", failing=None, *, tie="max", aggregate="max", top=None, include_flaky=false))]
#[allow(clippy::too_many_arguments)] // Python's keywords, each with a default.
pub fn rank(
    py: Python<'_>,
    spectrum: &Spectrum,
    formula: &str,
    level: &str,
    failing: Option<Names>,
    tie: &str,
    aggregate: &str,
    top: Option<usize>,
    include_flaky: bool,
) -> PyResult<Vec<Suspect>> {
    let options = RankingOptions {
        formula: Formula::named(formula).map_err(|nearest| {
            Problem::unknown(
                "formula",
                formula,
                nearest,
                "fdc.formulas() lists all formulas",
            )
        })?,
        aggregate: one_of("aggregate", aggregate)?,
        tie: one_of("tie", tie)?,
    };
    let level = one_of("level", level)?;
    let failing = failing.map_or_else(Vec::new, Names::into_vec);
    detached(py, || {
        let mut flaky_too;
        let spectrum = if include_flaky {
            flaky_too = spectrum.inner().clone();
            let tests = flaky_too.tests.iter_mut();
            tests.for_each(|test| test.flaky = false);
            &flaky_too
        } else {
            spectrum.inner()
        };
        let failing = failing_tests(spectrum, &failing)?;
        let tally = Tally::of_failing(spectrum, &failing);
        let ranking = Ranker::new(spectrum, level, options).ranking(&tally, &spectrum.coverage);
        let lines = lines_of_units(spectrum, level);
        let places = ranking.places.iter().take(top.unwrap_or(usize::MAX));
        Ok(places
            .map(|place| suspect(spectrum, level, place, &lines))
            .collect())
    })
}

/// The value of that name.
pub fn one_of<T: Named>(what: &str, name: &str) -> Result<T, Problem> {
    T::named(name).ok_or_else(|| {
        let names: Vec<&str> = T::TABLE.iter().map(|(_, name, _)| *name).collect();
        let expected = names.join(", ");
        let message = format!("{what}: expected one of {expected}, found {name:?}");
        Problem::new(Kind::Input, message)
    })
}

/// The measured lines of every unit, ascending; nothing where there are no source lines.
fn lines_of_units(spectrum: &fdc_core::Spectrum, level: Level) -> BTreeMap<u32, Vec<u32>> {
    let program = &spectrum.program;
    let mut lines: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    if !program.labels.is_empty() {
        return lines;
    }
    for (index, element) in program.elements.iter().enumerate() {
        let unit = match level {
            Level::Line => index as u32,
            Level::Method => element.method.0,
            Level::File => program.methods[element.method.index()].file,
        };
        lines.entry(unit).or_default().push(element.line);
    }
    for of_unit in lines.values_mut() {
        of_unit.sort_unstable();
        of_unit.dedup();
    }
    lines
}

fn suspect(
    spectrum: &fdc_core::Spectrum,
    level: Level,
    place: &Place,
    lines: &BTreeMap<u32, Vec<u32>>,
) -> Suspect {
    let program = &spectrum.program;
    let unit = place.unit as usize;
    let file_of = |method: usize| program.files[program.methods[method].file as usize].clone();
    let (name, file) = match level {
        Level::Method => (program.methods[unit].name.clone(), file_of(unit)),
        Level::File => (program.files[unit].clone(), program.files[unit].clone()),
        Level::Line => {
            let element = program.elements[unit];
            let file = file_of(element.method.index());
            let label = program.labels.get(unit).cloned();
            let name = label.unwrap_or_else(|| format!("{file}:{}", element.line));
            (name, file)
        }
    };
    Suspect {
        name,
        file,
        score: place.score,
        rank: place.rank,
        lines: lines.get(&place.unit).cloned().unwrap_or_default(),
    }
}
