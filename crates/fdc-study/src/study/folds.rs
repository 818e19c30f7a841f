//! mAP after the last added test by division: what one model, trained without its bugs, is worth.

use std::collections::BTreeSet;

use fdc_draw::table::{Cell, Column, Table};
use serde::Deserialize;

use super::Runs;
use super::sheet::{
    Sheet, beside, bugs_note, bugs_of, number, spread_note, values, whole, with_spread,
};
use crate::comparison::tables::columns;
use crate::measures::{At, MetricValues};

/// A table with a line per division and a column per variant of a learned metric.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Folds {
    /// What it shows.
    pub title: String,
    /// The variants.
    pub row: Vec<FoldsRow>,
}

/// One variant.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoldsRow {
    /// As printed.
    pub name: String,
    /// The run it comes from.
    pub run: String,
    /// The metric in that run.
    pub metric: String,
}

impl Folds {
    /// The table.
    pub fn sheet(&self, runs: &Runs) -> Sheet {
        let own = |row: &FoldsRow, division: &str| {
            values(runs, &row.run, &row.metric, |run| {
                run.unit.division == division
            })
        };
        let all = |row: &FoldsRow| values(runs, &row.run, &row.metric, |_| true);
        let ours: Vec<Option<MetricValues>> = self.row.iter().map(all).collect();
        let pools = self.row.iter().filter_map(|row| runs.get(&row.run));
        let divisions = pools.flat_map(|pool| pool.runs.iter().map(|run| &*run.unit.division));
        let divisions: BTreeSet<&str> = divisions.filter(|name| !name.is_empty()).collect();

        let mut heads = columns(["tested on", ">bugs"]);
        heads.extend(self.row.iter().map(|row| Column::number(&*row.name)));
        let mut article = Table::new(format!("{} — mAP after the last test", self.title), heads);
        let heads = ["tested on", "variant", ">bugs", ">mAP", ">low", ">high"];
        let mut data = Table::new(&*self.title, columns(heads));
        for division in divisions {
            let mut cells = Vec::new();
            let mut bugs = 0;
            for row in &self.row {
                let own = own(row, division);
                let digits = |value: f64| format!("{value:.4}");
                let cell = own.as_ref();
                let cell = cell.map(|own| with_spread(own, own.tests, |at| at.ap, digits));
                cells.push(beside(cell, None));
                let Some(own) = own else { continue };
                bugs = bugs.max(own.bugs.len());
                let spread = own.map_spread(own.tests);
                data = data.row(vec![
                    Cell::text(division),
                    Cell::text(&*row.name),
                    number(Some(own.bugs.len() as f64), whole),
                    number(Some(own.total(At::Tests(own.tests)).ap), digits),
                    number(spread.map(|spread| spread.low), digits),
                    number(spread.map(|spread| spread.high), digits),
                ]);
            }
            let head = [Cell::text(division), number(Some(bugs as f64), whole)];
            article = article.row(head.into_iter().chain(cells).collect());
        }
        let mut notes = vec![bugs_note(bugs_of(&ours).into_iter(), None)];
        notes.extend(spread_note(&ours));
        Sheet {
            notes,
            article: vec![article],
            data,
        }
    }
}
