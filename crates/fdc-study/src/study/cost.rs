//! Seconds of training and of selection per project. Measured one after the other, on one thread
//! of work at a time; never part of results, which do not depend on the machine.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use fdc_core::TieBreak;
use fdc_core::ranking::RankingOptions;
use fdc_core::spectrum::Bug;
use fdc_draw::table::{Cell, Column, Table};
use fdc_formats::collection::{CollectedBug, Collection};
use fdc_learn::protocol::Protocol;
use serde::Deserialize;

use super::definition::{PoolDefinition, ensure};
use super::sheet::{Sheet, beside, bugs_note, number};
use crate::comparison::tables::columns;
use crate::contender::Contender;
use crate::evaluate::{RunSetup, StudyUnit};
use crate::run::Arena;

/// What to time.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// What it shows.
    pub title: String,
    /// The bugs.
    pub pools: Vec<PoolDefinition>,
    /// The learned metric.
    pub metric: String,
    /// The projects, in the paper's order; ours that are not among them come after.
    pub subjects: Vec<String>,
    /// The paper's seconds of training, by project.
    #[serde(default)]
    pub train: BTreeMap<String, f64>,
    /// The paper's seconds of selection, by project.
    #[serde(default)]
    pub test: BTreeMap<String, f64>,
}

/// Seconds of one project: a training per fold, and ten tests selected per bug's first failing test.
#[derive(Default)]
struct Seconds {
    trainings: usize,
    /// Mean of a training on four folds.
    training: f64,
    /// Mean of a training per version in it.
    version: f64,
    selections: usize,
    /// Mean of a selection.
    selection: f64,
}

impl Cost {
    pub(super) fn check(&self) -> Result<(), String> {
        let contender = Contender::parse(&self.metric).map_err(|error| error.to_string())?;
        ensure(contender.learner().is_some(), || {
            format!("cost: {} is not learned", self.metric)
        })
    }

    /// Times every fold of every project; `stop` is asked in between.
    fn measure(
        &self,
        collection: &Collection,
        mut stop: impl FnMut(&str) -> bool,
    ) -> Option<BTreeMap<String, Seconds>> {
        let contender = Contender::parse(&self.metric).expect("checked");
        let bugs: Vec<Bug> = collection.bugs.iter().map(|bug| bug.bug.clone()).collect();
        let mut seconds: BTreeMap<String, Seconds> = BTreeMap::new();
        for division in Protocol::CrossVersion.divisions(&bugs) {
            if stop(&division.name) {
                return None;
            }
            let Some(&first) = division.test.first() else {
                continue;
            };
            let sums = seconds.entry(bugs[first].subject.clone()).or_default();
            let collected = |&index: &usize| -> &CollectedBug { &collection.bugs[index] };
            let train = division.train.iter().map(collected);
            let train: Vec<_> = train.map(|bug| (&bug.bug, &bug.spectrum)).collect();
            let begun = Instant::now();
            let role = contender.trained(&train, 0).role;
            let elapsed = begun.elapsed().as_secs_f64();
            sums.trainings += 1;
            sums.training += elapsed;
            sums.version += elapsed / train.len().max(1) as f64;
            for bug in division.test.iter().map(collected) {
                let options = RankingOptions::default();
                let arena = Arena::new(&bug.bug, &bug.spectrum, None, options);
                let Some(arena) = arena else { continue };
                let Some(&failing) = arena.failing_tests().first() else {
                    continue;
                };
                let begun = Instant::now();
                let setup = RunSetup {
                    arena: &arena,
                    failing,
                    role: &role,
                    localiser: None,
                    ties: TieBreak::File,
                    unit: &StudyUnit::default(),
                };
                black_box(arena.run(&setup, 10));
                sums.selection += begun.elapsed().as_secs_f64();
                sums.selections += 1;
            }
        }
        for sums in seconds.values_mut() {
            sums.training /= sums.trainings.max(1) as f64;
            sums.version /= sums.trainings.max(1) as f64;
            sums.selection /= sums.selections.max(1) as f64;
        }
        Some(seconds)
    }

    /// The table of what is timed now; `stop` is asked before each division, and `None` if it said so.
    pub fn sheet(&self, collection: &Collection, stop: impl FnMut(&str) -> bool) -> Option<Sheet> {
        let seconds = self.measure(collection, stop)?;
        let others = seconds.keys().filter(|own| !self.subjects.contains(own));
        let subjects: Vec<&String> = self.subjects.iter().chain(others).collect();
        let mut heads = columns(["phase"]);
        heads.extend(subjects.iter().map(|subject| Column::number(&**subject)));
        let title = format!("{} — seconds, ours (paper)", self.title);
        let mut article = Table::new(title, heads);
        let heads = columns(["phase", "subject", ">seconds", ">paper seconds"]);
        let mut data = Table::new(&*self.title, heads);
        let nothing = BTreeMap::new();
        type Phase = fn(&Seconds) -> f64;
        let phases: [(&str, Phase, &BTreeMap<String, f64>); 3] = [
            ("train", |own| own.training, &self.train),
            ("train, a version", |own| own.version, &nothing),
            ("test", |own| own.selection, &self.test),
        ];
        for (phase, of, paper) in phases {
            let mut cells = vec![Cell::text(phase)];
            for &subject in &subjects {
                let own = seconds.get(subject).map(of);
                let paper = paper.get(subject).copied();
                let printed = |value: f64| format!("{value:.2}");
                cells.push(beside(own.map(short), paper.map(printed)));
                if own.is_some() || paper.is_some() {
                    data = data.row(vec![
                        Cell::text(phase),
                        Cell::text(subject),
                        number(own, |value| format!("{value:.6}")),
                        number(paper, printed),
                    ]);
                }
            }
            article = article.row(cells);
        }
        Some(Sheet {
            notes: vec![
                bugs_note(collection.bugs.iter().map(|bug| &bug.bug), None),
                "Train: one training on four of five folds, mean of the folds. Test: ten tests \
                 chosen from a bug's first failing test and ranked, mean of the bugs. The paper \
                 gives means a version, on two Xeon Gold 5218R and RTX 3090."
                    .into(),
                "Timings depend on the machine and its load.".into(),
            ],
            article: vec![article],
            data,
        })
    }
}

/// Two digits that matter.
fn short(seconds: f64) -> String {
    let digits = if seconds >= 0.1 { 2 } else { 4 };
    format!("{seconds:.digits$}")
}
