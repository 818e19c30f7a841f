//! Which failing tests to work from: those that are named, or those that the spectrum has.

use crate::coverage::TestId;
use crate::naming::nearest;
use crate::spectrum::{Outcome, Spectrum, Test};

/// Names in a message at the most.
const SHOWN: usize = 5;

type Result<T, E = FailingError> = std::result::Result<T, E>;

/// Why there is no failing test to work from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FailingError {
    /// No such test.
    #[error("no test is named {name:?}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// A known name that is near it.
        nearest: Option<String>,
    },
    /// The test named does not fail.
    #[error("test {name} passes: a failing test is needed")]
    Passes {
        /// The test.
        name: String,
        /// Some that fail.
        failing: Vec<String>,
    },
    /// A failing test says nothing.
    #[error("failing test {0} covers no element: nothing can be suspected")]
    CoversNothing(String),
    /// None of several failing tests says anything.
    #[error("none of the {0} failing tests covers an element: nothing can be suspected")]
    NoneCovers(usize),
    /// Nothing fails.
    #[error("no test fails among {tests}{}", left_out(*.flaky))]
    None {
        /// Number of tests.
        tests: usize,
        /// Failing ones that are left out because they are flaky.
        flaky: usize,
    },
    /// One is needed, several fail.
    #[error("{count} tests fail, and one is to be named")]
    Several {
        /// How many.
        count: usize,
        /// Some of them.
        failing: Vec<String>,
    },
}

impl FailingError {
    /// What to do, or some of the tests to choose from.
    pub fn advice(&self) -> String {
        match self {
            FailingError::Unknown { nearest, .. } => match nearest {
                Some(near) => format!("did you mean {near:?}?"),
                None => "test names are as the input spells them, class or file included".into(),
            },
            FailingError::Passes { failing, .. } => match failing.is_empty() {
                true => "no test of this input fails".into(),
                false => format!("failing tests: {}", failing.join(", ")),
            },
            FailingError::CoversNothing(_) => {
                "measure coverage again, or start from another failing test".into()
            }
            FailingError::NoneCovers(_) => "measure coverage again".into(),
            FailingError::None { .. } => {
                "name the failing one, or give the outcomes of the tests".into()
            }
            FailingError::Several { count, failing } => {
                let more = match count.saturating_sub(SHOWN) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                format!("failing tests: {}{more}", failing.join(", "))
            }
        }
    }
}

/// The test of that name.
pub fn test_named(spectrum: &Spectrum, name: &str) -> Result<TestId> {
    spectrum.test_named(name).ok_or_else(|| {
        let names = spectrum.tests.iter().map(|test| &*test.name);
        FailingError::Unknown {
            name: name.to_owned(),
            nearest: nearest(name, names).map(str::to_owned),
        }
    })
}

/// The failing test to start from: the one named, or the only one.
pub fn failing_test(spectrum: &Spectrum, named: Option<&str>) -> Result<TestId> {
    match named_or_all(spectrum, named.as_slice())?.as_slice() {
        [only] => check_covers(spectrum, *only).map(|()| *only),
        many => Err(FailingError::Several {
            count: many.len(),
            failing: names(spectrum, many.iter().copied().take(SHOWN)),
        }),
    }
}

/// The failing tests to rank by: those named, or all.
pub fn failing_tests(spectrum: &Spectrum, named: &[impl AsRef<str>]) -> Result<Vec<TestId>> {
    let tests = named_or_all(spectrum, named)?;
    match tests.as_slice() {
        [only] => check_covers(spectrum, *only).map(|()| tests),
        many if many.iter().all(|&test| spectrum.coverage.total(test) == 0) => {
            Err(FailingError::NoneCovers(many.len()))
        }
        _ => Ok(tests),
    }
}

/// At least one.
fn named_or_all(spectrum: &Spectrum, named: &[impl AsRef<str>]) -> Result<Vec<TestId>> {
    let mut tests = Vec::new();
    for name in named {
        let test = test_named(spectrum, name.as_ref())?;
        check_fails(spectrum, test)?;
        if !tests.contains(&test) {
            tests.push(test);
        }
    }
    if named.is_empty() {
        tests.extend(spectrum.failing_tests());
    }
    if tests.is_empty() {
        return Err(no_failing_test(spectrum));
    }
    Ok(tests)
}

/// A failing test may be one that the input calls failing, or one it knows no outcome of.
fn check_fails(spectrum: &Spectrum, test: TestId) -> Result<()> {
    let verdict = spectrum.test(test).verdict();
    if verdict.is_none_or(|verdict| verdict.outcome == Outcome::Fail) {
        return Ok(());
    }
    Err(FailingError::Passes {
        name: spectrum.test(test).name.clone(),
        failing: names(spectrum, spectrum.failing_tests().take(SHOWN)),
    })
}

fn check_covers(spectrum: &Spectrum, test: TestId) -> Result<()> {
    if spectrum.coverage.total(test) > 0 {
        return Ok(());
    }
    Err(FailingError::CoversNothing(
        spectrum.test(test).name.clone(),
    ))
}

fn no_failing_test(spectrum: &Spectrum) -> FailingError {
    let fails = |t: &&Test| t.flaky && t.verdict().is_some_and(|v| v.outcome == Outcome::Fail);
    FailingError::None {
        tests: spectrum.tests.len(),
        flaky: spectrum.tests.iter().filter(fails).count(),
    }
}

fn names(spectrum: &Spectrum, tests: impl Iterator<Item = TestId>) -> Vec<String> {
    tests.map(|test| spectrum.test(test).name.clone()).collect()
}

fn left_out(flaky: usize) -> String {
    match flaky {
        0 => String::new(),
        flaky => format!(" ({flaky} flaky, left out)"),
    }
}
