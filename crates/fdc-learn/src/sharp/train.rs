//! The whole training of sharp, top to bottom: from past bugs, how likely a suspicious method is the
//! faulty one.
//!
//! A lesson is a bug and one of its failing tests: features of its suspicious methods, and which of
//! them are faulty. The loss is listwise, minus the logarithm of the likelihood that the distribution
//! gives to the faulty methods together, averaged over bugs, plus an L2 term; it is minimised by Adam
//! over all lessons at once, once for every combination of groups that a case may lack. Lines are
//! learned in the same way, from the faulty methods' lines. How far the likelihoods can be trusted is
//! learned from projects left out: each in turn is judged by a model of the others. There is nothing
//! random in it: the same bugs give the same bytes.
//!
//! Mutants are bugs as well, as many as one likes, and in every language. How likely methods are is
//! learned from both; everything else from bugs with a known fix, if there are any. What mutants say
//! of a failure that comes after them is learned from mutants alone.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use fdc_core::coverage::{Coverage, Names, TestId};
use fdc_core::rows::Rows;
use fdc_core::spectrum::Bug;
use fdc_core::suspects::Projection;
use fdc_core::{Spectrum, Suite};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::answers::{FailureOdds, ODDS_COUNT, odds_lessons};
use super::calibration::Calibration;
use super::faults::Faults;
use super::features::{
    COUNT, FEATURES, Feature, Known, OptionalGroups, Suspicion, VARIANTS, unchanged,
};
use super::kills::{KILL_COUNT, KillEvidence, ToldMutants};
use super::linear::{FitOptions, Lesson, LinearSoftmax, fit};
use super::lines::{ElementsByMethod, LINE_COUNT, SuspiciousLines};
use super::locate::{FIRST, Localisation};
use super::model::{Prior, SharpModel, Trust, features_json};
use crate::learner::{
    BadHyperparameter, Trained, Trainer, TrainingError, TrainingObserver, TrainingTask,
};
use crate::model_file::Origin;

/// What a training of sharp can be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharpOptions {
    /// Failing tests of a bug that are learned from, the first in file order; of a mutant only one is.
    pub max_failing: usize,
    /// Weight of the lessons with a pool of only the nearest tests, 0..1.
    pub near_share: f64,
    /// Tests in such a pool.
    pub near_tests: usize,
    /// Steps of Adam.
    pub steps: u32,
    /// Adam's learning rate.
    pub learning_rate: f64,
    /// Weight of the L2 term.
    pub l2: f64,
    /// Mutants of a project that are learned from: those that the fewest tests noticed.
    pub max_mutants: usize,
    /// How much mutants count beside bugs with a known fix: their share of all lessons, 0..1. Every
    /// project's mutants count the same.
    pub mutant_share: f64,
    /// A feature, or a group of them ([`super::features::GROUPS`]), to leave out; empty: none.
    pub without: String,
}

impl Default for SharpOptions {
    fn default() -> Self {
        SharpOptions {
            max_failing: 3,
            near_share: 0.5,
            near_tests: 40,
            steps: 400,
            learning_rate: 0.02,
            l2: 0.1,
            max_mutants: 100,
            mutant_share: 0.5,
            without: String::new(),
        }
    }
}

impl SharpOptions {
    fn leaves_out(&self, feature: &Feature) -> bool {
        [feature.group, feature.name].contains(&&*self.without)
    }

    fn fit<const N: usize>(&self, lessons: &[&Lesson<N>], used: &[bool; N]) -> LinearSoftmax<N> {
        let options = FitOptions {
            steps: self.steps,
            learning_rate: self.learning_rate,
            l2: self.l2,
        };
        fit(lessons, used, &options)
    }
}

impl Trainer for SharpOptions {
    fn check(&self) -> Result<(), BadHyperparameter> {
        let ensure = BadHyperparameter::unless;
        for (name, value) in [
            ("max_failing", self.max_failing),
            ("near_tests", self.near_tests),
            ("max_mutants", self.max_mutants),
        ] {
            ensure(value > 0, name, "a whole number from 1", &value)?;
        }
        for (name, share) in [
            ("near_share", self.near_share),
            ("mutant_share", self.mutant_share),
        ] {
            let holds = (0.0..=1.0).contains(&share);
            ensure(holds, name, "a number from 0 to 1", &share)?;
        }
        let rate = self.learning_rate;
        let holds = rate > 0.0 && rate.is_finite();
        ensure(holds, "learning_rate", "a number above 0", &rate)?;
        let holds = self.l2 >= 0.0 && self.l2.is_finite();
        ensure(holds, "l2", "a number from 0", &self.l2)?;
        let known = self.without.is_empty() || FEATURES.iter().any(|own| self.leaves_out(own));
        let expected = "a feature of sharp, or one of the groups pool, similarity, failing, size, names, trace, history";
        ensure(known, "without", expected, &self.without)
    }

    /// One pass of a few seconds: there is nothing to follow or to resume.
    fn train(
        &self,
        task: &TrainingTask<'_>,
        _: &mut dyn TrainingObserver,
    ) -> Result<Trained, TrainingError> {
        let model = train(&task.bugs, self, task.data_digest.clone());
        Ok(Trained {
            model: Box::new(model.ok_or(TrainingError::NoFaultReached)?),
            complete: true,
            summary: summary(&task.bugs),
            notes: Vec::new(),
            warning: None,
        })
    }
}

fn summary(bugs: &[(&Bug, &Spectrum)]) -> String {
    let mutants = bugs.iter().filter(|(_, spectrum)| is_mutant(spectrum));
    match (mutants.count(), bugs.len()) {
        (0, all) => format!("sharp, from {all} versions"),
        (mutants, all) => format!("sharp, from {} bugs and {mutants} mutants", all - mutants),
    }
}

/// Parts that a single project is cut into, to see how far likelihoods can be trusted.
const FOLDS: usize = 5;
/// Failures are rare: a stronger pull would make them too likely everywhere.
const ODDS_FIT: FitOptions = FitOptions {
    steps: 400,
    learning_rate: 0.05,
    l2: 1e-4,
};

/// Few features, and thousands of mutants: little has to be held back.
const KILLS_FIT: FitOptions = FitOptions {
    steps: 400,
    learning_rate: 0.02,
    l2: 0.01,
};

/// A past bug, ready to learn from.
struct PastBug<'a> {
    /// The part that it is judged with.
    fold: usize,
    spectrum: &'a Spectrum,
    /// How much it counts.
    weight: f64,
    failing: Vec<TestId>,
    faulty: Vec<u32>,
    methods: Vec<(OptionalGroups, Lesson<COUNT>)>,
    lines: Vec<Lesson<LINE_COUNT>>,
    outcomes: Vec<Lesson<ODDS_COUNT>>,
}

/// Learns from the bugs; `None` if no bug has a suspicious faulty method.
pub fn train(
    bugs: &[(&Bug, &Spectrum)],
    options: &SharpOptions,
    data_digest: String,
) -> Option<SharpModel> {
    let chosen = chosen(bugs, options);
    let parts = parts(&chosen);
    let past: Vec<PastBug<'_>> = chosen
        .par_iter()
        .zip(&parts)
        .map(|(bug, &fold)| PastBug::new(fold, bug, options))
        .filter(|bug| !bug.methods.is_empty())
        .collect();
    let of = |fold: Option<usize>| past.iter().filter(move |bug| Some(bug.fold) != fold);
    let all: Vec<&PastBug<'_>> = of(None).collect();
    let prior = learn(&all, options)?;
    // What else there is to learn is learned from real bugs: mutants are noticed more easily, and stand
    // only on lines that a mutator has something for.
    let any_fix = past.iter().any(|bug| !is_mutant(bug.spectrum));
    let counts = |bug: &&PastBug<'_>| !any_fix || !is_mutant(bug.spectrum);
    let real = || past.iter().filter(counts);
    let lines: Vec<&Lesson<LINE_COUNT>> = real().flat_map(|bug| &bug.lines).collect();
    let lines = match lines.is_empty() {
        true => LinearSoftmax::UNIFORM,
        false => options.fit(&lines, &[true; LINE_COUNT]),
    };
    let outcomes: Vec<&Lesson<ODDS_COUNT>> = real().flat_map(|bug| &bug.outcomes).collect();
    let odds = match outcomes.is_empty() {
        true => FailureOdds([0.0; ODDS_COUNT]),
        false => FailureOdds::learned(&fit(&outcomes, &[true; ODDS_COUNT], &ODDS_FIT)),
    };
    // Every bug is judged by a model of the other parts.
    let folds = parts.iter().max().map_or(0, |last| last + 1);
    let judged: Vec<(&PastBug<'_>, Prior)> = (0..folds)
        .into_par_iter()
        .filter_map(|fold| Some((fold, learn(&of(Some(fold)).collect::<Vec<_>>(), options)?)))
        .flat_map_iter(|(fold, prior)| {
            let left_out = past.iter().filter(move |bug| bug.fold == fold);
            left_out.map(move |bug| (bug, prior))
        })
        .collect();
    let kills = learn_kills(&judged);
    let judged: Vec<_> = judged.into_iter().filter(|(bug, _)| counts(bug)).collect();
    Some(SharpModel {
        prior,
        lines,
        trust: OptionalGroups::ALL.map(|known| trust(&judged, known)),
        odds,
        kills,
        origin: Origin {
            hyperparameters: serde_json::to_value(options).expect("plain fields"),
            features: features_json(),
            data_digest,
            fdc_version: env!("CARGO_PKG_VERSION").to_owned(),
        },
    })
}

fn is_mutant(spectrum: &Spectrum) -> bool {
    spectrum.fault.as_ref().is_some_and(|fault| fault.is_mutant)
}

/// A past bug and how much it counts.
struct Weighed<'a> {
    subject: &'a str,
    spectrum: &'a Spectrum,
    weight: f64,
}

/// The bugs to learn from. A mutant that many tests notice is unlike a bug that got past them, so the
/// others go first.
fn chosen<'a>(bugs: &[(&'a Bug, &'a Spectrum)], options: &SharpOptions) -> Vec<Weighed<'a>> {
    let mut chosen = Vec::new();
    let mut mutants: BTreeMap<&str, Vec<&Spectrum>> = BTreeMap::new();
    for (bug, spectrum) in bugs {
        match is_mutant(spectrum) {
            true => mutants.entry(&bug.subject).or_default().push(spectrum),
            false => chosen.push(Weighed {
                subject: &bug.subject,
                spectrum,
                weight: 1.0,
            }),
        }
    }
    let share = options.mutant_share;
    if !mutants.is_empty() {
        let each = (1.0 - share) / chosen.len().max(1) as f64;
        chosen.iter_mut().for_each(|bug| bug.weight = each);
    }
    let all = if chosen.is_empty() { 1.0 } else { share };
    let each = all / mutants.len().max(1) as f64;
    for (subject, mut own) in mutants {
        own.sort_by_key(|spectrum| spectrum.failing_tests().count());
        own.truncate(options.max_mutants);
        let lines = lines_per_mutant(&own);
        let total: f64 = lines.iter().sum();
        chosen.extend(own.into_iter().zip(lines).map(|(spectrum, lines)| Weighed {
            subject,
            spectrum,
            weight: each * lines / total,
        }));
    }
    chosen.retain(|bug| bug.weight > 0.0);
    chosen
}

/// Mutants are drawn evenly over methods, but bugs are where code is: each stands for its share of the
/// lines of its method.
fn lines_per_mutant(mutants: &[&Spectrum]) -> Vec<f64> {
    let method = |spectrum: &Spectrum| spectrum.fault.as_ref().map(|fault| fault.methods[0]);
    let mut own: HashMap<_, f64> = HashMap::new();
    for mutant in mutants {
        *own.entry(method(mutant)).or_default() += 1.0;
    }
    let lines = |spectrum: &&Spectrum| {
        let elements = spectrum.program.elements.iter();
        let lines = elements.filter(|element| Some(element.method) == method(spectrum));
        lines.count() as f64 / own[&method(spectrum)]
    };
    mutants.iter().map(lines).collect()
}

/// The part that each bug is judged with: that of its project, or one of five of a single project.
fn parts(bugs: &[Weighed<'_>]) -> Vec<usize> {
    let mut subjects: Vec<(bool, &str)> = bugs
        .iter()
        .map(|bug| (is_mutant(bug.spectrum), bug.subject))
        .collect();
    subjects.sort_unstable();
    subjects.dedup();
    let with_fixes = subjects.partition_point(|(is_mutant, _)| !is_mutant);
    let folds = with_fixes.max(FOLDS);
    let part = |(number, bug): (usize, &Weighed<'_>)| match (&subjects[..], &bug.spectrum.fault) {
        // Mutants of a method are much alike.
        ([_], Some(fault)) if fault.is_mutant => fault.methods[0].index() % FOLDS,
        ([_], _) => number % FOLDS,
        _ => {
            let own = (is_mutant(bug.spectrum), bug.subject);
            subjects.partition_point(|subject| *subject < own) % folds
        }
    };
    bugs.iter().enumerate().map(part).collect()
}

/// How much mutants say beside everything else, from mutants of projects left out, each heard beside
/// the others of its own program.
fn learn_kills(judged: &[(&PastBug<'_>, Prior)]) -> LinearSoftmax<KILL_COUNT> {
    let lessons = judged.par_iter().filter_map(|(bug, prior)| {
        let model = Arc::new(untrusted(*prior));
        let located = Localisation::of_labelled(&model, bug.spectrum, &bug.failing, Faults::One);
        let told = ToldMutants::of(bug.spectrum);
        let evidence = KillEvidence::of(bug.spectrum, &told, &bug.failing, located.likely())?;
        let right: Vec<bool> = evidence
            .methods
            .iter()
            .map(|method| bug.faulty.contains(method))
            .collect();
        right.contains(&true).then_some(Lesson {
            rows: evidence.rows,
            right,
            weight: bug.weight,
        })
    });
    let lessons: Vec<Lesson<KILL_COUNT>> = lessons.collect();
    match lessons.is_empty() {
        true => LinearSoftmax::UNIFORM,
        false => fit(
            &lessons.iter().collect::<Vec<_>>(),
            &[true; KILL_COUNT],
            &KILLS_FIT,
        ),
    }
}

/// A set of weights for every combination of what may be known; one that no bug shows gets the weights
/// of what is left without traces, or without anything.
fn learn(bugs: &[&PastBug<'_>], options: &SharpOptions) -> Option<Prior> {
    let learned: Vec<Option<LinearSoftmax<COUNT>>> = OptionalGroups::ALL
        .par_iter()
        .map(|wanted| {
            let shows =
                |known: OptionalGroups| known.names >= wanted.names && known.trace >= wanted.trace;
            let lessons = bugs.iter().flat_map(|bug| &bug.methods);
            let lessons = lessons.filter(|(known, _)| shows(*known));
            let lessons: Vec<&Lesson<COUNT>> = lessons.map(|(_, lesson)| lesson).collect();
            let used = std::array::from_fn(|number| {
                let feature = &FEATURES[number];
                wanted.has(feature) && !options.leaves_out(feature)
            });
            (!lessons.is_empty()).then(|| options.fit(&lessons, &used))
        })
        .collect();
    let least = learned[0]?;
    let number = |names, trace| OptionalGroups { names, trace }.number();
    let prior = OptionalGroups::ALL.map(|known| {
        let without_trace = learned[number(known.names, false)];
        learned[known.number()].or(without_trace).unwrap_or(least)
    });
    Some(prior)
}

/// How far the likelihoods of left-out bugs can be trusted.
fn trust(judged: &[(&PastBug<'_>, Prior)], known: OptionalGroups) -> Trust {
    let said = judged.par_iter().map(|(bug, prior)| {
        let model = Arc::new(untrusted([prior[known.number()]; VARIANTS]));
        let located = Localisation::of_labelled(&model, bug.spectrum, &bug.failing, Faults::Auto);
        let is_faulty = |method: u32| bug.faulty.contains(&method);
        let mut order: Vec<(f64, u32)> = located.likely().iter().copied().zip(0..).collect();
        order.retain(|(likely, _)| *likely > 0.0);
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let methods: Vec<(f64, bool)> = order
            .iter()
            .map(|&(likely, method)| (likely, is_faulty(method)))
            .collect();
        order.truncate(FIRST);
        let hit = order.iter().any(|(_, method)| is_faulty(*method));
        (methods, (order.iter().map(|(own, _)| own).sum(), hit))
    });
    let (methods, firsts): (Vec<_>, Vec<_>) = said.unzip();
    let methods = methods.concat();
    Trust {
        method: Calibration::fit(&methods),
        first_five: Calibration::fit(&firsts),
    }
}

/// A model of nothing but how likely methods are, whatever is known.
fn untrusted(prior: Prior) -> SharpModel {
    let as_it_is = Trust {
        method: Calibration::NONE,
        first_five: Calibration::NONE,
    };
    SharpModel {
        prior,
        lines: LinearSoftmax::UNIFORM,
        kills: LinearSoftmax::UNIFORM,
        trust: [as_it_is; VARIANTS],
        odds: FailureOdds([0.0; ODDS_COUNT]),
        origin: Origin {
            hyperparameters: serde_json::Value::Null,
            features: serde_json::Value::Null,
            data_digest: String::new(),
            fdc_version: String::new(),
        },
    }
}

impl<'a> PastBug<'a> {
    fn new(fold: usize, bug: &Weighed<'a>, options: &SharpOptions) -> Self {
        let (spectrum, weight) = (bug.spectrum, bug.weight);
        let failing: Vec<TestId> = spectrum.failing_tests().collect();
        let faults = spectrum.rankable_faults();
        let faulty: Vec<u32> = faults.iter().map(|method| method.0).collect();
        let by_method = ElementsByMethod::new(spectrum);
        let unchanged = unchanged(spectrum);
        let (mut methods, mut lines, mut outcomes) = (Vec::new(), Vec::new(), Vec::new());
        // There are so many mutants that one failing test of each is enough.
        let most = match is_mutant(spectrum) {
            true => 1,
            false => options.max_failing,
        };
        for &test in failing.iter().take(most) {
            let suite = Suite::new(&spectrum.coverage, test);
            let trace = spectrum.methods_in_trace(test);
            let trace = trace.as_deref();
            let known = Known {
                failing: &failing,
                trace,
                unchanged: &unchanged,
            };
            let projection = suite.projection();
            let view = Suspicion::knowing(&spectrum.coverage, projection, &known);
            let of_lines = SuspiciousLines::new(spectrum, projection, &view, &by_method);
            lines.extend(line_lessons(spectrum, &view, &of_lines, &faulty));
            methods.extend(lesson(&view, &faulty, 1.0 - options.near_share));
            outcomes.extend(odds_lessons(spectrum, test, &view, &faulty));
            if options.near_share > 0.0 {
                let near = NearestPool::new(spectrum, &suite, options.near_tests, &failing);
                let projection = Projection::new(&near.coverage, TestId(0));
                // Without history: some cases have none.
                let known = Known {
                    failing: &near.failing,
                    trace,
                    unchanged: &[],
                };
                let view = Suspicion::knowing(&near.coverage, &projection, &known);
                methods.extend(lesson(&view, &faulty, options.near_share));
            }
        }
        share_weight(weight, methods.iter_mut().map(|(_, lesson)| lesson));
        share_weight(weight, lines.iter_mut());
        share_weight(weight, outcomes.iter_mut());
        PastBug {
            fold,
            spectrum,
            weight,
            failing,
            faulty,
            methods,
            lines,
            outcomes,
        }
    }
}

/// So that a bug counts the same with many lessons as with one.
fn share_weight<'a, const N: usize>(weight: f64, lessons: impl Iterator<Item = &'a mut Lesson<N>>) {
    let mut lessons: Vec<_> = lessons.collect();
    let total: f64 = lessons.iter().map(|lesson| lesson.weight).sum();
    for lesson in &mut lessons {
        lesson.weight *= weight / total;
    }
}

fn lesson(
    view: &Suspicion,
    faulty: &[u32],
    weight: f64,
) -> Option<(OptionalGroups, Lesson<COUNT>)> {
    let right: Vec<bool> = view.methods().iter().map(|m| faulty.contains(m)).collect();
    (weight > 0.0 && right.contains(&true)).then(|| {
        let lesson = Lesson {
            rows: view.features().to_vec(),
            right,
            weight,
        };
        (view.known(), lesson)
    })
}

/// A lesson for every faulty method that has a faulty line among several suspicious ones.
fn line_lessons(
    spectrum: &Spectrum,
    view: &Suspicion,
    lines: &SuspiciousLines,
    faulty: &[u32],
) -> Vec<Lesson<LINE_COUNT>> {
    let faulty_lines = spectrum.fault.as_ref().map_or(&[][..], |own| &own.elements);
    let of_methods = view.methods().iter().zip(&lines.of_method);
    let of_faulty = of_methods.filter(|(method, own)| faulty.contains(method) && own.len() > 1);
    let lesson = |own: std::ops::Range<usize>| Lesson {
        rows: lines.rows[own.clone()].to_vec(),
        right: lines.elements[own]
            .iter()
            .map(|element| faulty_lines.contains(element))
            .collect(),
        weight: 1.0,
    };
    of_faulty
        .map(|(_, own)| lesson(own.clone()))
        .filter(|lesson| lesson.right.contains(&true))
        .collect()
}

/// The failing test, number 0, and the tests nearest to it, over the lines that these cover. Generated
/// pools are like that: small, and all about the code that fails.
struct NearestPool {
    coverage: Coverage,
    /// Those of the failing tests that are near.
    failing: Vec<TestId>,
}

impl NearestPool {
    fn new(spectrum: &Spectrum, suite: &Suite<'_>, tests: usize, failing: &[TestId]) -> Self {
        let coverage = &spectrum.coverage;
        let mut near: Vec<TestId> = coverage.tests().filter(|&t| t != suite.failing()).collect();
        near.sort_by(|&a, &b| suite.cover(b).total_cmp(&suite.cover(a)).then(a.cmp(&b)));
        near.truncate(tests);
        near.insert(0, suite.failing());
        let rows: Vec<Vec<u32>> = near.iter().map(|&test| coverage.elements(test)).collect();
        let mut number = vec![None; spectrum.program.elements.len()];
        for &element in rows.iter().flatten() {
            number[element as usize] = Some(0u32);
        }
        let mut methods = Vec::new();
        for (element, number) in number.iter_mut().enumerate() {
            if let Some(number) = number {
                *number = methods.len() as u32;
                methods.push(spectrum.program.elements[element].method.0);
            }
        }
        let mut kept = Rows::new(methods.len() as u32);
        for row in rows {
            let columns = row
                .into_iter()
                .filter_map(|element| number[element as usize]);
            kept.push_columns(columns).expect("elements ascend");
        }
        let names = Names {
            tests: vec![coverage.test_name(suite.failing()).to_owned()],
            methods: spectrum
                .program
                .methods
                .iter()
                .map(|method| method.name.clone())
                .collect(),
        };
        let fails = (0..).map(TestId).zip(&near);
        NearestPool {
            failing: fails
                .filter(|(_, test)| failing.contains(test))
                .map(|(number, _)| number)
                .collect(),
            coverage: Coverage::with_methods(kept, methods).named(names),
        }
    }
}
