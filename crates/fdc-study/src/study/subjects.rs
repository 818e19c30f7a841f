//! What was studied: bugs, tests and methods of each project.

use fdc_core::Spectrum;
use fdc_core::spectrum::Bug;
use fdc_draw::table::{Cell, Table};
use serde::Deserialize;

use super::Runs;
use super::sheet::{Sheet, beside, number};
use crate::comparison::tables::columns;
use crate::run::pool_size;

/// A table of projects.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubjectsTable {
    /// What it shows.
    pub title: String,
    /// The run whose bugs are counted.
    pub run: String,
    /// The projects in the paper's order; ours that are not among them come after.
    pub row: Vec<SubjectsRow>,
}

/// A project, with the paper's figures.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubjectsRow {
    /// The project.
    pub name: String,
    /// Its bugs.
    pub bugs: Option<f64>,
    /// Mean number of tests.
    pub tests: Option<f64>,
    /// Mean number of tests that fail.
    pub failing: Option<f64>,
    /// Mean number of methods.
    pub methods: Option<f64>,
    /// Mean number of faulty methods.
    pub faulty: Option<f64>,
}

/// How large a bug's program and suite are.
#[derive(Clone, Debug, PartialEq)]
pub struct BugSize {
    /// The bug.
    pub bug: Bug,
    /// Tests that a run from one failing test can pick.
    pub pool: usize,
    /// All tests.
    pub tests: usize,
    /// Those that fail.
    pub failing: usize,
    /// Methods with a line that some test runs.
    pub methods: usize,
    /// The faulty ones among them.
    pub faulty: usize,
}

impl BugSize {
    /// Of a bug; tests of the origin `starters` are in no pool.
    pub fn of(bug: &Bug, spectrum: &Spectrum, starters: Option<&str>) -> Self {
        let known = spectrum.methods_with_elements();
        BugSize {
            bug: bug.clone(),
            pool: pool_size(spectrum, starters),
            tests: spectrum.tests.len(),
            failing: spectrum.failing_tests().count(),
            methods: known.iter().filter(|known| **known).count(),
            faulty: spectrum.rankable_faults().len(),
        }
    }
}

impl SubjectsTable {
    /// The table.
    pub fn sheet(&self, runs: &Runs) -> Sheet {
        let sizes = runs.get(&self.run).map_or(&[][..], |runs| &runs.sizes);
        let mut names: Vec<&String> = self.row.iter().map(|row| &row.name).collect();
        for size in sizes {
            if !names.contains(&&size.bug.subject) {
                names.push(&size.bug.subject);
            }
        }
        let figures = ["bugs", "tests", "failing", "methods", "faulty"];
        let heads = figures.map(|name| format!(">{name}"));
        let papers = figures.map(|name| format!(">paper {name}"));
        let both = ["project"].into_iter();
        let both = both.chain(heads.iter().chain(&papers).map(String::as_str));
        let mut data = Table::new(&*self.title, columns(both));
        let heads = ["project"]
            .into_iter()
            .chain(heads.iter().map(String::as_str));
        let title = format!("{} — bugs, and means per bug, ours (paper)", self.title);
        let mut article = Table::new(title, columns(heads));
        for name in names {
            let own: Vec<&BugSize> = sizes
                .iter()
                .filter(|own| own.bug.subject == *name)
                .collect();
            let row = self.row.iter().find(|row| row.name == *name);
            let paper = row.map_or([None; 5], SubjectsRow::figures);
            let ours = means(&own);
            let cells = ours.iter().zip(paper).enumerate();
            let cells = cells.map(|(column, (ours, paper))| {
                let text = |value: f64| digits(column, value);
                beside(ours.map(text), paper.map(text))
            });
            let name = Cell::text(&**name);
            article = article.row([name.clone()].into_iter().chain(cells).collect());
            let all = ours.into_iter().chain(paper).enumerate();
            let cells = all.map(|(column, value)| number(value, |value| digits(column % 5, value)));
            data = data.row([name].into_iter().chain(cells).collect());
        }
        Sheet {
            notes: vec![
                "Methods are those with a line that some test runs; faulty ones are among them."
                    .to_owned(),
            ],
            article: vec![article],
            data,
        }
    }
}

impl SubjectsRow {
    /// In the order of the columns.
    fn figures(&self) -> [Option<f64>; 5] {
        [
            self.bugs,
            self.tests,
            self.failing,
            self.methods,
            self.faulty,
        ]
    }
}

/// The number of bugs, and the means of their sizes, in the order of the columns.
fn means(bugs: &[&BugSize]) -> [Option<f64>; 5] {
    if bugs.is_empty() {
        return [None; 5];
    }
    let count = bugs.len() as f64;
    let mean = |of: fn(&BugSize) -> usize| {
        let sum: usize = bugs.iter().map(|own| of(own)).sum();
        Some(sum as f64 / count)
    };
    [
        Some(count),
        mean(|own| own.tests),
        mean(|own| own.failing),
        mean(|own| own.methods),
        mean(|own| own.faulty),
    ]
}

/// Failing tests and faulty methods are few: a decimal.
fn digits(column: usize, value: f64) -> String {
    match column {
        2 | 4 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}
