//! A run: a failing test, tests added with their true outcomes, and the faulty methods' places.

use std::ops::ControlFlow;
use std::sync::Arc;

use fdc_core::coverage::TestId;
use fdc_core::ranking::{Level, Ranker, RankingOptions};
use fdc_core::spectrum::{Bug, MethodId, Test};
use fdc_core::{Metric, Outcome, Selection, Spectrum, Tally, Verdict};
use fdc_learn::sharp::Localisation;
use fdc_learn::sharp::model::SharpModel;
use serde::{Deserialize, Serialize};

use crate::contender::Role;
use crate::evaluate::{RunSetup, StudyUnit, Work};

/// What a run showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyRun {
    /// Which metric, trained how, on which bug.
    #[serde(flatten)]
    pub unit: StudyUnit,
    /// The failing test it starts from.
    pub failing: String,
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
    /// Ranks, in the order of [`StudyRun::faulty`].
    pub ranks: Vec<f64>,
    /// Expected number of non-faulty methods seen before the first faulty one.
    pub wasted: f64,
}

/// Runs in which every test joins with its true outcome.
#[derive(Clone, Copy, Debug)]
pub struct Revealing {
    /// Tests added in a run.
    pub tests: usize,
}

impl Work for Revealing {
    type Record = StudyRun;

    fn records(&self, setup: &RunSetup<'_>) -> Vec<StudyRun> {
        vec![setup.arena.run(setup, self.tests)]
    }
}

/// Tests that a run from one failing test can pick.
pub fn pool_size(spectrum: &Spectrum, starters: Option<&str>) -> usize {
    let of_pool = |test: &&Test| test.origin.as_deref() != starters;
    match starters {
        None => spectrum.tests.len().saturating_sub(1),
        Some(_) => spectrum.tests.iter().filter(of_pool).count(),
    }
}

/// A spectrum prepared for many runs.
pub struct Arena<'s> {
    /// What runs are made on.
    pub spectrum: &'s Spectrum,
    /// Which bug it is.
    pub bug: &'s Bug,
    /// Tests of this origin start runs and are never picked.
    starters: Option<&'s str>,
    ranker: Ranker,
    faults: Vec<MethodId>,
    full: Standing,
}

impl<'s> Arena<'s> {
    /// `None` if no faulty method can be ranked. With `starters`, tests of that origin start runs,
    /// and belong to no pool: generated tests are often kept beside the tests that show the bug.
    pub fn new(
        bug: &'s Bug,
        spectrum: &'s Spectrum,
        starters: Option<&'s str>,
        options: RankingOptions,
    ) -> Option<Self> {
        let faults = spectrum.rankable_faults();
        if faults.is_empty() {
            return None;
        }
        let ranker = Ranker::new(spectrum, Level::Method, options);
        let mut arena = Arena {
            spectrum,
            bug,
            starters,
            ranker,
            faults,
            full: Standing::default(),
        };
        if starters.is_none() {
            arena.full = arena.standing(&arena.tally_of(|_| true));
        }
        Some(arena)
    }

    /// The failing tests that a run can start from: those that cover something.
    pub fn failing_tests(&self) -> Vec<TestId> {
        let mut tests: Vec<TestId> = self.spectrum.failing_tests().collect();
        tests.retain(|&test| self.spectrum.coverage.total(test) > 0);
        tests.retain(|&test| self.starters.is_none() || self.is_starter(test));
        tests
    }

    fn is_starter(&self, test: TestId) -> bool {
        self.starters.is_some() && self.spectrum.test(test).origin.as_deref() == self.starters
    }

    /// Counts over the judged tests that `keep` holds of.
    fn tally_of(&self, keep: impl Fn(TestId) -> bool) -> Tally {
        let coverage = &self.spectrum.coverage;
        let mut tally = Tally::new(coverage);
        let tests = coverage.tests().filter(|&test| keep(test));
        let judged = tests.filter_map(|test| Some((test, self.spectrum.test(test).verdict()?)));
        tally.add_all(coverage, judged);
        tally
    }

    /// With the whole pool, from this failing test.
    fn full(&self, failing: TestId) -> Standing {
        if self.starters.is_none() {
            return self.full.clone();
        }
        self.standing(&self.tally_of(|test| test == failing || !self.is_starter(test)))
    }

    /// Adds `tests` tests by the metric; a ranking without answers stays as it is.
    pub fn run(&self, setup: &RunSetup<'_>, tests: usize) -> StudyRun {
        let (spectrum, failing) = (self.spectrum, setup.failing);
        let truth = |test| spectrum.test(test).verdict();
        let see = |tally: &Tally| self.standing(tally);
        let (added, mut steps) = match setup.role {
            Role::Chooses(metric) => self.walk(setup, metric, tests, truth, see),
            Role::TakesAllToPass => (Vec::new(), vec![self.all_pass(failing)]),
            Role::Ranks(model) => {
                let located = Localisation::new(model, spectrum, &[failing], &[]);
                (Vec::new(), vec![self.standing_by(&self.likely(&located))])
            }
        };
        let last = steps.last().cloned().expect("the start is a step");
        steps.resize(tests + 1, last);
        let name = |test: TestId| spectrum.test(test).name.clone();
        let faulty = self.faults.iter();
        let faulty = faulty.map(|&method| spectrum.method_name(method).to_owned());
        StudyRun {
            unit: setup.unit.clone(),
            failing: name(failing),
            methods: self.ranker.unit_count() as u32,
            faulty: faulty.collect(),
            added: added.into_iter().map(name).collect(),
            steps,
            full: self.full(failing),
        }
    }

    /// Adds up to `tests` tests by the metric, each with the answer given for it; `see` looks at the
    /// counts at the start and after each. The tests in order, at most the pool; and what was seen.
    pub fn walk<T>(
        &self,
        setup: &RunSetup<'_>,
        metric: &Metric,
        tests: usize,
        answer: impl Fn(TestId) -> Option<Verdict>,
        see: impl Fn(&Tally) -> T,
    ) -> (Vec<TestId>, Vec<T>) {
        let mut selection = Selection::new(self.spectrum, setup.failing);
        selection.break_ties(setup.ties, setup.unit.seed);
        selection.retain_candidates(|test| !self.is_starter(test));
        let (mut added, mut seen) = (Vec::new(), vec![see(selection.tally())]);
        let answer = |_: &Selection<'_>, test| answer(test);
        selection.pick(metric, tests, answer, |selection, pick, _| {
            added.push(pick.test);
            seen.push(see(selection.tally()));
            ControlFlow::Continue(())
        });
        (added, seen)
    }

    /// What is seen after 0, 1, ... of these tests, chosen before, with other answers.
    pub fn replay<T>(
        &self,
        failing: TestId,
        tests: &[TestId],
        answer: impl Fn(TestId) -> Option<Verdict>,
        see: impl Fn(&Tally) -> T,
    ) -> Vec<T> {
        let coverage = &self.spectrum.coverage;
        let mut tally = Tally::new(coverage);
        tally.add(coverage, failing, Verdict::certain(Outcome::Fail));
        let mut seen = vec![see(&tally)];
        for &test in tests {
            if let Some(verdict) = answer(test) {
                tally.add(coverage, test, verdict);
            }
            seen.push(see(&tally));
        }
        seen
    }

    /// The best place of a faulty method at the start and after each of up to `tests` answers, where
    /// a learned distribution ranks and asks. Ends early once no outcome is expected to tell anything.
    pub fn ask(
        &self,
        failing: TestId,
        model: &Arc<SharpModel>,
        tests: usize,
        answer: impl Fn(TestId) -> Option<Verdict>,
    ) -> Vec<f64> {
        let mut located = Localisation::new(model, self.spectrum, &[failing], &[]);
        let mut candidates: Vec<TestId> = self.spectrum.coverage.tests().collect();
        candidates.retain(|&test| test != failing && !self.is_starter(test));
        let place = |located: &Localisation<'_>| self.best_of(&self.likely(located));
        let mut places = vec![place(&located)];
        while places.len() <= tests {
            let Some((test, _)) = located.best_question(&candidates) else {
                break;
            };
            candidates.retain(|&other| other != test);
            if let Some(verdict) = answer(test) {
                located.answer(test, verdict);
            }
            places.push(place(&located));
        }
        places
    }

    /// The place of the best-placed faulty method.
    pub fn best_place(&self, tally: &Tally) -> f64 {
        self.best_of(&self.ranker.scores(tally, &self.spectrum.coverage))
    }

    fn best_of(&self, scores: &[f64]) -> f64 {
        let place = |method: &MethodId| self.ranker.place(scores, method.0);
        let places = self.faults.iter().filter_map(place);
        places.fold(f64::INFINITY, f64::min)
    }

    /// If this test fails and all others of the pool pass.
    fn all_pass(&self, failing: TestId) -> Standing {
        let coverage = &self.spectrum.coverage;
        let mut tally = Tally::new(coverage);
        let pool = coverage.tests();
        let pool = pool.filter(|&test| test == failing || !self.is_starter(test));
        let judged = pool.map(|test| match test == failing {
            true => (test, Verdict::certain(Outcome::Fail)),
            false => (test, Verdict::certain(Outcome::Pass)),
        });
        tally.add_all(coverage, judged);
        self.standing(&tally)
    }

    /// How likely each ranked method is faulty.
    fn likely(&self, located: &Localisation<'_>) -> Vec<f64> {
        let units = self.ranker.units().iter();
        units.map(|&own| located.likely()[own as usize]).collect()
    }

    fn standing(&self, tally: &Tally) -> Standing {
        self.standing_by(&self.ranker.scores(tally, &self.spectrum.coverage))
    }

    fn standing_by(&self, scores: &[f64]) -> Standing {
        let place = |method: &MethodId| {
            let place = self.ranker.place(scores, method.0);
            place.expect("it can be ranked")
        };
        Standing {
            ranks: self.faults.iter().map(place).collect(),
            wasted: self.ranker.wasted_effort(scores),
        }
    }
}
