//! Answers that simulated labellers give until a faulty method is near the top: by metric, the
//! differences between metrics, and what trust in part does.

use std::collections::{BTreeMap, BTreeSet};

use fdc_core::spectrum::Bug;
use fdc_draw::table::{Cell, Column, Table};
use serde::Deserialize;

use super::Runs;
use super::definition::ensure;
use super::sheet::{Sheet, bugs_note, difference};
use crate::comparison::tables::columns;
use crate::evaluate::check_count;
use crate::labeller::{Inquiry, Labeller, LabellerRun};

/// Who is asked, and the tables of what came of it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabellingTable {
    /// What it shows.
    pub title: String,
    /// A faulty method must be among the first so many.
    pub top: u32,
    /// Draws of wrong answers.
    pub draws: u64,
    /// The row that the others are compared with.
    pub against: String,
    /// Who answers.
    pub labellers: Vec<Labeller>,
    /// The metrics.
    pub row: Vec<LabellingRow>,
}

/// One metric.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabellingRow {
    /// As printed.
    pub name: String,
    /// The run it comes from.
    pub run: String,
    /// The metric in that run.
    pub metric: String,
}

/// A bug's means over its runs: answers, and the share that got there; at first, and for good.
#[derive(Clone, Copy, Default)]
struct Mean {
    answers: [f64; 2],
    reached: [f64; 2],
    at_start: f64,
}

type Means = BTreeMap<Bug, Mean>;

impl LabellingTable {
    pub(super) fn check(&self) -> Result<(), String> {
        let empty = self.labellers.is_empty() || self.row.is_empty();
        ensure(!empty, || "labelling needs labellers and rows".into())?;
        let counted = self.top > 0 && self.draws > 0;
        ensure(counted, || "labelling: top and draws are from 1 on".into())?;
        check_count("draws", self.draws).map_err(|error| format!("labelling: {error}"))?;
        for (place, labeller) in self.labellers.iter().enumerate() {
            let Labeller { wrong, trust } = labeller;
            let fits = (0.0..=1.0).contains(wrong) && (0.5..=1.0).contains(trust);
            ensure(fits, || {
                format!(
                    "labelling: wrong is from 0 to 1 and trust from 0.5 to 1, found {wrong} and {trust}"
                )
            })?;
            ensure(!self.labellers[..place].contains(labeller), || {
                format!("labelling: the labeller of wrong {wrong} and trust {trust} is there twice")
            })?;
        }
        let mut names = BTreeSet::new();
        for LabellingRow { name, .. } in &self.row {
            let first = names.insert(name);
            ensure(first, || format!("labelling: row {name} is there twice"))?;
        }
        ensure(names.contains(&self.against), || {
            format!("labelling: there is no row {}", self.against)
        })
    }

    /// As work, with so many answers at most.
    pub fn inquiry(&self, tests: usize) -> Inquiry {
        Inquiry {
            tests,
            top: self.top,
            draws: self.draws,
            labellers: self.labellers.clone(),
        }
    }

    /// The tables: answers, differences of metrics, of trust. `limit`: answers a run may ask for.
    pub fn sheets(&self, runs: &Runs, limit: usize) -> Vec<Sheet> {
        let of_row = |row: &LabellingRow| -> Vec<Means> {
            let all = runs.get(&row.run).map_or(&[][..], |runs| &runs.labellings);
            let own = all.iter().filter(|own| own.unit.metric == row.metric);
            let means = |labeller| means(own.clone(), labeller, limit);
            self.labellers.iter().map(means).collect()
        };
        let found: Vec<Vec<Means>> = self.row.iter().map(of_row).collect();
        vec![
            self.answers(&found, limit),
            self.between_metrics(&found),
            self.between_trusts(&found),
        ]
    }

    fn answers(&self, found: &[Vec<Means>], limit: usize) -> Sheet {
        let heads = ["labeller", ">trust", "metric"].into_iter();
        let heads = heads.chain([">first time", ">reached, %", ">for good", ">kept, %"]);
        let mut table = Table::new(&*self.title, columns(heads));
        for (place, labeller) in self.labellers.iter().enumerate() {
            for (row, means) in self.row.iter().zip(found) {
                let mean = |of: fn(&Mean) -> f64| average(&means[place], of);
                let mut cells = labeller_cells(labeller, row);
                cells.extend([
                    figure(mean(|own| own.answers[0]), 2),
                    figure(mean(|own| 100.0 * own.reached[0]), 1),
                    figure(mean(|own| own.answers[1]), 2),
                    figure(mean(|own| 100.0 * own.reached[1]), 1),
                ]);
                table = table.row(cells);
            }
        }
        let start = found.iter().flatten().find(|means| !means.is_empty());
        let start = start.and_then(|means| average(means, |own| 100.0 * own.at_start));
        let bugs: BTreeSet<&Bug> = found.iter().flatten().flat_map(|own| own.keys()).collect();
        let mut notes = vec![
            bugs_note(bugs.into_iter(), None),
            format!(
                "Mean answers until a faulty method is in the top {}: for the first time, and from \
                 there to the last answer. At most {limit} answers; a run that never gets there \
                 counts as {}. Means over a bug's failing tests, seeds and draws, then over bugs.",
                self.top,
                limit + 1
            ),
        ];
        if let Some(start) = start {
            let top = self.top;
            notes.push(format!(
                "{start:.1} % are in the top {top} before any answer."
            ));
        }
        sheet(notes, table)
    }

    fn between_metrics(&self, found: &[Vec<Means>]) -> Sheet {
        let Self { title, against, .. } = self;
        let title = format!("{title} — {against} less each other metric, paired by bug");
        let mut table = Table::new(title, difference_columns("less"));
        let against = self.row.iter().position(|row| row.name == self.against);
        let against = &found[against.expect("checked")];
        for (place, labeller) in self.labellers.iter().enumerate() {
            for (row, means) in self.row.iter().zip(found) {
                if row.name != self.against {
                    let mut cells = labeller_cells(labeller, row);
                    cells.extend(differences(&against[place], &means[place]));
                    table = table.row(cells);
                }
            }
        }
        let note = format!(
            "Differences in answers; below 0, {} needs fewer. 95 % intervals, bugs drawn anew.",
            self.against
        );
        sheet(vec![note], table)
    }

    fn between_trusts(&self, found: &[Vec<Means>]) -> Sheet {
        let title = &self.title;
        let title = format!("{title} — trust in part less full trust, paired by bug");
        let mut table = Table::new(title, difference_columns("metric"));
        for (place, labeller) in self.labellers.iter().enumerate() {
            let full = self.labellers.iter().position(|other| {
                other.wrong == labeller.wrong && other.trust == 1.0 && labeller.trust < 1.0
            });
            let Some(full) = full else { continue };
            for (row, means) in self.row.iter().zip(found) {
                let mut cells = labeller_cells(labeller, row);
                cells.extend(differences(&means[place], &means[full]));
                table = table.row(cells);
            }
        }
        let note = "Differences in answers; below 0, believing answers in part needs fewer.";
        sheet(vec![note.into()], table)
    }
}

fn means<'a>(
    labellings: impl Iterator<Item = &'a LabellerRun>,
    labeller: &Labeller,
    limit: usize,
) -> Means {
    let mut sums: BTreeMap<Bug, (Mean, f64)> = BTreeMap::new();
    for labelling in labellings.filter(|own| own.labeller == *labeller) {
        let (sum, count) = sums.entry(labelling.unit.bug()).or_default();
        *count += 1.0;
        let entries = [labelling.first, labelling.settled];
        for (place, answers) in entries.into_iter().enumerate() {
            sum.answers[place] += answers.map_or(limit as f64 + 1.0, f64::from);
            sum.reached[place] += f64::from(u8::from(answers.is_some()));
        }
        sum.at_start += f64::from(u8::from(labelling.first == Some(0)));
    }
    let mean = |(sum, count): (Mean, f64)| Mean {
        answers: sum.answers.map(|sum| sum / count),
        reached: sum.reached.map(|sum| sum / count),
        at_start: sum.at_start / count,
    };
    let sums = sums.into_iter();
    sums.map(|(bug, sum)| (bug, mean(sum))).collect()
}

fn average(means: &Means, of: impl Fn(&Mean) -> f64) -> Option<f64> {
    let sum: f64 = means.values().map(of).sum();
    (!means.is_empty()).then(|| sum / means.len() as f64)
}

/// Of both entries, each with its interval.
fn differences(x: &Means, y: &Means) -> Vec<Cell> {
    let of = |place: usize| difference(x, y, move |own| own.answers[place], 2);
    (0..2).flat_map(of).collect()
}

fn difference_columns(metric: &str) -> Vec<Column> {
    let mut heads = columns(["labeller", ">trust", metric, ">first time", ">low", ">high"]);
    heads.extend(columns([">for good", ">low, for good", ">high, for good"]));
    heads
}

fn labeller_cells(labeller: &Labeller, row: &LabellingRow) -> Vec<Cell> {
    let trust = labeller.trust;
    vec![
        Cell::text(labeller.words()),
        Cell::number(trust, trust.to_string()),
        Cell::text(&*row.name),
    ]
}

fn figure(value: Option<f64>, digits: usize) -> Cell {
    value.map_or(Cell::text("–"), |value| Cell::decimals(value, digits))
}

fn sheet(notes: Vec<String>, table: Table) -> Sheet {
    Sheet {
        notes,
        article: vec![table.clone()],
        data: table,
    }
}
