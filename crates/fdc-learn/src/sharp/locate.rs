//! Where the fault is: all failing tests speak together.

use fdc_core::coverage::TestId;
use fdc_core::spectrum::VIRTUAL;
use fdc_core::{Outcome, Spectrum, Suite};
use rayon::prelude::*;

use super::features::{FEATURES, Known, OptionalGroups, Suspicion};
use super::lines::{ElementsByMethod, SuspiciousLines};
use super::model::SharpModel;

/// Failing tests that are heard, evenly spread where there are more: further ones hardly say anything
/// new.
const HEARD: usize = 16;
/// "In the first five".
pub(super) const FIRST: usize = 5;
/// Facts that say less for a method than this are not worth a word.
const WORTH_SAYING: f64 = 0.15;
/// So many facts at the most.
const FACTS: usize = 3;

/// The suspicious methods of the failing tests, and how likely each is faulty.
pub struct Localisation<'m> {
    model: &'m SharpModel,
    heard: Vec<Heard>,
    /// By method; 0 for those that no failing test runs.
    likely: Vec<f64>,
    /// By element.
    lines: Vec<f64>,
    pool: usize,
}

/// What one failing test says.
struct Heard {
    suspicion: Suspicion,
    likely: Vec<f64>,
    /// Element and its share of the whole.
    lines: Vec<(u32, f64)>,
    /// Mean of each feature over the suspicious methods.
    mean: super::features::FeatureRow,
}

impl<'m> Localisation<'m> {
    /// From the failing tests of a spectrum and what a person stated; the outcome of no other test is
    /// looked at.
    pub fn new(model: &'m SharpModel, spectrum: &Spectrum, failing: &[TestId]) -> Self {
        let by_method = ElementsByMethod::new(spectrum);
        let measured: Vec<TestId> = failing
            .iter()
            .copied()
            .filter(|&test| spectrum.test(test).origin.as_deref() != Some(VIRTUAL))
            .collect();
        // With nothing but statements, they are all there is to hear.
        let failing = if measured.is_empty() {
            failing
        } else {
            &measured
        };
        let asked: Vec<TestId> = heard_tests(failing).collect();
        let heard: Vec<Heard> = asked
            .into_par_iter()
            .map(|test| hear(model, spectrum, failing, test, &by_method))
            .collect();
        let share = 1.0 / heard.len().max(1) as f64;
        let mut likely = vec![0.0; spectrum.program.methods.len()];
        let mut lines = vec![0.0; spectrum.program.elements.len()];
        for heard in &heard {
            for (&method, &own) in heard.suspicion.methods().iter().zip(&heard.likely) {
                likely[method as usize] += share * own;
            }
            for &(element, own) in &heard.lines {
                lines[element as usize] += share * own;
            }
        }
        if believe_statements(spectrum, &mut lines) {
            likely.fill(0.0);
            for (element, own) in spectrum.program.elements.iter().zip(&lines) {
                likely[element.method.index()] += own;
            }
        }
        Localisation {
            model,
            heard,
            likely,
            lines,
            pool: spectrum.coverage.test_count().saturating_sub(1),
        }
    }

    /// The model's own likelihood of every method, by number; they sum to 1.
    pub fn likely(&self) -> &[f64] {
        &self.likely
    }

    /// The same of every element; a method's is the sum of its elements'.
    pub fn lines(&self) -> &[f64] {
        &self.lines
    }

    /// The probability that something with this likelihood is faulty.
    pub fn probability(&self, likely: f64) -> f64 {
        self.model.trust[self.known().number()]
            .method
            .probability(likely)
    }

    /// The probability that a fault is in one of the first five methods.
    pub fn within_first_five(&self) -> f64 {
        let trust = self.model.trust[self.known().number()];
        let mut likely = self.likely.clone();
        likely.sort_unstable_by(|a, b| b.total_cmp(a));
        trust
            .first_five
            .probability(likely.iter().take(FIRST).sum())
    }

    /// What most tests that were heard have.
    pub fn known(&self) -> OptionalGroups {
        let most = |has: fn(OptionalGroups) -> bool| {
            let with = self.heard.iter().filter(|own| has(own.suspicion.known()));
            2 * with.count() > self.heard.len()
        };
        OptionalGroups {
            names: most(|known| known.names),
            trace: most(|known| known.trace),
        }
    }

    /// The two or three facts that weighed most for a method, in words.
    pub fn reasons(&self, method: u32) -> Vec<String> {
        let place = |heard: &'_ Heard| heard.suspicion.methods().binary_search(&method).ok();
        let views = self
            .heard
            .iter()
            .filter_map(|heard| Some((heard, place(heard)?)));
        // The failing test that says most for it; the first, if several do.
        let said = views.reduce(|a, b| {
            if b.0.likely[b.1] > a.0.likely[a.1] {
                b
            } else {
                a
            }
        });
        let Some((heard, place)) = said else {
            return Vec::new();
        };
        let row = &heard.suspicion.features()[place];
        let prior = &self.model.prior[heard.suspicion.known().number()];
        let says = |feature: usize| prior.says(feature, row[feature], heard.mean[feature]);
        // By topic: what its features say together, and what to call it.
        let mut topics: Vec<(f64, &str)> = Vec::new();
        for (feature, own) in FEATURES.iter().enumerate() {
            let topic = match own.group {
                "names" => own.name,
                "failing" if heard.suspicion.failing() == 1 => "pool",
                group => group,
            };
            match topics.iter_mut().find(|known| known.1 == topic) {
                Some(known) => known.0 += says(feature),
                None => topics.push((says(feature), topic)),
            }
        }
        topics.sort_by(|a, b| b.0.total_cmp(&a.0));
        let worth = topics.iter().filter(|topic| topic.0 > WORTH_SAYING);
        let facts = worth.map(|&(_, topic)| heard.fact(topic, place, self.pool));
        facts.take(FACTS).collect()
    }
}

/// Weighs lines by what a person stated of parts of the program, by trust: that one is right, or that
/// the fault is in it. Whether anything was stated; statements that leave nothing are not believed.
fn believe_statements(spectrum: &Spectrum, lines: &mut [f64]) -> bool {
    let total: f64 = lines.iter().sum();
    let mut weighed = lines.to_vec();
    let mut any = false;
    for (test, own) in spectrum.coverage.tests().zip(&spectrum.tests) {
        let (Some(VIRTUAL), Some(verdict)) = (own.origin.as_deref(), own.verdict()) else {
            continue;
        };
        any = true;
        let mut named = vec![false; lines.len()];
        for element in spectrum.coverage.elements(test) {
            named[element as usize] = true;
        }
        let cleared = verdict.outcome == Outcome::Pass;
        for (weight, named) in weighed.iter_mut().zip(named) {
            if named == cleared {
                *weight *= 1.0 - verdict.trust;
            }
        }
    }
    let left: f64 = weighed.iter().sum();
    if any && left > 0.0 {
        let scaled = weighed.iter().map(|weight| weight * total / left);
        lines
            .iter_mut()
            .zip(scaled)
            .for_each(|(line, own)| *line = own);
    }
    any
}

/// The failing tests that are heard.
pub(super) fn heard_tests(failing: &[TestId]) -> impl Iterator<Item = TestId> + '_ {
    let step = failing.len().div_ceil(HEARD).max(1);
    failing.iter().copied().step_by(step)
}

fn hear(
    model: &SharpModel,
    spectrum: &Spectrum,
    failing: &[TestId],
    test: TestId,
    by_method: &ElementsByMethod,
) -> Heard {
    let suite = Suite::new(&spectrum.coverage, test);
    let trace = spectrum.methods_in_trace(test);
    let known = Known {
        failing,
        trace: trace.as_deref(),
    };
    let suspicion = Suspicion::knowing(&suite, &known);
    let likely = model.prior[suspicion.known().number()].distribution(suspicion.features());
    let lines = SuspiciousLines::new(spectrum, &suite, &suspicion, by_method);
    let mut shares = Vec::with_capacity(lines.elements.len());
    for (own, likely) in lines.of_method.iter().zip(&likely) {
        let within = model.lines.distribution(&lines.rows[own.clone()]);
        let elements = lines.elements[own.clone()].iter();
        shares.extend(elements.zip(within).map(|(&e, share)| (e, likely * share)));
    }
    let mut mean = [0.0; super::features::COUNT];
    for row in suspicion.features() {
        for (sum, value) in mean.iter_mut().zip(row) {
            *sum += value / suspicion.features().len() as f64;
        }
    }
    Heard {
        suspicion,
        likely,
        lines: shares,
        mean,
    }
}

impl Heard {
    /// A fact about the method at that place.
    fn fact(&self, topic: &str, place: usize, pool: usize) -> String {
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
            "same place" => "its class or file is named like the test's".into(),
            "same words" => "its name is in the test's".into(),
            _ => "in the test's own package".into(),
        }
    }
}
