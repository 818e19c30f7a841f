//! What a study's tables share: sheets for articles and terminals; our figures beside others.

use std::collections::{BTreeMap, BTreeSet};

use fdc_core::spectrum::Bug;
use fdc_draw::table::{Cell, Table};

use super::Runs;
use crate::comparison::tables::half_to_even;
use crate::measures::{At, MetricValues};
use crate::run::StudyRun;

/// One table of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// What a reader must know, a sentence each.
    pub notes: Vec<String>,
    /// In the paper's layout, `ours (paper)` in each cell.
    pub article: Vec<Table>,
    /// One figure a cell, ours and the paper's in columns of their own.
    pub data: Table,
}

/// The values of a metric in a run; `None` if nothing was run.
pub(super) fn values(
    runs: &Runs,
    run: &str,
    metric: &str,
    keep: impl Fn(&StudyRun) -> bool,
) -> Option<MetricValues> {
    let wanted = |run: &&StudyRun| run.unit.metric == metric && keep(run);
    let runs: Vec<&StudyRun> = runs.get(run)?.runs.iter().filter(wanted).collect();
    (!runs.is_empty()).then(|| MetricValues::of(metric, &runs))
}

/// The bugs behind some values, in order.
pub(super) fn bugs_of(ours: &[Option<MetricValues>]) -> BTreeSet<&Bug> {
    let known = ours.iter().flatten();
    known.flat_map(|values| values.bugs.keys()).collect()
}

/// The first accuracies the paper prints are whole.
pub(super) fn whole(value: f64) -> String {
    format!("{:.0}", half_to_even(value))
}

/// `ours (paper)`.
pub(super) fn beside(ours: Option<String>, paper: Option<String>) -> Cell {
    let ours = ours.unwrap_or_else(|| "–".to_owned());
    Cell::text(match paper {
        Some(paper) => format!("{ours} ({paper})"),
        None => ours,
    })
}

pub(super) fn number(value: Option<f64>, text: impl Fn(f64) -> String) -> Cell {
    value.map_or_else(|| Cell::text(""), |value| Cell::number(value, text(value)))
}

/// How many bugs, and of which projects.
pub(super) fn bugs_note<'a>(bugs: impl Iterator<Item = &'a Bug>, paper: Option<u32>) -> String {
    let mut subjects: BTreeMap<&str, usize> = BTreeMap::new();
    for bug in bugs {
        *subjects.entry(&bug.subject).or_default() += 1;
    }
    let total: usize = subjects.values().sum();
    let list = subjects.iter().map(|(name, bugs)| format!("{name} {bugs}"));
    let list: Vec<String> = list.collect();
    let paper = paper.map_or(String::new(), |paper| {
        format!("; the paper: {paper}, so that counts compare as shares only")
    });
    format!("Ours: {total} bugs ({}){paper}.", list.join(", "))
}

/// `Init.`, a number, or `Full`, as the paper writes it.
pub(super) fn point(at: At) -> String {
    match at {
        At::Tests(0) => "Init.".into(),
        At::Tests(_) => at.to_string(),
        At::Full => "Full".into(),
    }
}
