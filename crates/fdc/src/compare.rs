//! `compare`: metrics side by side, from results or published ranks.

use std::path::PathBuf;

use fdc_study::comparison::changes::Changes;
use fdc_study::comparison::input::{self, ResultsInput};
use fdc_study::comparison::significance::{Significance, SignificanceOptions};
use fdc_study::comparison::{Comparison, Field};
use fdc_study::contender::specifications;

use crate::{Failure, Result};

/// What to compare, and how.
pub struct CompareRequest<'a> {
    /// Results folders, their tables, or published ranks; several are joined.
    pub results: &'a [PathBuf],
    /// The metrics, with commas between; `None`: all.
    pub metrics: Option<&'a str>,
    /// The metric to set the others against; `None`: the best by area.
    pub against: Option<&'a str>,
    /// Two metrics to set against each other bug by bug.
    pub bugs: Option<[&'a str; 2]>,
    /// What is asked of the statistics.
    pub significance: SignificanceOptions,
}

/// Metrics side by side.
pub struct CompareReply {
    /// As the inputs together may be called.
    pub title: String,
    /// The values of every metric.
    pub comparison: Comparison,
    /// Whether differences are more than chance.
    pub significance: Significance,
    /// The two metrics asked for, bug by bug.
    pub changes: Option<Changes>,
    /// What the reader should know about the inputs, a sentence each.
    pub notes: Vec<String>,
}

impl CompareReply {
    /// The changes asked for; else from the best of the other metrics, if any, to the reference.
    pub fn changes_or_closest(&self) -> Option<Changes> {
        let closest = || {
            let (order, against) = (self.comparison.by_area(), self.significance.against);
            let other = *order.iter().find(|&&place| place != against)?;
            Some(Changes::between(&self.comparison, other, against))
        };
        self.changes.clone().or_else(closest)
    }
}

/// Reads the results and compares.
pub fn compare(request: &CompareRequest<'_>) -> Result<CompareReply> {
    let inputs = ResultsInput::read_all(request.results)?;
    let field = Field::new(&inputs);
    let comparison = field.compare(&request.metrics.map_or(vec![], specifications))?;
    let against = match request.against {
        None => comparison.best(),
        Some(name) => place_of(&field, &comparison, name)?,
    };
    let changes = request.bugs.map(|pair| changes(&field, pair)).transpose()?;
    let names: Vec<&str> = inputs.iter().map(|input| &*input.name).collect();
    let differences = input::differences(&inputs);
    Ok(CompareReply {
        title: format!("Comparison of {}", names.join(", ")),
        significance: Significance::of(&comparison, against, request.significance)?,
        comparison,
        changes,
        notes: field.notes.into_iter().chain(differences).collect(),
    })
}

fn changes(field: &Field, [from, to]: [&str; 2]) -> Result<Changes> {
    let pair = field.compare(&[from.to_owned(), to.to_owned()])?;
    if pair.metrics.len() != 2 {
        return Err(ambiguous(&format!("'{from}' or '{to}'")));
    }
    Ok(Changes::between(&pair, 0, 1))
}

/// The one compared metric of that name.
fn place_of(field: &Field, comparison: &Comparison, name: &str) -> Result<usize> {
    let named = field.named(name)?;
    let mut places = named.iter().filter_map(|metric| comparison.place(metric));
    match (places.next(), places.next()) {
        (Some(place), None) => Ok(place),
        (None, _) => Err(
            Failure::usage(format!("metric '{name}' is not among those compared"))
                .hint("list it in --metrics"),
        ),
        (Some(_), Some(_)) => Err(ambiguous(&format!("'{name}'"))),
    }
}

fn ambiguous(names: &str) -> Failure {
    Failure::usage(format!("several inputs have results of {names}"))
        .hint("name the input as well: METRIC@INPUT")
}
