//! acc@1, 3, 5, 10 after 0, 1, ... added tests and with the full pool; mAP after the last.

use fdc_draw::table::{Cell, Column, Table};
use serde::Deserialize;

use super::Runs;
use super::sheet::{
    Sheet, beside, bugs_note, bugs_of, check_against, contrasts, number, point, spread_note,
    values, whole, with_spread,
};
use crate::comparison::tables::columns;
use crate::measures::{ACC_AT, At, MetricValues};

/// A table of curves.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurveTable {
    /// What it shows.
    pub title: String,
    /// Bugs behind the paper's figures.
    pub bugs: Option<u32>,
    /// The row that others are compared with, bug by bug.
    pub against: Option<String>,
    /// Points to show; none: 0, 1, ... and the full pool.
    #[serde(default)]
    pub points: Vec<usize>,
    /// The metrics.
    pub row: Vec<CurveRow>,
}

/// One metric's curve.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurveRow {
    /// The paper's name for it.
    pub name: String,
    /// The run it comes from.
    pub run: String,
    /// The metric in that run.
    pub metric: String,
    /// The paper's mAP after the last number of tests.
    pub map: Option<f64>,
    /// The paper's acc@1, 3, 5, 10, a line per point.
    #[serde(default)]
    pub acc: Vec<[u32; 4]>,
    /// The same with the full pool.
    pub full: Option<[u32; 4]>,
}

impl CurveRow {
    fn paper(&self, place: usize, at: At) -> Option<[u32; 4]> {
        match at {
            At::Full => self.full,
            At::Tests(_) => self.acc.get(place).copied(),
        }
    }
}

impl CurveTable {
    pub(super) fn check(&self) -> Result<(), String> {
        let names = self.row.iter().map(|row| &row.name);
        check_against(&self.title, self.against.as_ref(), names)
    }

    /// The table.
    pub fn sheet(&self, runs: &Runs) -> Sheet {
        let ours = |row: &CurveRow| values(runs, &row.run, &row.metric, |_| true);
        let ours: Vec<Option<MetricValues>> = self.row.iter().map(ours).collect();
        let points = self.points(&ours);
        let bugs = bugs_of(&ours);
        let mut notes = vec![bugs_note(bugs.iter().copied(), self.bugs)];
        for (row, values) in self.row.iter().zip(&ours) {
            let count = values.as_ref().map_or(0, |values| values.bugs.len());
            if count < bugs.len() {
                notes.push(format!("{}: {count} bugs only.", row.name));
            }
        }
        notes.extend(spread_note(&ours));
        let mut article = vec![self.shares(runs, &ours, bugs.len())];
        let names = self.row.iter().map(|row| &row.name);
        article.extend(contrasts(&self.title, self.against.as_ref(), names, &ours));
        article.push(self.counts(&ours, &points));
        Sheet {
            notes,
            article,
            data: self.data(&ours, &points),
        }
    }

    fn points(&self, ours: &[Option<MetricValues>]) -> Vec<At> {
        let mut tests = self.points.clone();
        if tests.is_empty() {
            let last = ours.iter().flatten().map(|values| values.tests).max();
            tests = (0..=last.unwrap_or(10)).collect();
        }
        tests.into_iter().map(At::Tests).chain([At::Full]).collect()
    }

    /// Shares of the bugs after the last test, which can be compared whatever their number.
    fn shares(&self, runs: &Runs, ours: &[Option<MetricValues>], bugs: usize) -> Table {
        let title = &self.title;
        let title = format!("{title} — shares of bugs after the last test, ours (paper)");
        let mut heads = columns(["metric"]);
        heads.extend(ACC_AT.map(|n| Column::number(format!("acc@{n} %"))));
        heads.extend(columns([">mAP", ">area", ">tests a bug"]));
        let mut table = Table::new(title, heads);
        for (row, values) in self.row.iter().zip(ours) {
            let values = values.as_ref();
            let share = |part: f64, of: f64| format!("{:.1}", 100.0 * part / of.max(1.0));
            let paper = row.acc.last();
            let mut cells = vec![Cell::text(&*row.name)];
            for n in 0..ACC_AT.len() {
                let text = |acc: f64| share(acc, bugs as f64);
                let ours = values.map(|own| with_spread(own, own.tests, |at| at.acc[n], text));
                let paper = paper.zip(self.bugs);
                let paper = paper.map(|(acc, bugs)| share(f64::from(acc[n]), f64::from(bugs)));
                cells.push(beside(ours, paper));
            }
            let map = |value: f64| format!("{value:.3}");
            let ours = values.map(|own| with_spread(own, own.tests, |at| at.ap, map));
            cells.push(beside(ours, row.map.map(map)));
            cells.push(number(values.map(MetricValues::area), map));
            let size = pool_size(runs, &row.run);
            cells.push(number(size, |tests| format!("{tests:.1}")));
            table = table.row(cells);
        }
        table
    }

    /// The paper's layout: a line per number of tests, four columns a metric.
    fn counts(&self, ours: &[Option<MetricValues>], points: &[At]) -> Table {
        let mut columns = vec![Column::text("tests")];
        for row in &self.row {
            columns.extend(ACC_AT.map(|n| Column::number(format!("{} @{n}", row.name))));
        }
        let mut table = Table::new(format!("{} — bugs, ours (paper)", self.title), columns);
        for (place, &at) in points.iter().enumerate() {
            let mut cells = vec![Cell::text(point(at))];
            for (row, values) in self.row.iter().zip(ours) {
                let total = values.as_ref().map(|values| values.total(at));
                let paper = row.paper(place, at);
                for n in 0..ACC_AT.len() {
                    let ours = total.map(|total| whole(total.acc[n]));
                    cells.push(beside(ours, paper.map(|acc| acc[n].to_string())));
                }
            }
            table = table.row(cells);
        }
        table
    }

    fn data(&self, ours: &[Option<MetricValues>], points: &[At]) -> Table {
        let mut heads = columns(["metric", "tests"]);
        for paper in ["", "paper "] {
            heads.extend(ACC_AT.map(|n| Column::number(format!("{paper}acc@{n}"))));
            heads.push(Column::number(format!("{paper}mAP")));
            if paper.is_empty() {
                heads.extend(columns([">lowest mAP", ">highest mAP"]));
            }
        }
        let mut table = Table::new(&*self.title, heads);
        for (row, values) in self.row.iter().zip(ours) {
            for (place, &at) in points.iter().enumerate() {
                let total = values.as_ref().map(|values| values.total(at));
                let mut cells = vec![Cell::text(&*row.name), Cell::text(at.to_string())];
                let acc = |n: usize| number(total.map(|total| total.acc[n]), whole);
                cells.extend((0..ACC_AT.len()).map(acc));
                let digits = |ap: f64| format!("{ap:.4}");
                let spread = match (values, at) {
                    (Some(values), At::Tests(tests)) => values.map_spread(tests),
                    _ => None,
                };
                cells.push(number(total.map(|total| total.ap), digits));
                cells.push(number(spread.map(|spread| spread.low), digits));
                cells.push(number(spread.map(|spread| spread.high), digits));
                let paper = row.paper(place, at);
                let acc = |n: usize| number(paper.map(|acc| f64::from(acc[n])), whole);
                cells.extend((0..ACC_AT.len()).map(acc));
                let last = matches!(at, At::Tests(_)) && place + 2 == points.len();
                let map = row.map.filter(|_| last);
                cells.push(number(map, |map| format!("{map:.3}")));
                table = table.row(cells);
            }
        }
        table
    }
}

/// Mean number of tests to pick from.
fn pool_size(runs: &Runs, run: &str) -> Option<f64> {
    let sizes = &runs.get(run)?.sizes;
    let total: usize = sizes.iter().map(|size| size.pool).sum();
    (!sizes.is_empty()).then(|| total as f64 / sizes.len() as f64)
}
