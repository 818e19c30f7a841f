//! acc@10 after chosen numbers of added tests, a line per variant.

use fdc_draw::table::{Cell, Column, Table};
use serde::Deserialize;

use super::Runs;
use super::matrix::ACC_10;
use super::sheet::{
    Sheet, beside, bugs_note, bugs_of, check_against, contrasts, number, spread_note, values,
    whole, with_spread,
};
use crate::comparison::tables::columns;
use crate::measures::{At, MetricValues, Values};

/// A table of variants.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ablation {
    /// What it shows.
    pub title: String,
    /// Bugs behind the paper's figures.
    pub bugs: Option<u32>,
    /// The row that others are compared with, bug by bug.
    pub against: Option<String>,
    /// Numbers of added tests.
    pub points: Vec<usize>,
    /// The variants.
    pub row: Vec<AblationRow>,
}

/// One variant.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AblationRow {
    /// The paper's name for it.
    pub name: String,
    /// The run it comes from.
    pub run: String,
    /// The metric in that run.
    pub metric: String,
    /// The paper's acc@10, a figure per point.
    #[serde(default)]
    pub figures: Vec<u32>,
}

impl Ablation {
    pub(super) fn check(&self) -> Result<(), String> {
        let names = self.row.iter().map(|row| &row.name);
        check_against(&self.title, self.against.as_ref(), names)
    }

    /// The table.
    pub fn sheet(&self, runs: &Runs) -> Sheet {
        let ours = |row: &AblationRow| values(runs, &row.run, &row.metric, |_| true);
        let ours: Vec<Option<MetricValues>> = self.row.iter().map(ours).collect();
        let bugs = bugs_of(&ours);

        let heads = self.points.iter().map(|tests| format!("after {tests}"));
        let mut own = columns(["variant"]);
        own.extend(heads.clone().map(Column::number));
        own.extend(columns([">mAP", ">area"]));
        let mut both = own.clone();
        both.extend(heads.map(|head| Column::number(format!("paper {head}"))));
        let mut article = Table::new(format!("{} — acc@10, ours (paper)", self.title), own);
        let mut data = Table::new(&*self.title, both);

        for (row, values) in self.row.iter().zip(&ours) {
            let acc = |&tests: &usize| Some(values.as_ref()?.total(At::Tests(tests)).acc[ACC_10]);
            let acc: Vec<Option<f64>> = self.points.iter().map(acc).collect();
            let values = values.as_ref();
            let map = values.map(|values| values.total(At::Tests(values.tests)).ap);
            let area = values.map(MetricValues::area);
            let digits = |value: f64| format!("{value:.4}");
            let name = Cell::text(&*row.name);
            let paper = |place: usize| row.figures.get(place).copied();

            let mut cells = vec![name.clone()];
            cells.extend(self.points.iter().enumerate().map(|(place, &tests)| {
                let paper = paper(place).map(|figure| figure.to_string());
                let acc = |at: &Values| at.acc[ACC_10];
                beside(values.map(|own| with_spread(own, tests, acc, whole)), paper)
            }));
            let ours = values.map(|own| with_spread(own, own.tests, |at| at.ap, digits));
            cells.extend([beside(ours, None), number(area, digits)]);
            article = article.row(cells);

            let mut cells = vec![name];
            cells.extend(acc.iter().map(|&acc| number(acc, whole)));
            cells.extend([number(map, digits), number(area, digits)]);
            let papers = (0..self.points.len()).map(|place| paper(place).map(f64::from));
            cells.extend(papers.map(|figure| number(figure, whole)));
            data = data.row(cells);
        }
        let mut notes = vec![bugs_note(bugs.into_iter(), self.bugs)];
        notes.extend(spread_note(&ours));
        let names = self.row.iter().map(|row| &row.name);
        let contrasts = contrasts(&self.title, self.against.as_ref(), names, &ours);
        Sheet {
            notes,
            article: [article].into_iter().chain(contrasts).collect(),
            data,
        }
    }
}
