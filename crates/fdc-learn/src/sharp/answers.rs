//! What a test's outcome says of where the fault is.
//!
//! If the fault is in a method, a test fails with a probability that depends on how much of the method
//! it runs and how like a failing test it is; past bugs tell how. A test that is said to pass makes
//! the methods a little less likely in which it should have failed; one that is said to fail joins
//! the failing tests, as far as it is believed. People err: an answer is never believed more than
//! [`DOUBT`] allows, and less if the test was most unlikely to fail.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use fdc_core::coverage::{Coverage, TestId};
use fdc_core::rows::Row as CoverageRow;
use fdc_core::{Outcome, Spectrum, Verdict};
use rayon::prelude::*;

use super::features::{Feature, Suspicion, feature};
use super::kinship::Words;
use super::linear::{Lesson, LinearSoftmax, Row};

/// Number of features of a test beside a suspicious method.
pub(super) const ODDS_COUNT: usize = 6;

/// What they are, in the order of a row.
pub(super) static ODDS_FEATURES: [Feature; ODDS_COUNT] = [
    feature("any test", "outcome", "1", "1"),
    feature(
        "share",
        "outcome",
        "share of the method's lines run by a failing test that the test runs too",
        "0..1",
    ),
    feature("whole", "outcome", "1 if it runs all of them", "0, 1"),
    feature(
        "cover",
        "outcome",
        "largest cover of the test with a failing test",
        "0..1",
    ),
    feature(
        "like place",
        "outcome",
        "largest similarity of its class or file name with a failing test's",
        "0..1",
    ),
    feature(
        "like words",
        "outcome",
        "largest share of the words in its name that a failing test's has",
        "0..1",
    ),
];

/// A test fails so rarely if the fault is in a method that it does not run: coverage is not all.
pub(super) const ELSEWHERE: f64 = 4e-4;
/// A person's answers are taken to be wrong this often at least.
const DOUBT: f64 = 0.1;
/// How much of what a passing test says is new: the pool's tests were taken to pass from the start.
const NEWS: f64 = 0.25;
/// Methods that a question is weighed by, the likeliest ones.
const WEIGHED: usize = 32;
/// Passing tests of a failing one that are learned from.
const LEARNED_FROM: usize = 64;

/// What asking for a test's outcome would bring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prospect {
    /// The probability that it fails.
    pub fails: f64,
    /// What its outcome is expected to tell of where the fault is, in bits.
    pub bits: f64,
}

/// The log-odds that a test fails if a method is faulty, linear in [`ODDS_FEATURES`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FailureOdds(pub [f32; ODDS_COUNT]);

impl FailureOdds {
    pub(super) fn learned(fit: &LinearSoftmax<ODDS_COUNT>) -> Self {
        FailureOdds(std::array::from_fn(|own| fit.weight[own] / fit.scale[own]))
    }

    fn probability(&self, row: &Row<ODDS_COUNT>) -> f64 {
        let odds = row.iter().zip(self.0);
        let odds: f64 = odds.map(|(value, weight)| value * f64::from(weight)).sum();
        1.0 / (1.0 + libm::exp(-odds))
    }
}

/// How a test's outcome depends on where the fault is, beside failing tests.
pub(super) struct Witnesses {
    odds: FailureOdds,
    /// Words of the failing tests' names.
    words: Vec<Words>,
    /// By test, its largest cover with a failing one.
    covers: Vec<f64>,
    /// By method, what a failing test runs of it.
    run: Vec<RunLines>,
    /// By test, its features beside any method. Made when all tests are asked about.
    rows: OnceLock<Vec<Row<ODDS_COUNT>>>,
    /// Of the methods that questions were weighed by last.
    outlook: Mutex<BTreeMap<u32, MethodOutlook>>,
}

/// How likely each test fails if one method is faulty, by test, with the entropy of it.
type MethodOutlook = Arc<Vec<(f64, f64)>>;

impl Witnesses {
    /// Beside the failing tests of these views.
    pub(super) fn new<'v>(
        odds: FailureOdds,
        coverage: &Coverage,
        views: impl Iterator<Item = (TestId, &'v Suspicion)>,
        methods: usize,
    ) -> Self {
        let mut run = vec![false; coverage.column_count()];
        let mut covers = vec![0.0f64; coverage.test_count()];
        let mut words = Vec::new();
        for (failing, view) in views {
            words.push(Words::of(coverage.test_name(failing)));
            coverage
                .row(failing)
                .for_each(|column| run[column as usize] = true);
            for (most, own) in covers.iter_mut().zip(view.covers()) {
                *most = most.max(*own);
            }
        }
        let mut run_of = vec![RunLines::default(); methods];
        let of_methods = coverage.methods();
        for (&method, all) in of_methods.units().iter().zip(of_methods.iter()) {
            for &(column, lines) in all.iter().filter(|(column, _)| run[*column as usize]) {
                run_of[method as usize].push(column, lines);
            }
        }
        Witnesses {
            odds,
            words,
            covers,
            run: run_of,
            rows: OnceLock::new(),
            outlook: Mutex::default(),
        }
    }

    /// The features of a test beside any method: what it runs of it is still 0.
    fn row(&self, coverage: &Coverage, test: TestId) -> Row<ODDS_COUNT> {
        if let Some(rows) = self.rows.get() {
            return rows[test.index()];
        }
        let own = Words::of(coverage.test_name(test));
        let most = |like: fn(&Words, &Words) -> f64| {
            let all = self.words.iter().map(|failing| like(&own, failing));
            all.fold(0.0, f64::max)
        };
        [
            1.0,
            0.0,
            0.0,
            self.covers[test.index()],
            most(Words::same_place),
            most(Words::own_words_in),
        ]
    }

    /// The same beside a method; none if it runs nothing of it that a failing test runs.
    fn beside(
        &self,
        coverage: &Coverage,
        test: TestId,
        mut row: Row<ODDS_COUNT>,
        method: u32,
    ) -> Option<Row<ODDS_COUNT>> {
        let of_method = &self.run[method as usize];
        let (run, all) = (of_method.covered(coverage.row(test)), of_method.all());
        row[1] = f64::from(run) / f64::from(all.max(1));
        row[2] = f64::from(u8::from(run == all));
        (run > 0).then_some(row)
    }

    /// How likely the test fails if the method is faulty.
    fn fails(&self, coverage: &Coverage, test: TestId, row: Row<ODDS_COUNT>, method: u32) -> f64 {
        self.beside(coverage, test, row, method)
            .map_or(ELSEWHERE, |row| self.odds.probability(&row))
    }

    /// How likely the test fails, with methods as likely as this.
    pub(super) fn fails_at_all(&self, coverage: &Coverage, test: TestId, likely: &[f64]) -> f64 {
        let row = self.row(coverage, test);
        let suspected = (0..).zip(likely).filter(|(_, likely)| **likely > 0.0);
        suspected
            .map(|(method, likely)| likely * self.fails(coverage, test, row, method))
            .sum()
    }

    /// Makes methods less likely in which a test should have failed that is said to pass.
    pub(super) fn hear_of_pass(
        &self,
        coverage: &Coverage,
        test: TestId,
        trust: f64,
        likely: &mut [f64],
    ) {
        let row = self.row(coverage, test);
        let doubt = doubt(trust);
        for (method, own) in (0..).zip(likely).filter(|(_, own)| **own > 0.0) {
            let fails = self.fails(coverage, test, row, method);
            let says = (1.0 - doubt) * (1.0 - fails) + doubt * fails;
            *own *= libm::pow(says, NEWS);
        }
    }

    /// What the outcome of each test is expected to tell, with methods as likely as this.
    pub(super) fn outlook(&self, coverage: &Coverage, likely: &[f64]) -> QuestionOutlook {
        let mut order: Vec<(f64, u32)> = likely.iter().copied().zip(0..).collect();
        order.retain(|(likely, _)| *likely > 0.0);
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        order.truncate(WEIGHED);
        let tests = || {
            (0..coverage.test_count() as u32)
                .into_par_iter()
                .map(TestId)
        };
        if self.rows.get().is_none() {
            let rows = tests().map(|test| self.row(coverage, test)).collect();
            self.rows.get_or_init(|| rows);
        }
        let of_method = |method: u32| -> MethodOutlook {
            let fails = tests().map(|test| {
                let row = self.row(coverage, test);
                let fails = self.fails(coverage, test, row, method);
                (fails, entropy(fails))
            });
            Arc::new(fails.collect())
        };
        // Not locked while threads work: one of them might come here again.
        let kept = || self.outlook.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = std::mem::take(&mut *kept());
        let methods = order.into_iter().map(|(_, method)| {
            let outlook = known.remove(&method);
            (method, outlook.unwrap_or_else(|| of_method(method)))
        });
        let outlook = QuestionOutlook(methods.collect());
        kept().clone_from(&outlook.0);
        outlook
    }
}

/// Lines of a method by column, in stretches of neighbouring columns: of a long one that a test runs
/// without a gap only the ends are looked at.
#[derive(Clone, Default)]
struct RunLines {
    /// Columns, and the number of the first within the method.
    stretches: Vec<(Range<u32>, usize)>,
    /// By column of the method, lines up to it.
    up_to: Vec<u32>,
}

impl RunLines {
    /// Adds a column after all others.
    fn push(&mut self, column: u32, lines: u32) {
        match self.stretches.last_mut() {
            Some((last, _)) if last.end == column => last.end += 1,
            _ => self.stretches.push((column..column + 1, self.up_to.len())),
        }
        self.up_to.push(self.all() + lines);
    }

    fn all(&self) -> u32 {
        self.up_to.last().copied().unwrap_or(0)
    }

    /// How many of the lines are in columns of the row.
    fn covered(&self, row: CoverageRow<'_>) -> u32 {
        let before = |number: usize| number.checked_sub(1).map_or(0, |last| self.up_to[last]);
        let mut covered = 0;
        for (columns, first) in &self.stretches {
            row.for_each_range_within(columns, |run| {
                let number = |column: u32| first + (column - columns.start) as usize;
                covered += before(number(run.end)) - before(number(run.start));
            });
        }
        covered
    }
}

/// How likely each test fails if one of the likeliest methods is faulty.
pub(super) struct QuestionOutlook(BTreeMap<u32, MethodOutlook>);

impl QuestionOutlook {
    /// What asking for a test's outcome would bring.
    pub(super) fn prospect(&self, test: TestId, likely: &[f64]) -> Prospect {
        let (mut fails, mut known, mut rest) = (0.0, 0.0, 1.0);
        for (&method, outlook) in &self.0 {
            let (own, entropy) = outlook[test.index()];
            let likely = likely[method as usize];
            fails += likely * own;
            known += likely * entropy;
            rest -= likely;
        }
        fails += rest.max(0.0) * ELSEWHERE;
        known += rest.max(0.0) * entropy(ELSEWHERE);
        Prospect {
            fails,
            bits: (entropy(fails) - known).max(0.0),
        }
    }
}

/// How likely a test that is said to fail does: believed by trust, and by how likely it is anyway.
pub(super) fn belief(verdict: Verdict, fails: f64) -> f64 {
    let doubt = doubt(verdict.trust);
    let right = fails * (1.0 - doubt);
    right / (right + (1.0 - fails) * doubt)
}

fn doubt(trust: f64) -> f64 {
    (1.0 - trust).max(DOUBT)
}

/// Of a yes or no of this probability, in bits.
fn entropy(probability: f64) -> f64 {
    let part = |p: f64| if p > 0.0 { -p * libm::log2(p) } else { 0.0 };
    part(probability) + part(1.0 - probability)
}

/// Lessons from a past bug and one of its failing tests: which tests that run a faulty method failed.
/// A lesson is a choice between failing and not, so that what is learned are log-odds.
pub(super) fn odds_lessons(
    spectrum: &Spectrum,
    failing: TestId,
    view: &Suspicion,
    faulty: &[u32],
) -> Vec<Lesson<ODDS_COUNT>> {
    let coverage = &spectrum.coverage;
    let methods = spectrum.program.methods.len();
    let none = FailureOdds([0.0; ODDS_COUNT]);
    let beside = Witnesses::new(none, coverage, std::iter::once((failing, view)), methods);
    let mut passing = Vec::new();
    let mut lessons = Vec::new();
    for test in coverage.tests().filter(|&test| test != failing) {
        let Some(verdict) = spectrum.test(test).verdict() else {
            continue;
        };
        let row = beside.row(coverage, test);
        for &method in faulty {
            let Some(row) = beside.beside(coverage, test, row, method) else {
                continue;
            };
            let fails = verdict.outcome == Outcome::Fail;
            let lesson = Lesson {
                rows: vec![row, [0.0; ODDS_COUNT]],
                right: vec![fails, !fails],
                weight: 1.0,
            };
            if fails { &mut lessons } else { &mut passing }.push(lesson);
        }
    }
    // Of thousands that pass a few say it all.
    let step = passing.len().div_ceil(LEARNED_FROM).max(1);
    for mut lesson in passing.into_iter().step_by(step) {
        lesson.weight = step as f64;
        lessons.push(lesson);
    }
    lessons
}

#[cfg(test)]
mod tests {
    use super::*;
    use fdc_core::Suite;
    use fdc_core::rows::Rows;

    /// Two methods of two lines; the failing test runs both, test 1 the first, test 2 the second's
    /// first line, test 3 nothing.
    fn coverage() -> Coverage {
        let mut rows = Rows::new(4);
        for row in [&[0, 1, 2, 3][..], &[0, 1], &[2], &[]] {
            rows.push_columns(row.iter().copied()).unwrap();
        }
        Coverage::with_methods(rows, [0, 0, 1, 1])
    }

    fn witnesses(coverage: &Coverage) -> Witnesses {
        let view = Suspicion::new(&Suite::new(coverage, TestId(0)));
        let odds = FailureOdds([-3.0, 1.0, 1.0, 2.0, 0.0, 0.0]);
        Witnesses::new(odds, coverage, std::iter::once((TestId(0), &view)), 2)
    }

    #[test]
    fn who_runs_more_of_a_faulty_method_fails_more_often() {
        let coverage = coverage();
        let beside = witnesses(&coverage);
        let fails = |test: u32, method: u32| {
            let test = TestId(test);
            beside.fails(&coverage, test, beside.row(&coverage, test), method)
        };
        assert_eq!(
            fails(1, 0),
            1.0 / (1.0 + libm::exp(3.0 - 1.0 - 1.0 - 2.0 * 0.5))
        );
        assert_eq!(fails(2, 1), 1.0 / (1.0 + libm::exp(3.0 - 0.5 - 2.0 * 0.25)));
        assert_eq!([fails(1, 1), fails(2, 0), fails(3, 0)], [ELSEWHERE; 3]);
        let mut likely = [0.5, 0.5];
        beside.hear_of_pass(&coverage, TestId(1), 1.0, &mut likely);
        assert!(likely[0] < likely[1], "{likely:?}");
    }

    /// By its other definition: how far the outcome is expected to move the likelihoods.
    #[test]
    fn what_a_question_tells_is_how_far_its_answer_moves_the_likelihoods() {
        let coverage = coverage();
        let beside = witnesses(&coverage);
        let likely = [0.7, 0.3];
        for test in [1, 2, 3].map(TestId) {
            let row = beside.row(&coverage, test);
            let fails = [0, 1].map(|method| beside.fails(&coverage, test, row, method));
            let all = likely[0] * fails[0] + likely[1] * fails[1];
            let mut naive = 0.0;
            for method in 0..2 {
                let (joint, other) = (
                    likely[method] * fails[method],
                    likely[method] * (1.0 - fails[method]),
                );
                naive += joint * libm::log2(fails[method] / all);
                naive += other * libm::log2((1.0 - fails[method]) / (1.0 - all));
            }
            let prospect = beside.outlook(&coverage, &likely).prospect(test, &likely);
            assert!(
                (prospect.bits - naive.max(0.0)).abs() < 1e-12,
                "{prospect:?} {naive}"
            );
            assert!((prospect.fails - all).abs() < 1e-12);
        }
    }

    #[test]
    fn who_was_likely_to_fail_is_believed_to_and_nobody_fully() {
        let said = |trust| Verdict {
            outcome: Outcome::Fail,
            trust,
        };
        assert!(belief(said(1.0), 0.5) > 0.85 && belief(said(1.0), 0.999) < 1.0);
        assert!(belief(said(1.0), 0.001) < 0.01);
        assert!(belief(said(0.6), 0.5) < belief(said(0.8), 0.5));
    }
}
