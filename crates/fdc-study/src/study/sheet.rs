//! What a study's tables share: sheets for articles and terminals; our figures beside others.

use std::collections::{BTreeMap, BTreeSet};

use fdc_core::spectrum::Bug;
use fdc_draw::table::{Cell, Table};

use super::Runs;
use super::definition::ensure;
use crate::comparison::tables::{columns, half_to_even};
use crate::measures::{At, BugValues, MetricValues, Values};
use crate::run::StudyRun;
use crate::stats::bootstrap::{self, REPLICATES};

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

/// A total after so many tests, and the lowest and the highest of a seed where there are several:
/// `41.4 [39.1–43.7]`.
pub(super) fn with_spread(
    values: &MetricValues,
    tests: usize,
    measure: impl Fn(&Values) -> f64,
    text: impl Fn(f64) -> String,
) -> String {
    let total = text(measure(&values.total(At::Tests(tests))));
    match values.spread(tests, measure) {
        None => total,
        Some(spread) => format!("{total} [{}–{}]", text(spread.low), text(spread.high)),
    }
}

/// What brackets in a table mean; nothing where it has none.
pub(super) fn spread_note(ours: &[Option<MetricValues>]) -> Option<String> {
    let spreads = ours.iter().flatten();
    let seeds = spreads.filter_map(|own| Some(own.map_spread(own.tests)?.seeds));
    let seeds = seeds.max()?;
    Some(format!(
        "In brackets, the lowest and the highest of {seeds} seeds: orders of equally good tests, and \
         trainings of what is learned."
    ))
}

/// Whether a table has the row that others are compared with.
pub(super) fn check_against<'a>(
    title: &str,
    against: Option<&String>,
    mut rows: impl Iterator<Item = &'a String>,
) -> Result<(), String> {
    let known = against.is_none_or(|against| rows.any(|row| row == against));
    ensure(known, || {
        let against = against.map_or("", String::as_str);
        format!("{title}: there is no row {against}")
    })
}

/// Each row less one of them, paired by bug, with intervals; nothing if there is no such row, or it
/// was not run.
pub(super) fn contrasts<'a>(
    title: &str,
    against: Option<&String>,
    names: impl Iterator<Item = &'a String>,
    ours: &[Option<MetricValues>],
) -> Option<Table> {
    let against = against?;
    let rows: Vec<(&String, &MetricValues)> = names
        .zip(ours)
        .filter_map(|(name, own)| Some((name, own.as_ref()?)))
        .collect();
    let (_, reference) = *rows.iter().find(|(name, _)| *name == against)?;
    let heads = ["metric", ">mAP", ">low", ">high"].into_iter();
    let heads = heads.chain([">area", ">low, area", ">high, area"]);
    let title = format!("{title} — each less {against}, paired by bug, 95 % intervals over bugs");
    let mut table = Table::new(title, columns(heads));
    for (name, values) in rows.into_iter().filter(|(name, _)| *name != against) {
        let last = At::Tests(values.tests);
        let measures: [&dyn Fn(&BugValues) -> f64; 2] =
            [&|bug: &BugValues| bug.at(last).ap, &BugValues::area];
        let mut cells = vec![Cell::text(&**name)];
        for measure in measures {
            cells.extend(difference(&values.bugs, &reference.bugs, measure, 4));
        }
        table = table.row(cells);
    }
    Some(table)
}

/// The mean of one less the other, paired by bug, and its interval, in so many digits; over the bugs
/// that both have.
pub(super) fn difference<T>(
    x: &BTreeMap<Bug, T>,
    y: &BTreeMap<Bug, T>,
    measure: impl Fn(&T) -> f64,
    digits: usize,
) -> [Cell; 3] {
    let both = x.iter().filter_map(|(bug, own)| Some((own, y.get(bug)?)));
    let less: Vec<f64> = both.map(|(x, y)| measure(x) - measure(y)).collect();
    let signed = |value: f64| Cell::number(value, format!("{value:+.digits$}"));
    let interval = bootstrap::mean(&less, REPLICATES);
    interval.map_or([const { "–" }; 3].map(Cell::text), |own| {
        [own.estimate, own.low, own.high].map(signed)
    })
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
