//! Picking the next test: scores of all candidates, the largest wins; on a tie the lowest index, or
//! the first of a random order.

use std::ops::ControlFlow;

use crate::coverage::{TestId, mix};
use crate::metric::{Judged, Metric};
use crate::named::Named;
use crate::spectrum::{Outcome, Spectrum, VIRTUAL};
use crate::suite::Suite;
use crate::tally::{Tally, Verdict};

/// A run of picks from one failing test.
#[derive(Clone, Debug)]
pub struct Selection<'s> {
    spectrum: &'s Spectrum,
    suite: Suite<'s>,
    tally: Tally,
    failing: Vec<TestId>,
    /// Ascending.
    candidates: Vec<TestId>,
    /// Of the random order that ties are broken by; `None`: the order of the tests.
    seed: Option<u64>,
}

/// Which of several tests with the same value is picked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TieBreak {
    /// The first in the order of the input.
    #[default]
    File,
    /// The first in a random order, by seed.
    Random,
}

impl Named for TieBreak {
    const TABLE: &'static [(Self, &'static str, &'static str)] = &[
        (
            TieBreak::File,
            "file",
            "The first in the order of the input",
        ),
        (TieBreak::Random, "random", "The first in a random order"),
    ];
}

/// What `T` holds at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The failing test; a picked test joins with its true outcome, so every other one may be picked.
    Revealing,
    /// The failing tests, and those whose outcome a person gave.
    Labelled,
    /// All tests of known outcome.
    Known,
}

/// What a person may ask for; [`Start::Revealing`] is for evaluations.
impl Named for Start {
    const TABLE: &'static [(Self, &'static str, &'static str)] = &[
        (
            Start::Labelled,
            "labelled",
            "The failing tests, and those whose outcome a person gave",
        ),
        (Start::Known, "known", "All tests of known outcome"),
    ];
}

/// A chosen test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pick {
    /// Which.
    pub test: TestId,
    /// Its value under the metric, when it was chosen.
    pub score: f64,
}

impl<'s> Selection<'s> {
    /// `T = {failing}`, every other test a candidate.
    pub fn new(spectrum: &'s Spectrum, failing: TestId) -> Self {
        Self::from_suite(spectrum, Suite::new(&spectrum.coverage, failing))
    }

    /// The same from a suite that holds the failing test alone (e.g. with a projection at hand).
    pub fn from_suite(spectrum: &'s Spectrum, suite: Suite<'s>) -> Self {
        let failing = suite.failing();
        let tests = spectrum.coverage.tests();
        let mut tally = Tally::new(&spectrum.coverage);
        let fails = Verdict::certain(Outcome::Fail);
        tally.add(&spectrum.coverage, failing, fails);
        Selection {
            spectrum,
            suite,
            tally,
            failing: vec![failing],
            candidates: tests.filter(|&test| test != failing).collect(),
            seed: None,
        }
    }

    /// `T` and the candidates as the protocol has them: tests of unknown outcome, or all others when
    /// none is unknown; never flaky or virtual tests, nor, if origins are named, those of others. `T`
    /// begins with all failing tests; suspects are what the first of them covers.
    pub fn begin(
        spectrum: &'s Spectrum,
        failing: &[TestId],
        start: Start,
        only: &[String],
    ) -> Self {
        let (first, others) = failing.split_first().expect("a failing test");
        let mut selection = Selection::new(spectrum, *first);
        for &test in others {
            let verdict = spectrum.test(test).verdict();
            selection.add(test, verdict.or(Some(Verdict::certain(Outcome::Fail))));
        }
        selection.retain_candidates(|test| !spectrum.test(test).flaky);
        let known = |test: TestId| {
            let test = spectrum.test(test);
            match start {
                Start::Revealing => None,
                Start::Labelled => test.label,
                Start::Known => test.verdict(),
            }
        };
        for test in selection.candidates().to_vec() {
            if let Some(verdict) = known(test) {
                selection.add(test, Some(verdict));
            }
        }
        selection.retain_candidates(|test| {
            let origin = spectrum.test(test).origin.as_ref();
            let wanted = only.is_empty() || origin.is_some_and(|own| only.contains(own));
            wanted && origin.is_none_or(|own| own != VIRTUAL)
        });
        let unjudged = |test: TestId| spectrum.test(test).verdict().is_none();
        let reveals = start == Start::Revealing;
        if !reveals && selection.candidates().iter().any(|&test| unjudged(test)) {
            selection.retain_candidates(unjudged);
        }
        selection
    }

    /// Which of equals to pick from now on; the seed is that of a random order.
    pub fn break_ties(&mut self, ties: TieBreak, seed: u64) {
        self.seed = (ties == TieBreak::Random).then(|| mix(seed));
    }

    /// Leaves only the candidates that `keep` holds of.
    pub fn retain_candidates(&mut self, keep: impl Fn(TestId) -> bool) {
        self.candidates.retain(|&test| keep(test));
    }

    /// Puts a test into `T`; without a verdict it counts for groups, not for tallies.
    pub fn add(&mut self, test: TestId, verdict: Option<Verdict>) {
        if let Ok(place) = self.candidates.binary_search(&test) {
            self.candidates.remove(place);
        }
        self.suite.add(test);
        if let Some(verdict) = verdict {
            self.tally.add(&self.spectrum.coverage, test, verdict);
            if verdict.outcome == Outcome::Fail {
                self.failing.push(test);
            }
        }
    }

    /// The candidate with the largest value; `None` when there is no candidate.
    pub fn best(&self, metric: &Metric) -> Option<Pick> {
        let scores = metric.score(&self.suite, self.judged(), &self.candidates);
        let comes_before = |test: TestId, other: TestId| match self.seed {
            Some(seed) => mix(seed ^ u64::from(test.0)) < mix(seed ^ u64::from(other.0)),
            // Candidates are ascending.
            None => false,
        };
        let mut best: Option<Pick> = None;
        for (&test, &score) in self.candidates.iter().zip(&scores) {
            let better = |best: Pick| {
                score > best.score || score == best.score && comes_before(test, best.test)
            };
            if best.is_none_or(better) {
                best = Some(Pick { test, score });
            }
        }
        best
    }

    /// Picks up to `most` tests by the metric, one after the other. Each joins with what `answer`
    /// says of it; `joined` looks at the state after that, and may end it.
    pub fn pick(
        &mut self,
        metric: &Metric,
        most: usize,
        mut answer: impl FnMut(&Self, TestId) -> Option<Verdict>,
        mut joined: impl FnMut(&Self, Pick, Option<Verdict>) -> ControlFlow<()>,
    ) {
        for _ in 0..most {
            let Some(pick) = self.best(metric) else {
                return;
            };
            let verdict = answer(self, pick.test);
            self.add(pick.test, verdict);
            if joined(self, pick, verdict).is_break() {
                return;
            }
        }
    }

    /// `T` and its groups.
    pub fn suite(&self) -> &Suite<'s> {
        &self.suite
    }

    /// Counts over the judged tests of `T`.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// What is known of `T`'s outcomes.
    pub fn judged(&self) -> Judged<'_> {
        Judged {
            tally: &self.tally,
            failing: &self.failing,
        }
    }

    /// Tests that may be picked, ascending.
    pub fn candidates(&self) -> &[TestId] {
        &self.candidates
    }
}
