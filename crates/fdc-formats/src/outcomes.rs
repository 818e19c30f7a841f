//! Outcomes of tests from a report of their own, joined to the tests of the coverage by name.
//!
//! Reports and coverage spell tests differently: `tests.test_cart.TestSum` + `test_m[2]`,
//! `tests/test_cart.py::TestSum::test_m[2]`, `org.x.CartTest#adds`. A name is taken apart into its
//! parts; names match if all parts are the same, or if one has more parts at its front.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use crate::text::{bad_line, quoted};
use fdc_case::recording::Judgement;
use fdc_case::{FileError, Result};
use fdc_core::evidence::FailureRecord;
use fdc_core::spectrum::Outcome;

const SHOWN: usize = 3;

/// A test's result in a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestResult {
    /// The class or module; may be empty.
    pub(crate) class: String,
    pub(crate) name: String,
    pub(crate) judgement: Judgement,
    /// It failed and passed in one run.
    pub(crate) flaky: bool,
    /// How it failed, if the report tells.
    pub(crate) failure: Option<FailureRecord>,
    /// The report, and where it stands there.
    pub(crate) path: PathBuf,
    pub(crate) line: usize,
}

impl TestResult {
    /// The class or module, which may be empty, and the name of a test that failed.
    pub fn failed(&self) -> Option<(&str, &str)> {
        let failed = self.judgement == Judgement::Judged(Outcome::Fail);
        failed.then_some((&*self.class, &*self.name))
    }
}

/// What reports say of one test.
#[derive(Debug)]
pub(crate) struct JoinedResult {
    pub(crate) judgement: Judgement,
    pub(crate) flaky: bool,
    pub(crate) failure: Option<FailureRecord>,
}

/// What is known by test; and what a person should know.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    pub(crate) judged: BTreeMap<usize, JoinedResult>,
    pub(crate) notes: Vec<String>,
}

/// Finds the test of each result. A result that fits two tests is an error, one that fits none is
/// told.
pub(crate) fn join(tests: &[&str], results: &[TestResult]) -> Result<Joined> {
    let mut joined = Joined::default();
    let Some(first_result) = results.first() else {
        return Ok(joined);
    };
    let names = TestNames::of(tests);
    let mut unmatched = Vec::new();
    for result in results {
        match names.find(&spelled(result)).as_slice() {
            // A test that did not run has no coverage.
            [] if result.judgement == Judgement::Skipped => {}
            [] => unmatched.push(spelled(result)),
            &[test] => {
                // A test that fails and breaks in its clean-up too stands twice in some reports.
                let known = joined.judged.entry(test).or_insert(JoinedResult {
                    judgement: result.judgement,
                    flaky: false,
                    failure: None,
                });
                known.judgement = known.judgement.worse(result.judgement);
                known.flaky |= result.flaky;
                known.failure = known.failure.take().or_else(|| result.failure.clone());
            }
            found => {
                let found = some_of(found.iter().map(|&test| quoted(tests[test])).collect());
                let expected = format!("one test called {}", quoted(&spelled(result)));
                let hint = "measure with full test names, or give outcomes in a manifest";
                return Err(bad_line(&result.path, result.line, expected, found, hint));
            }
        }
    }
    if joined.judged.is_empty() && !tests.is_empty() {
        let measured = quoted(tests[0]);
        let expected = format!("results of the measured tests, such as {measured}");
        let (count, such) = (results.len(), quoted(&spelled(first_result)));
        let found = format!("{count} results, such as {such}, that fit none");
        return Err(FileError::bad(&first_result.path, expected, found)
            .hint("is the report of the same tests? a manifest can give outcomes too"));
    }
    if !unmatched.is_empty() {
        let (count, of) = (unmatched.len(), results.len());
        let which = some_of(unmatched);
        let what = "results have no coverage and are left out";
        joined
            .notes
            .push(format!("{count} of {of} {what}: {which}"));
    }
    let without = (0..tests.len()).filter(|test| !joined.judged.contains_key(test));
    let without: Vec<usize> = without.collect();
    if let Some(&first) = without.first() {
        let (count, of, such) = (without.len(), tests.len(), tests[first]);
        joined.notes.push(format!(
            "{count} of {of} tests have no result and stay unknown, such as {such}"
        ));
    }
    Ok(joined)
}

/// The first few names.
pub(crate) fn some_of(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(SHOWN);
    let more = (more > 0).then(|| format!(" and {more} more"));
    names.truncate(SHOWN);
    names.join(", ") + &more.unwrap_or_default()
}

fn spelled(result: &TestResult) -> String {
    let dot = if result.class.is_empty() { "" } else { "." };
    format!("{}{dot}{}", result.class, result.name)
}

/// A test's name in its parts.
#[derive(PartialEq, Eq)]
struct Name {
    parts: Vec<String>,
    /// `[2]`, with the brackets.
    parameters: String,
}

impl Name {
    fn of(text: &str) -> Name {
        let (base, parameters) = text.split_at(text.find('[').unwrap_or(text.len()));
        let base = base.replace(".py::", "::").replace("::", "/");
        let parts = base.split(['/', '.', '#', '$', '\\']);
        let parts = parts.map(str::trim).filter(|part| !part.is_empty());
        Name {
            parts: parts.map(str::to_owned).collect(),
            parameters: parameters.to_owned(),
        }
    }

    /// Without parameter types: `adds(int)` and `adds{int}` are `adds`.
    fn without_types(text: &str) -> Name {
        let end = text.find('[').unwrap_or(text.len());
        let (base, parameters) = text.split_at(end);
        let base = base.find(['(', '{']).map_or(base, |at| &base[..at]);
        Name::of(&format!("{base}{parameters}"))
    }

    /// Whether one of the two has more parts at its front, or none has.
    fn fits(&self, other: &Name) -> bool {
        self.parts.ends_with(&other.parts) || other.parts.ends_with(&self.parts)
    }

    fn end(&self) -> End {
        let last = self.parts.last().cloned().unwrap_or_default();
        (last, self.parameters.clone())
    }
}

/// The last part of a name, and its parameters without types.
type End = (String, String);

/// Tests, to be found by any spelling of their names.
pub(crate) struct TestNames {
    /// By their end: the name with types, without, and the test.
    by_end: HashMap<End, Vec<(Name, Name, usize)>>,
}

impl TestNames {
    pub(crate) fn of(tests: &[&str]) -> Self {
        let mut by_end: HashMap<End, Vec<_>> = HashMap::new();
        for (test, text) in tests.iter().enumerate() {
            let plain = Name::without_types(text);
            let known = by_end.entry(plain.end()).or_default();
            known.push((Name::of(text), plain, test));
        }
        TestNames { by_end }
    }

    /// The tests that may be meant, by the strictest rule that finds any.
    pub(crate) fn find(&self, text: &str) -> Vec<usize> {
        let (exact, plain) = (Name::of(text), Name::without_types(text));
        // Coverage per function has all sets of parameters in one.
        let bare = Name {
            parts: plain.parts.clone(),
            parameters: String::new(),
        };
        type Rule<'r> = &'r dyn Fn(&Name, &Name) -> bool;
        let rules: [(&Name, Rule); 4] = [
            (&plain, &|with_types, _| *with_types == exact),
            (&plain, &|_, name| *name == plain),
            (&plain, &|_, name| name.fits(&plain)),
            (&bare, &|_, name| name.fits(&bare)),
        ];
        let mut found = rules.into_iter().map(|(name, is_right)| {
            let known = self.by_end.get(&name.end()).into_iter().flatten();
            let right = known.filter(|(with_types, plain, _)| is_right(with_types, plain));
            right.map(|&(_, _, test)| test).collect::<Vec<_>>()
        });
        found.find(|tests| !tests.is_empty()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(class: &str, name: &str, judgement: Judgement) -> TestResult {
        TestResult {
            class: class.into(),
            name: name.into(),
            judgement,
            flaky: false,
            failure: None,
            path: "report.xml".into(),
            line: 7,
        }
    }

    fn joined(tests: &[&str], class: &str, name: &str) -> Option<usize> {
        let joined = join(
            tests,
            &[result(class, name, Judgement::Judged(Outcome::Fail))],
        )
        .ok()?;
        joined.judged.keys().next().copied()
    }

    #[test]
    fn names_of_reports_and_coverage_meet() {
        let pytest = [
            "tests/test_x.py::TestC::test_m[a.b/c]",
            "tests/test_x.py::test_m",
        ];
        assert_eq!(
            joined(&pytest, "tests.test_x.TestC", "test_m[a.b/c]"),
            Some(0)
        );
        assert_eq!(joined(&pytest, "tests.test_x", "test_m"), Some(1));
        assert_eq!(joined(&pytest, "tests.test_x.TestC", "test_m[a]"), None);
        assert_eq!(joined(&pytest, "tests.test_x", "test_m[a]"), Some(1));
        let junit = [
            "org.x.CartTest#adds",
            "org.x.CartTest#adds[1]",
            "org.x.Out$In#m",
        ];
        assert_eq!(joined(&junit, "org.x.CartTest", "adds"), Some(0));
        assert_eq!(joined(&junit, "org.x.CartTest", "adds()"), Some(0));
        assert_eq!(joined(&junit, "org.x.CartTest", "adds(int)[1]"), Some(1));
        assert_eq!(joined(&junit, "org.x.CartTest", "adds{int}[1]"), Some(1));
        assert_eq!(joined(&junit, "org.x.Out$In", "m"), Some(2));
        let go = ["shop/TestSum/two_(2)", "shop/TestSum/two_(3)"];
        assert_eq!(joined(&go, "example.org/shop", "TestSum/two_(3)"), None);
        assert_eq!(joined(&go, "shop", "TestSum/two_(3)"), Some(1));
        assert_eq!(
            joined(&["TestSum", "TestAdd"], "example.org/shop", "TestAdd"),
            Some(1)
        );
        assert_eq!(
            joined(&["test_x.TestC.test_m"], "tests.test_x.TestC", "test_m"),
            Some(0)
        );
    }

    #[test]
    fn a_result_that_fits_two_tests_is_an_error() {
        let error = join(
            &["a.T#m", "b.T#m"],
            &[result("", "m", Judgement::Judged(Outcome::Pass))],
        )
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "report.xml: line 7: expected one test called \"m\", found \"a.T#m\", \"b.T#m\""
        );
    }

    #[test]
    fn results_of_other_tests_are_told_and_unless_all_are() {
        let results = [
            result("T", "m", Judgement::Judged(Outcome::Pass)),
            result("T", "n", Judgement::Judged(Outcome::Pass)),
            result("T", "m", Judgement::Judged(Outcome::Fail)),
        ];
        let found = join(&["T#m", "T#o"], &results).unwrap();
        assert_eq!(found.judged[&0].judgement, Judgement::Judged(Outcome::Fail));
        assert_eq!(
            found.notes,
            [
                "1 of 3 results have no coverage and are left out: T.n",
                "1 of 2 tests have no result and stay unknown, such as T#o"
            ]
        );
        let error = join(&["U#x"], &results).unwrap_err();
        assert!(error.to_string().contains("that fit none"), "{error}");
    }
}
