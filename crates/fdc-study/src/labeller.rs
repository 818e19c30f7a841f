//! Simulated labellers: who answers how, and how many answers bring a faulty method near the top.

use fdc_core::coverage::{TestId, mix};
use fdc_core::metric::Kind;
use fdc_core::spectrum::Bug;
use fdc_core::{Outcome, Verdict};
use serde::{Deserialize, Serialize};

use crate::contender::Role;
use crate::evaluate::{RunSetup, StudyUnit, Work};

/// Somebody who says of a test whether it passes or fails.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Labeller {
    /// Probability of an answer that is the opposite of the truth, 0..=1.
    pub wrong: f64,
    /// How far answers are believed, 0.5..=1.
    pub trust: f64,
}

/// Labellers, and what is counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Inquiry {
    /// Answers asked for at most.
    #[serde(skip)]
    pub tests: usize,
    /// A faulty method must be among the first so many.
    pub top: u32,
    /// Draws of wrong answers.
    pub draws: u64,
    /// Who answers.
    pub labellers: Vec<Labeller>,
}

/// What came of asking one labeller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabellerRun {
    /// Which metric, trained how, on which bug.
    #[serde(flatten)]
    pub unit: StudyUnit,
    /// The failing test it starts from.
    pub failing: String,
    /// Who answered.
    pub labeller: Labeller,
    /// Which draw of wrong answers.
    pub draw: u64,
    /// Answers given: all that were allowed, or fewer where the pool is smaller.
    pub answers: u32,
    /// Answers until a faulty method was in the top for the first time; `None`: it never was.
    pub first: Option<u32>,
    /// Answers until it was there and stayed to the last answer.
    pub settled: Option<u32>,
}

impl Labeller {
    /// What is said of a test of this true outcome, in a bug's session beside a failing test. A wrong
    /// answer depends on these and on the draw alone: whoever asks, and in whatever order.
    pub fn answer(&self, truth: Outcome, bug: &Bug, tests: [TestId; 2], draw: u64) -> Verdict {
        let [failing, test] = tests;
        let (version, letters) = (u64::from(bug.version), bug.subject.bytes());
        let bug = letters.fold(version, |hash, byte| mix(hash ^ u64::from(byte)));
        let session = mix(mix(draw ^ bug) ^ u64::from(failing.0));
        let lot = (mix(session ^ u64::from(test.0)) >> 11) as f64 / (1u64 << 53) as f64;
        let outcome = match (truth, lot < self.wrong) {
            (Outcome::Pass, false) | (Outcome::Fail, true) => Outcome::Pass,
            (Outcome::Fail, false) | (Outcome::Pass, true) => Outcome::Fail,
        };
        Verdict {
            outcome,
            trust: self.trust,
        }
    }

    /// In words.
    pub fn words(&self) -> String {
        match self.wrong {
            0.0 => "always right".to_owned(),
            wrong => format!("{} % wrong", (wrong * 1e4).round() / 1e2),
        }
    }
}

impl Inquiry {
    /// Draws that make a difference to a labeller.
    fn draws(&self, labeller: &Labeller) -> u64 {
        if labeller.wrong == 0.0 { 1 } else { self.draws }
    }

    /// First and last entry into the top, from the best faulty method's place after 0, 1, ... answers.
    fn entries(&self, places: &[f64]) -> [Option<u32>; 2] {
        let inside = |place: &f64| *place <= f64::from(self.top);
        let first = places.iter().position(inside);
        let outside = places.iter().rposition(|place| !inside(place));
        let settled = outside.map_or(0, |last| last + 1);
        let settled = (settled < places.len()).then_some(settled);
        [first, settled].map(|answers| answers.map(|answers| answers as u32))
    }
}

impl Work for Inquiry {
    type Record = LabellerRun;

    fn records(&self, setup: &RunSetup<'_>) -> Vec<LabellerRun> {
        let RunSetup {
            arena,
            failing,
            role,
            localiser,
            unit,
            ..
        } = *setup;
        // Nobody is asked where nothing chooses; studies refuse it.
        let Role::Chooses(metric) = role else {
            return Vec::new();
        };
        let spectrum = arena.spectrum;
        let truth = |test: TestId| Some(spectrum.test(test).verdict()?.outcome);
        // Answers do not change what a result-agnostic metric asks for: it chooses once.
        let order: Option<Vec<TestId>> = match &metric.kind {
            Kind::Agnostic(_) if localiser.is_none() => {
                Some(arena.walk(setup, metric, self.tests, |_| None, |_| ()).0)
            }
            _ => None,
        };
        let mut records = Vec::new();
        for labeller in &self.labellers {
            for draw in 0..self.draws(labeller) {
                let answer = |test: TestId| {
                    Some(labeller.answer(truth(test)?, arena.bug, [failing, test], draw))
                };
                let place = |tally: &_| arena.best_place(tally);
                let places = match (localiser, &order) {
                    (Some(model), _) => arena.ask(failing, model, self.tests, answer),
                    (None, Some(order)) => arena.replay(failing, order, answer, place),
                    (None, None) => arena.walk(setup, metric, self.tests, answer, place).1,
                };
                let [first, settled] = self.entries(&places);
                records.push(LabellerRun {
                    unit: unit.clone(),
                    failing: spectrum.test(failing).name.clone(),
                    labeller: *labeller,
                    draw,
                    answers: places.len() as u32 - 1,
                    first,
                    settled,
                });
            }
        }
        records
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_the_first_and_the_one_that_lasts() {
        let inquiry = Inquiry {
            tests: 9,
            top: 5,
            draws: 1,
            labellers: vec![],
        };
        let entries = |places: &[f64]| inquiry.entries(places);
        assert_eq!(entries(&[9.0, 5.0, 6.0, 1.0, 5.0]), [Some(1), Some(3)]);
        assert_eq!(entries(&[5.0]), [Some(0), Some(0)]);
        assert_eq!(entries(&[2.0, 3.0, 5.5]), [Some(0), None]);
        assert_eq!(entries(&[7.0, 6.0]), [None, None]);
    }

    #[test]
    fn about_as_many_answers_are_wrong_as_asked_for_and_draws_differ() {
        let labeller = Labeller {
            wrong: 0.1,
            trust: 0.9,
        };
        let bug = Bug {
            subject: "Lang".into(),
            version: 7,
        };
        let wrong = |draw: u64, failing: u32| -> Vec<u32> {
            let lies = |&test: &u32| {
                let tests = [TestId(failing), TestId(test)];
                let said = labeller.answer(Outcome::Pass, &bug, tests, draw);
                assert_eq!(said.trust, 0.9);
                said.outcome == Outcome::Fail
            };
            (0..10_000).filter(lies).collect()
        };
        let lies = wrong(0, 3);
        // Ten standard deviations of 30 would be 300.
        assert!((850..=1150).contains(&lies.len()), "{}", lies.len());
        assert_eq!(lies, wrong(0, 3));
        let shared = |other: Vec<u32>| other.iter().filter(|test| lies.contains(test)).count();
        assert!(shared(wrong(1, 3)) < 200 && shared(wrong(0, 4)) < 200);
    }
}
