//! The whole training of sharp's prior, top to bottom: from past bugs, how likely a suspicious method
//! is the faulty one.
//!
//! A lesson is a bug and one of its failing tests: features of its suspicious methods, and which of
//! them are faulty. The loss is listwise, minus the logarithm of the likelihood that the distribution
//! gives to the faulty methods together, averaged over bugs, plus an L2 term; it is minimised by Adam
//! over all lessons at once. There is nothing random in it: the same bugs give the same bytes.

use fdc_core::coverage::{Coverage, Names, TestId};
use fdc_core::rows::Rows;
use fdc_core::spectrum::Bug;
use fdc_core::{Spectrum, Suite};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::features::{COUNT, FEATURES, Feature, FeatureRow, Suspicion};
use super::model::{Prior, SharpModel, features_json, softmax};
use crate::learner::{
    BadHyperparameter, Trained, Trainer, TrainingError, TrainingObserver, TrainingTask,
};
use crate::model_file::Origin;

/// What a training of sharp can be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharpOptions {
    /// Failing tests of a bug that are learned from, the first in file order.
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
    /// A feature, or a group of them (pool, similarity, size, names), to leave out; empty: none.
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
            without: String::new(),
        }
    }
}

impl SharpOptions {
    fn leaves_out(&self, feature: &Feature) -> bool {
        [feature.group, feature.name].contains(&&*self.without)
    }
}

impl Trainer for SharpOptions {
    fn check(&self) -> Result<(), BadHyperparameter> {
        let ensure = BadHyperparameter::unless;
        for (name, value) in [
            ("max_failing", self.max_failing),
            ("near_tests", self.near_tests),
        ] {
            ensure(value > 0, name, "a whole number from 1", &value)?;
        }
        let share = self.near_share;
        let holds = (0.0..=1.0).contains(&share);
        ensure(holds, "near_share", "a number from 0 to 1", &share)?;
        let rate = self.learning_rate;
        let holds = rate > 0.0 && rate.is_finite();
        ensure(holds, "learning_rate", "a number above 0", &rate)?;
        let holds = self.l2 >= 0.0 && self.l2.is_finite();
        ensure(holds, "l2", "a number from 0", &self.l2)?;
        let known = self.without.is_empty() || FEATURES.iter().any(|own| self.leaves_out(own));
        let expected = "a feature of sharp, or one of the groups pool, similarity, size, names";
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
            summary: format!("sharp, from {} versions", task.bugs.len()),
            notes: Vec::new(),
        })
    }
}

/// One failing test of a bug.
struct Lesson {
    rows: Vec<FeatureRow>,
    faulty: Vec<bool>,
    /// So that every bug counts the same.
    weight: f64,
}

/// Learns from the bugs; `None` if no bug has a suspicious faulty method.
pub fn train(
    bugs: &[(&Bug, &Spectrum)],
    options: &SharpOptions,
    data_digest: String,
) -> Option<SharpModel> {
    let lessons: Vec<Lesson> = bugs
        .par_iter()
        .flat_map_iter(|(_, spectrum)| lessons(spectrum, options))
        .collect();
    if lessons.is_empty() {
        return None;
    }
    let (mean, scale) = moments(&lessons);
    let used: Vec<bool> = FEATURES
        .iter()
        .map(|own| !options.leaves_out(own))
        .collect();
    let standard: Vec<Vec<FeatureRow>> = lessons
        .iter()
        .map(|lesson| {
            lesson
                .rows
                .iter()
                .map(|row| standardised(row, &mean, &scale, &used))
                .collect()
        })
        .collect();

    let mut weight = [0.0; COUNT];
    let (mut momentum, mut square) = ([0.0; COUNT], [0.0; COUNT]);
    let total: f64 = lessons.iter().map(|lesson| lesson.weight).sum();
    for step in 1..=options.steps {
        let mut gradient = [0.0; COUNT];
        for (lesson, rows) in lessons.iter().zip(&standard) {
            add_gradient(lesson, rows, &weight, lesson.weight / total, &mut gradient);
        }
        for feature in 0..COUNT {
            let slope = gradient[feature] + options.l2 * weight[feature];
            momentum[feature] = 0.9 * momentum[feature] + 0.1 * slope;
            square[feature] = 0.999 * square[feature] + 0.001 * slope * slope;
            let first = momentum[feature] / (1.0 - libm::pow(0.9, f64::from(step)));
            let second = square[feature] / (1.0 - libm::pow(0.999, f64::from(step)));
            weight[feature] -= options.learning_rate * first / (libm::sqrt(second) + 1e-8);
        }
    }
    Some(SharpModel {
        prior: Prior {
            weight: weight.map(|value| value as f32),
            mean: mean.map(|value| value as f32),
            scale: scale.map(|value| value as f32),
        },
        origin: Origin {
            hyperparameters: serde_json::to_value(options).expect("plain fields"),
            features: features_json(),
            data_digest,
            fdc_version: env!("CARGO_PKG_VERSION").to_owned(),
        },
    })
}

/// The lessons of one bug: failing tests that reach a faulty method, each with its whole pool and with
/// the few tests nearest to it. Generated pools are of the second kind: small, and all about the code
/// that fails.
fn lessons(spectrum: &Spectrum, options: &SharpOptions) -> Vec<Lesson> {
    let mut lessons = Vec::new();
    for failing in spectrum.failing_tests().take(options.max_failing) {
        let suite = Suite::new(&spectrum.coverage, failing);
        let whole = lesson(spectrum, &suite, 1.0 - options.near_share);
        lessons.extend(whole);
        if options.near_share > 0.0 {
            let (pool, failing) = nearest_pool(spectrum, &suite, options.near_tests);
            let near = lesson(spectrum, &Suite::new(&pool, failing), options.near_share);
            lessons.extend(near);
        }
    }
    let total: f64 = lessons.iter().map(|lesson| lesson.weight).sum();
    for lesson in &mut lessons {
        lesson.weight /= total;
    }
    lessons
}

fn lesson(spectrum: &Spectrum, suite: &Suite<'_>, weight: f64) -> Option<Lesson> {
    let suspicion = suite.remember(Suspicion::new);
    let faults = spectrum.rankable_faults();
    let is_faulty = |method: &u32| faults.iter().any(|fault| fault.0 == *method);
    let faulty: Vec<bool> = suspicion.methods().iter().map(is_faulty).collect();
    (weight > 0.0 && faulty.contains(&true)).then(|| Lesson {
        rows: suspicion.features().to_vec(),
        faulty,
        weight,
    })
}

/// The failing test and the tests nearest to it, over the lines that these cover.
fn nearest_pool(spectrum: &Spectrum, suite: &Suite<'_>, tests: usize) -> (Coverage, TestId) {
    let coverage = &spectrum.coverage;
    let mut others: Vec<TestId> = coverage.tests().filter(|&t| t != suite.failing()).collect();
    others.sort_by(|&a, &b| suite.cover(b).total_cmp(&suite.cover(a)).then(a.cmp(&b)));
    others.truncate(tests);
    let rows: Vec<Vec<u32>> = std::iter::once(suite.failing())
        .chain(others)
        .map(|test| coverage.elements(test))
        .collect();
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
    (
        Coverage::with_methods(kept, methods).named(names),
        TestId(0),
    )
}

/// Adds the gradient of `share` times minus the log-likelihood of the faulty methods.
fn add_gradient(
    lesson: &Lesson,
    rows: &[FeatureRow],
    weight: &FeatureRow,
    share: f64,
    gradient: &mut FeatureRow,
) {
    let form = |row: &FeatureRow| {
        row.iter()
            .zip(weight)
            .map(|(value, weight)| value * weight)
            .sum()
    };
    let mut likely: Vec<f64> = rows.iter().map(form).collect();
    softmax(&mut likely);
    let of_faulty = likely
        .iter()
        .zip(&lesson.faulty)
        .filter(|&(_, &faulty)| faulty);
    let hit: f64 = of_faulty.map(|(likely, _)| likely).sum();
    for ((row, &likely), &faulty) in rows.iter().zip(&likely).zip(&lesson.faulty) {
        let wanted = if faulty { likely / hit } else { 0.0 };
        for (slope, value) in gradient.iter_mut().zip(row) {
            *slope += share * (likely - wanted) * value;
        }
    }
}

/// Mean and standard deviation of every feature; 1 for one that does not vary.
fn moments(lessons: &[Lesson]) -> (FeatureRow, FeatureRow) {
    let rows = || lessons.iter().flat_map(|lesson| &lesson.rows);
    let count = rows().count() as f64;
    let mut mean = [0.0; COUNT];
    for row in rows() {
        for (sum, value) in mean.iter_mut().zip(row) {
            *sum += value / count;
        }
    }
    let mut scale = [0.0; COUNT];
    for row in rows() {
        for ((sum, value), mean) in scale.iter_mut().zip(row).zip(&mean) {
            *sum += (value - mean) * (value - mean) / count;
        }
    }
    let deviation = |variance: f64| {
        if variance > 1e-12 {
            libm::sqrt(variance)
        } else {
            1.0
        }
    };
    (mean, scale.map(deviation))
}

fn standardised(
    row: &FeatureRow,
    mean: &FeatureRow,
    scale: &FeatureRow,
    used: &[bool],
) -> FeatureRow {
    std::array::from_fn(|feature| {
        if used[feature] {
            (row[feature] - mean[feature]) / scale[feature]
        } else {
            0.0
        }
    })
}
