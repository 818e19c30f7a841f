//! What several failing tests say together.
//!
//! A failing test on its own takes all others to pass. If more tests fail, a method is the likelier the
//! better it explains all outcomes at once: most tests that run it fail, and all failing tests run it.
//! How well is the likelihood of the outcomes if the method is faulty and lets a test fail with the
//! probability that suits it best (Barinel's idea), compared with what one failing test alone says of
//! it. Tests that are much alike fail together, so that they say less than as many independent ones
//! would; and one method need not be behind all of them. Hence two opinions, which count the same:
//! with that comparison, tempered, and without it.

use fdc_core::coverage::{Coverage, TestId};
use fdc_core::{Outcome, Tally, Verdict};

use super::answers::ELSEWHERE;

/// How much of what further failing tests say is new: many are alike.
pub(super) const NEWS: f64 = 0.25;

/// Makes methods likelier that explain why these tests fail and others do not, those aside that fail
/// for other reasons.
pub(super) fn hear_together(
    coverage: &Coverage,
    failing: &[TestId],
    elsewhere: impl Fn(TestId) -> bool,
    likely: &mut [f64],
) {
    let total: f64 = likely.iter().sum();
    // One test says it all, and those that run nothing say nothing.
    if failing.len() < 2 || total <= 0.0 {
        return;
    }
    let tally = tally_of(coverage, failing, elsewhere);
    let mut explained = vec![f64::NEG_INFINITY; likely.len()];
    let methods = coverage.methods();
    for (&method, columns) in methods.units().iter().zip(methods.iter()) {
        let own = likely[method as usize];
        let counts = columns
            .iter()
            .map(|(column, _)| tally.covered(*column as usize));
        let run = counts.filter(|(fail, _)| own > 0.0 && *fail > 0.0);
        let news = run.map(|(fail, pass)| {
            let missed = failing.len() as f64 - fail;
            outcomes_of(fail, pass, missed) - outcomes_of(1.0, pass, 0.0)
        });
        explained[method as usize] = libm::log(own) + NEWS * news.fold(f64::NEG_INFINITY, f64::max);
    }
    let most = explained.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    explained
        .iter_mut()
        .for_each(|own| *own = libm::exp(*own - most));
    let all: f64 = explained.iter().sum();
    for (own, explained) in likely.iter_mut().zip(&explained) {
        *own = (*own + explained * total / all) / 2.0;
    }
}

/// Counts these tests as failing and all others as passing, those aside that fail for other reasons.
pub(super) fn tally_of(
    coverage: &Coverage,
    failing: &[TestId],
    elsewhere: impl Fn(TestId) -> bool,
) -> Tally {
    let judged = coverage.tests().filter_map(|test| {
        let fails = failing.binary_search(&test).is_ok();
        let outcome = if fails { Outcome::Fail } else { Outcome::Pass };
        (fails || !elsewhere(test)).then(|| (test, Verdict::certain(outcome)))
    });
    let mut tally = Tally::new(coverage);
    tally.add_all(coverage, judged);
    tally
}

/// Log-likelihood of so many failing and passing tests that run something, and failing ones that do
/// not, if it lets tests fail with the probability that suits it best.
pub(super) fn outcomes_of(fail: f64, pass: f64, missed: f64) -> f64 {
    let part = |tests: f64| match tests > 0.0 {
        true => tests * libm::log(tests / (fail + pass)),
        false => 0.0,
    };
    part(fail) + part(pass) + missed * libm::log(ELSEWHERE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fdc_core::rows::Rows;

    /// Three methods of a line each: the first is run by both failing tests alone, the second by a
    /// passing one as well, the third by one failing test.
    fn coverage() -> Coverage {
        let mut rows = Rows::new(3);
        for row in [&[0, 1, 2][..], &[0, 1], &[1], &[]] {
            rows.push_columns(row.iter().copied()).unwrap();
        }
        Coverage::with_methods(rows, [0, 1, 2])
    }

    #[test]
    fn who_explains_all_outcomes_is_likelier() {
        let mut likely = [1.0 / 3.0; 3];
        hear_together(&coverage(), &[TestId(0), TestId(1)], |_| false, &mut likely);
        assert!(likely[0] > likely[1] && likely[1] > likely[2], "{likely:?}");
        assert!((likely.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // A test that fails for another reason speaks against nothing.
        let mut apart = [1.0 / 3.0; 3];
        let elsewhere = |test| test == TestId(2);
        hear_together(&coverage(), &[TestId(0), TestId(1)], elsewhere, &mut apart);
        assert!(apart[1] > likely[1], "{apart:?}");
    }

    #[test]
    fn one_failing_test_has_said_it_all_before() {
        let mut likely = [0.3, 0.4, 0.3];
        hear_together(&coverage(), &[TestId(0)], |_| false, &mut likely);
        assert_eq!(likely, [0.3, 0.4, 0.3]);
    }
}
