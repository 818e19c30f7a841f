//! Where the fault is: all failing tests speak together.

use std::cell::OnceCell;
use std::sync::Arc;

use fdc_core::coverage::TestId;
use fdc_core::spectrum::VIRTUAL;
use fdc_core::{Outcome, Spectrum, Verdict};

use super::answers::{Prospect, QuestionOutlook, Witnesses};
use super::faults::{Faults, apart};
use super::features::{FEATURES, OptionalGroups};
use super::kills::kills_in_words;
use super::model::SharpModel;
use super::testimony::{Heard, Hearing, first_largest, weigh};

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
    model: Arc<SharpModel>,
    spectrum: &'a Spectrum,
    hearing: Hearing,
    answers: Vec<(TestId, Verdict)>,
    /// By method; 0 for those that no failing test runs.
    likely: Vec<f64>,
    /// By element.
    lines: Vec<f64>,
    /// Made when a test is asked about.
    questions: OnceCell<QuestionOutlook>,
}

impl<'a> Localisation<'a> {
    /// From the failing tests of a spectrum, a person's answers about others and what was stated of
    /// parts of the program. Tests that were measured to pass are not looked at: all tests are taken
    /// to pass from the start.
    pub fn new(
        model: &Arc<SharpModel>,
        spectrum: &'a Spectrum,
        failing: &[TestId],
        answers: &[(TestId, Verdict)],
    ) -> Self {
        Self::of_faults(model, spectrum, &[failing.to_vec()], answers)
    }

    /// The same of failing tests that show several faults, those of each fault together.
    pub fn of_faults(
        model: &Arc<SharpModel>,
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
        let hearing = Hearing::new(model, spectrum, measured, Vec::new());
        Self::of_hearing(model, spectrum, hearing, answers)
    }

    fn of_hearing(
        model: &Arc<SharpModel>,
        spectrum: &'a Spectrum,
        hearing: Hearing,
        answers: &[(TestId, Verdict)],
    ) -> Self {
        let measured = hearing.failing.concat();
        let mut answers = answers.to_vec();
        answers.retain(|(test, _)| !measured.contains(test) && !is_virtual(spectrum, *test));
        let mut located = Localisation {
            model: Arc::clone(model),
            spectrum,
            hearing,
            answers,
            likely: Vec::new(),
            lines: Vec::new(),
            questions: OnceCell::new(),
        };
        located.hear_all();
        located
    }

    /// Where one of several faults is.
    pub fn only(&self, fault: usize) -> Self {
        let hearing = self.hearing.only(&self.model, self.spectrum, fault);
        Self::of_hearing(&self.model, self.spectrum, hearing, &self.answers)
    }

    /// The same with the answers that are in the spectrum: the labels of its tests. How many faults
    /// there are may be found out.
    pub fn of_labelled(
        model: &Arc<SharpModel>,
        spectrum: &'a Spectrum,
        failing: &[TestId],
        faults: Faults,
    ) -> Self {
        Self::of_labelled_after(None, model, spectrum, failing, faults)
    }

    /// The same after what was heard with fewer or other answers.
    pub fn of_labelled_after(
        before: Option<&Hearing>,
        model: &Arc<SharpModel>,
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
        let answers: Vec<(TestId, Verdict)> = answers.collect();
        if let Some(before) = before.filter(|before| before.is_of(&measured)) {
            return Self::of_hearing(model, spectrum, before.clone(), &answers);
        }
        let measured = apart(model, spectrum, &measured, faults);
        Self::of_faults(model, spectrum, &measured, &answers)
    }

    /// What the failing tests say, to be kept until the next answer.
    pub fn hearing(&self) -> &Hearing {
        &self.hearing
    }

    /// The tests that were measured to fail, by the fault that they show.
    pub fn failing(&self) -> &[Vec<TestId>] {
        &self.hearing.failing
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
            let hearing = self.hearing.clone();
            return Self::of_hearing(&self.model, self.spectrum, hearing, &answers).likely;
        }
        let mut likely = self.likely.clone();
        let coverage = &self.spectrum.coverage;
        self.witnesses()
            .hear_of_pass(coverage, test, verdict.trust, &mut likely);
        likely
    }

    fn hear_all(&mut self) {
        let answers = self.answers.clone().into_iter();
        let (failed, passed): (Vec<_>, Vec<_>) =
            answers.partition(|(_, verdict)| verdict.outcome == Outcome::Fail);
        self.hearing = self.hearing.with(&self.model, self.spectrum, &failed);
        let testimony = &self.hearing.testimony;
        self.likely.clone_from(&testimony.likely);
        self.lines.clone_from(&testimony.lines);
        self.questions.take();
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
        self.hearing.testimony.fault_of(self.spectrum, test)
    }

    fn hear_of_passes(&mut self, passed: &[(TestId, Verdict)]) {
        if passed.is_empty() {
            return;
        }
        let mut likely = self.likely.clone();
        for &(test, verdict) in passed {
            let coverage = &self.spectrum.coverage;
            self.witnesses()
                .hear_of_pass(coverage, test, verdict.trust, &mut likely);
        }
        self.weigh(&likely);
    }

    fn weigh(&mut self, wanted: &[f64]) {
        weigh(self.spectrum, wanted, &mut self.likely, &mut self.lines);
        self.questions.take();
    }

    fn witnesses(&self) -> &Witnesses {
        &self.hearing.testimony.witnesses
    }

    fn heard(&self) -> &[Heard] {
        &self.hearing.testimony.heard
    }

    /// What a test's outcome is expected to tell.
    pub fn prospect(&self, test: TestId) -> Prospect {
        let outlook = || {
            self.witnesses()
                .outlook(&self.spectrum.coverage, &self.likely)
        };
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
        let mut of_faults = vec![0.0; self.hearing.failing.len()];
        for heard in self.heard() {
            if let Ok(place) = heard.suspicion.methods().binary_search(&method) {
                of_faults[heard.fault] += heard.share * heard.likely[place];
            }
        }
        let several = of_faults.len() > 1 && of_faults.iter().any(|own| *own > 0.0);
        several.then(|| first_largest(&of_faults) + 1)
    }

    fn of_fault(&self, method: u32) -> Option<String> {
        let number = self.suspected_of(method)?;
        let faults = self.hearing.failing.len();
        let [own, all] = [
            self.hearing.failing[number - 1].len(),
            self.hearing.failing.concat().len(),
        ];
        Some(format!(
            "fault {number} of {faults}, which {own} of {all} failing tests show"
        ))
    }

    /// What the method's mutants showed before, if that is heard at all.
    fn kills_of(&self, fault: usize, method: u32) -> Option<String> {
        let told = self.hearing.told.as_ref()?;
        let failing = &self.hearing.failing[fault];
        kills_in_words(self.spectrum, told, failing, method)
    }

    /// What most tests that were heard have.
    pub fn known(&self) -> OptionalGroups {
        let most = |has: fn(OptionalGroups) -> bool| {
            let with = self.heard().iter().filter(|own| has(own.suspicion.known()));
            2 * with.count() > self.heard().len()
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
            .heard()
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
        let kills = self.kills_of(heard.fault, method);
        let facts = changed.into_iter().chain(kills).chain(facts).take(FACTS);
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
