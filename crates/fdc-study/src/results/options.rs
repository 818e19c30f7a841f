//! What a results folder was made with.

use std::collections::BTreeMap;

use fdc_core::{Named as _, TieBreak};
use fdc_formats::collection::{CollectedBug, Collection, digest_of};
use fdc_learn::protocol::Protocol;
use rayon::prelude::*;
use serde::Serialize;

use crate::evaluate::{Bugs, Evaluation};
use crate::labeller::Inquiry;

/// Everything that decides results, as `options.json` keeps it.
#[derive(Debug, Serialize)]
pub struct ResultsOptions<'a> {
    schema: u32,
    fdc: &'static str,
    metrics: String,
    protocol: Protocol,
    tests: usize,
    seeds: u64,
    /// Without a key, the first in file order.
    #[serde(skip_serializing_if = "Option::is_none")]
    ties: Option<&'static str>,
    max_failing: Option<usize>,
    /// Whole results have no key.
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<String>,
    formula: &'static str,
    tie: &'static str,
    aggregate: &'static str,
    /// What rlfdc's was trained on; all models are in `models`.
    built_in_model: &'static str,
    /// SHA-256 of the built-in model's file of every learned metric. Folders without one were made
    /// with hand-made metrics alone, or before models were told apart.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    models: BTreeMap<&'static str, String>,
    /// Digest of every bug.
    inputs: BTreeMap<String, String>,
    #[serde(flatten)]
    study: Option<StudyOptions<'a>>,
}

/// What only studies set.
#[derive(Debug, Serialize)]
struct StudyOptions<'a> {
    starters: Option<&'a str>,
    one_bug_in: usize,
    training: Option<BTreeMap<String, String>>,
    /// Without labellers no key: folders made before there were any are still taken up.
    #[serde(skip_serializing_if = "Option::is_none")]
    labelling: Option<&'a Inquiry>,
}

impl<'a> ResultsOptions<'a> {
    /// Of an evaluation that adds so many tests in a run.
    pub fn new(evaluation: &Evaluation, tests: usize, bugs: Bugs<'_>) -> Self {
        let contenders = &evaluation.contenders;
        let labels: Vec<&str> = contenders.iter().map(|own| &*own.label).collect();
        let learners = contenders.iter().filter_map(|own| own.learner());
        ResultsOptions {
            schema: 1,
            fdc: env!("CARGO_PKG_VERSION"),
            metrics: labels.join(","),
            protocol: evaluation.protocol,
            tests,
            seeds: evaluation.seeds,
            ties: (evaluation.ties != TieBreak::File).then(|| evaluation.ties.name()),
            max_failing: evaluation.max_failing,
            shard: (!evaluation.shard.is_whole()).then(|| evaluation.shard.to_string()),
            formula: match evaluation.by_distribution {
                true => fdc_learn::sharp::ENTRY.name,
                false => evaluation.ranking.formula.name,
            },
            tie: evaluation.ranking.tie.name(),
            aggregate: evaluation.ranking.aggregate.name(),
            built_in_model: &fdc_learn::rlfdc::built_in().origin.data_digest,
            models: learners.map(|own| (own.name(), own.digest())).collect(),
            inputs: digests(bugs.pool),
            study: None,
        }
    }

    /// Of a study that keeps one bug in so many.
    pub fn of_study(
        mut self,
        evaluation: &'a Evaluation,
        bugs: Bugs<'_>,
        one_bug_in: usize,
        labelling: Option<&'a Inquiry>,
    ) -> Self {
        self.study = Some(StudyOptions {
            starters: evaluation.starters.as_deref(),
            one_bug_in,
            training: bugs.training.map(digests),
            labelling,
        });
        self
    }
}

fn digests(collection: &Collection) -> BTreeMap<String, String> {
    let digest = |own: &CollectedBug| {
        let name = format!("{} {}", own.bug.subject, own.bug.version);
        (name, digest_of(std::iter::once((&own.bug, &own.spectrum))))
    };
    collection.bugs.par_iter().map(digest).collect()
}
