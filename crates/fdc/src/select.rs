//! `select`: the tests to run, label or look at next, and why.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use fdc_core::coverage::TestId;
use fdc_core::failing::failing_test;
use fdc_core::ranking::{Level, Ranker, RankingOptions};
use fdc_core::spectrum::MethodId;
use fdc_core::{Metric, Outcome, Selection, Spectrum, Start, Tally, Verdict};
use serde::Serialize;

use crate::error::Failure;
use crate::figure;
use crate::label::reason::Reason;

/// First places that a step tells.
const TOP: usize = 5;
/// Tests in a row that change nothing, after which a ranking counts as stable.
const STABLE: usize = 3;

/// What tests are chosen for, by what, and when to stop.
#[derive(Debug)]
pub struct SelectRequest {
    /// The failing test; may be left out where exactly one fails.
    pub failing: Option<String>,
    /// What tests are chosen by.
    pub metric: Metric,
    /// Only tests of these origins are chosen; of all, if there are none.
    pub origins: Vec<String>,
    /// What is known at the start.
    pub start: Start,
    /// Whether a chosen test joins with its true outcome; then nothing is known at the start.
    pub reveal: bool,
    /// At most so many tests; all, if left out.
    pub number: Option<usize>,
    /// Whether to stop once three tests in a row change nothing.
    pub until_stable: bool,
    /// After so long no further test is chosen.
    pub time: Option<Duration>,
    /// How methods are ranked.
    pub ranking: RankingOptions,
    /// Whether steps tell why, and the ranking; without, they tell the tests alone, in a fraction
    /// of the time.
    pub explain: bool,
}

impl SelectRequest {
    /// Ten tests by a metric, beside the only failing test.
    pub fn by(metric: Metric) -> Self {
        SelectRequest {
            failing: None,
            metric,
            origins: Vec::new(),
            start: Start::Labelled,
            reveal: false,
            number: Some(10),
            until_stable: false,
            time: None,
            ranking: RankingOptions::default(),
            explain: true,
        }
    }
}

/// The chosen tests; as a document, `schemas/select.schema.json`.
#[derive(Clone, Debug, Serialize)]
pub struct SelectReply {
    /// Version of the document's form.
    pub schema: u32,
    /// The metric, with parameters.
    pub metric: String,
    /// The failing test.
    pub failing: String,
    /// The formula that methods were ranked by.
    pub formula: &'static str,
    /// Whether true outcomes were added.
    pub reveal: bool,
    /// The start, then a step for every chosen test.
    pub steps: Vec<Step>,
    /// Lines that the failing test covers.
    #[serde(skip)]
    pub covered: u64,
    /// Tests that could still be chosen.
    #[serde(skip)]
    pub left: usize,
    /// Why no test could be chosen.
    #[serde(skip)]
    pub nothing: Option<&'static str>,
}

/// The state after one test was added (at first, after none).
#[derive(Clone, Debug, Default, Serialize)]
pub struct Step {
    /// The chosen test; none at the start.
    pub added: Option<String>,
    /// Its value under the metric, when it was chosen.
    #[serde(serialize_with = "figure::score_if_any")]
    pub score: Option<f64>,
    /// Its outcome, if it was revealed and is known.
    pub outcome: Option<&'static str>,
    /// Places of the faulty methods, if the input knows them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faulty: Option<Vec<MethodPlace>>,
    /// The first places.
    pub top: Vec<MethodPlace>,
    /// Why it was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Why>,
    /// Methods that share the highest score.
    #[serde(skip)]
    pub tied: usize,
}

impl Step {
    /// The best-placed faulty method, if the input knows them.
    pub fn best_faulty(&self) -> Option<&MethodPlace> {
        let places = self.faulty.iter().flatten();
        places.min_by(|a, b| a.rank.total_cmp(&b.rank))
    }
}

/// Where a method stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MethodPlace {
    /// Its name.
    pub method: String,
    /// Its place.
    #[serde(serialize_with = "figure::rank")]
    pub rank: f64,
}

/// Why a test was chosen, and what its answer can do.
#[derive(Clone, Debug, Serialize)]
pub struct Why {
    /// What it does among the suspects.
    #[serde(flatten)]
    pub reason: Reason,
    /// Methods that share the highest score.
    pub tied_before: usize,
    /// The same if it passes.
    pub tied_if_it_passes: usize,
    /// The same if it fails.
    pub tied_if_it_fails: usize,
}

/// Chooses tests one after the other and notes what each does.
pub fn select(spectrum: &Spectrum, request: &SelectRequest) -> Result<SelectReply, Failure> {
    let metric = &request.metric;
    let failing = failing_test(spectrum, request.failing.as_deref())?;
    check_origins(spectrum, &request.origins)?;
    let start = match request.reveal {
        true => Start::Revealing,
        false => request.start,
    };
    let mut selection = Selection::begin(spectrum, failing, start, &request.origins);
    let why_none = if spectrum.tests.len() == 1 {
        "the failing test is the only one"
    } else if !request.origins.is_empty() {
        "every test of that origin is known"
    } else {
        "the outcome of every other test is known"
    };
    let nothing = selection.candidates().is_empty().then_some(why_none);
    let steps = Chooser::new(spectrum, request).steps(&mut selection);
    Ok(SelectReply {
        schema: 1,
        metric: metric.label.clone(),
        failing: spectrum.test(failing).name.clone(),
        formula: request.ranking.formula.name,
        reveal: request.reveal,
        steps,
        covered: spectrum.coverage.total(failing),
        left: selection.candidates().len(),
        nothing,
    })
}

/// An origin that no test has is a slip.
pub(crate) fn check_origins(spectrum: &Spectrum, wanted: &[String]) -> Result<(), Failure> {
    let tests = spectrum.tests.iter();
    let known: BTreeSet<&str> = tests.filter_map(|test| test.origin.as_deref()).collect();
    let Some(unknown) = wanted.iter().find(|origin| !known.contains(&***origin)) else {
        return Ok(());
    };
    let failure = Failure::usage(format!("no test is of origin {unknown:?}"));
    Err(if known.is_empty() {
        failure.hint("this input names no test's origin; `fdc generate` makes pools that do")
    } else {
        let known: Vec<&str> = known.into_iter().collect();
        failure.hint(format!("there are: {}", known.join(", ")))
    })
}

struct Chooser<'a> {
    spectrum: &'a Spectrum,
    request: &'a SelectRequest,
    ranker: Ranker,
    begun: Instant,
}

impl<'a> Chooser<'a> {
    fn new(spectrum: &'a Spectrum, request: &'a SelectRequest) -> Self {
        Chooser {
            spectrum,
            request,
            ranker: Ranker::new(spectrum, Level::Method, request.ranking),
            begun: Instant::now(),
        }
    }

    fn steps(&self, selection: &mut Selection<'_>) -> Vec<Step> {
        let mut steps = vec![self.step(selection)];
        // Where no outcome is revealed, the outlook takes the chosen tests to pass: most do.
        let mut outlook = selection.tally().clone();
        let mut groups = selection.suite().suspicious_groups();
        let mut unchanged = 0;
        let reason = Cell::new(None);
        let most = match self.is_late() {
            true => 0,
            false => self.request.number.unwrap_or(usize::MAX),
        };
        let answer = |selection: &Selection<'_>, test| {
            let verdict = self.spectrum.test(test).verdict();
            let verdict = verdict.filter(|_| self.request.reveal);
            if self.request.explain {
                reason.set(Some(self.why(selection, &outlook, test)));
                let outcome = verdict.unwrap_or(Verdict::certain(Outcome::Pass));
                outlook.add(&self.spectrum.coverage, test, outcome);
            }
            verdict
        };
        selection.pick(
            &self.request.metric,
            most,
            answer,
            |selection, pick, verdict| {
                let step = Step {
                    added: Some(self.spectrum.test(pick.test).name.clone()),
                    score: Some(pick.score),
                    outcome: verdict.map(|verdict| verdict.outcome.name()),
                    reason: reason.take(),
                    ..self.step(selection)
                };
                let groups_now = selection.suite().suspicious_groups();
                let same = match self.request.reveal {
                    true => steps.last().is_some_and(|last| last.top == step.top),
                    false => groups == groups_now,
                };
                groups = groups_now;
                unchanged = if same { unchanged + 1 } else { 0 };
                steps.push(step);
                let stable = self.request.until_stable && unchanged == STABLE;
                match stable || self.is_late() {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            },
        );
        steps
    }

    fn is_late(&self) -> bool {
        let limit = self.request.time;
        limit.is_some_and(|limit| self.begun.elapsed() >= limit)
    }

    fn why(&self, selection: &Selection<'_>, tally: &Tally, test: TestId) -> Why {
        let coverage = &self.spectrum.coverage;
        let tied = |tally: &Tally| {
            let scores = self.ranker.scores(tally, coverage);
            let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            scores.iter().filter(|&&score| score == top).count()
        };
        let tied_if = |outcome| {
            let mut tally = tally.clone();
            tally.add(coverage, test, Verdict::certain(outcome));
            tied(&tally)
        };
        Why {
            reason: Reason::new(&self.request.metric, selection.suite(), test),
            tied_before: tied(tally),
            tied_if_it_passes: tied_if(Outcome::Pass),
            tied_if_it_fails: tied_if(Outcome::Fail),
        }
    }

    /// The ranking as it stands.
    fn step(&self, selection: &Selection<'_>) -> Step {
        if !self.request.explain {
            return Step::default();
        }
        let (tally, coverage) = (selection.tally(), &self.spectrum.coverage);
        let ranking = self.ranker.ranking(tally, coverage);
        let named = |method: MethodId, rank: f64| MethodPlace {
            method: self.spectrum.method_name(method).to_owned(),
            rank,
        };
        let faulty = self.spectrum.fault.as_ref().map(|_| {
            let scores = self.ranker.scores(tally, coverage);
            let place = |method: MethodId| {
                let rank = self.ranker.place(&scores, method.0)?;
                Some(named(method, rank))
            };
            let faults = self.spectrum.rankable_faults();
            faults.into_iter().filter_map(place).collect()
        });
        let first = ranking.places.iter().take(TOP);
        let top = first.map(|place| named(MethodId(place.unit), place.rank));
        Step {
            faulty,
            tied: ranking.tied_at_top(),
            top: top.collect(),
            ..Step::default()
        }
    }
}
