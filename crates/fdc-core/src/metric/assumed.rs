//! assume=pass — hypothetical outcomes: a metric that needs the outcomes of the chosen tests, given
//! the assumption that every one of them passes (most do) and that the failing test fails.
//!
//! Any result-aware metric takes it as a parameter, `fdg:assume=pass`, and is then result-agnostic:
//! what it gets as outcomes is made from the suite, in which there are none.

use super::{Agnostic, Aware, Judged, Kind, Parameter, Parameters, Result};
use crate::coverage::TestId;
use crate::spectrum::Outcome;
use crate::suite::Suite;
use crate::tally::{Tally, Verdict};

/// What every result-aware metric can be told in addition to its own parameters.
pub const PARAMETER: Parameter = Parameter {
    name: "assume",
    default: "nothing",
    summary: "nothing, or pass: chosen tests are taken to pass, no outcome is seen",
};

pub(super) fn apply(kind: Kind, parameters: &Parameters<'_>) -> Result<Kind> {
    match (kind, parameters.text(PARAMETER.name)) {
        (Kind::Aware(inner), "pass") => Ok(Kind::Agnostic(Box::new(AssumePass { inner }))),
        (kind, "nothing") => Ok(kind),
        _ => Err(parameters.bad(PARAMETER.name, "nothing or pass")),
    }
}

struct AssumePass {
    inner: Box<dyn Aware>,
}

impl Agnostic for AssumePass {
    fn score(&self, suite: &Suite<'_>, candidates: &[TestId]) -> Vec<f64> {
        let tally = tally(suite);
        let judged = Judged {
            tally: &tally,
            failing: &[suite.failing()],
        };
        self.inner.score(suite, judged, candidates)
    }
}

/// Counts under the assumption.
pub fn tally(suite: &Suite<'_>) -> Tally {
    let coverage = suite.coverage();
    let mut tally = Tally::new(coverage);
    for &test in suite.tests() {
        let fails = test == suite.failing();
        let outcome = if fails { Outcome::Fail } else { Outcome::Pass };
        tally.add(coverage, test, Verdict::certain(outcome));
    }
    tally
}

#[cfg(test)]
mod tests {
    use crate::coverage::{Coverage, TestId};
    use crate::metric::{Judged, Kind, METRICS, Metric};
    use crate::rows::Rows;
    use crate::suite::Suite;

    /// Where the chosen tests do pass, the assumption changes nothing; and it is agnostic by type.
    #[test]
    fn every_aware_metric_can_assume_that_chosen_tests_pass() {
        let mut rows = Rows::new(6);
        for columns in [
            vec![0, 1, 2, 3],
            vec![1, 2, 5],
            vec![0, 4],
            vec![2, 3],
            vec![],
        ] {
            rows.push_columns(columns).unwrap();
        }
        let coverage = Coverage::new(rows);
        let mut suite = Suite::new(&coverage, TestId(0));
        suite.add(TestId(1));
        let tally = super::tally(&suite);
        let judged = Judged {
            tally: &tally,
            failing: &[TestId(0)],
        };
        let candidates = [TestId(2), TestId(3), TestId(4)];
        for entry in METRICS.iter().filter(|entry| entry.aware) {
            let Kind::Aware(aware) = Metric::parse(entry.name).unwrap().kind else {
                panic!("{} is aware", entry.name);
            };
            let assumed = Metric::parse(&format!("{}:assume=pass", entry.name)).unwrap();
            let Kind::Agnostic(assumed) = assumed.kind else {
                panic!("{} is agnostic under the assumption", entry.name);
            };
            let expected = aware.score(&suite, judged, &candidates);
            assert_eq!(
                assumed.score(&suite, &candidates),
                expected,
                "{}",
                entry.name
            );
        }
        assert!(Metric::parse("fdg:assume=fail").is_err());
        assert!(
            Metric::parse("tfd:assume=pass").is_err(),
            "it sees no outcomes anyway"
        );
    }
}
