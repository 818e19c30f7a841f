//! One bug as a place to act in: from a failing test, add tests and see how the faulty method's
//! rank moves. What a suite looks like is worked out once, however often episodes come by.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use fdc_core::coverage::TestId;
use fdc_core::ranking::{Level, Ranker, RankingOptions};
use fdc_core::spectrum::{MethodId, Outcome};
use fdc_core::suspects::Projection;
use fdc_core::{Spectrum, Suite, Tally, Verdict};
use rand_core::Rng;

use super::network::{Action, State};
use super::random::below;

/// Why a bug cannot be learned from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// Its faulty methods are unknown or have no element.
    #[error("no faulty method that can be ranked")]
    NoFault,
    /// No test fails.
    #[error("no failing test")]
    NoFailingTest,
    /// The failing test covers nothing.
    #[error("the failing test covers no element")]
    NoCoverage,
    /// There is nothing to choose from.
    #[error("the failing test is alone in its pool")]
    NoCandidates,
}

/// A spectrum and a failing test, with every suite seen so far.
pub struct BugEnvironment<'s> {
    spectrum: &'s Spectrum,
    ranker: Ranker,
    faults: Vec<MethodId>,
    /// Tests that cover a suspicious line, ascending.
    touching: Vec<TestId>,
    situations: Vec<Situation<'s>>,
    /// Situations by their added tests, ascending.
    known: HashMap<Vec<TestId>, SituationId>,
}

/// Number of a situation in its environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SituationId(usize);

/// A suite, as the network sees it.
pub struct Situation<'s> {
    suite: Suite<'s>,
    tally: Tally,
    /// Added tests, ascending.
    added: Vec<TestId>,
    /// Where the selection stands.
    pub state: State,
    /// Different actions among the remaining candidates, in order of their first test.
    pub actions: Vec<Action>,
    /// The first remaining candidate with each action.
    pub tests: Vec<TestId>,
    /// The best rank among the faulty methods.
    pub rank: f64,
}

impl<'s> BugEnvironment<'s> {
    /// An environment that starts from `failing`, or why there is none.
    pub fn new(
        spectrum: &'s Spectrum,
        failing: TestId,
        options: RankingOptions,
    ) -> Result<Self, Unusable> {
        let faults = spectrum.rankable_faults();
        if faults.is_empty() {
            return Err(Unusable::NoFault);
        }
        if spectrum.coverage.total(failing) == 0 {
            return Err(Unusable::NoCoverage);
        }
        if spectrum.tests.len() < 2 {
            return Err(Unusable::NoCandidates);
        }
        let projection = Arc::new(Projection::new(&spectrum.coverage, failing));
        let suite = Suite::with_projection(&spectrum.coverage, projection);
        let mut tally = Tally::new(&spectrum.coverage);
        tally.add(&spectrum.coverage, failing, Verdict::certain(Outcome::Fail));
        let tests = spectrum.coverage.tests();
        let touching = tests.filter(|&test| suite.cover(test) > 0.0).collect();
        let mut environment = BugEnvironment {
            spectrum,
            touching,
            ranker: Ranker::new(spectrum, Level::Method, options),
            faults,
            situations: Vec::new(),
            known: HashMap::new(),
        };
        environment.learn_of(suite, tally, Vec::new());
        Ok(environment)
    }

    /// The failing test alone.
    pub fn start(&self) -> SituationId {
        SituationId(0)
    }

    /// What a suite looks like.
    pub fn situation(&self, id: SituationId) -> &Situation<'s> {
        &self.situations[id.0]
    }

    /// The suite with one more test, with its true outcome.
    pub fn add(&mut self, from: SituationId, test: TestId) -> SituationId {
        let situation = &self.situations[from.0];
        let mut added = situation.added.clone();
        let place = added.partition_point(|&other| other < test);
        added.insert(place, test);
        if let Some(&known) = self.known.get(&added) {
            return known;
        }
        let mut suite = situation.suite.clone();
        suite.add(test);
        let mut tally = situation.tally.clone();
        if let Some(verdict) = self.spectrum.test(test).verdict() {
            tally.add(&self.spectrum.coverage, test, verdict);
        }
        self.learn_of(suite, tally, added)
    }

    /// Tests that are not in the suite.
    pub fn remaining(&self, id: SituationId) -> usize {
        self.spectrum.tests.len() - 1 - self.situations[id.0].added.len()
    }

    /// The `number`-th test that is not in the suite.
    pub fn candidate(&self, id: SituationId, number: usize) -> TestId {
        let suite = &self.situations[id.0].suite;
        let mut members = suite.tests().to_vec();
        members.sort_unstable();
        members.iter().fold(TestId(number as u32), |test, &member| {
            TestId(test.0 + u32::from(member <= test))
        })
    }

    /// A random test that is not in the suite and covers a suspicious line, if there is one.
    pub fn touching(&self, id: SituationId, rng: &mut impl Rng) -> Option<TestId> {
        let suite = &self.situations[id.0].suite;
        let left = self.touching.iter().filter(|&&test| !suite.contains(test));
        let left: Vec<TestId> = left.copied().collect();
        (!left.is_empty()).then(|| left[below(rng, left.len())])
    }

    /// The action that adding a test is.
    pub fn action(&self, id: SituationId, test: TestId) -> Action {
        action(&self.situations[id.0].suite, test)
    }

    fn learn_of(&mut self, suite: Suite<'s>, tally: Tally, added: Vec<TestId>) -> SituationId {
        let (actions, tests) = distinct_actions(&suite);
        let coverage = &self.spectrum.coverage;
        let places = self.ranker.places(&tally, coverage, &self.faults);
        let id = SituationId(self.situations.len());
        self.known.insert(added.clone(), id);
        self.situations.push(Situation {
            state: state(&suite),
            actions,
            tests,
            rank: places.into_iter().fold(f64::INFINITY, f64::min),
            suite,
            tally,
            added,
        });
        id
    }
}

/// Where a suite stands.
pub fn state(suite: &Suite<'_>) -> State {
    State {
        added: suite.added() as f32,
        groups: suite.suspicious_groups() as f32,
    }
}

/// The action that adding a test is.
pub fn action(suite: &Suite<'_>, test: TestId) -> Action {
    Action {
        split: suite.split(test) as f32,
        cover: suite.cover(test) as f32,
    }
}

fn distinct_actions(suite: &Suite<'_>) -> (Vec<Action>, Vec<TestId>) {
    let (mut actions, mut tests) = (Vec::new(), Vec::new());
    let mut seen = ActionCache::new(suite.coverage().test_count());
    let tests_of = suite.coverage().tests();
    for test in tests_of.filter(|&test| !suite.contains(test)) {
        let action = action(suite, test);
        if seen.number(action, actions.len()) == actions.len() {
            actions.push(action);
            tests.push(test);
        }
    }
    (actions, tests)
}

/// Remembers which actions were met lately: candidates with equal features are scored once. Some
/// repetitions may go unnoticed, which costs time and changes nothing.
pub(crate) struct ActionCache {
    /// A power of two of them, each an action and its number.
    slots: Vec<(Action, u32)>,
}

impl ActionCache {
    pub(crate) fn new(candidates: usize) -> Self {
        let [split, cover] = [f32::NAN; 2];
        let slots = (2 * candidates).next_power_of_two().clamp(2, 4096);
        ActionCache {
            slots: vec![(Action { split, cover }, 0); slots],
        }
    }

    /// The number this action was given before, or else `next`.
    pub(crate) fn number(&mut self, action: Action, next: usize) -> usize {
        let bits = u64::from(action.split.to_bits()) << 32 | u64::from(action.cover.to_bits());
        let place = bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let last = self.slots.len() - 1;
        let slot = &mut self.slots[place as usize & last];
        if slot.0 != action {
            *slot = (action, next as u32);
        }
        slot.1 as usize
    }
}
