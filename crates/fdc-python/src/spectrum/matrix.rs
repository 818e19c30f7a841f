//! A spectrum from data at hand.

use std::sync::Arc;

use fdc::Failure;
use fdc_core::Outcome;
use fdc_core::rows::Rows;
use fdc_core::spectrum::{Program, ProgramBuilder, Test};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::Spectrum;
use crate::error::{exception, wrong};
use crate::row;

#[derive(FromPyObject)]
pub(super) enum Elements {
    /// How many; each is a method of its own, named by its number.
    Count(i64),
    /// File, line, method.
    Lines(Vec<(String, u32, String)>),
}

/// How a test ended, as Python says it.
#[derive(FromPyObject)]
pub(super) enum GivenOutcome {
    /// Whether it passed.
    Passed(bool),
    /// "pass" or "fail".
    Name(String),
}

impl Elements {
    pub(super) fn into_program(self) -> PyResult<Program> {
        let mut builder = ProgramBuilder::default();
        match self {
            Elements::Count(count) => {
                for number in 0..row::count(count)? {
                    let name = number.to_string();
                    let method = builder.method(&name, String::new);
                    builder.element(method, number, Some(name));
                }
            }
            Elements::Lines(lines) => {
                for (file, line, method) in lines {
                    let method = builder.method(&method, || file);
                    builder.element(method, line, None);
                }
            }
        }
        Ok(builder.finish())
    }
}

pub(super) fn spectrum(
    program: Program,
    covered: &[Vec<u32>],
    outcomes: Vec<Option<GivenOutcome>>,
    names: Option<Vec<String>>,
) -> PyResult<Spectrum> {
    let names = names.unwrap_or_else(|| (0..covered.len()).map(|test| test.to_string()).collect());
    let counts = [
        ("outcomes", outcomes.len()),
        ("names of tests", names.len()),
    ];
    let rows = covered.len();
    if let Some((what, count)) = counts.into_iter().find(|(_, count)| *count != rows) {
        let message = format!("expected {rows} {what}, one for every row, found {count}");
        return Err(wrong(message));
    }
    let mut rows = Rows::new(program.elements.len() as u32);
    for row in covered {
        rows.push_columns(row.iter().copied())
            .map_err(|error| wrong(error.to_string()))?;
    }
    let tests = names.into_iter().zip(outcomes).map(|(name, outcome)| {
        Ok(Test {
            outcome: outcome.map(|verdict| verdict.outcome(&name)).transpose()?,
            name,
            ..Test::default()
        })
    });
    let tests = tests.collect::<PyResult<Vec<Test>>>()?;
    let inner = fdc_core::Spectrum::new(None, program, tests, rows, None);
    Ok(Spectrum {
        inner: Arc::new(inner.map_err(exception)?),
        notes: Vec::new(),
        sources: None,
    })
}

pub(super) fn flags(matrix: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<bool>>> {
    let mut rows = Vec::new();
    for (number, row) in matrix.try_iter()?.enumerate() {
        let row = row?;
        let values = if row.hasattr("dtype")? {
            let flags = row.call_method1("astype", ("bool",))?;
            let bytes = flags.call_method0("tobytes")?;
            let bytes = bytes.cast::<PyBytes>().map_err(PyErr::from)?;
            bytes.as_bytes().iter().map(|&byte| byte != 0).collect()
        } else {
            let values: Vec<i64> = row.extract().map_err(|_| not_flags(number, &row))?;
            if values.iter().any(|value| !(0..=1).contains(value)) {
                return Err(not_flags(number, &row));
            }
            values.iter().map(|&value| value == 1).collect()
        };
        rows.push(values);
    }
    Ok(rows)
}

pub(super) fn covered(rows: &[Vec<bool>], width: usize) -> PyResult<Vec<Vec<u32>>> {
    let covered = |(number, row): (usize, &Vec<bool>)| {
        if row.len() != width {
            let found = row.len();
            let message = format!("row {number}: expected {width} values, found {found}");
            return Err(wrong(message));
        }
        let ones = row.iter().enumerate().filter(|(_, covered)| **covered);
        Ok(ones.map(|(element, _)| element as u32).collect())
    };
    rows.iter().enumerate().map(covered).collect()
}

impl GivenOutcome {
    fn outcome(&self, test: &str) -> PyResult<Outcome> {
        match self {
            GivenOutcome::Passed(true) => Ok(Outcome::Pass),
            GivenOutcome::Passed(false) => Ok(Outcome::Fail),
            GivenOutcome::Name(name) if name == Outcome::Pass.name() => Ok(Outcome::Pass),
            GivenOutcome::Name(name) if name == Outcome::Fail.name() => Ok(Outcome::Fail),
            GivenOutcome::Name(name) => Err(wrong(format!(
                "outcome of test {test}: expected \"pass\", \"fail\", None, True (pass) or False \
                 (fail), found {name:?}"
            ))),
        }
    }
}

fn not_flags(number: usize, row: &Bound<'_, PyAny>) -> PyErr {
    let shown: String = row.to_string().chars().take(40).collect();
    let message = format!("row {number}: expected values 0 and 1, found {shown}");
    exception(Failure::input(message).hint("rows of element numbers go to Spectrum.from_rows"))
}
