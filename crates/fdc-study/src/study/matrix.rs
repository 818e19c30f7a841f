//! acc@10 after the last added test, by the project trained on and the project tested on.

use std::collections::{BTreeMap, BTreeSet};

use fdc_core::spectrum::Bug;
use fdc_draw::table::{Cell, Column, Table};
use serde::Deserialize;

use super::Runs;
use super::sheet::{
    Sheet, beside, bugs_note, bugs_of, number, spread_note, values, whole, with_spread,
};
use crate::comparison::tables::columns;
use crate::measures::{ACC_AT, At, MetricValues, Values};

/// Place of acc@10 among [`ACC_AT`].
pub(super) const ACC_10: usize = 3;
const _: () = assert!(ACC_AT[ACC_10] == 10);

/// A table of training and test projects.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// What it shows.
    pub title: String,
    /// The test projects, in the paper's order; ours that are not among them come after.
    pub subjects: Vec<String>,
    /// Bugs of each behind the paper's figures.
    #[serde(default)]
    pub bugs: BTreeMap<String, u32>,
    /// The lines.
    pub row: Vec<MatrixRow>,
}

/// One trained or hand-made metric on every project.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatrixRow {
    /// What it was trained on, as printed.
    pub name: String,
    /// The run it comes from.
    pub run: String,
    /// The metric in that run.
    pub metric: String,
    /// The paper's name for the metric.
    pub label: String,
    /// The division whose model it is; none: all.
    pub division: Option<String>,
    /// The paper's figures, by test project.
    #[serde(default)]
    pub figures: BTreeMap<String, u32>,
}

impl Matrix {
    /// The table.
    pub fn sheet(&self, runs: &Runs) -> Sheet {
        let ours = |row: &MatrixRow| {
            let division = row.division.as_ref();
            values(runs, &row.run, &row.metric, |run| {
                division.is_none_or(|division| run.unit.division == *division)
            })
        };
        let ours: Vec<Option<MetricValues>> = self.row.iter().map(ours).collect();
        let bugs = bugs_of(&ours);
        let others: BTreeSet<&String> = bugs.iter().map(|bug| &bug.subject).collect();
        let others = others.into_iter();
        let others = others.filter(|own| !self.subjects.contains(own));
        let subjects: Vec<&String> = self.subjects.iter().chain(others).collect();
        let count = |subject: &str| bugs.iter().filter(|bug| bug.subject == *subject).count();

        let mut heads = columns(["trained on", "metric"]);
        heads.extend(subjects.iter().map(|subject| Column::number(&**subject)));
        let title = format!("{} — acc@10, ours (paper)", self.title);
        let mut article = Table::new(title, heads);
        let heads = ["trained on", "metric", "tested on"].into_iter();
        let heads = heads.chain([">bugs", ">acc@10", ">mAP", ">paper bugs", ">paper acc@10"]);
        let mut data = Table::new(&*self.title, columns(heads));
        for (row, values) in self.row.iter().zip(&ours) {
            let mut cells = vec![Cell::text(&*row.name), Cell::text(&*row.label)];
            for &subject in &subjects {
                let of_subject = |bug: &Bug| bug.subject == *subject;
                let own = values.as_ref().map(|all| all.filtered(of_subject));
                let own = own.filter(|own| !own.bugs.is_empty());
                let total = own.as_ref().map(|own| own.total(At::Tests(own.tests)));
                let paper = row.figures.get(subject).copied();
                let acc = |at: &Values| at.acc[ACC_10];
                let ours = own.as_ref();
                let ours = ours.map(|own| with_spread(own, own.tests, acc, whole));
                cells.push(beside(ours, paper.map(|figure| figure.to_string())));
                if total.is_none() && paper.is_none() {
                    continue;
                }
                let paper_bugs = self.bugs.get(subject).copied().map(f64::from);
                data = data.row(vec![
                    Cell::text(&*row.name),
                    Cell::text(&*row.label),
                    Cell::text(&**subject),
                    number(own.as_ref().map(|own| own.bugs.len() as f64), whole),
                    number(total.map(|total| total.acc[ACC_10]), whole),
                    number(total.map(|total| total.ap), |ap| format!("{ap:.4}")),
                    number(paper_bugs, whole),
                    number(paper.map(f64::from), whole),
                ]);
            }
            article = article.row(cells);
        }
        let mut cells = vec![Cell::text("bugs"), Cell::text("")];
        cells.extend(subjects.iter().map(|&subject| {
            let paper = self.bugs.get(subject).map(u32::to_string);
            beside(Some(count(subject).to_string()), paper)
        }));
        let mut notes = vec![bugs_note(bugs.into_iter(), Some(self.bugs.values().sum()))];
        notes.extend(spread_note(&ours));
        Sheet {
            notes,
            article: vec![article.row(cells)],
            data,
        }
    }
}
