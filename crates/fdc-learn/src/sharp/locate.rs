//! Where the fault is: all failing tests speak together.

use std::cell::OnceCell;

use fdc_core::coverage::TestId;
use fdc_core::spectrum::VIRTUAL;
use fdc_core::{Outcome, Spectrum, Suite, Verdict};
use rayon::prelude::*;

use super::answers::{Prospect, QuestionOutlook, Witnesses, belief};
use super::faults::{Faults, apart};
use super::features::{COUNT, FEATURES, FeatureRow, Known, OptionalGroups, Suspicion, unchanged};
use super::lines::{ElementsByMethod, SuspiciousLines};
use super::model::SharpModel;
use super::together::hear_together;

/// Failing tests that are heard, evenly spread where there are more: further ones hardly say anything
/// new.
const HEARD: usize = 16;
/// "In the first five".
pub(super) const FIRST: usize = 5;
/// Facts that say less for a method than this are not worth a word.
const WORTH_SAYING: f64 = 0.15;
/// A method that changed since a good revision is so many times as likely as it is otherwise. Not
/// learned: past bugs are known without the revision that brought them.
const CHANGED: f64 = 10.0;
/// So many facts at the most.
const FACTS: usize = 3;

/// The suspicious methods of the failing tests, and how likely each is faulty.
pub struct Localisation<'a> {
    model: &'a SharpModel,
    spectrum: &'a Spectrum,
    /// The tests that were measured to fail, by the fault that each shows.
    failing: Vec<Vec<TestId>>,
    /// Tests that fail because of faults that are not looked for, ascending.
    elsewhere: Vec<TestId>,
    answers: Vec<(TestId, Verdict)>,
    heard: Vec<Heard>,
    /// By method; 0 for those that no failing test runs.
    likely: Vec<f64>,
    /// By element.
    lines: Vec<f64>,
    /// Made when a test is asked about.
    witnesses: OnceCell<Witnesses<'a>>,
    questions: OnceCell<QuestionOutlook>,
}

/// Tests that show the same fault, and those of them that are heard, each as far as it is believed
/// to fail, 0..=1.
struct Witnessed {
    failing: Vec<TestId>,
    heard: Vec<(TestId, f64)>,
}

/// What one failing test says.
struct Heard {
    fault: usize,
    test: TestId,
    /// Its share of what is said altogether.
    share: f64,
    suspicion: Suspicion,
    likely: Vec<f64>,
    /// Element and its share of the whole.
    lines: Vec<(u32, f64)>,
    /// Mean of each feature over the suspicious methods.
    mean: FeatureRow,
}

impl<'a> Localisation<'a> {
    /// From the failing tests of a spectrum, a person's answers about others and what was stated of
    /// parts of the program. Tests that were measured to pass are not looked at: all tests are taken
    /// to pass from the start.
    pub fn new(
        model: &'a SharpModel,
        spectrum: &'a Spectrum,
        failing: &[TestId],
        answers: &[(TestId, Verdict)],
    ) -> Self {
        Self::of_faults(model, spectrum, &[failing.to_vec()], answers)
    }

    /// The same of failing tests that show several faults, those of each fault together.
    pub fn of_faults(
        model: &'a SharpModel,
        spectrum: &'a Spectrum,
        failing: &[Vec<TestId>],
        answers: &[(TestId, Verdict)],
    ) -> Self {
        let mut measured = failing.to_vec();
        for tests in &mut measured {
            tests.retain(|&test| !is_virtual(spectrum, test));
        }
        measured.retain(|tests| !tests.is_empty());
        // With nothing but statements, they are all there is to hear.
        if measured.is_empty() {
            measured = failing.to_vec();
        }
        let all = measured.concat();
        let mut answers = answers.to_vec();
        answers.retain(|(test, _)| !all.contains(test) && !is_virtual(spectrum, *test));
        Self::heard(model, spectrum, measured, Vec::new(), answers)
    }

    fn heard(
        model: &'a SharpModel,
        spectrum: &'a Spectrum,
        mut failing: Vec<Vec<TestId>>,
        elsewhere: Vec<TestId>,
        answers: Vec<(TestId, Verdict)>,
    ) -> Self {
        failing.iter_mut().for_each(|tests| tests.sort_unstable());
        let mut located = Localisation {
            model,
            spectrum,
            failing,
            elsewhere,
            answers,
            heard: Vec::new(),
            likely: Vec::new(),
            lines: Vec::new(),
            witnesses: OnceCell::new(),
            questions: OnceCell::new(),
        };
        located.hear_all();
        located
    }

    /// Where one of several faults is.
    pub fn only(&self, fault: usize) -> Self {
        let failing = vec![self.failing[fault].clone()];
        let others = self.failing.iter().flatten().copied();
        let others = others.filter(|test| failing[0].binary_search(test).is_err());
        let mut elsewhere: Vec<TestId> = others.collect();
        elsewhere.sort_unstable();
        let answers = self.answers.clone();
        Self::heard(self.model, self.spectrum, failing, elsewhere, answers)
    }

    /// The same with the answers that are in the spectrum: the labels of its tests. How many faults
    /// there are may be found out.
    pub fn of_labelled(
        model: &'a SharpModel,
        spectrum: &'a Spectrum,
        failing: &[TestId],
        faults: Faults,
    ) -> Self {
        let is_answer = |test: TestId| spectrum.test(test).label.is_some();
        let mut measured = failing.to_vec();
        measured.retain(|&test| !is_answer(test) && !is_virtual(spectrum, test));
        // Where a person named all that fails, that is what there is.
        if measured.is_empty() {
            measured = failing.to_vec();
        }
        let tests = spectrum.coverage.tests();
        let answers = tests.filter_map(|test| Some((test, spectrum.test(test).label?)));
        let measured = apart(model, spectrum, &measured, faults);
        Self::of_faults(model, spectrum, &measured, &answers.collect::<Vec<_>>())
    }

    /// The tests that were measured to fail, by the fault that they show.
    pub fn failing(&self) -> &[Vec<TestId>] {
        &self.failing
    }

    /// Hears of one more outcome.
    pub fn answer(&mut self, test: TestId, verdict: Verdict) {
        self.answers.push((test, verdict));
        match verdict.outcome {
            Outcome::Fail => self.hear_all(),
            Outcome::Pass => self.hear_of_passes(&[(test, verdict)]),
        }
    }

    /// The likelihood of every method if a test's outcome were this.
    pub fn likely_if(&self, test: TestId, verdict: Verdict) -> Vec<f64> {
        if verdict.outcome == Outcome::Fail {
            let answers = [&self.answers[..], &[(test, verdict)]].concat();
            let (failing, elsewhere) = (self.failing.clone(), self.elsewhere.clone());
            return Self::heard(self.model, self.spectrum, failing, elsewhere, answers).likely;
        }
        let mut likely = self.likely.clone();
        let witnesses = self.witnesses();
        witnesses.hear_of_pass(test, verdict.trust, &mut likely);
        likely
    }

    fn hear_all(&mut self) {
        let by_method = ElementsByMethod::new(self.spectrum);
        let measured = self.failing.iter().map(|failing| Witnessed {
            failing: failing.clone(),
            heard: heard_tests(failing).map(|test| (test, 1.0)).collect(),
        });
        let mut witnessed: Vec<Witnessed> = measured.collect();
        self.hear_failing(&witnessed, &by_method);
        let answers = self.answers.clone().into_iter();
        let (failed, passed): (Vec<_>, Vec<_>) =
            answers.partition(|(_, verdict)| verdict.outcome == Outcome::Fail);
        if !failed.is_empty() {
            for (test, verdict) in failed {
                let fails = self.witnesses().fails_at_all(test, &self.likely);
                let belief = belief(verdict, fails);
                let own = &mut witnessed[self.fault_of(test)];
                own.heard.push((test, belief));
                if let Err(place) = own.failing.binary_search(&test)
                    && belief >= 0.5
                {
                    own.failing.insert(place, test);
                }
            }
            self.hear_failing(&witnessed, &by_method);
        }
        self.hear_of_passes(&passed);
        if let Some(changed) = &self.spectrum.changed {
            let mut likely = self.likely.clone();
            for &method in changed {
                likely[method as usize] *= CHANGED;
            }
            self.weigh(&likely);
        }
        if believe_statements(self.spectrum, &mut self.lines) {
            self.likely.fill(0.0);
            for (element, own) in self.spectrum.program.elements.iter().zip(&self.lines) {
                self.likely[element.method.index()] += own;
            }
        }
    }

    /// The fault that a further failing test shows: the one whose likely lines it runs.
    pub fn fault_of(&self, test: TestId) -> usize {
        let mut run = vec![0.0; self.failing.len()];
        let coverage = &self.spectrum.coverage;
        let row = coverage.row(test);
        for heard in &self.heard {
            let lines = heard.lines.iter();
            let own = lines.filter(|(line, _)| row.contains(coverage.column_of(*line as usize)));
            run[heard.fault] += heard.share * own.map(|(_, likely)| likely).sum::<f64>();
        }
        first_largest(&run)
    }

    fn hear_failing(&mut self, witnessed: &[Witnessed], by_method: &ElementsByMethod) {
        let spectrum = self.spectrum;
        let unchanged = unchanged(spectrum);
        let mut tests = Vec::new();
        for (fault, own) in witnessed.iter().enumerate() {
            let total: f64 = own.heard.iter().map(|(_, belief)| belief).sum();
            let faults = witnessed.len() as f64;
            let context = Context {
                model: self.model,
                spectrum,
                failing: &own.failing,
                by_method,
                unchanged: &unchanged,
            };
            let heard = own.heard.iter();
            tests.extend(
                heard.map(|(test, belief)| (context, fault, *test, belief / total / faults)),
            );
        }
        let heard = tests.into_par_iter();
        self.heard = heard
            .map(|(context, fault, test, share)| context.hear(fault, test, share))
            .collect();
        let methods = spectrum.program.methods.len();
        self.likely = vec![0.0; methods];
        self.lines = vec![0.0; spectrum.program.elements.len()];
        let mut together = vec![0.0; methods];
        for (fault, own) in witnessed.iter().enumerate() {
            let mut likely = vec![0.0; methods];
            for heard in self.heard.iter().filter(|heard| heard.fault == fault) {
                for (&method, &own) in heard.suspicion.methods().iter().zip(&heard.likely) {
                    likely[method as usize] += heard.share * own;
                }
                for &(element, own) in &heard.lines {
                    self.lines[element as usize] += heard.share * own;
                }
            }
            add(&mut self.likely, &likely);
            let others = witnessed.iter().map(|other| &other.failing);
            let others = others.chain([&self.elsewhere]);
            let elsewhere = |test| others.clone().any(|all| all.binary_search(&test).is_ok());
            hear_together(&spectrum.coverage, &own.failing, elsewhere, &mut likely);
            add(&mut together, &likely);
        }
        self.weigh(&together);
        self.witnesses.take();
        self.questions.take();
    }

    fn hear_of_passes(&mut self, passed: &[(TestId, Verdict)]) {
        if passed.is_empty() {
            return;
        }
        let mut likely = self.likely.clone();
        for &(test, verdict) in passed {
            let witnesses = self.witnesses();
            witnesses.hear_of_pass(test, verdict.trust, &mut likely);
        }
        self.weigh(&likely);
    }

    /// Makes methods as likely as this, up to a factor, and their lines with them.
    fn weigh(&mut self, wanted: &[f64]) {
        let (before, after): (f64, f64) = (self.likely.iter().sum(), wanted.iter().sum());
        let factor = |(own, wanted): (&f64, &f64)| match *own > 0.0 {
            true => wanted / own * before / after,
            false => 0.0,
        };
        let factors: Vec<f64> = self.likely.iter().zip(wanted).map(factor).collect();
        for (own, factor) in self.likely.iter_mut().zip(&factors) {
            *own *= factor;
        }
        for (element, own) in self.spectrum.program.elements.iter().zip(&mut self.lines) {
            *own *= factors[element.method.index()];
        }
    }

    fn witnesses(&self) -> &Witnesses<'a> {
        self.witnesses.get_or_init(|| {
            let heard = self.heard.iter();
            let views = heard.map(|heard| (heard.test, &heard.suspicion));
            let methods = self.spectrum.program.methods.len();
            Witnesses::new(self.model.odds, &self.spectrum.coverage, views, methods)
        })
    }

    /// What a test's outcome is expected to tell.
    pub fn prospect(&self, test: TestId) -> Prospect {
        let outlook = || self.witnesses().outlook(&self.likely);
        let questions = self.questions.get_or_init(outlook);
        questions.prospect(test, &self.likely)
    }

    /// The candidate whose outcome is expected to tell most, the first of several; none if no outcome
    /// tells anything.
    pub fn best_question(&self, candidates: &[TestId]) -> Option<(TestId, Prospect)> {
        let all = candidates.iter().map(|&test| (test, self.prospect(test)));
        let best = all.reduce(|best, next| match next.1.bits > best.1.bits {
            true => next,
            false => best,
        });
        best.filter(|(_, prospect)| prospect.bits > 0.0)
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

    /// The number of the fault that a method is suspected of most, from 1, if there are several.
    pub fn suspected_of(&self, method: u32) -> Option<usize> {
        let mut of_faults = vec![0.0; self.failing.len()];
        for heard in &self.heard {
            if let Ok(place) = heard.suspicion.methods().binary_search(&method) {
                of_faults[heard.fault] += heard.share * heard.likely[place];
            }
        }
        let several = of_faults.len() > 1 && of_faults.iter().any(|own| *own > 0.0);
        several.then(|| first_largest(&of_faults) + 1)
    }

    fn of_fault(&self, method: u32) -> Option<String> {
        let number = self.suspected_of(method)?;
        let faults = self.failing.len();
        let [own, all] = [self.failing[number - 1].len(), self.failing.concat().len()];
        Some(format!(
            "fault {number} of {faults}, which {own} of {all} failing tests show"
        ))
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
        let telling = topics.iter().filter(|topic| topic.0 > WORTH_SAYING).count();
        // Where nothing sets it apart, who runs it is what there is to say.
        let who = match heard.suspicion.failing() {
            1 => (0.0, "pool"),
            _ => (0.0, "failing"),
        };
        topics.truncate(telling);
        if topics.is_empty() {
            topics.push(who);
        }
        let pool = self.spectrum.coverage.test_count().saturating_sub(1);
        let facts = topics
            .iter()
            .map(|&(_, topic)| heard.fact(topic, place, pool));
        let changed = self.spectrum.changed.as_ref();
        let changed = changed.is_some_and(|all| all.binary_search(&method).is_ok());
        let changed = changed.then(|| "changed since the last good revision".to_owned());
        let facts = changed.into_iter().chain(facts).take(FACTS);
        self.of_fault(method).into_iter().chain(facts).collect()
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

fn is_virtual(spectrum: &Spectrum, test: TestId) -> bool {
    spectrum.test(test).origin.as_deref() == Some(VIRTUAL)
}

fn add(to: &mut [f64], values: &[f64]) {
    to.iter_mut()
        .zip(values)
        .for_each(|(to, value)| *to += value);
}

fn first_largest(values: &[f64]) -> usize {
    let larger = |a: usize, b: usize| if values[b] > values[a] { b } else { a };
    (0..values.len()).reduce(larger).unwrap_or(0)
}

/// The failing tests that are heard.
fn heard_tests(failing: &[TestId]) -> impl Iterator<Item = TestId> + '_ {
    let step = failing.len().div_ceil(HEARD).max(1);
    failing.iter().copied().step_by(step)
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
        let (suspicion, own) = context.suspects(&Suite::new(&spectrum.coverage, *test));
        let mut likely = vec![0.0; spectrum.program.methods.len()];
        for (&method, own) in suspicion.methods().iter().zip(own) {
            likely[method as usize] = own;
        }
        likely
    };
    tests.par_iter().map(says).collect()
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
    fn suspects(&self, suite: &Suite<'_>) -> (Suspicion, Vec<f64>) {
        let trace = self.spectrum.methods_in_trace(suite.failing());
        let known = Known {
            failing: self.failing,
            trace: trace.as_deref(),
            unchanged: self.unchanged,
        };
        let suspicion = Suspicion::knowing(suite, &known);
        let prior = &self.model.prior[suspicion.known().number()];
        let likely = prior.distribution(suspicion.features());
        (suspicion, likely)
    }

    fn hear(&self, fault: usize, test: TestId, share: f64) -> Heard {
        let suite = Suite::new(&self.spectrum.coverage, test);
        let (suspicion, likely) = self.suspects(&suite);
        let lines = SuspiciousLines::new(self.spectrum, &suite, &suspicion, self.by_method);
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
            suspicion,
            likely,
            lines: shares,
            mean,
        }
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
