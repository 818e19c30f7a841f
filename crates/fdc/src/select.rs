//! `select`: the tests to run, label or look at next, and why.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use fdc_collect::{Rerun, Watch};
use fdc_core::coverage::TestId;
use fdc_core::failing::failing_tests;
use fdc_core::ranking::{Level, Ranker};
use fdc_core::spectrum::MethodId;
use fdc_core::{Metric, Outcome, Selection, Spectrum, Start, Tally, TieBreak, Verdict};
use serde::Serialize;

use crate::error::Failure;
use crate::figure;
use crate::label::advice::TELLING;
use crate::label::reason::Reason;
use crate::rank::{MethodRanking, Scoring};

/// First places that a step tells.
const TOP: usize = 5;
/// Tests in a row that change nothing, after which a ranking counts as stable.
const STABLE: usize = 3;

/// What tests are chosen for, by what, and when to stop.
#[derive(Debug)]
pub struct SelectRequest {
    /// The failing test; all, if none is named.
    pub failing: Option<String>,
    /// What tests are chosen by.
    pub metric: Metric,
    /// Only tests of these origins are chosen; of all, if there are none.
    pub origins: Vec<String>,
    /// What is known at the start.
    pub start: Start,
    /// Which of equally good tests is chosen.
    pub ties: TieBreak,
    /// Of a random order of tests.
    pub seed: u64,
    /// Whether a chosen test joins with its true outcome; then nothing is known at the start.
    pub reveal: bool,
    /// At most so many tests; all, if left out.
    pub number: Option<usize>,
    /// Whether to stop once three tests in a row change nothing.
    pub until_stable: bool,
    /// After so long no further test is chosen.
    pub time: Option<Duration>,
    /// How methods are ranked.
    pub scoring: Scoring,
    /// Whether steps tell why, and the ranking; without, they tell the tests alone, in a fraction
    /// of the time.
    pub explain: bool,
}

impl SelectRequest {
    /// Ten tests by a metric, beside all failing tests.
    pub fn by(metric: Metric) -> Self {
        SelectRequest {
            failing: None,
            metric,
            origins: Vec::new(),
            start: Start::Labelled,
            ties: TieBreak::File,
            seed: 0,
            reveal: false,
            number: Some(10),
            until_stable: false,
            time: None,
            scoring: Scoring::default(),
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
    /// The first failing test.
    pub failing: String,
    /// The others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_failing: Vec<String>,
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
    /// Whether even the first chosen test is expected to tell little.
    #[serde(skip)]
    pub tells_little: bool,
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
    /// Who shares the first place, where a formula ranks.
    #[serde(flatten)]
    pub tied: Option<TiedOutlook>,
}

/// What an answer does to the tie at the top.
#[derive(Clone, Debug, Serialize)]
pub struct TiedOutlook {
    /// Methods that share the highest score.
    pub tied_before: usize,
    /// The same if it passes.
    pub tied_if_it_passes: usize,
    /// The same if it fails.
    pub tied_if_it_fails: usize,
}

impl TiedOutlook {
    fn new(methods: &MethodRanking<'_>, tally: &Tally, test: TestId) -> Self {
        let tied_if = |outcome| {
            let ranking = methods.answered(tally, test, Verdict::certain(outcome));
            ranking.tied_at_top()
        };
        TiedOutlook {
            tied_before: methods.now(tally).tied_at_top(),
            tied_if_it_passes: tied_if(Outcome::Pass),
            tied_if_it_fails: tied_if(Outcome::Fail),
        }
    }
}

/// Chooses tests one after the other and notes what each does.
pub fn select(spectrum: &Spectrum, request: &SelectRequest) -> Result<SelectReply, Failure> {
    let reveals = |test: TestId| spectrum.test(test).verdict().filter(|_| request.reveal);
    choose(spectrum, request, request.reveal, &|test| Ok(reveals(test)))
}

/// The same, where each chosen test is run and joins with the outcome that it has now.
pub fn select_running(
    spectrum: &Spectrum,
    request: &SelectRequest,
    rerun: &Rerun,
    watch: &dyn Watch,
) -> Result<SelectReply, Failure> {
    watch.stage("running tests", request.number.unwrap_or(0) as u64);
    choose(spectrum, request, true, &|test| {
        let name = &spectrum.test(test).name;
        let outcome = rerun.run(name, &Unseen(watch))?;
        watch.finished(name);
        Ok(outcome.map(Verdict::certain))
    })
}

/// What a run of one test reports is not of the whole.
struct Unseen<'w>(&'w dyn Watch);

impl Watch for Unseen<'_> {
    fn note(&self, _: &str) {}

    fn asked_to_stop(&self) -> bool {
        self.0.asked_to_stop()
    }
}

/// What is known of a chosen test's outcome when it joins.
type Answer<'a> = &'a dyn Fn(TestId) -> Result<Option<Verdict>, Failure>;

fn choose(
    spectrum: &Spectrum,
    request: &SelectRequest,
    answered: bool,
    answer: Answer<'_>,
) -> Result<SelectReply, Failure> {
    let metric = &request.metric;
    let failing = failing_tests(spectrum, request.failing.as_slice())?;
    check_origins(spectrum, &request.origins)?;
    let start = match request.reveal {
        true => Start::Revealing,
        false => request.start,
    };
    let mut selection = Selection::begin(spectrum, &failing, start, &request.origins);
    selection.break_ties(request.ties, request.seed);
    let why_none = if spectrum.tests.len() == 1 {
        "the failing test is the only one"
    } else if !request.origins.is_empty() {
        "every test of that origin is known"
    } else {
        "the outcome of every other test is known"
    };
    let nothing = selection.candidates().is_empty().then_some(why_none);
    let steps = Chooser::new(spectrum, request, answered).steps(&mut selection, answer)?;
    let first = steps.get(1);
    let expects = |step: &&Step| {
        step.reason
            .as_ref()
            .is_some_and(|why| why.reason.fails.is_some())
    };
    let bits = first.filter(expects).and_then(|step| step.score);
    let name = |&test: &TestId| spectrum.test(test).name.clone();
    Ok(SelectReply {
        schema: 1,
        metric: metric.label.clone(),
        failing: name(&failing[0]),
        also_failing: failing[1..].iter().map(name).collect(),
        formula: request.scoring.source.name(),
        reveal: answered,
        steps,
        covered: spectrum.coverage.total(failing[0]),
        left: selection.candidates().len(),
        tells_little: bits.is_some_and(|bits| bits < TELLING),
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
    /// Chosen tests join with an outcome.
    answered: bool,
    ranker: Ranker,
    begun: Instant,
}

impl<'a> Chooser<'a> {
    fn new(spectrum: &'a Spectrum, request: &'a SelectRequest, answered: bool) -> Self {
        Chooser {
            spectrum,
            request,
            answered,
            ranker: Ranker::new(spectrum, Level::Method, request.scoring.options()),
            begun: Instant::now(),
        }
    }

    fn steps(
        &self,
        selection: &mut Selection<'_>,
        answer: Answer<'_>,
    ) -> Result<Vec<Step>, Failure> {
        let (spectrum, request) = (self.spectrum, self.request);
        let scoring = &request.scoring;
        let located = scoring.locate(spectrum, selection.judged().failing);
        let mut methods = MethodRanking::new(&self.ranker, spectrum, located);
        let begin = self.step(&methods, selection);
        let mut steps = vec![begin.clone()];
        // Where no outcome is revealed, the outlook takes the chosen tests to pass: most do.
        let mut outlook = selection.tally().clone();
        let mut groups = selection.suite().suspicious_groups();
        let mut unchanged = 0;
        while !self.is_late() && request.number.is_none_or(|most| steps.len() <= most) {
            let Some((pick, prospect)) = methods.next(selection, &request.metric) else {
                break;
            };
            let test = pick.test;
            let suite = selection.suite();
            let reason = request.explain.then(|| Why {
                reason: Reason::new(&request.metric, suite, test, prospect),
                tied: match methods.located() {
                    None => Some(TiedOutlook::new(&methods, &outlook, test)),
                    Some(_) => None,
                },
            });
            let verdict = answer(test)?;
            let expected = verdict.unwrap_or(Verdict::certain(Outcome::Pass));
            outlook.add(&spectrum.coverage, test, expected);
            methods.answer(test, expected);
            selection.add(test, verdict);
            let stands = match self.answered {
                true => self.step(&methods, selection),
                false => begin.clone(),
            };
            let step = Step {
                added: Some(spectrum.test(test).name.clone()),
                score: Some(pick.score),
                outcome: verdict.map(|verdict| verdict.outcome.name()),
                reason,
                ..stands
            };
            let groups_now = selection.suite().suspicious_groups();
            let same = match self.answered {
                true => steps.last().is_some_and(|last| last.top == step.top),
                false => groups == groups_now,
            };
            groups = groups_now;
            unchanged = if same { unchanged + 1 } else { 0 };
            steps.push(step);
            if request.until_stable && unchanged == STABLE {
                break;
            }
        }
        Ok(steps)
    }

    fn is_late(&self) -> bool {
        let limit = self.request.time;
        limit.is_some_and(|limit| self.begun.elapsed() >= limit)
    }

    /// The ranking as it stands.
    fn step(&self, methods: &MethodRanking<'_>, selection: &Selection<'_>) -> Step {
        if !self.request.explain {
            return Step::default();
        }
        let tally = selection.tally();
        let ranking = methods.now(tally);
        let named = |method: MethodId, rank: f64| MethodPlace {
            method: self.spectrum.method_name(method).to_owned(),
            rank,
        };
        let faulty = self.spectrum.fault.as_ref().map(|_| {
            let scores = methods.scores(tally);
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
