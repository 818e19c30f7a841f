//! What failing tests say of where the fault is, before anything else is heard.

use std::sync::Arc;

use fdc_core::coverage::TestId;
use fdc_core::suspects::Projection;
use fdc_core::{Spectrum, Verdict};
use rayon::prelude::*;

use super::answers::{Witnesses, belief};
use super::features::{COUNT, FEATURES, FeatureRow, Known, Suspicion, unchanged};
use super::kills::{ToldMutants, hear_kills};
use super::lines::{ElementsByMethod, SuspiciousLines};
use super::model::SharpModel;
use super::together::hear_together;

/// Failing tests that are heard, evenly spread where there are more: further ones hardly say anything
/// new.
const HEARD: usize = 16;

/// What the failing tests say, those that were measured and those that a person named.
///
/// It can be kept from one answer to the next: tests that are said to pass change nothing in it. It is
/// of no use once coverage, names, traces or history have changed.
#[derive(Clone)]
pub struct Hearing {
    /// The tests that were measured to fail, by the fault that each shows, ascending.
    pub(super) failing: Vec<Vec<TestId>>,
    /// Tests that fail because of faults that are not looked for, ascending.
    elsewhere: Vec<TestId>,
    /// The mutants, if they are heard and there are any.
    pub(super) told: Option<Arc<ToldMutants>>,
    /// What the measured ones say.
    measured: Arc<Testimony>,
    /// Tests that are said to fail.
    said: Vec<(TestId, Verdict)>,
    /// What all of them say.
    pub(super) testimony: Arc<Testimony>,
}

impl Hearing {
    /// Of tests that were measured to fail, those of each fault together.
    pub(super) fn new(
        model: &SharpModel,
        spectrum: &Spectrum,
        failing: Vec<Vec<TestId>>,
        elsewhere: Vec<TestId>,
    ) -> Self {
        let heard = model.hears_kills() && !spectrum.mutants.is_empty();
        let told = heard.then(|| Arc::new(ToldMutants::of(spectrum)));
        Self::beside(told, model, spectrum, failing, elsewhere)
    }

    fn beside(
        told: Option<Arc<ToldMutants>>,
        model: &SharpModel,
        spectrum: &Spectrum,
        mut failing: Vec<Vec<TestId>>,
        elsewhere: Vec<TestId>,
    ) -> Self {
        failing.iter_mut().for_each(|tests| tests.sort_unstable());
        let witnessed: Vec<Witnessed> = failing.iter().map(|tests| Witnessed::of(tests)).collect();
        let measured = Testimony::new(
            model,
            spectrum,
            told.as_deref(),
            &witnessed,
            &elsewhere,
            None,
        );
        let measured = Arc::new(measured);
        Hearing {
            failing,
            elsewhere,
            told,
            testimony: Arc::clone(&measured),
            measured,
            said: Vec::new(),
        }
    }

    /// The same with these tests said to fail, and no others.
    pub(super) fn with(
        &self,
        model: &SharpModel,
        spectrum: &Spectrum,
        said: &[(TestId, Verdict)],
    ) -> Self {
        if self.said == said {
            return self.clone();
        }
        let mut witnessed: Vec<Witnessed> = self
            .failing
            .iter()
            .map(|tests| Witnessed::of(tests))
            .collect();
        let measured = &self.measured;
        for &(test, verdict) in said {
            let fails = measured
                .witnesses
                .fails_at_all(&spectrum.coverage, test, &measured.likely);
            let belief = belief(verdict, fails);
            let own = &mut witnessed[measured.fault_of(spectrum, test)];
            own.heard.push((test, belief));
            if let Err(place) = own.failing.binary_search(&test)
                && belief >= 0.5
            {
                own.failing.insert(place, test);
            }
        }
        let testimony = match said.is_empty() {
            true => Arc::clone(measured),
            false => {
                let (elsewhere, before) = (&self.elsewhere, Some(&**measured));
                let told = self.told.as_deref();
                let all = Testimony::new(model, spectrum, told, &witnessed, elsewhere, before);
                Arc::new(all)
            }
        };
        Hearing {
            said: said.to_vec(),
            testimony,
            ..self.clone()
        }
    }

    /// Whether these are the tests that were measured to fail.
    pub(super) fn is_of(&self, failing: &[TestId]) -> bool {
        let sorted = |mut tests: Vec<TestId>| {
            tests.sort_unstable();
            tests
        };
        sorted(self.failing.concat()) == sorted(failing.to_vec())
    }

    /// Of one of several faults.
    pub(super) fn only(&self, model: &SharpModel, spectrum: &Spectrum, fault: usize) -> Self {
        let failing = vec![self.failing[fault].clone()];
        let others = self.failing.iter().flatten().copied();
        let others = others.filter(|test| failing[0].binary_search(test).is_err());
        let mut elsewhere: Vec<TestId> = others.collect();
        elsewhere.sort_unstable();
        let told = self.told.clone();
        let alone = Self::beside(told, model, spectrum, failing, elsewhere);
        alone.with(model, spectrum, &self.said)
    }
}

/// Tests that show the same fault, and those of them that are heard, each as far as it is believed
/// to fail, 0..=1.
struct Witnessed {
    failing: Vec<TestId>,
    heard: Vec<(TestId, f64)>,
}

impl Witnessed {
    /// Of tests that were measured to fail.
    fn of(failing: &[TestId]) -> Self {
        let step = failing.len().div_ceil(HEARD).max(1);
        let heard = failing.iter().step_by(step).map(|test| (*test, 1.0));
        Witnessed {
            failing: failing.to_vec(),
            heard: heard.collect(),
        }
    }
}

/// What failing tests say together.
pub(super) struct Testimony {
    pub(super) heard: Vec<Heard>,
    /// By method; 0 for those that no failing test runs.
    pub(super) likely: Vec<f64>,
    /// By element.
    pub(super) lines: Vec<f64>,
    pub(super) witnesses: Witnesses,
}

/// What one failing test says.
pub(super) struct Heard {
    pub(super) fault: usize,
    test: TestId,
    /// Its share of what is said altogether.
    pub(super) share: f64,
    projection: Arc<Projection>,
    pub(super) suspicion: Suspicion,
    pub(super) likely: Vec<f64>,
    /// Element and its share of the whole.
    lines: Vec<(u32, f64)>,
    /// Mean of each feature over the suspicious methods.
    pub(super) mean: FeatureRow,
}

impl Testimony {
    fn new(
        model: &SharpModel,
        spectrum: &Spectrum,
        told: Option<&ToldMutants>,
        witnessed: &[Witnessed],
        elsewhere: &[TestId],
        before: Option<&Testimony>,
    ) -> Self {
        let (by_method, unchanged) = (ElementsByMethod::new(spectrum), unchanged(spectrum));
        let mut tests = Vec::new();
        for (fault, own) in witnessed.iter().enumerate() {
            let total: f64 = own.heard.iter().map(|(_, belief)| belief).sum();
            let faults = witnessed.len() as f64;
            let context = Context {
                model,
                spectrum,
                failing: &own.failing,
                by_method: &by_method,
                unchanged: &unchanged,
            };
            let heard = own.heard.iter();
            tests.extend(
                heard.map(|(test, belief)| (context, fault, *test, belief / total / faults)),
            );
        }
        let before_of = |test: TestId| {
            let before = before.iter().flat_map(|before| &before.heard);
            before.into_iter().find(|heard| heard.test == test)
        };
        let heard = tests.into_par_iter();
        let heard: Vec<Heard> = heard
            .map(|(context, fault, test, share)| context.hear(fault, test, share, before_of(test)))
            .collect();
        let methods = spectrum.program.methods.len();
        let mut alone = vec![0.0; methods];
        let mut lines = vec![0.0; spectrum.program.elements.len()];
        let mut together = vec![0.0; methods];
        for (fault, own) in witnessed.iter().enumerate() {
            let mut likely = vec![0.0; methods];
            for heard in heard.iter().filter(|heard| heard.fault == fault) {
                for (&method, &own) in heard.suspicion.methods().iter().zip(&heard.likely) {
                    likely[method as usize] += heard.share * own;
                }
                for &(element, own) in &heard.lines {
                    lines[element as usize] += heard.share * own;
                }
            }
            add(&mut alone, &likely);
            let others = witnessed.iter().map(|other| &other.failing[..]);
            let others = others.chain([elsewhere]);
            let elsewhere = |test| others.clone().any(|all| all.binary_search(&test).is_ok());
            hear_together(&spectrum.coverage, &own.failing, elsewhere, &mut likely);
            if let Some(told) = told {
                hear_kills(&model.kills, spectrum, told, &own.failing, &mut likely);
            }
            add(&mut together, &likely);
        }
        weigh(spectrum, &together, &mut alone, &mut lines);
        let views = heard.iter().map(|heard| (heard.test, &heard.suspicion));
        Testimony {
            witnesses: Witnesses::new(model.odds, &spectrum.coverage, views, methods),
            heard,
            likely: alone,
            lines,
        }
    }

    /// The fault that a further failing test shows: the one whose likely lines it runs.
    pub(super) fn fault_of(&self, spectrum: &Spectrum, test: TestId) -> usize {
        let coverage = &spectrum.coverage;
        let row = coverage.row(test);
        let mut run = Vec::new();
        for heard in &self.heard {
            let lines = heard.lines.iter();
            let own = lines.filter(|(line, _)| row.contains(coverage.column_of(*line as usize)));
            run.resize(run.len().max(heard.fault + 1), 0.0);
            run[heard.fault] += heard.share * own.map(|(_, likely)| likely).sum::<f64>();
        }
        first_largest(&run)
    }
}

/// Makes methods as likely as wanted, up to a factor, and their lines with them.
pub(super) fn weigh(spectrum: &Spectrum, wanted: &[f64], likely: &mut [f64], lines: &mut [f64]) {
    let (before, after): (f64, f64) = (likely.iter().sum(), wanted.iter().sum());
    let factor = |(own, wanted): (&f64, &f64)| match *own > 0.0 {
        true => wanted / own * before / after,
        false => 0.0,
    };
    let factors: Vec<f64> = likely.iter().zip(wanted).map(factor).collect();
    for (own, factor) in likely.iter_mut().zip(&factors) {
        *own *= factor;
    }
    for (element, own) in spectrum.program.elements.iter().zip(lines) {
        *own *= factors[element.method.index()];
    }
}

fn add(to: &mut [f64], values: &[f64]) {
    to.iter_mut()
        .zip(values)
        .for_each(|(to, value)| *to += value);
}

/// The first place of the largest value.
pub(super) fn first_largest(values: &[f64]) -> usize {
    let larger = |a: usize, b: usize| if values[b] > values[a] { b } else { a };
    (0..values.len()).reduce(larger).unwrap_or(0)
}

/// By test and method, what each failing test says on its own.
pub(super) fn likely_alone(
    model: &SharpModel,
    spectrum: &Spectrum,
    tests: &[TestId],
) -> Vec<Vec<f64>> {
    let (by_method, unchanged) = (ElementsByMethod::new(spectrum), unchanged(spectrum));
    let says = |test: &TestId| {
        let context = Context {
            model,
            spectrum,
            failing: &[*test],
            by_method: &by_method,
            unchanged: &unchanged,
        };
        let suspects = context.suspects(*test, None);
        let mut likely = vec![0.0; spectrum.program.methods.len()];
        for (&method, &own) in suspects.suspicion.methods().iter().zip(&suspects.likely) {
            likely[method as usize] = own;
        }
        likely
    };
    tests.par_iter().map(says).collect()
}

/// The suspicious methods of a failing test, and how likely each is.
struct Suspects {
    projection: Arc<Projection>,
    suspicion: Suspicion,
    likely: Vec<f64>,
}

/// What the failing tests of a fault are heard with.
#[derive(Clone, Copy)]
struct Context<'a> {
    model: &'a SharpModel,
    spectrum: &'a Spectrum,
    failing: &'a [TestId],
    by_method: &'a ElementsByMethod,
    unchanged: &'a [f64],
}

impl Context<'_> {
    /// What a test says beside the other failing ones; some of it may have been found out before.
    fn suspects(&self, test: TestId, before: Option<&Heard>) -> Suspects {
        let coverage = &self.spectrum.coverage;
        let (projection, suspicion) = match before {
            Some(before) => {
                let suspicion = before.suspicion.clone();
                let projection = Arc::clone(&before.projection);
                let suspicion = suspicion.among(&projection, self.failing);
                (projection, suspicion)
            }
            None => {
                let projection = Arc::new(Projection::new(coverage, test));
                let trace = self.spectrum.methods_in_trace(test);
                let known = Known {
                    failing: self.failing,
                    trace: trace.as_deref(),
                    unchanged: self.unchanged,
                };
                let suspicion = Suspicion::knowing(coverage, &projection, &known);
                (projection, suspicion)
            }
        };
        let prior = &self.model.prior[suspicion.known().number()];
        Suspects {
            likely: prior.distribution(suspicion.features()),
            projection,
            suspicion,
        }
    }

    fn hear(&self, fault: usize, test: TestId, share: f64, before: Option<&Heard>) -> Heard {
        let Suspects {
            projection,
            suspicion,
            likely,
        } = self.suspects(test, before);
        let lines = SuspiciousLines::new(self.spectrum, &projection, &suspicion, self.by_method);
        let mut shares = Vec::with_capacity(lines.elements.len());
        for (own, likely) in lines.of_method.iter().zip(&likely) {
            let within = self.model.lines.distribution(&lines.rows[own.clone()]);
            let elements = lines.elements[own.clone()].iter();
            shares.extend(elements.zip(within).map(|(&e, share)| (e, likely * share)));
        }
        let mut mean = [0.0; COUNT];
        for row in suspicion.features() {
            for (sum, value) in mean.iter_mut().zip(row) {
                *sum += value / suspicion.features().len() as f64;
            }
        }
        Heard {
            fault,
            test,
            share,
            projection,
            suspicion,
            likely,
            lines: shares,
            mean,
        }
    }
}

impl Heard {
    /// A fact about the method at that place.
    pub(super) fn fact(&self, topic: &str, place: usize, pool: usize) -> String {
        let row = &self.suspicion.features()[place];
        let value = |name: &str| {
            let feature = FEATURES.iter().position(|feature| feature.name == name);
            row[feature.expect("a feature of the table")]
        };
        let count = |logarithm: f64| libm::round(libm::exp(logarithm)) as u64;
        match topic {
            "pool" => match count(value("rarest line")) - 1 {
                0 => "no other test runs its rarest line".into(),
                tests => format!("its rarest line is run by {tests} of {pool} other tests"),
            },
            "similarity" => {
                let nearest = 5.min(pool);
                let tests = libm::round(value("nearest 5") * nearest as f64);
                match tests as u64 {
                    0 => format!(
                        "none of the {nearest} tests most like the failing one runs all of it"
                    ),
                    tests => {
                        format!(
                            "at most {tests} of the {nearest} tests most like the failing one run all of it"
                        )
                    }
                }
            }
            "failing" => {
                let all = self.suspicion.failing();
                match libm::round(value("failing tests") * all as f64) as usize {
                    tests if tests == all => format!("runs in all {all} failing tests"),
                    tests => format!("runs in {tests} of {all} failing tests"),
                }
            }
            "size" => match (count(value("lines run")), count(value("lines"))) {
                (run, all) if run == all => format!("long: {all} lines, all of them run"),
                (run, all) => format!("long: {run} of its {all} lines run"),
            },
            "trace" => "in the stack trace".into(),
            "history" => match count(value("unchanged")) - 1 {
                0 => "its file changed in the last commit".into(),
                commits => format!("its file last changed {commits} commits ago"),
            },
            "same place" => "its class or file is named like the test's".into(),
            "same words" => "its name is in the test's".into(),
            _ => "in the test's own package".into(),
        }
    }
}
