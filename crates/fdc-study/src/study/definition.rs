//! The study file, typed: TOML in which unknown keys are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use fdc_case::FileError;
use fdc_core::ranking::RankingOptions;
use fdc_core::{Named, Shard, TieBreak};
use fdc_learn::protocol::Protocol;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::ablation::Ablation;
use super::cost::Cost;
use super::curve::CurveTable;
use super::folds::Folds;
use super::labelling::LabellingTable;
use super::matrix::Matrix;
use super::subjects::SubjectsTable;
use crate::contender::Contender;
use crate::evaluate::{Evaluation, check_size};

/// A study takes some kilobytes; nesting that only a far larger file can hold would exhaust the stack.
const MOST_BYTES: usize = 64 << 10;

/// A study: runs, and the tables made of them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// The question, in a line.
    pub title: String,
    /// What is done, and what differs from the paper.
    pub about: String,
    /// Where the figures of others come from.
    pub source: String,
    /// The runs.
    #[serde(default)]
    pub run: Vec<RunDefinition>,
    /// The projects.
    pub subjects: Option<SubjectsTable>,
    /// Tables of acc@n after 0, 1, ... tests.
    #[serde(default)]
    pub curve: Vec<CurveTable>,
    /// Tables of one accuracy by training and test project.
    #[serde(default)]
    pub matrix: Vec<Matrix>,
    /// Tables of one accuracy after chosen numbers of tests.
    #[serde(default)]
    pub ablation: Vec<Ablation>,
    /// Tables of what each trained model is worth.
    #[serde(default)]
    pub folds: Vec<Folds>,
    /// Who is asked in place of revealing true outcomes, and the tables of it.
    pub labelling: Option<LabellingTable>,
    /// Timings.
    pub cost: Option<Cost>,
}

/// Metrics on pools of tests.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunDefinition {
    /// What tables call it; names a folder of results.
    pub name: String,
    /// The bugs.
    pub pools: Vec<PoolDefinition>,
    /// Pools that learned metrics are trained on, joined by subject and version; none: `pools`.
    #[serde(default)]
    pub training: Vec<PoolDefinition>,
    /// Tests of this origin start runs and are never picked.
    pub starters: Option<String>,
    /// The metrics, as `fdc evaluate` takes them.
    pub metrics: Vec<String>,
    /// How learned metrics are trained.
    pub protocol: Protocol,
    /// What methods are ranked by.
    #[serde(default)]
    pub ranking: StudyRanking,
    /// Tests added in a run.
    #[serde(default = "ten")]
    pub tests: usize,
    /// Which of equally good tests is added.
    #[serde(default = "random_order", deserialize_with = "by_name")]
    pub ties: TieBreak,
    /// Orders of equally good tests, and trainings of what is learned, unless the command line says
    /// otherwise.
    #[serde(default = "ten")]
    pub seeds: u64,
}

/// What methods are ranked by in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StudyRanking {
    /// The counts of chosen tests, as in the paper.
    #[default]
    Ochiai,
    /// The distribution that sharp learned, which then asks for tests as well.
    Sharp,
}

/// A folder of bugs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoolDefinition {
    /// The folder, relative to the data folder.
    pub path: PathBuf,
    /// The projects to take; none: all.
    #[serde(default)]
    pub subjects: Vec<String>,
    /// Pools of one number are taken together; those of different numbers are the same bugs with
    /// tests generated anew, and their values are averaged.
    #[serde(default)]
    pub repeat: u32,
}

impl Study {
    /// Reads and checks a study file.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let mut text = String::new();
        let file = std::fs::File::open(path).map_err(FileError::io(path, "open it"))?;
        let read = file.take(MOST_BYTES as u64 + 1).read_to_string(&mut text);
        read.map_err(FileError::io(path, "read it"))?;
        let parsed = fdc_case::fenced(path, || Ok(Study::parse(&text)))?;
        parsed.map_err(|problem| {
            let bad = FileError::bad(path, "a study", problem.message);
            let bad = bad.hint("docs/studies.md describes study files");
            match problem.line {
                Some(line) => bad.at(format_args!("line {line}")),
                None => bad,
            }
        })
    }

    /// From text.
    pub fn parse(text: &str) -> Result<Self, StudyError> {
        if text.len() > MOST_BYTES {
            return Err(StudyError {
                line: None,
                message: format!("expected at most {MOST_BYTES} bytes, found more"),
            });
        }
        let line = |at: usize| text[..at].matches('\n').count() + 1;
        let study: Study = toml::from_str(text).map_err(|error| StudyError {
            line: error.span().map(|span| line(span.start)),
            message: error.message().to_owned(),
        })?;
        let line = None;
        let checked = study.check();
        checked.map_err(|message| StudyError { line, message })?;
        Ok(study)
    }

    fn check(&self) -> Result<(), String> {
        let mut metrics: BTreeMap<&str, &[String]> = BTreeMap::new();
        for run in &self.run {
            let name = &*run.name;
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
            ensure(!name.is_empty() && name.chars().all(plain), || {
                format!("run {name:?}: a name is of letters, digits and dashes")
            })?;
            let twice = metrics.insert(name, &run.metrics).is_some();
            ensure(!twice, || format!("run {name} is there twice"))?;
            ensure(run.seeds > 0, || format!("run {name}: seeds are from 1 on"))?;
            check_size(run.tests, run.seeds).map_err(|error| format!("run {name}: {error}"))?;
            let empty = run.pools.is_empty() || run.metrics.is_empty();
            ensure(!empty, || format!("run {name} needs pools and metrics"))?;
            ensure(run.protocol != Protocol::All, || {
                format!(
                    "run {name}: expected protocol none, cross-version, cross-project or \
                     leave-one-out, found all"
                )
            })?;
            for metric in &run.metrics {
                let contender = Contender::parse(metric);
                let contender = contender.map_err(|error| format!("run {name}: {error}"))?;
                let asks = contender.chooses() || self.labelling.is_none();
                ensure(asks, || {
                    format!("run {name}: {metric} asks no labeller for anything")
                })?;
            }
            let own = |metric: &String| metric == fdc_learn::sharp::ENTRY.name;
            let learned = run.ranking == StudyRanking::Sharp;
            let fits = self.labelling.is_some() && run.metrics.iter().all(own);
            ensure(!learned || fits, || {
                format!("run {name}: ranking by sharp is for labellers, and for the metric sharp")
            })?;
            let different: BTreeSet<&String> = run.metrics.iter().collect();
            ensure(different.len() == run.metrics.len(), || {
                format!("run {name}: a metric is there twice")
            })?;
        }
        for (row, run, metric) in self.references() {
            let known = metrics.get(run);
            let known = known.ok_or_else(|| format!("row {row}: there is no run {run}"))?;
            let known = known.iter().any(|known| known == metric);
            ensure(known, || {
                format!("row {row}: run {run} has no metric {metric}")
            })?;
        }
        if let Some(SubjectsTable { run, .. }) = &self.subjects {
            let known = metrics.contains_key(&**run);
            ensure(known, || format!("subjects: there is no run {run}"))?;
        }
        let idle = self.run.is_empty() && self.cost.is_none();
        ensure(!idle, || "nothing to do: no [[run]] and no [cost]".into())?;
        self.curve.iter().try_for_each(CurveTable::check)?;
        self.ablation.iter().try_for_each(Ablation::check)?;
        if let Some(labelling) = &self.labelling {
            labelling.check()?;
            let same = self.run.iter().all(|run| run.tests == self.answers());
            let problem = "labelling: all runs ask for the same number of tests";
            ensure(same, || problem.into())?;
            let tables = [
                self.curve.len(),
                self.matrix.len(),
                self.ablation.len(),
                self.folds.len(),
            ];
            let alone = tables.iter().all(|&count| count == 0);
            let problem = "labelling: runs of labellers fill no other tables";
            ensure(alone, || problem.into())?;
        }
        self.cost.as_ref().map_or(Ok(()), Cost::check)
    }

    /// The folders of all pools it names, relative to the data folder, in order.
    pub fn pool_paths(&self) -> BTreeSet<&Path> {
        let runs = self.run.iter();
        let runs = runs.flat_map(|run| run.pools.iter().chain(&run.training));
        let cost = self.cost.iter().flat_map(|cost| &cost.pools);
        runs.chain(cost).map(|pool| &*pool.path).collect()
    }

    /// Answers that a labeller is asked for at most.
    pub(super) fn answers(&self) -> usize {
        self.run.first().map_or(0, |run| run.tests)
    }

    /// Row, run and metric of every row of every table.
    fn references(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        let curves = self.curve.iter().flat_map(|table| &table.row);
        let curves = curves.map(|row| (&*row.name, &*row.run, &*row.metric));
        let matrices = self.matrix.iter().flat_map(|table| &table.row);
        let matrices = matrices.map(|row| (&*row.name, &*row.run, &*row.metric));
        let ablations = self.ablation.iter().flat_map(|table| &table.row);
        let ablations = ablations.map(|row| (&*row.name, &*row.run, &*row.metric));
        let folds = self.folds.iter().flat_map(|table| &table.row);
        let folds = folds.map(|row| (&*row.name, &*row.run, &*row.metric));
        let labellings = self.labelling.iter().flat_map(|table| &table.row);
        let labellings = labellings.map(|row| (&*row.name, &*row.run, &*row.metric));
        let tables = curves.chain(matrices).chain(ablations);
        tables.chain(folds).chain(labellings)
    }
}

impl RunDefinition {
    /// As an evaluation.
    pub fn evaluation(&self, seeds: u64) -> Evaluation {
        let contender = |metric: &String| Contender::parse(metric).expect("checked");
        Evaluation {
            contenders: self.metrics.iter().map(contender).collect(),
            protocol: self.protocol,
            seeds,
            ties: self.ties,
            max_failing: None,
            starters: self.starters.clone(),
            ranking: RankingOptions::default(),
            by_distribution: self.ranking == StudyRanking::Sharp,
            shard: Shard::WHOLE,
        }
    }

    /// The numbers of the pools' repeats, ascending.
    pub fn repeats(&self) -> Vec<u32> {
        let numbers: BTreeSet<u32> = self.pools.iter().map(|pool| pool.repeat).collect();
        numbers.into_iter().collect()
    }
}

/// A study file that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StudyError {
    /// The line, from 1, where it is known.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

pub(super) fn ensure(holds: bool, problem: impl FnOnce() -> String) -> Result<(), String> {
    holds.then_some(()).ok_or_else(problem)
}

fn ten<T: From<u8>>() -> T {
    10.into()
}

fn random_order() -> TieBreak {
    TieBreak::Random
}

/// A choice, by the name it has in its table.
fn by_name<'de, T: Named, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let name = String::deserialize(deserializer)?;
    T::named(&name).ok_or_else(|| {
        let known: Vec<&str> = T::all().map(Named::name).collect();
        let known = known.join(" or ");
        D::Error::custom(format!("expected {known}, found {name}"))
    })
}
