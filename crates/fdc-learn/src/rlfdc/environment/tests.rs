use std::collections::BTreeSet;

use fdc_core::formula::Formula;
use fdc_core::tally::Counts;
use proptest::prelude::*;

use super::*;
use crate::rlfdc::tests::subjects::{Tests, any_usable, spectrum};

/// Everything from the definitions, over whole rows, with nothing remembered.
struct Naive<'s> {
    spectrum: &'s Spectrum,
    rows: Vec<Vec<bool>>,
    /// The failing test first.
    suite: Vec<usize>,
}

impl<'s> Naive<'s> {
    fn new(spectrum: &'s Spectrum, failing: TestId, added: &[TestId]) -> Self {
        let rows = spectrum.coverage.tests().map(|test| {
            let mut row = vec![false; spectrum.program.elements.len()];
            for element in spectrum.coverage.elements(test) {
                row[element as usize] = true;
            }
            row
        });
        let suite = std::iter::once(&failing).chain(added);
        Naive {
            spectrum,
            rows: rows.collect(),
            suite: suite.map(|test| test.index()).collect(),
        }
    }

    fn column(&self, element: usize) -> Vec<bool> {
        self.suite
            .iter()
            .map(|&test| self.rows[test][element])
            .collect()
    }

    /// Ambiguity groups inside `S`.
    fn groups(&self) -> Vec<Vec<usize>> {
        let elements = 0..self.rows[0].len();
        let suspicious: Vec<usize> = elements.filter(|&e| self.rows[self.suite[0]][e]).collect();
        let columns: BTreeSet<Vec<bool>> = suspicious.iter().map(|&e| self.column(e)).collect();
        let members = |column: &Vec<bool>| {
            let same = suspicious.iter().filter(|&&e| self.column(e) == *column);
            same.copied().collect()
        };
        columns.iter().map(members).collect()
    }

    fn action(&self, test: usize) -> Action {
        let (t, f) = (&self.rows[test], &self.rows[self.suite[0]]);
        let even = |group: &Vec<usize>| {
            let covered = group.iter().filter(|&&e| t[e]).count();
            group.len() * covered.min(group.len() - covered)
        };
        let split: usize = self.groups().iter().map(even).sum();
        let both = t.iter().zip(f).filter(|&(&t, &f)| t && f).count();
        let either = t.iter().zip(f).filter(|&(&t, &f)| t || f).count();
        Action {
            split: (split as f64 / t.len() as f64) as f32,
            cover: (both as f64 / either as f64) as f32,
        }
    }

    fn remaining(&self) -> Vec<usize> {
        (0..self.rows.len())
            .filter(|test| !self.suite.contains(test))
            .collect()
    }

    /// The best place among the faulty methods: worst of ties, largest line score.
    fn rank(&self) -> f64 {
        let failed = |&test: &usize| {
            // The run starts from a test that fails, whatever else is known of it.
            let outcome = self.spectrum.tests[test].outcome;
            if test == self.suite[0] {
                Some(Outcome::Fail)
            } else {
                outcome
            }
        };
        let count = |covers: &dyn Fn(usize) -> bool, outcome: Outcome| {
            let judged = self
                .suite
                .iter()
                .filter(|test| failed(test) == Some(outcome));
            judged.filter(|&&test| covers(test)).count() as f64
        };
        let score = |element: usize| {
            let covered = |test: usize| self.rows[test][element];
            let missed = |test: usize| !self.rows[test][element];
            Formula::default_formula().value(Counts {
                ef: count(&covered, Outcome::Fail),
                ep: count(&covered, Outcome::Pass),
                nf: count(&missed, Outcome::Fail),
                np: count(&missed, Outcome::Pass),
            })
        };
        let elements = &self.spectrum.program.elements;
        let of_method = |method: u32| {
            let own = (0..elements.len()).filter(|&e| elements[e].method.0 == method);
            own.map(score).reduce(f64::max)
        };
        let methods = 0..self.spectrum.program.methods.len() as u32;
        let scores: Vec<f64> = methods.filter_map(of_method).collect();
        let faults = &self.spectrum.fault.as_ref().unwrap().methods;
        let places = faults
            .iter()
            .filter_map(|fault| of_method(fault.0))
            .map(|fault| {
                let before = scores.iter().filter(|&&score| score >= fault);
                before.count()
            });
        places.min().unwrap() as f64
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_situation_is_what_the_definitions_say(
        spectrum in any_usable(),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let failing = TestId(0);
        let mut environment = BugEnvironment::new(&spectrum, failing, RankingOptions::default()).unwrap();
        let mut here = environment.start();
        let mut added = Vec::new();
        for step in 0.. {
            let naive = Naive::new(&spectrum, failing, &added);
            let remaining = naive.remaining();
            prop_assert_eq!(environment.remaining(here), remaining.len());
            for (number, &test) in remaining.iter().enumerate() {
                prop_assert_eq!(environment.candidate(here, number).index(), test);
                let action = environment.action(here, TestId(test as u32));
                prop_assert_eq!(action, naive.action(test));
            }
            let situation = environment.situation(here);
            prop_assert_eq!(situation.state.added, added.len() as f32);
            prop_assert_eq!(situation.state.groups, naive.groups().len() as f32);
            prop_assert_eq!(situation.rank, naive.rank());
            prop_assert_eq!(distinct(situation), first_of_each(&naive));

            let Some(choice) = choices.get(step).filter(|_| !remaining.is_empty()) else { break };
            let test = TestId(choice.get(&remaining).to_owned() as u32);
            here = environment.add(here, test);
            added.push(test);
        }
    }

    #[test]
    fn the_order_of_adding_does_not_matter(
        spectrum in any_usable(),
        order in Just((1..25).collect::<Vec<u32>>()).prop_shuffle(),
    ) {
        let tests: Vec<TestId> = order
            .into_iter()
            .map(TestId)
            .filter(|test| test.index() < spectrum.tests.len())
            .take(6)
            .collect();
        let mut environment = BugEnvironment::new(&spectrum, TestId(0), RankingOptions::default()).unwrap();
        let start = environment.start();
        let forth = tests.iter().fold(start, |here, &test| environment.add(here, test));
        let back = tests.iter().rev().fold(start, |here, &test| environment.add(here, test));
        prop_assert_eq!(forth, back);
    }
}

/// A situation's actions and tests; a repetition that went unnoticed is left out.
fn distinct(situation: &Situation<'_>) -> Vec<(Action, usize)> {
    let pairs = situation.actions.iter().zip(&situation.tests);
    let mut distinct: Vec<(Action, usize)> = Vec::new();
    for (&action, test) in pairs {
        if distinct.iter().all(|(other, _)| *other != action) {
            distinct.push((action, test.index()));
        }
    }
    distinct
}

fn first_of_each(naive: &Naive<'_>) -> Vec<(Action, usize)> {
    let mut first: Vec<(Action, usize)> = Vec::new();
    for test in naive.remaining() {
        let action = naive.action(test);
        if first.iter().all(|(other, _)| *other != action) {
            first.push((action, test));
        }
    }
    first
}

#[test]
fn candidates_with_equal_features_are_one_action() {
    let mut tests: Tests = vec![(Some(Outcome::Fail), vec![0, 1, 2, 3])];
    tests.extend(
        [vec![0], vec![1], vec![2], vec![4], vec![0, 1]].map(|row| (Some(Outcome::Pass), row)),
    );
    let spectrum = spectrum(6, &tests, &[0]);
    let environment = BugEnvironment::new(&spectrum, TestId(0), RankingOptions::default()).unwrap();
    let start = environment.situation(environment.start());
    assert_eq!(start.tests, [1, 4, 5].map(TestId));
}

#[test]
fn what_cannot_be_learned_from_is_refused_with_the_reason() {
    let fails = |row: Vec<u32>| (Some(Outcome::Fail), row);
    let passes = |row: Vec<u32>| (Some(Outcome::Pass), row);
    let usable: Tests = vec![fails(vec![0, 1]), passes(vec![1])];
    let refusal = |tests: &Tests, faults: &[u32]| {
        let spectrum = spectrum(4, tests, faults);
        BugEnvironment::new(&spectrum, TestId(0), RankingOptions::default()).err()
    };
    assert_eq!(refusal(&usable, &[0]), None);
    assert_eq!(refusal(&usable, &[]), Some(Unusable::NoFault));
    // Method 2 has no lines.
    assert_eq!(refusal(&usable, &[2]), Some(Unusable::NoFault));
    assert_eq!(
        refusal(&vec![fails(vec![0])], &[0]),
        Some(Unusable::NoCandidates)
    );
    assert_eq!(
        refusal(&vec![fails(vec![]), passes(vec![1])], &[0]),
        Some(Unusable::NoCoverage)
    );
}
