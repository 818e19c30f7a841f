//! How tests ended in a copy of the project, found by the names that the case has for them.

use std::collections::{BTreeMap, HashMap, HashSet};

use fdc_case::Case;
use fdc_core::Outcome;
use fdc_core::evidence::FailureRecord;

use super::{tells_of_crash, tells_of_hang};
use crate::error::Result;

/// A test that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Failed {
    pub(super) failure: FailureRecord,
    /// It did not end.
    pub(super) hung: bool,
    /// The process ended in it.
    pub(super) crashed: bool,
}

impl Failed {
    /// It is there without the mutant.
    pub(super) fn not_run() -> Self {
        Failed {
            failure: FailureRecord {
                message: Some("the test was not run".to_owned()),
                ..FailureRecord::default()
            },
            ..Failed::default()
        }
    }
}

/// By name, the tests that were run: those that failed, and how.
#[derive(Debug, Default)]
pub(super) struct Outcomes(BTreeMap<String, Option<Failed>>);

/// What became of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen<'o> {
    Passed,
    Failed(&'o Failed),
    Missing,
}

impl Outcomes {
    /// All that a case has.
    pub(super) fn of(case: &Case) -> Result<Self> {
        let mut all: BTreeMap<String, Option<Failed>> = BTreeMap::new();
        all.extend(case.skipped()?.into_iter().map(|test| (test, None)));
        for (test, note) in case.measured()?.tests.into_iter().zip(case.notes()?) {
            let failed = (test.outcome == Some(Outcome::Fail)).then(|| Failed {
                failure: test.failure.unwrap_or_default(),
                hung: tells_of_hang(note.as_deref()),
                crashed: tells_of_crash(note.as_deref()),
            });
            all.insert(test.name, failed);
        }
        Ok(Outcomes(all))
    }

    pub(super) fn extend(&mut self, other: Outcomes) {
        self.0.extend(other.0);
    }

    pub(super) fn of_test(&self, test: &str) -> Seen<'_> {
        match self.0.get(test) {
            None => Seen::Missing,
            Some(None) => Seen::Passed,
            Some(Some(failed)) => Seen::Failed(failed),
        }
    }

    /// Of all runs of a method with parameters.
    fn of_method(&self, method: &str) -> Seen<'_> {
        let own = self
            .0
            .iter()
            .filter(|(test, _)| method_of(test) == Some(method));
        let mut seen = Seen::Missing;
        for (_, failed) in own {
            match failed {
                Some(failed) => return Seen::Failed(failed),
                None => seen = Seen::Passed,
            }
        }
        seen
    }
}

/// Class and method of a Java test that has parameters, in the name of which they may stand.
fn method_of(test: &str) -> Option<&str> {
    let hash = test.find('#')?;
    let end = test[hash..].find(['(', '['])?;
    Some(&test[..hash + end])
}

/// The tests that can be judged in a copy, and by what.
#[derive(Debug, Default)]
pub(super) struct Judges {
    /// They fail without any change.
    pub(super) unfit: HashSet<String>,
    /// They are not there by that name.
    pub(super) unjudged: HashSet<String>,
    /// Names that change from run to run: what can be judged is class and method.
    by_method: HashMap<String, String>,
}

impl Judges {
    /// What to ask for to find the tests that are not there by their name.
    pub(super) fn patterns_for_missing(tests: &[String], outcomes: &Outcomes) -> Vec<String> {
        let missing = tests.iter();
        let missing = missing.filter(|test| outcomes.of_test(test) == Seen::Missing);
        let methods: HashSet<&str> = missing.filter_map(|test| method_of(test)).collect();
        let mut patterns: Vec<String> = methods.iter().map(|one| format!("{one}*")).collect();
        patterns.sort();
        patterns
    }

    /// From a run without a change.
    pub(super) fn of(tests: &[String], outcomes: &Outcomes) -> Self {
        let mut judges = Judges::default();
        for test in tests {
            let method = method_of(test).filter(|_| outcomes.of_test(test) == Seen::Missing);
            let seen = match method {
                Some(method) => outcomes.of_method(method),
                None => outcomes.of_test(test),
            };
            match (seen, method) {
                (Seen::Failed(_), _) => drop(judges.unfit.insert(test.clone())),
                (Seen::Missing, _) => drop(judges.unjudged.insert(test.clone())),
                (Seen::Passed, Some(method)) => {
                    judges.by_method.insert(test.clone(), method.to_owned());
                }
                (Seen::Passed, None) => {}
            }
        }
        judges
    }

    pub(super) fn judges(&self, test: &String) -> bool {
        !self.unfit.contains(test) && !self.unjudged.contains(test)
    }

    /// What to ask for to run a test.
    pub(super) fn pattern(&self, test: &String) -> String {
        match self.by_method.get(test) {
            Some(method) => format!("{method}*"),
            None => test.clone(),
        }
    }

    pub(super) fn seen<'o>(&self, test: &String, outcomes: &'o Outcomes) -> Seen<'o> {
        match self.by_method.get(test) {
            Some(method) => outcomes.of_method(method),
            None => outcomes.of_test(test),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(all: &[(&str, bool)]) -> Outcomes {
        let one = |(test, fails): &(&str, bool)| {
            let failed = fails.then(Failed::default);
            ((*test).to_owned(), failed)
        };
        Outcomes(all.iter().map(one).collect())
    }

    #[test]
    fn a_test_whose_parameters_have_other_names_is_judged_by_class_and_method() {
        let tests = [
            "a.T#m[x@1]",
            "a.T#m[x@2]",
            "a.T#n(int)[1]",
            "a.T#gone[y@1]",
            "a.T#p",
        ];
        let tests = tests.map(str::to_owned);
        let mut without = outcomes(&[("a.T#n(int)[1]", false), ("a.T#p", false)]);
        let patterns = Judges::patterns_for_missing(&tests, &without);
        assert_eq!(patterns, ["a.T#gone*", "a.T#m*"]);
        without.extend(outcomes(&[("a.T#m[x@3]", false), ("a.T#m2[x@9]", true)]));
        let judges = Judges::of(&tests, &without);
        assert!(judges.unfit.is_empty());
        assert_eq!(judges.unjudged, HashSet::from(["a.T#gone[y@1]".to_owned()]));
        assert_eq!(judges.pattern(&tests[0]), "a.T#m*");
        assert_eq!(judges.pattern(&tests[2]), "a.T#n(int)[1]");
        let with = outcomes(&[("a.T#m[x@7]", false), ("a.T#m[x@8]", true)]);
        assert!(matches!(judges.seen(&tests[0], &with), Seen::Failed(_)));
        assert_eq!(judges.seen(&tests[4], &with), Seen::Missing);
        let quiet = outcomes(&[("a.T#m[x@9]", false)]);
        assert_eq!(judges.seen(&tests[1], &quiet), Seen::Passed);
    }

    #[test]
    fn a_method_with_a_run_that_fails_anyway_judges_nothing() {
        let tests = ["a.T#m[x@1]".to_owned()];
        let without = outcomes(&[("a.T#m[x@3]", false), ("a.T#m[x@4]", true)]);
        let judges = Judges::of(&tests, &without);
        assert!(judges.unfit.contains(&tests[0]) && !judges.judges(&tests[0]));
    }
}
