//! One run: from a failing test, tests added one by one with their true outcomes, and where the
//! faulty methods stand after each.

use fdc_core::coverage::TestId;
use fdc_core::ranking::{Level, Ranker, RankingOptions};
use fdc_core::spectrum::{Bug, MethodId};
use fdc_core::{Metric, Selection, Spectrum, Tally};
use serde::{Deserialize, Serialize};

/// What a run showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The project.
    pub subject: String,
    /// The bug's number in it.
    pub version: u32,
    /// The failing test it starts from.
    pub failing: String,
    /// The metric, with parameters.
    pub metric: String,
    /// Which division of the bugs the metric was trained on; empty for hand-made ones.
    pub division: String,
    /// The seed of the metric's training or of its own choices.
    pub seed: u64,
    /// Ranked methods.
    pub methods: u32,
    /// The faulty methods.
    pub faulty: Vec<String>,
    /// Tests added, in order; fewer than asked for where the pool is smaller.
    pub added: Vec<String>,
    /// After 0, 1, ... added tests; where the pool is smaller the last ones stay.
    pub steps: Vec<Standing>,
    /// With all tests of the pool.
    pub full: Standing,
}

/// Where the faulty methods stand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standing {
    /// Ranks, in the order of [`Run::faulty`].
    pub ranks: Vec<f64>,
    /// Expected number of non-faulty methods seen before the first faulty one.
    pub wasted: f64,
}

impl Run {
    /// Which bug.
    pub fn bug(&self) -> Bug {
        Bug {
            subject: self.subject.clone(),
            version: self.version,
        }
    }
}

/// A spectrum prepared for many runs.
pub struct Arena<'s> {
    spectrum: &'s Spectrum,
    bug: &'s Bug,
    ranker: Ranker,
    faults: Vec<MethodId>,
    full: Standing,
}

impl<'s> Arena<'s> {
    /// `None` if no faulty method can be ranked.
    pub fn new(bug: &'s Bug, spectrum: &'s Spectrum, options: RankingOptions) -> Option<Self> {
        let faults = spectrum.rankable_faults();
        if faults.is_empty() {
            return None;
        }
        let ranker = Ranker::new(spectrum, Level::Method, options);
        let mut tally = Tally::new(&spectrum.coverage);
        let verdicts = spectrum.coverage.tests();
        let judged = verdicts.filter_map(|test| Some((test, spectrum.test(test).verdict()?)));
        tally.add_all(&spectrum.coverage, judged);
        let full = standing(&ranker, &faults, &tally, spectrum);
        Some(Arena {
            spectrum,
            bug,
            ranker,
            faults,
            full,
        })
    }

    /// The failing tests that a run can start from: those that cover something.
    pub fn failing_tests(&self) -> Vec<TestId> {
        let tests = self.spectrum.failing_tests();
        tests.filter(|&test| self.spectrum.coverage.total(test) > 0).collect()
    }

    /// Adds `tests` tests by the metric.
    pub fn run(&self, failing: TestId, metric: &Metric, tests: usize) -> Run {
        let spectrum = self.spectrum;
        let mut selection = Selection::new(spectrum, failing);
        let mut steps = vec![self.standing(selection.tally())];
        let mut added = Vec::new();
        while added.len() < tests {
            let Some(pick) = selection.best(metric) else {
                break;
            };
            selection.add(pick.test, spectrum.test(pick.test).verdict());
            added.push(spectrum.test(pick.test).name.clone());
            steps.push(self.standing(selection.tally()));
        }
        let last = steps.last().cloned().expect("the start is a step");
        steps.resize(tests + 1, last);
        Run {
            subject: self.bug.subject.clone(),
            version: self.bug.version,
            failing: spectrum.test(failing).name.clone(),
            metric: metric.label().to_owned(),
            division: String::new(),
            seed: 0,
            methods: self.ranker.unit_count() as u32,
            faulty: self
                .faults
                .iter()
                .map(|&method| spectrum.method_name(method).to_owned())
                .collect(),
            added,
            steps,
            full: self.full.clone(),
        }
    }

    fn standing(&self, tally: &Tally) -> Standing {
        standing(&self.ranker, &self.faults, tally, self.spectrum)
    }
}

fn standing(ranker: &Ranker, faults: &[MethodId], tally: &Tally, spectrum: &Spectrum) -> Standing {
    let scores = ranker.scores(tally, &spectrum.coverage);
    let place = |method: &MethodId| ranker.place(&scores, method.0).expect("it can be ranked");
    Standing {
        ranks: faults.iter().map(place).collect(),
        wasted: ranker.wasted_effort(&scores),
    }
}
